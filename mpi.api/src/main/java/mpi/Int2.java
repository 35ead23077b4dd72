package mpi;

/** An int and an index, as {@code MPI.MINLOC} and {@code MPI.MAXLOC} take them: type {@code MPI.INT2}. */
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

    /** Reads and writes one pair in a buffer. Not safe for several threads. */
    public final class Data extends Struct.Data {

        /** To be made by {@link Struct#getData}. */
        public Data() { }

        /** The value. */
        public int getValue() {
            return getInt(VALUE);
        }

        /** The index. */
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
