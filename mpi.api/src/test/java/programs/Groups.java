package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import mpi.Group;
import mpi.MPI;
import mpi.MPIException;
import org.junit.jupiter.api.function.Executable;

/** Every method of class Group, on at least 4 ranks. */
public final class Groups {
    private Groups() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final int size = MPI.COMM_WORLD.getSize();
        final int rank = MPI.COMM_WORLD.getRank();
        final Group all = MPI.COMM_WORLD.getGroup();
        assertEquals(size, all.getSize());
        assertEquals(rank, all.getRank());
        final Group two = all.incl(new int[] {3, 1});
        assertRanks(two, 3, 1);
        assertEquals(rank == 3 ? 0 : rank == 1 ? 1 : MPI.UNDEFINED, two.getRank());
        assertRanks(all.excl(new int[] {0, 2}), IntStream.range(0, size).filter(r -> r != 0 && r != 2).toArray());
        assertRanks(all.rangeIncl(new int[][] {{3, 0, -2}}), 3, 1);
        assertRanks(all.rangeExcl(new int[][] {{0, size - 1, 2}}), IntStream.range(0, size).filter(r -> r % 2 == 1).toArray());
        assertRanks(Group.union(two, all.incl(new int[] {2, 1})), 3, 1, 2);
        assertRanks(Group.intersection(all, two), 1, 3);
        assertRanks(Group.difference(two, all.incl(new int[] {3})), 1);
        assertEquals(MPI.IDENT, Group.compare(all, MPI.COMM_WORLD.getGroup()));
        assertEquals(MPI.SIMILAR, Group.compare(two, all.incl(new int[] {1, 3})));
        assertEquals(MPI.UNEQUAL, Group.compare(two, all));
        empty(all, two, rank);
        errors(all, two, size);
    }

    private static void assertRanks(final Group group, final int... ranks) throws MPIException {
        final int[] all = IntStream.range(0, group.getSize()).toArray();
        assertArrayEquals(ranks, Group.translateRanks(group, all, MPI.COMM_WORLD.getGroup()));
    }

    private static void empty(final Group all, final Group two, final int rank) throws MPIException {
        assertSame(MPI.GROUP_EMPTY, all.incl(new int[0]));
        assertSame(MPI.GROUP_EMPTY, Group.difference(two, all));
        assertEquals(MPI.UNDEFINED, MPI.GROUP_EMPTY.getRank());
        assertEquals(0, MPI.GROUP_EMPTY.getSize());
        // the calling rank is known although the first group does not know it
        assertEquals(rank, Group.union(MPI.GROUP_EMPTY, all).getRank());
        assertArrayEquals(new int[] {1, MPI.UNDEFINED, MPI.PROC_NULL}, Group.translateRanks(all, new int[] {1, 0, MPI.PROC_NULL},
            all.incl(new int[] {3, 1})));
        MPI.GROUP_EMPTY.free();
        assertFalse(MPI.GROUP_EMPTY.isNull());
    }

    private static void errors(final Group all, final Group two, final int size) throws MPIException {
        fails(MPI.ERR_RANK, "rank out of range: rank=" + size + ", size=" + size + ", index=0", () -> all.incl(new int[] {size}));
        fails(MPI.ERR_RANK, "duplicate rank: rank=1, index=1", () -> all.excl(new int[] {1, 1}));
        fails(MPI.ERR_ARG, "stride of range is 0: index=0", () -> all.rangeIncl(new int[][] {{0, 1, 0}}));
        fails(MPI.ERR_ARG, "ranges are null", () -> all.rangeExcl(null));
        fails(MPI.ERR_RANK, "rank out of range: rank=2, size=2, index=0", () -> Group.translateRanks(two, new int[] {2}, all));
        fails(MPI.ERR_GROUP, "group is null", () -> Group.union(null, all));
        two.free();
        assertTrue(two.isNull());
        fails(MPI.ERR_GROUP, "group is null", two::getSize);
        fails(MPI.ERR_GROUP, "group is null", two::free);
        fails(MPI.ERR_GROUP, "group is null", () -> Group.compare(all, two));
        fails(MPI.ERR_GROUP, "group is null", () -> MPI.COMM_SELF.create(two));
    }

    static void fails(final int errorClass, final String text, final Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertTrue(e.getMessage().startsWith(text + " ["), e.getMessage());
        assertEquals(errorClass, e.getErrorClass(), e.getMessage());
    }
}
