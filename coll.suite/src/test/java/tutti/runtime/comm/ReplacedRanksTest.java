package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.recexch.RecexchModule;
import tutti.coll.ring.RingModule;
import tutti.coll.smp.SmpModule;
import tutti.coll.tree.TreeModule;
import tutti.runtime.FaultyRanks;
import tutti.runtime.context.CommFaults;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/** Spare ranks take the places of ranks that fail. */
@Timeout(180)
class ReplacedRanksTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new DissemModule(), new RecexchModule(), new RingModule(),
        new SmpModule(), new TreeModule());
    private static final int TAG = 7;
    private static final int[] COUNTS = {1, 100, 20_000};

    private static List<List<CollModule>> moduleSets() {
        return List.of(BASIC, MODULES);
    }

    private static Stream<Arguments> sizes() {
        return moduleSets().stream().flatMap(m -> Stream.of(2, 3, 5, 6, 7, 9).map(n -> Arguments.of(m, n)));
    }

    private static MpiFailure failure(final Executable call) {
        return assertThrows(MpiFailure.class, call);
    }

    /** Checks an allreduce of several sizes, and that each rank receives from the one before it. */
    private static void compute(final Communicator c) {
        final int size = c.size();
        for (final int count : COUNTS) {
            final int[] sum = IntStream.range(0, count).map(i -> c.rank() + i).toArray();
            c.engine().blocking().allreduce(Reserved.IN_PLACE, sum, count, Datatype.INT, Op.SUM);
            assertArrayEquals(IntStream.range(0, count).map(i -> size * (size - 1) / 2 + size * i).toArray(), sum);
            final int[] got = new int[count];
            final int before = (c.rank() + size - 1) % size;
            final Request receiving = c.messages().irecv(got, count, Datatype.INT, before, TAG);
            final int[] sent = new int[count];
            Arrays.fill(sent, c.rank());
            c.messages().send(SendMode.STANDARD, sent, count, Datatype.INT, (c.rank() + 1) % size, TAG);
            receiving.await();
            Arrays.fill(sent, before);
            assertArrayEquals(sent, got);
        }
    }

    /** Waits until all ranks that live have begun this. */
    private static void meet(final Communicator c) {
        AgreementRequest.startOfAny(c.context(), CommFaults.PROGRAM, 0, PendingWait.Kind.AGREEMENT).await();
    }

    /** Checks which ranks have which places, and that all compute together. */
    private static void check(final Communicator c, final int... ranks) {
        assertArrayEquals(ranks, c.group().worldRanks());
        assertEquals(ranks.length, c.size());
        assertFalse(c.isRevoked());
        compute(c);
    }

    /** Rank 8, a leaf of the tree of the agreement, has the outcome late, and rank 7 leads it: both have taken places of others. */
    @Test
    void shouldEndNoRankBeforeAllHaveTheOutcomeOfAnAgreement() throws Exception {
        final Set<Integer> agreed = new ConcurrentSkipListSet<>();
        FaultyRanks.run(7, 1, 2, Map.of(), BASIC, (rank, job) -> {
            Communicator c = rank.world();
            if (rank.incarnation() == 0) {
                meet(c);
                if (c.rank() == 0 || c.rank() == 6) {
                    throw new FaultyRanks.Died();
                }
                c = c.replace();
            } else if (c.rank() == 6) {
                job.hold(rank.worldRank(), 0);
            }
            final AgreementRequest agreement = AgreementRequest.start(c.context(), 1);
            agreement.await();
            assertEquals(1, agreement.flag());
            agreed.add(rank.worldRank());
        });
        assertEquals(Set.of(1, 2, 3, 4, 5, 7, 8), agreed);
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldReplaceARankAndKeepTheOrder(final List<CollModule> modules, final int ranks) throws Exception {
        for (final int lost : new int[] {0, ranks / 2, ranks - 1}) {
            final Set<Integer> computed = new ConcurrentSkipListSet<>();
            FaultyRanks.run(ranks, Math.min(ranks, 3), 2, Map.of(), modules, (rank, job) -> {
                Communicator c = rank.world();
                assertEquals(rank.worldRank() < ranks ? 0 : 1, rank.incarnation());
                if (rank.incarnation() == 0) {
                    compute(c);
                    meet(c);
                    if (c.rank() == lost) {
                        throw new FaultyRanks.Died();
                    }
                    c = c.replace();
                    assertEquals(rank.worldRank(), c.rank());
                } else {
                    assertEquals(lost, c.rank());
                }
                assertEquals(ranks, rank.world().size());
                check(c, IntStream.range(0, ranks).map(r -> r == lost ? ranks : r).toArray());
                assertEquals(rank.worldRank() < ranks ? 0 : 1, rank.incarnation());
                computed.add(rank.worldRank());
            });
            assertEquals(IntStream.rangeClosed(0, ranks).filter(r -> r != lost).boxed().toList(), List.copyOf(computed));
        }
    }

    @ParameterizedTest
    @MethodSource("moduleSets")
    void shouldReplaceAllRanksOfANodeThatIsKilled(final List<CollModule> modules) throws Exception {
        final Set<Integer> computed = new ConcurrentSkipListSet<>();
        FaultyRanks.run(7, 3, 3, Map.of(), modules, (rank, job) -> {
            Communicator c = rank.world();
            if (rank.incarnation() == 0) {
                meet(c);
                if (c.rank() == 4) {
                    job.killNodeOf(4);
                }
                c = c.replace();
            }
            assertEquals(rank.worldRank() < 7 ? rank.worldRank() : rank.worldRank() == 7 ? 1 : 4, c.rank());
            assertEquals(rank.worldRank() < 7 ? 0 : 1, rank.incarnation());
            check(c, 0, 7, 2, 3, 8, 5, 6);
            computed.add(rank.worldRank());
        });
        assertEquals(List.of(0, 2, 3, 5, 6, 7, 8), List.copyOf(computed));
    }

    @ParameterizedTest
    @MethodSource("moduleSets")
    void shouldReplaceTheSameRankAgain(final List<CollModule> modules) throws Exception {
        final int[][] places = {{0, 1, 2, 3, 4}, {0, 1, 5, 3, 4}, {0, 1, 6, 3, 4}, {0, 1, 7, 3, 4}};
        final List<Integer> incarnations = new ArrayList<>();
        FaultyRanks.run(5, 2, 3, Map.of(), modules, (rank, job) -> {
            Communicator c = rank.world();
            assertEquals(Math.max(0, rank.worldRank() - 4), rank.incarnation());
            check(c, places[rank.incarnation()]);
            for (int lost = rank.incarnation(); lost < 3; lost++) {
                meet(c);
                if (c.rank() == 2) {
                    synchronized (incarnations) {
                        incarnations.add(rank.incarnation());
                    }
                    if (lost == 1) {
                        job.killNodeOf(rank.worldRank());
                    }
                    throw new FaultyRanks.Died();
                }
                c = c.replace();
                check(c, places[lost + 1]);
            }
            if (c.rank() == 2) {
                synchronized (incarnations) {
                    incarnations.add(rank.incarnation());
                }
            }
        });
        assertEquals(List.of(0, 1, 2, 3), incarnations);
    }

    @Test
    void shouldCreateACommunicatorOfTheSameRanksWithoutFailures() throws Exception {
        for (final int ranks : new int[] {1, 2, 3, 5, 8}) {
            for (final int spares : new int[] {0, 1}) {
                FaultyRanks.run(ranks, Math.min(ranks, 3), spares, Map.of(), MODULES, (rank, job) -> {
                    final Communicator c = rank.world();
                    final Communicator all = c.replace();
                    assertEquals(Communicator.Comparison.CONGRUENT, all.compare(c));
                    check(all, IntStream.range(0, ranks).toArray());
                    compute(c);
                    assertEquals(0, rank.incarnation());
                    all.free();
                });
            }
        }
    }

    @ParameterizedTest
    @MethodSource("moduleSets")
    void shouldReplaceOnACommunicatorThatIsRevoked(final List<CollModule> modules) throws Exception {
        FaultyRanks.run(5, 2, 1, Map.of(), modules, (rank, job) -> {
            Communicator c = rank.world();
            if (rank.incarnation() == 0) {
                meet(c);
                if (c.rank() == 1) {
                    throw new FaultyRanks.Died();
                }
                final Communicator old = c;
                old.revoke();
                assertEquals(ErrorClass.REVOKED, failure(() -> compute(old)).errorClass());
                c = old.replace();
                assertTrue(old.isRevoked());
                assertEquals(ErrorClass.REVOKED, failure(() -> compute(old)).errorClass());
            }
            check(c, 0, 5, 2, 3, 4);
        });
    }

    @Test
    void shouldReplaceRanksOfACommunicatorOfWhichOthersAreNoPart() throws Exception {
        FaultyRanks.run(7, 3, 2, Map.of(), MODULES, (rank, job) -> {
            if (rank.incarnation() > 0) {
                assertEquals(2, rank.world().rank());
                assertEquals(4, rank.worldSize());
                check(rank.world(), 0, 2, 7, 6);
                return;
            }
            final Communicator half = rank.world().split(rank.worldRank() % 2, 0);
            meet(rank.world());
            if (rank.worldRank() == 4) {
                throw new FaultyRanks.Died();
            }
            if (rank.worldRank() % 2 == 1) {
                check(half, 1, 3, 5);
                return;
            }
            final Communicator whole = half.replace();
            assertEquals(rank.worldRank() / 2, whole.rank());
            check(whole, 0, 2, 7, 6);
            assertEquals(7, rank.world().size());
        });
    }

    @Test
    void shouldFailOnAllRanksWithTooFewSpareRanksAndShrinkThen() throws Exception {
        for (int spares = 0; spares < 2; spares++) {
            final String text = "too few spare ranks: needed=2, left=" + spares;
            FaultyRanks.run(5, 2, spares, Map.of(), MODULES, (rank, job) -> {
                final Communicator c = rank.world();
                assertEquals(0, rank.incarnation());
                if (c.rank() == 1 || c.rank() == 2) {
                    throw new FaultyRanks.Died();
                }
                for (int i = 0; i < 3; i++) {
                    final MpiFailure e = failure(c::replace);
                    assertEquals(ErrorClass.SPAWN, e.errorClass());
                    assertTrue(e.getMessage().contains(text), e.getMessage());
                }
                final Communicator left = c.shrink();
                check(left, 0, 3, 4);
                left.free();
            });
        }
    }

    @Test
    void shouldReplaceARankOfFewerRanksThanBefore() throws Exception {
        FaultyRanks.run(6, 2, 1, Map.of(), MODULES, (rank, job) -> {
            Communicator c = rank.world();
            if (rank.incarnation() == 0) {
                final Communicator all = c;
                if (c.rank() == 0 || c.rank() == 3) {
                    throw new FaultyRanks.Died();
                }
                assertEquals(ErrorClass.SPAWN, failure(all::replace).errorClass());
                final Communicator left = all.shrink();
                check(left, 1, 2, 4, 5);
                meet(left);
                if (rank.worldRank() == 1) {
                    throw new FaultyRanks.Died();
                }
                c = left.replace();
            }
            check(c, 6, 2, 4, 5);
        });
    }

    @ParameterizedTest
    @MethodSource("moduleSets")
    void shouldCreateCommunicatorsFromOneWithReplacedRanks(final List<CollModule> modules) throws Exception {
        FaultyRanks.run(7, 3, 2, Map.of(), modules, (rank, job) -> {
            Communicator c = rank.world();
            if (rank.incarnation() == 0) {
                meet(c);
                if (c.rank() == 0 || c.rank() == 5) {
                    throw new FaultyRanks.Died();
                }
                c = c.replace();
            }
            check(c, 7, 1, 2, 3, 4, 8, 6);
            for (int i = 0; i < 5; i++) {
                final Communicator copy = c.dup();
                check(copy, 7, 1, 2, 3, 4, 8, 6);
                final Communicator half = copy.split(copy.rank() % 2, -copy.rank());
                check(half, copy.rank() % 2 == 0 ? new int[] {6, 4, 2, 7} : new int[] {8, 3, 1});
                final Communicator inter = half.createIntercomm(0, copy, copy.rank() % 2 == 0 ? 5 : 6, TAG);
                assertEquals(7, inter.size() + inter.remoteSize());
                final Communicator merged = inter.merge(copy.rank() % 2 == 1);
                check(merged, 6, 4, 2, 7, 8, 3, 1);
                merged.free();
                inter.free();
                half.free();
                copy.free();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("moduleSets")
    void shouldReplaceAllRanksButOne(final List<CollModule> modules) throws Exception {
        FaultyRanks.run(5, 5, 4, Map.of(), modules, (rank, job) -> {
            Communicator c = rank.world();
            if (rank.incarnation() == 0) {
                if (c.rank() != 3) {
                    throw new FaultyRanks.Died();
                }
                c = c.replace();
            }
            check(c, 5, 6, 7, 3, 8);
        });
    }

    @Test
    void shouldReplaceAllRanksOneAfterTheOther() throws Exception {
        final int ranks = 4;
        FaultyRanks.run(ranks, 2, ranks, Map.of(), MODULES, (rank, job) -> {
            Communicator c = rank.world();
            if (rank.incarnation() > 0) {
                compute(c);
            }
            // the rank with number ranks + i begins when i + 1 ranks were replaced
            for (int lost = Math.max(0, rank.worldRank() - ranks + 1); lost < ranks; lost++) {
                meet(c);
                if (rank.worldRank() == lost) {
                    throw new FaultyRanks.Died();
                }
                c = c.replace();
                final int replaced = lost;
                check(c, IntStream.range(0, ranks).map(r -> r <= replaced ? ranks + r : r).toArray());
            }
        });
    }

    @Test
    void shouldShrinkWithoutARankThatHasReplacedAnother() throws Exception {
        FaultyRanks.run(5, 2, 1, Map.of(), MODULES, (rank, job) -> {
            Communicator c = rank.world();
            if (rank.incarnation() == 0) {
                if (c.rank() == 2) {
                    throw new FaultyRanks.Died();
                }
                c = c.replace();
            }
            compute(c);
            meet(c);
            if (rank.incarnation() == 1) {
                job.killNodeOf(rank.worldRank());
                throw new FaultyRanks.Died();
            }
            final Communicator whole = c;
            assertEquals(ErrorClass.PROC_FAILED, failure(() -> whole.messages().recv(new int[1], 1, Datatype.INT, 2, TAG)).errorClass());
            assertArrayEquals(new int[] {5}, whole.failed().worldRanks());
            assertEquals(ErrorClass.SPAWN, failure(whole::replace).errorClass());
            check(whole.shrink(), 0, 1, 3, 4);
        });
    }

    @Test
    void shouldGoOnWithoutASpareRankWhoseNodeIsKilledBefore() throws Exception {
        FaultyRanks.run(3, 3, 2, Map.of(), BASIC, (rank, job) -> {
            Communicator c = rank.world();
            if (rank.incarnation() == 0) {
                meet(c);
                if (c.rank() == 1) {
                    job.killNodeOf(3);
                    throw new FaultyRanks.Died();
                }
                c = c.replace();
            }
            check(c, 0, 4, 2);
        });
    }

    @Test
    void shouldPassMessagesOnTheOldCommunicatorAfterAReplacement() throws Exception {
        FaultyRanks.run(4, 2, 1, Map.of(), MODULES, (rank, job) -> {
            final Communicator old = rank.world();
            if (rank.incarnation() == 1) {
                check(old, 0, 1, 4, 3);
                return;
            }
            meet(old);
            if (old.rank() == 2) {
                throw new FaultyRanks.Died();
            }
            final int[] got = new int[1];
            final int before = new int[] {3, 0, -1, 1}[old.rank()];
            final Request receiving = old.messages().irecv(got, 1, Datatype.INT, before, TAG);
            final Communicator c = old.replace();
            check(c, 0, 1, 4, 3);
            old.messages().send(SendMode.STANDARD, new int[] {old.rank()}, 1, Datatype.INT, new int[] {1, 3, -1, 0}[old.rank()], TAG);
            receiving.await();
            assertEquals(before, got[0]);
            assertEquals(ErrorClass.PROC_FAILED, failure(() -> old.messages().recv(got, 1, Datatype.INT, 2, TAG)).errorClass());
        });
    }

    @Test
    void shouldSplitByNodeWithARankThatIsAloneOnItsNode() throws Exception {
        FaultyRanks.run(5, 2, 1, Map.of(), MODULES, (rank, job) -> {
            Communicator c = rank.world();
            if (rank.incarnation() == 0) {
                if (c.rank() == 2) {
                    throw new FaultyRanks.Died();
                }
                c = c.replace();
            }
            final Communicator near = c.splitByNode(0);
            check(near, rank.incarnation() > 0 ? new int[] {5} : rank.worldRank() % 2 == 0 ? new int[] {0, 4} : new int[] {1, 3});
            near.free();
            check(c, 0, 1, 5, 3, 4);
        });
    }

    @Test
    void shouldRefuseToReplaceRanksOfAnIntercommunicator() throws Exception {
        FaultyRanks.run(3, 2, 1, Map.of(), BASIC, (rank, job) -> {
            final Communicator w = rank.world();
            final Communicator half = w.split(w.rank() % 2, 0);
            final Communicator inter = half.createIntercomm(0, w, w.rank() % 2 == 0 ? 1 : 0, TAG);
            assertEquals(ErrorClass.COMM, failure(inter::replace).errorClass());
            check(rank.self().replace(), rank.worldRank());
        });
    }

    @Test
    void shouldLeaveNothingOfReplacements() throws Exception {
        FaultyRanks.run(5, 2, 4, Map.of(), MODULES, (rank, job) -> {
            Communicator c = rank.world();
            final int before = rank.communicators();
            if (rank.incarnation() > 0) {
                compute(c);
            }
            // the place 2 is taken by each spare rank
            for (int lost = rank.incarnation(); lost < 4; lost++) {
                meet(c);
                if (c.rank() == 2) {
                    throw new FaultyRanks.Died();
                }
                final Communicator made = c.replace();
                if (c != rank.world()) {
                    c.free();
                }
                c = made;
                compute(c);
            }
            if (c != rank.world()) {
                c.free();
            }
            // the last one is COMM_WORLD of a rank, which does not free it
            while (rank.communicators() > before + 1) {
                Thread.onSpinWait();
            }
        });
    }

    @Test
    void shouldLeaveNothingOfReplacementsThatFail() throws Exception {
        FaultyRanks.run(5, 2, 1, Map.of(), MODULES, (rank, job) -> {
            final Communicator c = rank.world();
            if (c.rank() == 1 || c.rank() == 2) {
                throw new FaultyRanks.Died();
            }
            final int before = rank.communicators();
            for (int i = 0; i < 10; i++) {
                assertEquals(ErrorClass.SPAWN, failure(c::replace).errorClass());
            }
            while (rank.communicators() > before) {
                Thread.onSpinWait();
            }
            meet(c);
        });
    }
}
