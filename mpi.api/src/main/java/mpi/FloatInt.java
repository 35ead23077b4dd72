package mpi;

/** Pairs of a float and an index, operands of {@code MPI.MINLOC} and {@code MPI.MAXLOC}: datatype {@code MPI.FLOAT_INT}. */
public final class FloatInt extends Struct {
    private static final int VALUE = 0;
    private static final int INDEX = 4;

    FloatInt() {
        super(tutti.runtime.datatype.Datatype.FLOAT_INT);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** Reads and writes one pair in a buffer. Not safe for use by several threads. */
    public final class Data extends Struct.Data {

        /** Creates an accessor; called by {@link Struct#getData} only. */
        public Data() {}

        /** Returns the value. */
        public float getValue() {
            return getFloat(VALUE);
        }

        /** Returns the index. */
        public int getIndex() {
            return getInt(INDEX);
        }

        /** Writes the value. */
        public void putValue(final float v) {
            putFloat(VALUE, v);
        }

        /** Writes the index. */
        public void putIndex(final int v) {
            putInt(INDEX, v);
        }
    }
}
