package mpi;

/** The source and destination of a shift along a dimension; {@code MPI.PROC_NULL} beyond an end. */
public final class ShiftParms {
    private final int rankSource;
    private final int rankDest;

    ShiftParms(final int rankSource, final int rankDest) {
        this.rankSource = rankSource;
        this.rankDest = rankDest;
    }

    /** Returns the rank from which the calling rank receives. */
    public int getRankSource() {
        return rankSource;
    }

    /** Returns the rank to which the calling rank sends. */
    public int getRankDest() {
        return rankDest;
    }
}
