package mpi;

/** Pairs of an int and an index, operands of {@code MPI.MINLOC} and {@code MPI.MAXLOC}: datatype {@code MPI.INT2}. */
public final class Int2 extends Struct {
    private static final int VALUE = 0;
    private static final int INDEX = 4;

    Int2() {
        super(tutti.runtime.datatype.Datatype.INT2);
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
        public int getValue() {
            return getInt(VALUE);
        }

        /** Returns the index. */
        public int getIndex() {
            return getInt(INDEX);
        }

        /** Writes the value. */
        public void putValue(final int v) {
            putInt(VALUE, v);
        }

        /** Writes the index. */
        public void putIndex(final int v) {
            putInt(INDEX, v);
        }
    }
}
