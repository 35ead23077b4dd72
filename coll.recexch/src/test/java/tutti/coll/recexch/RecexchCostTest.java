package tutti.coll.recexch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.patterns.RecursiveExchange;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.SymbolicReduction;

/** Counts the cost that the Javadoc of the algorithms states, with its q, r and m. */
@Execution(ExecutionMode.CONCURRENT)
class RecexchCostTest {
    private static final int[] RANKS = {2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 18, 23};
    /** Bytes of a segment or block. */
    private static final long PART = 12;
    private static final SymbolicReduction ORDERED = new SymbolicReduction(4, false);
    private static final SymbolicReduction COMMUTING = new SymbolicReduction(4, true);

    /** Quantities that the cost depends on. */
    private record Sizes(int p, int k, int q, int r, int extra) {
        static Sizes of(final int p, final int k) {
            final RecursiveExchange e = RecursiveExchange.of(p, k, RecursiveExchange.ANY_RANK);
            int r = 0;
            for (int round = 0; round < e.rounds(); round++) {
                r += e.radix(round) - 1;
            }
            return new Sizes(p, k, e.vrankCount(), r, e.pairCount());
        }

        boolean isWhole() {
            return extra == 0;
        }

        /** Returns whether no message can be delayed by one that is not waited for. */
        boolean isExact() {
            return k == 2 || isWhole();
        }

        long messages() {
            return (long) q * r + 2L * extra;
        }

        /** Returns 1 where ranks beyond q send their contribution to another rank, else 0. */
        int fold() {
            return isWhole() ? 0 : 1;
        }

        /** Returns the length of data that is divided into segments of one length. */
        long bytes() {
            return q * PART;
        }
    }

    private static void forSizes(final int k, final Consumer<Sizes> check) {
        for (final int p : RANKS) {
            check.accept(Sizes.of(p, k));
        }
    }

    private static long count(final Sizes s) {
        return s.bytes() / COMMUTING.elementBytes();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldAllreduceLittleDataInOneMessagePerRankMet(final int k) {
        forSizes(k, s -> {
            for (final boolean inPlace : new boolean[] {false, true}) {
                final CostSimulator clock = CostSimulator.of(new DoublingAllreduce(k), s.p, new Call.Allreduce(ORDERED, count(s), inPlace));
                assertEquals(s.r + 2 * s.fold(), clock.time(1, 0, 0));
                assertEquals((s.r + 2 * s.fold()) * s.bytes(), clock.time(0, 1, 0));
                assertEquals((s.r + s.fold()) * s.bytes(), clock.combined());
                assertEquals(s.messages(), clock.messages());
                assertTrue(clock.scratch() <= k * s.bytes());
            }
        });
    }

    @Test
    void shouldAllreduceWithCanonicalBracketsInFewMoreMessages() {
        forSizes(2, s -> {
            final int a = Integer.numberOfTrailingZeros(Integer.highestOneBit(s.p));
            final int more = Integer.bitCount(s.p) - 1;
            for (final boolean inPlace : new boolean[] {false, true}) {
                final CostSimulator clock = CostSimulator.of(new CanonicalAllreduce(2), s.p, new Call.Allreduce(ORDERED, count(s), inPlace));
                final int most = more == 0 ? a : 2 * a + more + 1;
                assertTrue(more == 0 ? clock.time(1, 0, 0) == most : clock.time(1, 0, 0) <= most, s::toString);
                assertEquals(clock.time(1, 0, 0) * s.bytes(), clock.time(0, 1, 0));
                assertTrue(clock.time(0, 0, 1) <= (a + more) * s.bytes(), s::toString);
                assertTrue(clock.scratch() <= 3 * s.bytes(), s::toString);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldAllreduceMuchDataWithEveryByteSentTwice(final int k) {
        forSizes(k, s -> {
            for (final SymbolicReduction op : new SymbolicReduction[] {ORDERED, COMMUTING}) {
                for (final boolean inPlace : new boolean[] {false, true}) {
                    final CostSimulator clock = CostSimulator.of(new RabenseifnerAllreduce(k), s.p, new Call.Allreduce(op, count(s), inPlace));
                    final double alphas = 2 * s.r + 2 * s.fold();
                    final double bytes = 2 * (s.q - 1) * PART + 2 * s.fold() * s.bytes();
                    assertCost(s, clock, alphas, bytes);
                    assertEquals((s.q - 1) * PART + s.fold() * s.bytes(), clock.combined());
                    assertScratch(s, op, clock);
                }
            }
        });
    }

    private static void assertCost(final Sizes s, final CostSimulator clock, final double alphas, final double bytes) {
        if (s.isExact()) {
            assertEquals(alphas, clock.time(1, 0, 0));
            assertEquals(bytes, clock.time(0, 1, 0));
        } else {
            assertTrue(clock.time(1, 0, 0) <= 1.5 * alphas, s::toString);
            assertTrue(clock.time(0, 1, 0) <= 1.5 * bytes, s::toString);
        }
    }

    private static void assertScratch(final Sizes s, final SymbolicReduction op, final CostSimulator clock) {
        final long most = (op.isCommutative() ? 1 : 2) * (1 + s.fold()) * s.bytes();
        assertTrue(clock.scratch() < most, () -> "scratch=" + clock.scratch() + ", most=" + most + ", " + s);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldReduceMuchDataWithEveryByteSentTwice(final int k) {
        forSizes(k, s -> {
            for (final SymbolicReduction op : new SymbolicReduction[] {ORDERED, COMMUTING}) {
                for (int root = 0; root < s.p; root += Math.max(1, s.p / 3)) {
                    final CostSimulator clock = CostSimulator.of(new RabenseifnerReduce(k), s.p, new Call.Reduce(op, count(s), root, false));
                    final double alphas = 2 * s.r + s.fold();
                    final double bytes = 2 * (s.q - 1) * PART + s.fold() * s.bytes();
                    assertTrue(s.isExact() ? clock.time(1, 0, 0) == alphas : clock.time(1, 0, 0) <= alphas, s::toString);
                    assertTrue(s.isExact() ? clock.time(0, 1, 0) == bytes : clock.time(0, 1, 0) <= bytes, s::toString);
                    assertEquals((s.q - 1) * PART + s.fold() * s.bytes(), clock.combined());
                    assertScratch(s, op, clock);
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldReduceScatterByHalving(final int k) {
        forSizes(k, s -> {
            for (final SymbolicReduction op : new SymbolicReduction[] {ORDERED, COMMUTING}) {
                for (final boolean inPlace : new boolean[] {false, true}) {
                    final CostSimulator clock = CostSimulator.of(new HalvingReduceScatter(k, false), s.p,
                        new Call.ReduceScatter(op, Blocks.uniform(s.p, PART), inPlace));
                    final double more = op.isCommutative() ? 0 : 1;
                    final double alphas = clock.time(1, 0, 0);
                    final double bytes = clock.time(0, 1, 0);
                    if (s.isWhole()) {
                        assertTrue(alphas >= s.r && alphas <= s.r + more, s::toString);
                        assertTrue(bytes >= (s.p - 1) * PART && bytes <= (s.p - 1 + more) * PART, s::toString);
                        assertEquals((s.p - 1) * PART, clock.combined());
                        assertTrue(clock.scratch() < s.p * PART * (1 + more), s::toString);
                    } else {
                        assertTrue(alphas <= 2 * (s.r + 1), s::toString);
                        assertTrue(bytes <= 3 * s.p * PART, s::toString);
                        assertTrue(clock.combined() <= 3 * s.p * PART, s::toString);
                        assertTrue(clock.scratch() < (3 + more) * s.p * PART, s::toString);
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldAllgatherByDoubling(final int k) {
        forSizes(k, s -> {
            final CostSimulator clock = CostSimulator.of(new DoublingAllgather(k), s.p, new Call.Allgather(PART, Blocks.uniform(s.p, PART), false));
            assertEquals(s.r + 2 * s.fold(), clock.time(1, 0, 0));
            assertEquals(s.messages(), clock.messages());
            assertEquals(0, clock.scratch());
            final double bytes = clock.time(0, 1, 0);
            if (s.isWhole()) {
                assertEquals((s.p - 1) * PART, bytes);
            } else {
                assertTrue(bytes <= (1 + 2 * (s.q - 1) * (k - 1) + s.p) * PART, s::toString);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldScanInRoundsOfAnyNumberOfRanks(final int k) {
        forSizes(k, s -> {
            int m = 0;
            for (long span = 1; span < s.p; span *= k) {
                m++;
            }
            for (final boolean exclusive : new boolean[] {false, true}) {
                for (final boolean inPlace : new boolean[] {false, true}) {
                    final CostSimulator clock = CostSimulator.of(new DoublingScan(k, exclusive), s.p, new Call.Scan(ORDERED, 3, inPlace));
                    final int most = m * (k - 1);
                    assertTrue(k == 2 ? clock.time(1, 0, 0) == most : clock.time(1, 0, 0) <= most, s::toString);
                    assertEquals(clock.time(1, 0, 0) * PART, clock.time(0, 1, 0));
                    final double gammas = clock.time(0, 0, 1) / PART;
                    assertTrue(k == 2 && !exclusive ? gammas == most : gammas <= most, s::toString);
                    assertTrue(clock.scratch() <= k * PART, s::toString);
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldSynchroniseInOneMessagePerRankMet(final int k) {
        forSizes(k, s -> {
            final CostSimulator clock = CostSimulator.of(new DoublingBarrier(k), s.p, new Call.Barrier());
            assertEquals(s.r + 2 * s.fold(), clock.time(1, 0, 0));
            assertEquals(s.messages(), clock.messages());
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldBroadcastWithEveryByteSentTwice(final int k) {
        forSizes(k, s -> {
            for (int root = 0; root < s.p; root += Math.max(1, s.p / 3)) {
                final CostSimulator clock = CostSimulator.of(new ScatterAllgatherBcast(k), s.p, new Call.Bcast(s.bytes(), root));
                final double alphas = 2 * s.r + s.fold();
                final double bytes = 2 * (s.q - 1) * PART + s.fold() * s.bytes();
                assertTrue(k == 2 ? clock.time(1, 0, 0) == alphas : clock.time(1, 0, 0) <= 2 * alphas, s::toString);
                assertTrue(k == 2 ? clock.time(0, 1, 0) == bytes : clock.time(0, 1, 0) <= 2 * bytes, s::toString);
                assertEquals(0, clock.scratch());
            }
        });
    }
}
