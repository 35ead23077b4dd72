package mpi;

import java.util.function.Supplier;
import tutti.runtime.model.MpiFailure;

/** An ordered set of ranks. Groups are immutable; all operations are local. */
public final class Group implements Freeable {
    private static final int NO_RANK = -1;
    static final Group EMPTY = new Group(tutti.runtime.model.Group.EMPTY, NO_RANK);

    private final tutti.runtime.model.Group members;
    /** The calling rank in COMM_WORLD. */
    private final int worldRank;
    private boolean isFree;

    /** Creates a group for a rank of COMM_WORLD. */
    Group(final tutti.runtime.model.Group members, final int self) {
        this.members = members;
        this.worldRank = self;
    }

    /** Returns a group of the same ranks for the program to free. */
    Group copy() {
        return create(members, worldRank);
    }

    /** Returns the runtime's group. */
    static tutti.runtime.model.Group of(final Group group) throws MPIException {
        if (group == null) {
            // Cause: no group, or a null one. Remedy: give it.
            throw ErrorHandling.error(MPI.ERR_GROUP, "group is null");
        }
        group.check();
        return group.members;
    }

    /** Returns the number of ranks in the group. */
    public int getSize() throws MPIException {
        check();
        return members.size();
    }

    /** Returns the rank of the caller in the group; {@code MPI.UNDEFINED} if it is not a member. */
    public int getRank() throws MPIException {
        check();
        return members.rankOf(worldRank);
    }

    /** Frees the group; the empty group stays valid. */
    @Override
    public void free() throws MPIException {
        check();
        isFree = this != EMPTY;
    }

    /** Returns whether the group was freed. */
    public boolean isNull() {
        return isFree;
    }

    /**
     * Translates ranks of one group to ranks of another.
     *
     * @param group1 group of the given ranks
     * @param ranks1 ranks in {@code group1}
     * @param group2 the other group
     * @return the ranks in {@code group2}; {@code MPI.UNDEFINED} for ranks that are not members
     */
    public static int[] translateRanks(final Group group1, final int[] ranks1, final Group group2) throws MPIException {
        final tutti.runtime.model.Group one = of(group1);
        final tutti.runtime.model.Group two = of(group2);
        return get(() -> one.translate(ranks1, two));
    }

    /**
     * Compares two groups.
     *
     * @return {@code MPI.IDENT} for the same ranks in the same order, {@code MPI.SIMILAR} for the same ranks in another order, else
     *       {@code MPI.UNEQUAL}
     */
    public static int compare(final Group group1, final Group group2) throws MPIException {
        return switch (of(group1).compare(of(group2))) {
            case IDENT -> MPI.IDENT;
            case SIMILAR -> MPI.SIMILAR;
            case UNEQUAL -> MPI.UNEQUAL;
        };
    }

    /** Returns the union of two groups: all ranks of the first, then those of the second that are not in the first. */
    public static Group union(final Group group1, final Group group2) throws MPIException {
        return create(of(group1).union(of(group2)), group1, group2);
    }

    /** Returns the intersection of two groups, in the order of the first. */
    public static Group intersection(final Group group1, final Group group2) throws MPIException {
        return create(of(group1).intersection(of(group2)), group1, group2);
    }

    /** Returns the difference of two groups: the ranks of the first that are not in the second, in the order of the first. */
    public static Group difference(final Group group1, final Group group2) throws MPIException {
        return create(of(group1).difference(of(group2)), group1, group2);
    }

    private static Group create(final tutti.runtime.model.Group members, final Group one, final Group two) {
        return create(members, one.worldRank == NO_RANK ? two.worldRank : one.worldRank);
    }

    /** Creates a group for a rank of COMM_WORLD; returns the empty group if it has no members. */
    static Group create(final tutti.runtime.model.Group members, final int self) {
        return members.size() == 0 ? EMPTY : new Group(members, self);
    }

    /** Returns the group of the given ranks of this group, in the given order. */
    public Group incl(final int[] ranks) throws MPIException {
        check();
        return create(get(() -> members.incl(ranks)), worldRank);
    }

    /** Returns this group without the given ranks. */
    public Group excl(final int[] ranks) throws MPIException {
        check();
        return create(get(() -> members.excl(ranks)), worldRank);
    }

    /** Returns the group of the ranks in some ranges as {@link #incl} does; a range is a triplet of first rank, last rank and stride. */
    public Group rangeIncl(final int[][] ranges) throws MPIException {
        check();
        return create(get(() -> members.rangeIncl(ranges)), worldRank);
    }

    /** Returns this group without the ranks in some ranges as {@link #excl} does; a range is a triplet of first rank, last rank and stride. */
    public Group rangeExcl(final int[][] ranges) throws MPIException {
        check();
        return create(get(() -> members.rangeExcl(ranges)), worldRank);
    }

    private static <T> T get(final Supplier<T> call) throws MPIException {
        try {
            return call.get();
        } catch (final MpiFailure e) {
            throw ErrorHandling.error(e);
        }
    }

    private void check() throws MPIException {
        if (isFree) {
            throw ErrorHandling.error(MPI.ERR_GROUP, "group is null");
        }
    }
}
