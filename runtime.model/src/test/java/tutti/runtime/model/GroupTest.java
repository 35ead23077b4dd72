package tutti.runtime.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Tests the operations on groups, with the orders and errors of the MPI standard. */
class GroupTest {
    private static final Group G = Group.of(10, 11, 12, 13, 14, 15);

    private static void assertRanks(final Group group, final int... worldRanks) {
        assertArrayEquals(worldRanks, group.worldRanks());
    }

    private static void assertFails(final ErrorClass errorClass, final String text, final Executable call) {
        final MpiFailure e = assertThrows(MpiFailure.class, call);
        assertEquals(text, e.getMessage());
        assertEquals(errorClass, e.errorClass());
    }

    @Test
    void shouldPutTheFirstGroupsRanksFirstInAUnion() {
        assertRanks(Group.of(3, 1, 7).union(Group.of(9, 7, 2, 1)), 3, 1, 7, 9, 2);
        assertRanks(Group.EMPTY.union(Group.of(2, 1)), 2, 1);
        assertSame(Group.EMPTY, Group.EMPTY.union(Group.EMPTY));
    }

    @Test
    void shouldKeepTheOrderOfTheFirstGroupInIntersectionAndDifference() {
        assertRanks(Group.of(3, 1, 7, 5).intersection(Group.of(5, 7, 3)), 3, 7, 5);
        assertRanks(Group.of(3, 1, 7, 5).difference(Group.of(7, 9)), 3, 1, 5);
        assertSame(Group.EMPTY, Group.of(1).intersection(Group.of(2)));
        assertSame(Group.EMPTY, Group.of(1).difference(Group.of(1)));
    }

    @Test
    void shouldTakeRanksInTheOrderGivenAndLeaveOutOthersInTheOldOrder() {
        assertRanks(G.incl(new int[] {4, 0, 2}), 14, 10, 12);
        assertRanks(G.excl(new int[] {4, 0, 2}), 11, 13, 15);
        assertSame(Group.EMPTY, G.incl(new int[0]));
        assertRanks(G.excl(new int[0]), G.worldRanks());
        assertSame(Group.EMPTY, G.excl(new int[] {0, 1, 2, 3, 4, 5}));
    }

    @Test
    void shouldWalkRangesInBothDirections() {
        assertRanks(G.rangeIncl(new int[][] {{0, 5, 2}, {5, 1, -2}}), 10, 12, 14, 15, 13, 11);
        assertRanks(G.rangeIncl(new int[][] {{1, 4, 2}}), 11, 13);
        assertRanks(G.rangeIncl(new int[][] {{3, 3, -7}}), 13);
        assertRanks(G.rangeExcl(new int[][] {{5, 3, -1}, {0, 0, 1}}), 11, 12);
        assertSame(Group.EMPTY, G.rangeIncl(new int[][] {{0, -1, 1}}));
        assertSame(Group.EMPTY, G.rangeIncl(new int[][] {{1, 0, 2}}));
    }

    @Test
    void shouldRefuseMissingAndDuplicateRanks() {
        assertFails(ErrorClass.RANK, "rank out of range: rank=6, size=6, index=1", () -> G.incl(new int[] {0, 6}));
        assertFails(ErrorClass.RANK, "rank out of range: rank=-1, size=6, index=0", () -> G.excl(new int[] {-1}));
        assertFails(ErrorClass.RANK, "duplicate rank: rank=3, index=2", () -> G.incl(new int[] {3, 4, 3}));
        assertFails(ErrorClass.RANK, "duplicate rank: rank=3, index=1", () -> G.excl(new int[] {3, 3}));
        assertFails(ErrorClass.RANK, "duplicate rank: rank=2, index=6", () -> G.rangeIncl(new int[][] {{0, 5, 1}, {2, 3, 1}}));
        assertFails(ErrorClass.RANK, "rank out of range: rank=6, size=6, index=0", () -> G.rangeIncl(new int[][] {{0, Integer.MAX_VALUE, 3}}));
        assertFails(ErrorClass.ARG, "stride of range is 0: index=1", () -> G.rangeIncl(new int[][] {{0, 1, 1}, {2, 3, 0}}));
        assertFails(ErrorClass.ARG, "range is not a triplet: index=0, length=2", () -> G.rangeExcl(new int[][] {{0, 1}}));
        assertFails(ErrorClass.ARG, "ranges are null", () -> G.rangeIncl(null));
        assertFails(ErrorClass.ARG, "ranks are null", () -> G.incl(null));
    }

    @Test
    void shouldTranslateRanks() {
        assertArrayEquals(new int[] {1, Group.UNDEFINED, 0, Reserved.PROC_NULL},
            G.translate(new int[] {2, 0, 5, Reserved.PROC_NULL}, Group.of(15, 12)));
        assertFails(ErrorClass.RANK, "rank out of range: rank=9, size=6, index=0", () -> G.translate(new int[] {9}, G));
        assertFails(ErrorClass.ARG, "ranks are null", () -> G.translate(null, G));
    }

    @Test
    void shouldCompareMembersAndOrder() {
        assertEquals(Group.Comparison.IDENT, G.compare(Group.of(G.worldRanks())));
        assertEquals(Group.Comparison.SIMILAR, Group.of(1, 2).compare(Group.of(2, 1)));
        assertEquals(Group.Comparison.UNEQUAL, Group.of(1, 2).compare(Group.of(1, 3)));
        assertEquals(Group.Comparison.UNEQUAL, Group.of(1, 2).compare(Group.of(1)));
        assertEquals(Group.Comparison.IDENT, Group.EMPTY.compare(Group.of()));
        assertFalse(G.contains(9));
    }

    @Test
    void shouldStayFastWithManyRanks() {
        final Group large = Group.first(200_000);
        final int[] reversed = new int[200_000];
        Arrays.setAll(reversed, i -> 199_999 - i);
        assertTimeout(Duration.ofSeconds(60), () -> {
            final Group other = large.incl(reversed);
            assertEquals(Group.Comparison.SIMILAR, large.compare(other));
            assertEquals(200_000, large.union(other).size());
            assertEquals(0, large.difference(other).size());
            assertArrayEquals(reversed, large.translate(large.worldRanks(), other));
        });
    }
}
