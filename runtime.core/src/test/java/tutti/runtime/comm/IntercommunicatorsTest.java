package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static tutti.runtime.comm.CommunicatorsTest.BASIC;
import static tutti.runtime.comm.CommunicatorsTest.assertFails;
import static tutti.runtime.comm.CommunicatorsTest.assertWorks;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.NamedPorts;
import tutti.runtime.Ranks;
import tutti.runtime.collective.LocalGroup;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.model.Status;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/**
 * Tests intercommunicators: their creation from groups, communicators created from them, and messages over them; on one node and on several.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class IntercommunicatorsTest {

    /** Joins the first ranks of a communicator with the rest, whose order is reversed. */
    private static Communicator join(final Communicator w, final int first) {
        final boolean isLow = w.rank() < first;
        final Communicator half = w.split(isLow ? 0 : 1, isLow ? w.rank() : -w.rank());
        // the leaders are not the first of their groups, where there is a choice
        final int localLeader = half.size() - 1;
        final Communicator inter = half.createIntercomm(localLeader, w, isLow ? first : first - 1, 77);
        half.free();
        return inter;
    }

    private static int[] low(final int first) {
        return IntStream.range(0, first).toArray();
    }

    private static int[] high(final int first, final int ranks) {
        return IntStream.range(first, ranks).map(r -> ranks - 1 - (r - first)).toArray();
    }

    /** Sends from every rank to every remote rank, and receives from any. */
    private static void assertMessages(final Communicator inter, final int[] local, final int[] remote) {
        assertTrue(inter.isInter());
        assertArrayEquals(local, inter.group().worldRanks());
        assertArrayEquals(remote, inter.remoteGroup().worldRanks());
        assertEquals(local.length, inter.size());
        assertEquals(remote.length, inter.remoteSize());
        final Request[] sends = new Request[remote.length];
        for (int r = 0; r < remote.length; r++) {
            sends[r] = inter.messages().isend(SendMode.STANDARD, new int[] {local[inter.rank()], remote[r]}, 2, Datatype.INT, r, 5);
        }
        final int[] seen = new int[remote.length];
        for (int r = 0; r < remote.length; r++) {
            final int[] got = new int[2];
            final Status status = inter.messages().recv(got, 2, Datatype.INT, Reserved.ANY_SOURCE, 5);
            assertEquals(remote[status.source()], got[0]);
            assertEquals(inter.owner().worldRank(), got[1]);
            seen[r] = got[0];
        }
        Arrays.sort(seen);
        assertArrayEquals(Arrays.stream(remote).sorted().toArray(), seen);
        for (final Request s : sends) {
            s.await();
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 1", "4, 3, 1", "4, 3, 2", "4, 1, 2", "7, 2, 1", "7, 2, 3", "7, 5, 2"})
    void shouldTransferMessagesBetweenTheGroups(final int ranks, final int first, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, BASIC, rank -> {
            final Communicator w = rank.world();
            final Communicator inter = join(w, first);
            final boolean isLow = w.rank() < first;
            final int[] local = isLow ? low(first) : high(first, ranks);
            final int[] remote = isLow ? high(first, ranks) : low(first);
            assertMessages(inter, local, remote);
            LocalGroup.assertWorks(inter, local);
            assertFails(ErrorClass.RANK, "destination out of range: dest=" + remote.length + ", size=" + remote.length,
                () -> inter.messages().send(SendMode.STANDARD, new int[1], 1, Datatype.INT, remote.length, 0));
            assertEquals(Communicator.Comparison.UNEQUAL, inter.compare(w));
            inter.free();
            assertTrue(inter.isNull());
        });
    }

    @ParameterizedTest
    @CsvSource({"4, 3, 1", "7, 2, 2"})
    void shouldMergeInTheOrderOfTheHighFlags(final int ranks, final int first, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, BASIC, rank -> {
            final Communicator w = rank.world();
            final boolean isLow = w.rank() < first;
            final Communicator inter = join(w, first);
            final int[] lowFirst = IntStream.concat(IntStream.of(low(first)), IntStream.of(high(first, ranks))).toArray();
            final int[] highFirst = IntStream.concat(IntStream.of(high(first, ranks)), IntStream.of(low(first))).toArray();
            for (int flags = 0; flags < 4; flags++) {
                final boolean isLowHigh = (flags & 1) != 0;
                final boolean isHighHigh = (flags & 2) != 0;
                final Communicator merged = inter.merge(isLow ? isLowHigh : isHighHigh);
                assertWorks(merged, isLowHigh && !isHighHigh ? highFirst : lowFirst);
                merged.free();
            }
            inter.free();
        });
    }

    @Test
    void shouldRefuseToMergeWhenRanksOfAGroupDifferInHigh() throws Exception {
        Ranks.run(4, 1, BASIC, rank -> {
            final Communicator inter = join(rank.world(), 2);
            assertFails(ErrorClass.ARG, "ranks of one group differ in whether it is high: high=1, size=2",
                () -> inter.merge(rank.worldRank() == 1));
            assertFails(ErrorClass.COMM, "an intercommunicator cannot be used here: comm=" + inter.name(),
                () -> inter.createIntercomm(0, rank.world(), 0, 0));
            assertFails(ErrorClass.COMM, "an intercommunicator cannot be used here: comm=" + inter.name(),
                () -> inter.createGroup(inter.group(), 0));
            assertWorks(inter.merge(rank.worldRank() < 2), 3, 2, 0, 1);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldDuplicateSplitAndCreate(final int nodes) throws Exception {
        Ranks.run(7, nodes, BASIC, rank -> {
            final Communicator w = rank.world();
            final boolean isLow = w.rank() < 3;
            final Communicator inter = join(w, 3);
            final int[] low = {0, 1, 2};
            final int[] high = {6, 5, 4, 3};
            final Communicator dup = inter.dup();
            assertEquals(Communicator.Comparison.CONGRUENT, dup.compare(inter));
            assertMessages(dup, isLow ? low : high, isLow ? high : low);
            final Communicator.Pending pending = inter.iDup();
            final Communicator.Pending second = inter.iDup();
            second.request().waitFor();
            pending.request().waitFor();
            assertMessages(pending.communicator(), isLow ? low : high, isLow ? high : low);
            LocalGroup.assertWorks(second.communicator(), isLow ? low : high);
            // colour 0: 0, 2 with 3, 5; colour 1: 1 with nobody; colour 2: nobody with 4; 6 takes no part
            final int color = switch (w.rank()) {
                case 1 -> 1;
                case 4 -> 2;
                case 6 -> Group.UNDEFINED;
                default -> 0;
            };
            final Communicator split = dup.split(color, w.rank());
            if (color == 0) {
                assertMessages(split, isLow ? new int[] {0, 2} : new int[] {3, 5}, isLow ? new int[] {3, 5} : new int[] {0, 2});
                LocalGroup.assertWorks(split, isLow ? new int[] {0, 2} : new int[] {3, 5});
                assertMessages(split.dup(), isLow ? new int[] {0, 2} : new int[] {3, 5}, isLow ? new int[] {3, 5} : new int[] {0, 2});
            } else {
                assertNull(split);
            }
            final Communicator created = inter.create(isLow ? Group.of(2, 0) : Group.of(3, 4, 5));
            if (w.rank() == 1 || w.rank() == 6) {
                assertNull(created);
            } else {
                assertMessages(created, isLow ? new int[] {2, 0} : new int[] {3, 4, 5}, isLow ? new int[] {3, 4, 5} : new int[] {2, 0});
            }
            assertNull(inter.create(isLow ? Group.of(0) : Group.EMPTY));
            assertWorks(inter.merge(false), 0, 1, 2, 6, 5, 4, 3);
        });
    }

    @Test
    void shouldJoinOverAnIntercommunicator() throws Exception {
        Ranks.run(4, 2, BASIC, rank -> {
            final Communicator w = rank.world();
            final Communicator inter = join(w, 2);
            final boolean isLow = w.rank() < 2;
            // ranks 0 and 3, of two groups, join the groups of one
            final Communicator again = w.rank() == 0 || w.rank() == 3 ? rank.self().createIntercomm(0, inter, 0, 1) : null;
            if (again != null) {
                assertMessages(again, isLow ? new int[] {0} : new int[] {3}, isLow ? new int[] {3} : new int[] {0});
            }
        });
    }

    @Test
    void shouldJoinByTwoThreadsAtOnceWhenTagsDiffer() throws Exception {
        Ranks.run(2, 1, BASIC, rank -> {
            final int other = 1 - rank.worldRank();
            final Communicator alone = rank.self().dup();
            for (int i = 0; i < 20; i++) {
                final CompletableFuture<Communicator> second = CommunicatorsTest.inThread(
                    () -> alone.createIntercomm(0, rank.world(), other, 2));
                final Communicator one = rank.self().createIntercomm(0, rank.world(), other, 1);
                final Communicator two = second.get(60, TimeUnit.SECONDS);
                assertMessages(one, new int[] {rank.worldRank()}, new int[] {other});
                assertMessages(two, new int[] {rank.worldRank()}, new int[] {other});
                one.free();
                two.free();
            }
        });
    }

    @Test
    void shouldNotGrowWhenJoinedAndFreedManyTimes() throws Exception {
        Ranks.run(4, 1, BASIC, rank -> {
            final Communicator half = rank.world().split(rank.worldRank() / 3, 0);
            int highest = 0;
            for (int i = 0; i < 200; i++) {
                final Communicator inter = half.createIntercomm(0, rank.world(), rank.worldRank() < 3 ? 3 : 0, 0);
                final Communicator dup = inter.dup();
                final Communicator merged = dup.merge(true);
                highest = Math.max(highest, (int) merged.context().id());
                inter.free();
                dup.free();
                merged.free();
            }
            assertTrue(highest < (1024 + 24) * 4 * ContextIds.STRIDE, "highest=" + highest);
            half.free();
            rank.world().engine().blocking().barrier();
            assertEquals(0, rank.communicators());
        });
    }

    private static void meetManyTimes(final Rank rank, final boolean serves) throws InterruptedException {
        for (int i = 0; i < 30; i++) {
            final Communicator inter = serves ? NamedPorts.serve(rank, "again") : NamedPorts.dial(rank, "again", 0);
            inter.engine().blocking().barrier();
            inter.disconnect();
        }
        assertEquals(0, rank.communicators());
    }

    @Test
    void shouldNotGrowWhenClientsAreServedInTurn() throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(transport, List.of(new Ranks.Job(List.of(0, 0), Ranks.job(2, Map.of(), BASIC), rank -> meetManyTimes(rank, true)),
                new Ranks.Job(List.of(0, 1, 0), Ranks.job(3, Map.of(), BASIC), rank -> meetManyTimes(rank, false))));
        }
    }

    @Test
    void shouldNameARankThatIsInBothGroups() throws Exception {
        Ranks.run(4, 1, BASIC, rank -> {
            final Communicator w = rank.world();
            final CompletableFuture<MpiFailure> second = new CompletableFuture<>();
            // rank 2 is in both groups: a thread for each
            final Communicator one = w.createGroup(Group.of(0, 1, 2), 1);
            final Communicator two = w.createGroup(Group.of(3, 2), 2);
            if (two != null) {
                final Thread thread = new Thread(() -> second.complete(assertThrows(MpiFailure.class, () -> two.createIntercomm(0, w, 0, 9))));
                thread.setDaemon(true);
                thread.start();
            }
            final String text = "groups are not disjoint: rank of COMM_WORLD in both=2";
            if (one != null) {
                assertFails(ErrorClass.COMM, text, () -> one.createIntercomm(0, w, 3, 9));
            }
            if (two != null) {
                assertEquals(text, second.get(60, TimeUnit.SECONDS).getMessage());
                assertEquals(ErrorClass.COMM, second.get().errorClass());
            }
        });
    }

    @Test
    void shouldFailOnTheWholeGroupWhenItsLeaderCannotReachTheOther() throws Exception {
        Ranks.run(3, 1, BASIC, rank -> {
            final Communicator w = rank.world();
            final Communicator d = w.dup();
            assertFails(ErrorClass.RANK, "local leader out of range: leader=3, size=3", () -> d.createIntercomm(3, w, 0, 0));
            final String name = d.name();
            if (w.rank() == 1) {
                assertFails(ErrorClass.RANK, "remote leader out of range: leader=3, size=3", () -> d.createIntercomm(1, w, 3, 0));
                assertFails(ErrorClass.TAG, "tag out of range: tag=-1, range=0..2147483647", () -> d.createIntercomm(1, w, 0, -1));
                assertFails(ErrorClass.COMM, "peer communicator is null", () -> d.createIntercomm(1, null, 0, 0));
            } else {
                final String text = "the local leader has failed: leader=1, comm=" + name;
                assertFails(ErrorClass.RANK, text, () -> d.createIntercomm(1, null, 0, 0));
                assertFails(ErrorClass.TAG, text, () -> d.createIntercomm(1, null, 0, 0));
                assertFails(ErrorClass.COMM, text, () -> d.createIntercomm(1, null, 0, 0));
            }
            assertEquals(w.rank() == 0 ? 1 : 0, rank.context().contexts().inUse());
        });
    }

    /**
     * A module that reads all properties of its communicator, sends to remote ranks, and declines on the second rank of the remote group of rank
     * 0.
     */
    private static final class Inspector implements CollModule {
        final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

        @Override
        public QueryResult query(final CollComm any) {
            if (!any.isInter()) {
                return new QueryResult.Declined("is for intercommunicators");
            }
            final SetupComm comm = SetupComm.of(any);
            for (int r = 0; r < comm.remoteSize(); r++) {
                comm.send(new byte[] {(byte) comm.rank()}, r);
            }
            for (int r = 0; r < comm.remoteSize(); r++) {
                final byte[] got = new byte[1];
                comm.recv(got, r);
                assertEquals(r, got[0]);
            }
            assertThrows(IllegalStateException.class, () -> comm.split("all", 0, 0));
            final CollSubComm group = comm.local();
            assertEquals(comm.rank(), group.rank());
            assertEquals(comm.size(), group.size());
            for (int r = 0; r < comm.size(); r++) {
                assertEquals(r, group.parentRank(r));
            }
            seen.add(comm.size() + " with " + comm.remoteSize() + ", node " + comm.nodeOf(comm.rank()));
            final Algorithm<Call.Barrier> barrier = (call, plan) -> AdvancedPlan.of(plan).nested(group, Operation.BARRIER, call, null, null);
            return new QueryResult.Usable(90, new CollInstance() {
                @Override
                public AlgorithmTable table() {
                    return AlgorithmTable.builder().inter(Operation.BARRIER, "local", barrier).build();
                }

                @Override
                public AlgorithmTable init() {
                    if (comm.size() == 2 && comm.rank() == 1) {
                        throw new IllegalStateException("out of order");
                    }
                    return table();
                }
            });
        }
    }

    @Test
    void shouldSelectModulesByTheVotesOfBothGroups() throws Exception {
        final Inspector inspector = new Inspector();
        Ranks.run(5, 2, List.of(new BasicModule(), inspector), rank -> {
            final Communicator one = join(rank.world(), 1);
            // 1 with 4 ranks: no rank declines
            one.engine().blocking().barrier();
            final Communicator two = join(rank.world(), 3);
            // 3 with 2: world rank 3 is the second of its group
            final String reasons = two.engine().explain().toString();
            assertTrue(reasons.contains("out of order (rank 3 of COMM_WORLD)"), reasons);
        });
        assertEquals(10, inspector.seen.size());
        assertTrue(inspector.seen.contains("3 with 2, node 1"), inspector.seen.toString());
    }
}
