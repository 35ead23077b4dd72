package mpi;

/** A long and an index, as {@code MPI.MINLOC} and {@code MPI.MAXLOC} take them: type {@code MPI.LONG_INT}. */
public final class LongInt extends Struct {
    private static final int VALUE = 0;
    private static final int INDEX = 8;

    LongInt() {
        super(tutti.runtime.datatype.Datatype.LONG_INT);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** Reads and writes one pair in a buffer. Not safe for several threads. */
    public final class Data extends Struct.Data {

        /** To be made by {@link Struct#getData}. */
        public Data() { }

        /** The value. */
        public long getValue() {
            return getLong(VALUE);
        }

        /** The index. */
        public int getIndex() {
            return getInt(INDEX);
        }

        /** Writes the value. */
        public void putValue(final long v) {
            putLong(VALUE, v);
        }

        /** Writes the index. */
        public void putIndex(final int v) {
            putInt(INDEX, v);
        }
    }
}
