package mpi;

/** Pairs of a short and an index, operands of {@code MPI.MINLOC} and {@code MPI.MAXLOC}: datatype {@code MPI.SHORT_INT}. */
public final class ShortInt extends Struct {
    private static final int VALUE = 0;
    private static final int INDEX = 4;

    ShortInt() {
        super(tutti.runtime.datatype.Datatype.SHORT_INT);
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
        public short getValue() {
            return getShort(VALUE);
        }

        /** Returns the index. */
        public int getIndex() {
            return getInt(INDEX);
        }

        /** Writes the value. */
        public void putValue(final short v) {
            putShort(VALUE, v);
        }

        /** Writes the index. */
        public void putIndex(final int v) {
            putInt(INDEX, v);
        }
    }
}
