package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests collectives whose ranks read each other's memory. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SharedMemoryTest {
    private static final List<CollModule> FLAT = List.of(new Flat(), new BasicModule());
    private static final List<CollModule> NODES = List.of(new Layered.Nodes(), new Flat(), new BasicModule());
    private static final List<CollModule> HALVES = List.of(new Layered.Halves(), new Flat(), new BasicModule());

    private static void run(final int ranks, final int nodes, final List<CollModule> modules, final String check, final Ranks.Body body)
        throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(ranks, nodes, transport, Ranks.job(ranks, Map.of("check", check), modules), body);
        }
    }

    private static List<CollModule> modules(final String name) {
        return switch (name) {
            case "flat" -> FLAT;
            case "nodes" -> NODES;
            default -> HALVES;
        };
    }

    @ParameterizedTest
    @CsvSource({"flat, 2, 1", "flat, 3, 1", "flat, 5, 1", "flat, 8, 1", "nodes, 3, 2", "nodes, 5, 2", "nodes, 8, 2", "nodes, 7, 3",
        "halves, 3, 1", "halves, 5, 1", "halves, 8, 1", "halves, 5, 2"})
    void shouldServeCallsInAllForms(final String module, final int ranks, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, modules(module), rank -> {
            final Communicator c = rank.world();
            assertEquals(module.equals("nodes") ? "Nodes 1.0.0" : module.equals("flat") ? "Flat 1.0.0" : "Halves 1.0.0",
                c.engine().explain().stream().filter(e -> e.operation().equals("allreduce")).findAny().orElseThrow().module());
            final int total = ranks * (ranks + 1) / 2;
            for (int i = 0; i < 100; i++) {
                final int count = i % 3 == 0 ? 1 : 100 * i;
                final long[] mine = new long[count];
                final long[] sum = new long[count];
                mine[count - 1] = i + c.rank() + 1;
                c.engine().blocking().allreduce(mine, sum, count, Datatype.LONG, Op.SUM);
                assertEquals((long) ranks * i + total, sum[count - 1]);
                c.engine().blocking().allreduce(Reserved.IN_PLACE, mine, count, Datatype.LONG, Op.SUM);
                assertEquals((long) ranks * i + total, mine[count - 1]);
                c.engine().blocking().barrier();
                final int root = i % ranks;
                final Request bcast = c.engine().nonblocking().bcast(mine, count, Datatype.LONG, root);
                final Request reduce = c.engine().nonblocking().allreduce(new long[] {c.rank()}, sum, 1, Datatype.LONG, Op.MAX);
                final Request barrier = c.engine().nonblocking().barrier();
                barrier.await();
                bcast.await();
                reduce.await();
                assertEquals(ranks - 1, sum[0]);
            }
            final long[] sum = new long[1];
            final long[] mine = new long[1];
            final PersistentRequest again = c.engine().persistent().allreduce(mine, sum, 1, Datatype.LONG, Op.SUM);
            final PersistentRequest barrier = c.engine().persistent().barrier();
            for (int i = 0; i < 300; i++) {
                mine[0] = i * (c.rank() + 1);
                again.start();
                if (i % 2 == c.rank() % 2) {
                    barrier.start();
                    again.await();
                } else {
                    again.await();
                    barrier.start();
                }
                assertEquals((long) i * total, sum[0]);
                barrier.await();
            }
            again.free();
            barrier.free();
        });
    }

    @ParameterizedTest
    @CsvSource({"flat, 2, 1", "flat, 4, 1", "nodes, 4, 2", "halves, 5, 1"})
    void shouldHaveMorePendingCallsThanSlots(final String module, final int ranks, final int nodes) throws Exception {
        for (final String check : List.of("fast", "full")) {
            run(ranks, nodes, modules(module), check, rank -> {
                final Communicator c = rank.world();
                final long[][] sums = new long[200][1];
                final List<Request> requests = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    requests.add(c.engine().nonblocking().allreduce(new long[] {i + c.rank()}, sums[i], 1, Datatype.LONG, Op.SUM));
                    requests.add(c.engine().nonblocking().barrier());
                }
                for (int i = requests.size() - 1; i >= 0; i--) {
                    requests.get(i).await();
                }
                for (int i = 0; i < 200; i++) {
                    assertEquals((long) ranks * i + ranks * (ranks - 1) / 2, sums[i][0]);
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"flat, 4, 1", "nodes, 6, 2", "halves, 5, 1"})
    void shouldCompleteWhileTheProgramComputes(final String module, final int ranks, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, modules(module), rank -> {
            final Communicator c = rank.world();
            final long[] mine = new long[10_000];
            final long[] sum = new long[mine.length];
            final PersistentRequest again = c.engine().persistent().barrier();
            for (int i = 0; i < 20; i++) {
                mine[9_999] = i + c.rank();
                final Request[] all =
                    {c.engine().nonblocking().allreduce(mine, sum, mine.length, Datatype.LONG, Op.SUM), c.engine().nonblocking().barrier(), again};
                again.start();
                final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                for (final Request r : all) {
                    // no call into MPI
                    while (!r.isDone()) {
                        Thread.onSpinWait();
                        assertTrue(System.nanoTime() < end, "not complete");
                    }
                }
                assertEquals((long) ranks * i + ranks * (ranks - 1) / 2, sum[9_999]);
            }
            again.free();
        });
    }

    @ParameterizedTest
    @CsvSource({"flat, 3, 1", "nodes, 4, 2"})
    void shouldServeThreadsOnCommunicatorsOfTheirOwn(final String module, final int ranks, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, modules(module), rank -> {
            final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            final List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                final Communicator c = rank.world().dup();
                final int add = t;
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        final long[] sum = new long[1];
                        for (int i = 0; i < 200; i++) {
                            c.engine().blocking().allreduce(new long[] {i + add}, sum, 1, Datatype.LONG, Op.SUM);
                            assertEquals((long) ranks * (i + add), sum[0]);
                            c.engine().nonblocking().barrier().await();
                        }
                        c.free();
                    } catch (final Throwable e) {
                        failures.add(e);
                    }
                }));
            }
            for (final Thread t : threads) {
                t.join();
            }
            assertEquals(List.of(), failures);
        });
    }

    /** Tests that an execution of one form can serve the other at once, while slower ranks still await its earlier posts. */
    @ParameterizedTest
    @CsvSource({"flat, 3, 1", "flat, 8, 1", "nodes, 7, 2"})
    void shouldReuseAnExecutionInTheOtherForm(final String module, final int ranks, final int nodes) throws Exception {
        run(ranks, nodes, modules(module), "fast", rank -> {
            final Communicator c = rank.world();
            for (int i = 0; i < 300; i++) {
                c.engine().blocking().barrier();
                final PersistentRequest barrier = c.engine().persistent().barrier();
                for (int k = 0; k < 3; k++) {
                    barrier.start();
                    barrier.await();
                }
                barrier.free();
                c.engine().nonblocking().barrier().await();
            }
        });
    }

    @Test
    void shouldKeepStartsOfPersistentCallsApartFromAllOtherCalls() throws Exception {
        Ranks.run(3, FLAT, rank -> {
            final Communicator c = rank.world();
            final int[][] data = new int[2][1];
            final PersistentRequest[] made =
                {c.engine().persistent().bcast(data[0], 1, Datatype.INT, 0), c.engine().persistent().bcast(data[1], 1, Datatype.INT, 1)};
            final int first = c.rank() % 2;
            for (int i = 0; i < 20; i++) {
                data[0][0] = c.rank() == 0 ? i : -1;
                data[1][0] = c.rank() == 1 ? -i : 1;
                made[first].start();
                for (int k = 0; k < 70; k++) {
                    c.engine().blocking().barrier();
                }
                made[1 - first].start();
                made[0].await();
                made[1].await();
                assertEquals(i, data[0][0]);
                assertEquals(-i, data[1][0]);
            }
            made[0].free();
            made[1].free();
        });
    }

    @ParameterizedTest
    @CsvSource({"flat, 4, 1", "nodes, 6, 2", "halves, 5, 1"})
    void shouldFailOnAllRanksWhenAReductionFailsOnOne(final String module, final int ranks, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, modules(module), rank -> {
            final Communicator c = rank.world();
            final Op op = Op.user("fails", true, (in, inout, count, type) -> {
                if (c.rank() == 0) {
                    throw new IllegalStateException("I cannot");
                }
            });
            for (int i = 0; i < 3; i++) {
                final Request started = c.engine().nonblocking().allreduce(new long[1], new long[1], 1, Datatype.LONG, op);
                for (final MpiFailure e : List.of(assertThrows(MpiFailure.class, started::await),
                    assertThrows(MpiFailure.class, () -> c.engine().blocking().allreduce(new long[1], new long[1], 1, Datatype.LONG, op)))) {
                    assertTrue(e.getMessage().startsWith(c.rank() == 0 ? "reduction failed: " : "collective failed on another rank: rank "),
                        e.getMessage());
                }
                final long[] sum = new long[1];
                c.engine().blocking().allreduce(new long[] {1}, sum, 1, Datatype.LONG, Op.SUM);
                assertEquals(ranks, sum[0]);
            }
        });
    }

    /** The call of one rank while the others call barrier, in shared memory. */
    enum Other {
        SHARED("bcast(root 1, 80 bytes)") {
            @Override
            void call(final Communicator c) {
                c.engine().blocking().bcast(new byte[80], 80, Datatype.BYTE, 1);
            }
        },
        BY_MESSAGES("allgather(4 bytes)") {
            @Override
            void call(final Communicator c) {
                c.engine().nonblocking().allgather(new int[1], 1, Datatype.INT, new int[c.size()], 1, Datatype.INT);
            }
        };

        final String text;

        Other(final String text) {
            this.text = text;
        }

        abstract void call(Communicator c);
    }

    @ParameterizedTest
    @CsvSource({"SHARED, 2, true", "SHARED, 3, true", "SHARED, 2, false", "BY_MESSAGES, 2, true", "BY_MESSAGES, 2, false"})
    void shouldFindARankInAnotherCall(final Other other, final int ranks, final boolean late) throws Exception {
        final Thread[] threads = new Thread[ranks];
        final boolean[] over = new boolean[ranks];
        Ranks.run(ranks, FLAT, rank -> {
            final Communicator c = rank.world();
            final int me = c.rank();
            threads[me] = Thread.currentThread();
            c.engine().blocking().barrier();
            if (late == (me == 1)) {
                final int first = late ? 0 : 1;
                Awaitility.await().until(() -> over[first] || threads[first].getState() == Thread.State.WAITING);
            }
            if (me != 1) {
                assertDiffers(other, assertThrows(MpiFailure.class, () -> c.engine().blocking().barrier()));
            } else if (other == Other.SHARED) {
                assertDiffers(other, assertThrows(MpiFailure.class, () -> other.call(c)));
            } else {
                other.call(c);
            }
            over[me] = true;
            // later calls are not affected
            final long[] sum = new long[1];
            c.engine().blocking().allreduce(new long[] {1}, sum, 1, Datatype.LONG, Op.SUM);
            assertEquals(ranks, sum[0]);
        });
    }

    private static void assertDiffers(final Other other, final MpiFailure e) {
        assertTrue(e.getMessage().startsWith("collective calls differ on MPI_COMM_WORLD: rank "), e.getMessage());
        assertTrue(e.getMessage().contains(" calls barrier()") && e.getMessage().contains("rank 1 calls " + other.text), e.getMessage());
        assertEquals(ErrorClass.OTHER, e.errorClass());
    }

    /** A module that serves barrier with an invalid algorithm; not in the world, where Finalize needs a barrier. */
    private record Wrong(Algorithm<Call.Barrier> barrier) implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return comm.name().startsWith("MPI_") ? new QueryResult.Declined("for others")
                : QueryResult.usable(90, AlgorithmTable.builder().intra(Operation.BARRIER, "wrong", barrier).build());
        }
    }

    private static List<String> failures(final AdvancedAlgorithm<Call.Barrier> barrier, final int nodes, final String check) throws Exception {
        final String[] messages = new String[2];
        run(2, nodes, List.of(new Wrong(barrier), new Flat(), new BasicModule()), check, rank -> {
            final Communicator c = rank.world().split(0, rank.worldRank());
            c.setName("part");
            messages[c.rank()] = assertThrows(MpiFailure.class, () -> c.engine().blocking().barrier()).getMessage();
            c.free();
        });
        return List.of(messages);
    }

    private static void assertContains(final List<String> messages, final String... expected) {
        for (int i = 0; i < expected.length; i++) {
            assertTrue(messages.get(i).contains(expected[i]), messages::toString);
        }
    }

    @Test
    void shouldFailWhenMemoryIsReadThatAPeerDoesNotHave() throws Exception {
        final AdvancedAlgorithm<Call.Barrier> beyond = (call, plan) -> {
            final int other = 1 - plan.rank();
            plan.scratch(64);
            plan.post();
            plan.get(other, Buffer.SCRATCH.at(60, 8), Buffer.SCRATCH.at(0, 8), plan.await(other, 0));
        };
        final String found = "memory of another rank out of range on part: peer=rank %d, range=SCRATCH[60..68), bytes=64";
        assertContains(failures(beyond, 1, "off"), found.formatted(1), found.formatted(0));
        final String planned = "rank %d reads SCRATCH[60..68) of rank %d, which has 64 bytes";
        assertContains(failures(beyond, 1, "fast"), planned.formatted(0, 1), planned.formatted(1, 0));
        assertContains(failures((call, plan) -> {
            plan.post();
            plan.get(1 - plan.rank(), Buffer.SEND.at(0, 8), plan.scratch(8), plan.await(1 - plan.rank(), 0));
        }, 1, "off"), "peer=rank 1, range=SEND[0..8), bytes=0");
    }

    @Test
    void shouldFailWhenAPostIsAwaitedThatAPeerDoesNotMake() throws Exception {
        final AdvancedAlgorithm<Call.Barrier> never = (call, plan) -> {
            plan.post();
            plan.await(1 - plan.rank(), 1);
        };
        assertContains(failures(never, 1, "off"), "awaited post is not in the plan of rank 1 on part: post=1");
        assertContains(failures(never, 1, "fast"), "rank 0 awaits post 1 of rank 1, which makes 1");
    }

    @Test
    void shouldNotPlanForAPeerOnAnotherNode() throws Exception {
        assertContains(failures((call, plan) -> plan.await(1 - plan.rank(), 0), 2, "fast"), "peer on another node: peer=1, rank=0");
    }

    @Test
    void shouldNestWithinTheGroupsOfIntercommunicators() throws Exception {
        ContractSuite.intercommunicators(new ContractSuite.Groups(5, 3, 1), Map.of(), HALVES);
        ContractSuite.intercommunicators(new ContractSuite.Groups(4, 3, 2), Map.of(), NODES);
    }

    @Test
    void shouldNotGrowWithCommunicatorsAndPersistentCalls() throws Exception {
        Ranks.run(2, FLAT, rank -> {
            for (int i = 0; i < 2_000; i++) {
                final Communicator c = rank.world().dup();
                if (i % 4 == 0) {
                    c.engine().blocking().barrier();
                }
                if (i % 4 == c.rank()) {
                    // one rank has a region, and the other has not accessed it
                    c.context().locality().region();
                }
                c.free();
                final PersistentRequest barrier = rank.world().engine().persistent().barrier();
                if (i % 3 == 0) {
                    barrier.start();
                    barrier.await();
                }
                barrier.free();
            }
            rank.world().engine().blocking().barrier();
            assertEquals(1, rank.context().job().regions().count());
            assertEquals(0, rank.world().context().locality().region().persistentSlots());
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldHaveAThreadThatWaitsDoTheWorkOfItsRankItself(final boolean persistent) throws Exception {
        final AtomicInteger begun = new AtomicInteger();
        final AtomicBoolean done = new AtomicBoolean();
        Ranks.run(2, FLAT, rank -> {
            final Communicator c = rank.world();
            final Thread own = Thread.currentThread();
            final Op op = Op.user("sum", true, (in, inout, count, type) -> {
                final long ours = inout.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
                inout.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, in.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) + ours);
                if (c.rank() == 1 && Thread.currentThread() == own) {
                    done.set(true);
                }
            });
            final long[] sum = new long[1];
            final PersistentRequest again = persistent ? c.engine().persistent().allreduce(new long[] {1}, sum, 1, Datatype.LONG, op) : null;
            // rank 1 waits before rank 0 begins, except between its counting and its waiting; then the posting thread does the work
            for (int i = 1; i <= 10_000 && !done.get(); i++) {
                while (c.rank() == 0 && begun.get() < i) {
                    Thread.yield();
                }
                final Request call = persistent ? again : c.engine().nonblocking().allreduce(new long[] {1}, sum, 1, Datatype.LONG, op);
                if (persistent) {
                    again.start();
                }
                begun.addAndGet(c.rank());
                call.await();
                assertEquals(2, sum[0]);
                c.engine().blocking().barrier();
            }
            assertTrue(done.get());
            if (persistent) {
                again.free();
            }
        });
    }

    @Test
    void shouldStartWithoutAllocating() throws Exception {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Ranks.run(2, FLAT, rank -> {
            final Communicator c = rank.world();
            final long[] data = new long[10];
            final PersistentRequest bcast = c.engine().persistent().bcast(data, 10, Datatype.LONG, 0);
            final PersistentRequest barrier = c.engine().persistent().barrier();
            final int times = 500;
            final long[] most = {1};
            // classes are loaded, waiting threads are known to the threads that wake them
            for (int round = 0; round < 30 && most[0] > 0; round++) {
                final long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < times; i++) {
                    bcast.start();
                    barrier.start();
                    bcast.await();
                    barrier.await();
                }
                final long each = (threads.getCurrentThreadAllocatedBytes() - before) / times;
                c.engine().blocking().allreduce(new long[] {each}, most, 1, Datatype.LONG, Op.MAX);
            }
            assertEquals(0, most[0], "bytes per round");
            bcast.free();
            barrier.free();
        });
    }
}
