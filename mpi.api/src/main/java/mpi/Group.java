package mpi;

/** The ranks of a communicator, as one of them sees them. */
public final class Group implements Freeable {
    static final Group EMPTY = new Group(0, Constant.UNDEFINED);

    private final int size;
    private final int rank;
    private boolean isFree;

    Group(final int size, final int rank) {
        this.size = size;
        this.rank = rank;
    }

    /** Ranks in the group. */
    public int getSize() throws MPIException {
        check();
        return size;
    }

    /** The calling rank's place in the group, {@code MPI.UNDEFINED} when it has none. */
    public int getRank() throws MPIException {
        check();
        return rank;
    }

    /** Lets go of the group; the empty group stays. */
    @Override
    public void free() throws MPIException {
        check();
        isFree = this != EMPTY;
    }

    /** Whether the group was freed. */
    public boolean isNull() {
        return isFree;
    }

    private void check() throws MPIException {
        if (isFree) {
            throw Errors.error(Constant.ERR_GROUP, "group is null");
        }
    }
}
