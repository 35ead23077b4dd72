package tutti.runtime.comm;

/** One MPI process of a job. */
public final class Rank {
}
