package mpi;

/** Pairs of a double and an index, operands of {@code MPI.MINLOC} and {@code MPI.MAXLOC}: datatype {@code MPI.DOUBLE_INT}. */
public final class DoubleInt extends Struct {
    private static final int VALUE = 0;
    private static final int INDEX = 8;

    DoubleInt() {
        super(tutti.runtime.datatype.Datatype.DOUBLE_INT);
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
        public double getValue() {
            return getDouble(VALUE);
        }

        /** Returns the index. */
        public int getIndex() {
            return getInt(INDEX);
        }

        /** Writes the value. */
        public void putValue(final double v) {
            putDouble(VALUE, v);
        }

        /** Writes the index. */
        public void putIndex(final int v) {
            putInt(INDEX, v);
        }
    }
}
