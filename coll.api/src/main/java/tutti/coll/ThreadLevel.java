package tutti.coll;

/** MPI's thread levels, in rising order. */
public enum ThreadLevel {
    /** One thread. */
    SINGLE,
    /** Only the main thread calls MPI. */
    FUNNELED,
    /** Any thread, one at a time. */
    SERIALIZED,
    /** Any thread at any time. */
    MULTIPLE
}
