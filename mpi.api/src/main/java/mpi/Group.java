package mpi;

import java.util.function.Supplier;
import tutti.runtime.error.MpiFailure;

/** An ordered set of ranks. Groups do not change; what makes one of others is local. */
public final class Group implements Freeable {
    private static final int NOBODY = -1;
    static final Group EMPTY = new Group(tutti.runtime.comm.Group.EMPTY, NOBODY);

    private final tutti.runtime.comm.Group members;
    /** The calling rank in COMM_WORLD. */
    private final int self;
    private boolean isFree;

    /** As a rank of COMM_WORLD sees it. */
    Group(final tutti.runtime.comm.Group members, final int self) {
        this.members = members;
        this.self = self;
    }

    /** The runtime's group. */
    static tutti.runtime.comm.Group of(final Group group) throws MPIException {
        if (group == null) {
            throw ErrorHandling.error(Constants.ERR_GROUP, "group is null");
        }
        group.check();
        return group.members;
    }

    /** Ranks in the group. */
    public int getSize() throws MPIException {
        check();
        return members.size();
    }

    /** The calling rank's place in the group, {@code MPI.UNDEFINED} when it has none. */
    public int getRank() throws MPIException {
        check();
        return members.rankOf(self);
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

    /** The places in the second group of ranks of the first; {@code MPI.UNDEFINED} where there is none. */
    public static int[] translateRanks(final Group group1, final int[] ranks1, final Group group2) throws MPIException {
        final tutti.runtime.comm.Group one = of(group1);
        final tutti.runtime.comm.Group two = of(group2);
        return get(() -> one.translate(ranks1, two));
    }

    /** {@code MPI.IDENT}, {@code MPI.SIMILAR} for the same ranks in another order, or {@code MPI.UNEQUAL}. */
    public static int compare(final Group group1, final Group group2) throws MPIException {
        return switch (of(group1).compare(of(group2))) {
            case IDENT -> Constants.IDENT;
            case SIMILAR -> Constants.SIMILAR;
            case UNEQUAL -> Constants.UNEQUAL;
        };
    }

    /** All ranks of the first group, then those of the second that are not in the first. */
    public static Group union(final Group group1, final Group group2) throws MPIException {
        return made(of(group1).union(of(group2)), group1, group2);
    }

    /** The ranks of both groups, in the order of the first. */
    public static Group intersection(final Group group1, final Group group2) throws MPIException {
        return made(of(group1).intersection(of(group2)), group1, group2);
    }

    /** The ranks of the first group that are not in the second, in the order of the first. */
    public static Group difference(final Group group1, final Group group2) throws MPIException {
        return made(of(group1).difference(of(group2)), group1, group2);
    }

    private static Group made(final tutti.runtime.comm.Group members, final Group one, final Group two) {
        return made(members, one.self == NOBODY ? two.self : one.self);
    }

    private static Group made(final tutti.runtime.comm.Group members, final int self) {
        return members.size() == 0 ? EMPTY : new Group(members, self);
    }

    /** Those ranks of this group, in that order. */
    public Group incl(final int[] ranks) throws MPIException {
        check();
        return made(get(() -> members.incl(ranks)), self);
    }

    /** This group without those ranks. */
    public Group excl(final int[] ranks) throws MPIException {
        check();
        return made(get(() -> members.excl(ranks)), self);
    }

    /** As {@link #incl}, with triplets of first rank, last rank and stride. */
    public Group rangeIncl(final int[][] ranges) throws MPIException {
        check();
        return made(get(() -> members.rangeIncl(ranges)), self);
    }

    /** As {@link #excl}, with triplets of first rank, last rank and stride. */
    public Group rangeExcl(final int[][] ranges) throws MPIException {
        check();
        return made(get(() -> members.rangeExcl(ranges)), self);
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
            throw ErrorHandling.error(Constants.ERR_GROUP, "group is null");
        }
    }
}
