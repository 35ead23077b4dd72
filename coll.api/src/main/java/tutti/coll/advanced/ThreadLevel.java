package tutti.coll.advanced;

/** The thread levels of MPI, in rising order. */
public enum ThreadLevel {
    /** MPI_THREAD_SINGLE: the rank has one thread. */
    SINGLE,
    /** MPI_THREAD_FUNNELED: only the main thread calls MPI. */
    FUNNELED,
    /** MPI_THREAD_SERIALIZED: any thread calls MPI, one at a time. */
    SERIALIZED,
    /** MPI_THREAD_MULTIPLE: any thread calls MPI at any time. */
    MULTIPLE
}
