package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests communicators that are created from others, used, and released; on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CommunicatorsTest {
    static final List<CollModule> BASIC = List.of(new BasicModule());

    static void assertFails(final ErrorClass errorClass, final String text, final Executable call) {
        final MpiFailure e = assertThrows(MpiFailure.class, call);
        assertEquals(text, e.getMessage());
        assertEquals(errorClass, e.errorClass());
    }

    /** Asserts that a communicator works: the sum of the ranks of COMM_WORLD, and a message around the ring. */
    static void assertWorks(final Communicator c, final int... worldRanks) {
        assertArrayEquals(worldRanks, c.group().worldRanks());
        assertEquals(worldRanks[c.rank()], c.owner().worldRank());
        final int[] sum = new int[1];
        c.engine().blocking().allreduce(new int[] {c.owner().worldRank()}, sum, 1, Datatype.INT, Op.SUM);
        assertEquals(IntStream.of(worldRanks).sum(), sum[0]);
        final int[] from = new int[1];
        final int n = c.size();
        c.messages().sendrecv(new int[] {c.rank()}, 1, Datatype.INT, (c.rank() + 1) % n, 3, from, 1, Datatype.INT, (c.rank() + n - 1) % n, 3);
        assertEquals((c.rank() + n - 1) % n, from[0]);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 1", "5, 2", "5, 3"})
    void shouldKeepTrafficOfADuplicateApart(final int ranks, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, BASIC, rank -> {
            final Communicator w = rank.world();
            final Communicator d = w.dup();
            assertEquals(Communicator.Comparison.CONGRUENT, w.compare(d));
            assertEquals(Communicator.Comparison.IDENT, d.compare(d));
            assertWorks(d, IntStream.range(0, ranks).toArray());
            final int to = (w.rank() + 1) % ranks;
            w.messages().isend(SendMode.STANDARD, new int[] {1}, 1, Datatype.INT, to, 0);
            d.messages().isend(SendMode.STANDARD, new int[] {2}, 1, Datatype.INT, to, 0);
            final int[] got = new int[1];
            d.messages().recv(got, 1, Datatype.INT, Reserved.ANY_SOURCE, Reserved.ANY_TAG);
            assertEquals(2, got[0]);
            w.messages().recv(got, 1, Datatype.INT, Reserved.ANY_SOURCE, Reserved.ANY_TAG);
            assertEquals(1, got[0]);
            d.free();
            assertTrue(d.isNull());
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldOrderRanksByKeyAndThenByRankWhenColoursInterleave(final int nodes) throws Exception {
        Ranks.run(7, nodes, BASIC, rank -> {
            final Communicator w = rank.world();
            // colours 0, 2 and 5 interleave; keys fall, and are equal in colour 2; rank 6 takes no part
            final int[] colors = {5, 2, 0, 5, 2, 0, Group.UNDEFINED};
            final int[] keys = {3, -7, Integer.MAX_VALUE, -3, -7, Integer.MIN_VALUE, 0};
            final Communicator c = w.split(colors[w.rank()], keys[w.rank()]);
            switch (colors[w.rank()]) {
                case 0 -> assertWorks(c, 5, 2);
                case 2 -> assertWorks(c, 1, 4);
                case 5 -> assertWorks(c, 3, 0);
                default -> assertNull(c);
            }
            if (c != null) {
                assertEquals(Communicator.Comparison.UNEQUAL, c.compare(w));
                c.free();
            }
            final Communicator reversed = w.split(0, -w.rank());
            assertWorks(reversed, 6, 5, 4, 3, 2, 1, 0);
            assertEquals(Communicator.Comparison.SIMILAR, w.compare(reversed));
            assertEquals(Communicator.Comparison.UNEQUAL, w.compare(rank.self()));
            reversed.free();
        });
    }

    @Test
    void shouldSplitByNode() throws Exception {
        Ranks.run(5, 2, BASIC, rank -> {
            final Communicator c = rank.world().splitByNode(-rank.worldRank());
            if (rank.worldRank() % 2 == 0) {
                assertWorks(c, 4, 2, 0);
            } else {
                assertWorks(c, 3, 1);
            }
        });
    }

    @Test
    void shouldSplitRowsAndColumnsOf64Ranks() throws Exception {
        Ranks.run(64, 2, BASIC, rank -> {
            final int row = rank.worldRank() / 8;
            final int column = rank.worldRank() % 8;
            final Communicator rows = rank.world().split(row, column);
            final Communicator columns = rank.world().split(column, row);
            assertWorks(rows, IntStream.range(0, 8).map(i -> row * 8 + i).toArray());
            assertWorks(columns, IntStream.range(0, 8).map(i -> i * 8 + column).toArray());
            rows.free();
            columns.free();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCreateOfGroupsThatDoNotOverlap(final int nodes) throws Exception {
        Ranks.run(6, nodes, BASIC, rank -> {
            final Communicator w = rank.world();
            final Group low = w.group().incl(new int[] {2, 0});
            final Group high = w.group().rangeIncl(new int[][] {{5, 3, -1}});
            final Communicator c = w.create(w.rank() < 3 ? low : high);
            switch (w.rank()) {
                case 0, 2 -> assertWorks(c, 2, 0);
                case 1 -> assertNull(c);
                default -> assertWorks(c, 5, 4, 3);
            }
            assertNull(w.create(Group.EMPTY));
            assertWorks(w.create(w.group()), 0, 1, 2, 3, 4, 5);
        });
    }

    @Test
    void shouldRefuseGroupsThatOverlapOnAllOfTheirRanks() throws Exception {
        Ranks.run(3, 1, BASIC, rank -> {
            final Communicator w = rank.world();
            final Group group = w.rank() == 0 ? Group.of(0, 1) : Group.of(0, 1, 2);
            assertFails(ErrorClass.GROUP, "ranks gave groups that overlap and are not the same: ranks=0, 1, comm=MPI_COMM_WORLD",
                () -> w.create(group));
            assertEquals(0, rank.context().contexts().inUse());
            assertWorks(w.dup(), 0, 1, 2);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCreateOfGroupsAtTheSameTimeWithoutOtherRanks(final int nodes) throws Exception {
        Ranks.run(6, nodes, BASIC, rank -> {
            final Communicator w = rank.world();
            final boolean isEven = w.rank() % 2 == 0;
            if (w.rank() != 5) {
                final Communicator c = w.createGroup(isEven ? Group.of(4, 2, 0) : Group.of(1, 3), 7);
                if (isEven) {
                    assertWorks(c, 4, 2, 0);
                } else {
                    assertWorks(c, 1, 3);
                }
                c.free();
            }
            // rank 5 arrives alone: no other rank waits for it
            w.engine().blocking().barrier();
            assertNull(w.createGroup(Group.of((w.rank() + 1) % 6), 0));
        });
    }

    @Test
    void shouldCreateOfTwoGroupsByTwoThreadsAtOnceWhenTagsDiffer() throws Exception {
        Ranks.run(3, 2, BASIC, rank -> {
            final Group forth = Group.of(0, 1, 2);
            final Group back = Group.of(2, 1, 0);
            for (int i = 0; i < 20; i++) {
                final CompletableFuture<Communicator> other = inThread(() -> rank.world().createGroup(back, 2));
                final Communicator c = rank.world().createGroup(forth, 1);
                assertWorks(c, 0, 1, 2);
                final Communicator d = other.get(60, TimeUnit.SECONDS);
                assertWorks(d, 2, 1, 0);
                c.free();
                d.free();
            }
        });
    }

    static <T> CompletableFuture<T> inThread(final java.util.concurrent.Callable<T> task) {
        final CompletableFuture<T> result = new CompletableFuture<>();
        final Thread thread = new Thread(() -> {
            try {
                result.complete(task.call());
            } catch (final Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldMakeThreeDuplicatesAtOnceWhileABarrierAndASplitArePending(final int nodes) throws Exception {
        Ranks.run(5, nodes, BASIC, rank -> {
            final Communicator w = rank.world();
            final int[] everybody = {0, 1, 2, 3, 4};
            for (int round = 0; round < 10; round++) {
                final Communicator.Pending one = w.iDup();
                final Request barrier = w.engine().nonblocking().barrier();
                final Communicator.Pending two = w.iDup();
                final Communicator three = w.split(w.rank() % 2, 0);
                final Communicator.Pending four = w.iDup();
                // not in the order in which they were started
                four.request().waitFor();
                assertWorks(four.communicator(), everybody);
                barrier.waitFor();
                one.request().waitFor();
                two.request().waitFor();
                assertWorks(two.communicator(), everybody);
                assertWorks(one.communicator(), everybody);
                assertWorks(three, w.rank() % 2 == 0 ? new int[] {0, 2, 4} : new int[] {1, 3});
                List.of(one.communicator(), two.communicator(), three, four.communicator()).forEach(Communicator::free);
            }
        });
    }

    @Test
    void shouldRefuseADuplicateThatIsNotMadeYet() throws Exception {
        Ranks.run(2, 1, BASIC, rank -> {
            if (rank.worldRank() == 0) {
                final Communicator.Pending pending = rank.world().iDup();
                assertFails(ErrorClass.COMM, "communicator is being made: wait for its request first",
                    () -> pending.communicator().engine().blocking().barrier());
                assertFalse(pending.communicator().isNull());
                rank.world().messages().send(SendMode.STANDARD, new byte[0], 0, Datatype.BYTE, 1, 0);
                pending.request().waitFor();
                assertWorks(pending.communicator(), 0, 1);
            } else {
                rank.world().messages().recv(new byte[0], 0, Datatype.BYTE, 0, 0);
                assertWorks(rank.world().dup(), 0, 1);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldMakeCommunicatorsOnTwoThreadsAtOnceWhenParentsDiffer(final int nodes) throws Exception {
        Ranks.run(4, nodes, BASIC, rank -> {
            final Communicator first = rank.world().dup();
            final Communicator second = rank.world().dup();
            final CompletableFuture<Void> other = inThread(() -> {
                churn(first);
                return null;
            });
            churn(second);
            other.get(60, TimeUnit.SECONDS);
        });
    }

    private static void churn(final Communicator parent) {
        for (int i = 0; i < 50; i++) {
            final Communicator d = parent.dup();
            assertWorks(d, 0, 1, 2, 3);
            final Communicator s = d.split(parent.rank() / 2, 0);
            d.free();
            assertWorks(s, parent.rank() < 2 ? new int[] {0, 1} : new int[] {2, 3});
            s.free();
        }
    }

    @Test
    void shouldRefuseAFreedCommunicatorAndCompletePendingOperations() throws Exception {
        Ranks.run(2, 2, BASIC, rank -> {
            final Communicator d = rank.world().dup();
            final String name = d.name();
            final int other = 1 - d.rank();
            final byte[] large = new byte[1 << 20];
            final byte[] got = new byte[1 << 20];
            large[7] = 5;
            final Request receiving = d.messages().irecv(got, got.length, Datatype.BYTE, other, 0);
            final int[] sum = new int[1];
            final Request reducing = d.engine().nonblocking().allreduce(new int[] {1}, sum, 1, Datatype.INT, Op.SUM);
            final Request sending = d.messages().isend(SendMode.STANDARD, large, large.length, Datatype.BYTE, other, 0);
            d.free();
            final String freed = "communicator has been freed: comm=" + name;
            assertFails(ErrorClass.COMM, freed, d::free);
            assertFails(ErrorClass.COMM, freed, d::dup);
            assertFails(ErrorClass.COMM, freed, () -> d.messages().iprobe(0, 0));
            assertFails(ErrorClass.COMM, freed, () -> d.messages().isend(SendMode.STANDARD, large, 1, Datatype.BYTE, other, 0));
            assertFails(ErrorClass.COMM, freed, () -> d.engine().blocking().barrier());
            assertFails(ErrorClass.COMM, freed, () -> d.compare(rank.world()));
            assertFails(ErrorClass.COMM, freed, () -> d.engine().explain());
            sending.waitFor();
            receiving.waitFor();
            reducing.waitFor();
            assertEquals(5, got[7]);
            assertEquals(2, sum[0]);
        });
    }

    @Test
    void shouldNotUseAContextAgainWhileAReceiveIsPostedInIt() throws Exception {
        Ranks.run(2, 1, BASIC, rank -> {
            final Communicator d = rank.world().dup();
            final long context = d.context().id();
            final int[] got = new int[1];
            final Request late = d.rank() == 1 ? d.messages().irecv(got, 1, Datatype.INT, 0, 0) : null;
            final Communicator keeper = d.split(0, 0);
            if (rank.worldRank() == 1) {
                d.free();
                keeper.messages().send(SendMode.STANDARD, got, 1, Datatype.INT, 0, 0);
                final Communicator next = rank.world().dup();
                assertNotEquals(context, next.context().id());
                late.waitFor();
                assertEquals(9, got[0]);
                next.messages().recv(got, 1, Datatype.INT, 0, 0);
                assertEquals(1, got[0]);
            } else {
                keeper.messages().recv(got, 1, Datatype.INT, 1, 0);
                final Communicator next = rank.world().dup();
                assertNotEquals(context, next.context().id());
                next.messages().isend(SendMode.STANDARD, new int[] {1}, 1, Datatype.INT, 1, 0);
                d.messages().send(SendMode.STANDARD, new int[] {9}, 1, Datatype.INT, 1, 0);
                d.free();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldMakeADuplicateOfACommunicatorThatIsFreedMeanwhile(final int nodes) throws Exception {
        Ranks.run(4, nodes, BASIC, rank -> {
            Communicator parent = rank.world().dup();
            for (int i = 0; i < 100; i++) {
                final Communicator.Pending next = parent.iDup();
                parent.free();
                next.request().waitFor();
                parent = next.communicator();
            }
            assertWorks(parent, 0, 1, 2, 3);
            assertTrue((int) parent.context().id() < (1024 + 8) * 4 * ContextIds.STRIDE, parent.name());
        });
    }

    @Test
    void shouldKeepTheContextOfACommunicatorUntilItsPersistentCollectiveIsFreed() throws Exception {
        Ranks.run(2, 1, BASIC, rank -> {
            final Communicator d = rank.world().dup();
            final long context = d.context().id();
            final int[] sum = new int[1];
            final PersistentRequest reduce = d.engine().persistent().allreduce(new int[] {rank.worldRank() + 1}, sum, 1, Datatype.INT, Op.SUM);
            d.free();
            for (int i = 0; i < 5; i++) {
                final Communicator other = rank.world().dup();
                assertNotEquals(context, other.context());
                sum[0] = 0;
                reduce.start();
                other.engine().blocking().barrier();
                reduce.waitFor();
                assertEquals(3, sum[0]);
                other.free();
            }
            awaitCommunicators(1, rank);
            reduce.free();
            awaitCommunicators(0, rank);
        });
    }

    @Test
    void shouldKeepTheContextOfACommunicatorUntilItsPersistentMessagesAreFreed() throws Exception {
        Ranks.run(2, 1, BASIC, rank -> {
            final Communicator d = rank.world().dup();
            final long context = d.context().id();
            final int[] data = {rank.worldRank()};
            final PersistentRequest message = d.rank() == 0 ? d.messages().sendInit(SendMode.STANDARD, data, 1, Datatype.INT, 1, 0)
                : d.messages().recvInit(data, 1, Datatype.INT, 0, 0);
            d.free();
            for (int i = 0; i < 5; i++) {
                final Communicator other = rank.world().dup();
                assertNotEquals(context, other.context());
                data[0] = rank.worldRank() == 0 ? i : -1;
                message.start();
                message.waitFor();
                assertEquals(i, data[0]);
                other.free();
            }
            awaitCommunicators(1, rank);
            message.free();
            message.free();
            awaitCommunicators(0, rank);
        });
    }

    /** Waits until the other ranks have freed what this one has. */
    private static void awaitCommunicators(final int count, final Rank rank) {
        while (rank.communicators() != count) {
            Thread.yield();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 1000000", "2, 1", "2, 1000000"})
    void shouldWaitForPendingMessagesWhenDisconnecting(final int nodes, final int count) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            for (int i = 1; i <= 20; i++) {
                final Communicator d = rank.world().dup();
                final int[] data = new int[count];
                final Request pending;
                if (d.rank() == 0) {
                    pending = d.messages().irecv(data, count, Datatype.INT, 1, 0);
                } else {
                    Arrays.fill(data, i);
                    pending = d.messages().isend(SendMode.STANDARD, data, count, Datatype.INT, 0, 0);
                }
                d.disconnect();
                assertTrue(pending.isDone());
                assertEquals(i, data[count - 1]);
                assertTrue(d.isNull());
            }
        });
    }

    @Test
    void shouldRefuseWhatCannotBeDone() throws Exception {
        Ranks.run(2, 1, BASIC, rank -> {
            final Communicator w = rank.world();
            final Communicator none = rank.nullCommunicator();
            assertFails(ErrorClass.COMM, "predefined communicator cannot be freed: comm=MPI_COMM_WORLD", w::free);
            assertFails(ErrorClass.COMM, "predefined communicator cannot be freed: comm=MPI_COMM_SELF", rank.self()::disconnect);
            assertFails(ErrorClass.ARG, "colour is negative and not UNDEFINED: color=-1", () -> w.split(-1, 0));
            assertFails(ErrorClass.GROUP, "group is null", () -> w.create(null));
            assertFails(ErrorClass.GROUP, "rank of the group is not in the communicator: rank of COMM_WORLD=" + (1 - w.rank())
                + ", comm=MPI_COMM_SELF", () -> rank.self().create(Group.of(1 - w.rank())));
            assertFails(ErrorClass.TAG, "tag out of range: tag=-1, range=0..2147483647", () -> w.createGroup(w.group(), -1));
            assertFails(ErrorClass.COMM, "not an intercommunicator: comm=MPI_COMM_WORLD", () -> w.merge(true));
            assertFails(ErrorClass.COMM, "communicator is null", none::dup);
            assertFails(ErrorClass.COMM, "communicator is null", none::free);
            assertTrue(none.isNull());
            assertFalse(w.isNull());
            assertEquals(0, none.size());
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldDropMessagesThatNobodyReceivedWhenACommunicatorIsFreed(final int nodes) throws Exception {
        Ranks.run(3, nodes, BASIC, rank -> {
            rank.attachedBuffer().attach(new byte[1 << 20]);
            int highest = 0;
            for (int i = 0; i < 300; i++) {
                final Communicator d = rank.world().dup();
                if (nodes == 1) {
                    // a message over one link may arrive later than messages over others
                    assertNull(d.messages().iprobe(Reserved.ANY_SOURCE, Reserved.ANY_TAG));
                }
                d.engine().blocking().barrier();
                final int bytes = nodes == 1 ? 1000 * (i % 20) : 100;
                final Request lost = d.messages().isend(SendMode.STANDARD, new byte[bytes], bytes, Datatype.BYTE, (d.rank() + 1) % 3, i);
                d.engine().blocking().barrier();
                highest = Math.max(highest, (int) d.context().id());
                d.free();
                // the sender of a dropped message does not wait forever
                lost.waitFor();
            }
            assertTrue(highest < (1024 + 8) * 3 * ContextIds.STRIDE, "highest=" + highest);
        });
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"dup, 1", "split, 1", "dup, 2", "split, 2"})
    void shouldNotGrowWithTenThousandCommunicators(final String how, final int nodes) throws Exception {
        final int times = nodes == 1 ? 10_000 : 1_000;
        Ranks.run(3, nodes, BASIC, rank -> {
            int highest = 0;
            for (int i = 0; i < times; i++) {
                final Communicator c = how.equals("dup") ? rank.world().dup() : rank.world().split(0, -rank.worldRank());
                highest = Math.max(highest, (int) c.context().id());
                c.free();
            }
            // a leader ahead of the others has two or three context ids in use; slots are used in turn, and an id grows by the number of
            // ranks per slot
            assertTrue(highest < (1024 + 8) * 3 * ContextIds.STRIDE, "highest=" + highest);
            rank.world().engine().blocking().barrier();
            assertTrue(rank.context().contexts().inUse() <= 3, "in use: " + rank.context().contexts().inUse());
            assertEquals(0, rank.communicators());
        });
    }

    @Test
    void shouldReleaseModulesOfCommunicatorsThatWereNotFreed() throws Exception {
        final List<Rank> ranks = new ArrayList<>();
        Ranks.run(2, 1, BASIC, rank -> {
            rank.world().dup();
            assertEquals(1, rank.communicators());
            synchronized (ranks) {
                ranks.add(rank);
            }
        });
        ranks.forEach(rank -> assertEquals(0, rank.communicators()));
    }
}
