package mpi;

/** From whom and to whom data goes that is shifted along a dimension; {@code MPI.PROC_NULL} beyond an end. */
public final class ShiftParms {
    private final int rankSource;
    private final int rankDest;

    ShiftParms(final int rankSource, final int rankDest) {
        this.rankSource = rankSource;
        this.rankDest = rankDest;
    }

    /** Whose data comes to the calling rank. */
    public int getRankSource() {
        return rankSource;
    }

    /** Who gets the calling rank's data. */
    public int getRankDest() {
        return rankDest;
    }
}
