package mpi;

/** A count of 64 bits. Not safe for use by several threads while it is changed. */
@SuppressWarnings("ComparableType") // as in the bindings
public final class Count implements Comparable<Object> {
    private long value;

    /** Creates a count. */
    public Count(final long count) {
        this.value = count;
    }

    /** Returns the value. */
    public long getCount() {
        return value;
    }

    /** Sets the value. */
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

    /** Compares by value with another count. The parameter has class Object as in the bindings. */
    @Override
    public int compareTo(final Object other) {
        return Long.compare(value, ((Count) other).value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
