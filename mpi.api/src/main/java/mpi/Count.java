package mpi;

/** A count of 64 bits. Not safe for several threads while it is changed. */
public final class Count implements Comparable<Object> {
    private long value;

    /** With a first value. */
    public Count(final long count) {
        this.value = count;
    }

    /** The value. */
    public long getCount() {
        return value;
    }

    /** Changes the value. */
    public void setCount(final long count) {
        this.value = count;
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof Count c && c.value == value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(value);
    }

    /** By value; to other counts alone. Programs know it with a parameter of class Object. */
    @Override
    public int compareTo(final Object other) {
        return Long.compare(value, ((Count) other).value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
