package tutti.runtime.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Tests that parents and children are the same links, with and without failed ranks. */
class AgreementTreeTest {
    private static void check(final int size, final RankSet failed) {
        final AgreementTree tree = new AgreementTree(size);
        final int leader = failed.lowestMissing();
        RankSet found = RankSet.none();
        int links = 0;
        for (final int rank : RankSet.all(size).minus(failed).toArray()) {
            final RankSet children = tree.children(rank, failed);
            for (final int child : children.toArray()) {
                assertTrue(child > rank);
                assertEquals(rank, tree.parent(child, failed));
                assertTrue(rank == leader || tree.subtree(rank).containsAll(tree.subtree(child)));
            }
            links += children.size();
            found = found.union(children);
        }
        assertEquals(RankSet.all(size).minus(failed).minus(RankSet.of(leader)), found);
        assertEquals(found.size(), links);
    }

    @Test
    void shouldLinkAllLiveRanks() {
        final SplittableRandom random = new SplittableRandom(3);
        for (int size = 1; size <= 130; size++) {
            check(size, RankSet.none());
            for (int i = 0; i < 20; i++) {
                final int probability = random.nextInt(100);
                RankSet failed = RankSet.none();
                for (int r = 0; r < size; r++) {
                    failed = random.nextInt(100) < probability ? failed.with(r) : failed;
                }
                check(size, failed.minus(RankSet.of(random.nextInt(size))));
            }
        }
    }

    @Test
    void shouldHaveRangesAsSubtrees() {
        assertEquals(RankSet.all(7), new AgreementTree(7).subtree(0));
        assertEquals(RankSet.of(4, 5, 6), new AgreementTree(7).subtree(4));
        assertEquals(RankSet.of(5), new AgreementTree(7).subtree(5));
        assertEquals(RankSet.of(1, 2, 4), new AgreementTree(7).children(0, RankSet.none()));
        assertEquals(RankSet.of(2, 5, 6), new AgreementTree(7).children(1, RankSet.of(0, 4)));
    }

    @Test
    void shouldLinkTheHighestRanks() {
        final int half = 1 << 30;
        assertEquals(0, new AgreementTree(Integer.MAX_VALUE).parent(half, RankSet.none()));
        assertEquals(31, new AgreementTree(Integer.MAX_VALUE).children(0, RankSet.none()).size());
    }
}
