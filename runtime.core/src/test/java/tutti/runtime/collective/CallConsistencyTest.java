package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests the detection of ranks that call different collectives. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CallConsistencyTest {

    /** The calls of the ranks. */
    enum Calls {
        OPERATION(ErrorClass.OTHER, "rank 0 calls bcast(root 0, 80 bytes), rank 1 calls reduce(%sroot 1, 8 bytes)", "SUM of long, ",
            (c, r) -> r == 0 ? c.bcast(new byte[80], 80, Datatype.BYTE, 0) : c.reduce(new long[1], new long[1], 1, Datatype.LONG, Op.SUM, 1)),
        BARRIER(ErrorClass.OTHER, "rank 0 calls barrier(), rank 1 calls allreduce(%s4 bytes)", "MAX of int, ",
            (c, r) -> r == 0 ? c.barrier() : c.allreduce(new int[1], new int[1], 1, Datatype.INT, Op.MAX)),
        ROOT(ErrorClass.ROOT, "rank 0 calls gather(root 0, 4 bytes), rank 1 calls gather(root 1, 4 bytes)", null,
            (c, r) -> c.gather(new int[1], 1, Datatype.INT, new int[c.ranks()], 1, Datatype.INT, r == 0 ? 0 : 1)),
        COUNT(ErrorClass.COUNT, "rank 0 calls allgather(4 bytes), rank 1 calls allgather(8 bytes)", null,
            (c, r) -> c.allgather(new int[2], r == 0 ? 1 : 2, Datatype.INT, new int[2 * c.ranks()], r == 0 ? 1 : 2, Datatype.INT));

        final ErrorClass errorClass;
        final String text;
        final String reduced;
        final BiFunction<Caller, Integer, Request> call;

        Calls(final ErrorClass errorClass, final String text, final String reduced, final BiFunction<Caller, Integer, Request> call) {
            this.errorClass = errorClass;
            this.text = "collective calls differ on MPI_COMM_WORLD: " + text;
            this.reduced = reduced;
            this.call = call;
        }

        void check(final Throwable thrown, final boolean full) {
            final MpiFailure failure = assertInstanceOf(MpiFailure.class, thrown);
            final String expected = reduced == null ? text : text.formatted(full ? reduced : "");
            assertEquals(expected, failure.getMessage());
            assertEquals(errorClass, failure.errorClass());
        }
    }

    /** The collectives that a test calls, in one form. */
    record Caller(Collectives<? extends Request> on, int ranks) {
        Request bcast(final Object buffer, final long count, final Datatype type, final int root) {
            return on.bcast(buffer, count, type, root);
        }

        Request reduce(final Object send, final Object recv, final long count, final Datatype type, final Op op, final int root) {
            return on.reduce(send, recv, count, type, op, root);
        }

        Request allreduce(final Object send, final Object recv, final long count, final Datatype type, final Op op) {
            return on.allreduce(send, recv, count, type, op);
        }

        Request barrier() {
            return on.barrier();
        }

        Request gather(final Object send, final long count, final Datatype type, final Object recv, final long recvCount, final Datatype recvType,
            final int root) {
            return on.gather(send, count, type, recv, recvCount, recvType, root);
        }

        Request allgather(final Object send, final long count, final Datatype type, final Object recv, final long recvCount,
            final Datatype recvType) {
            return on.allgather(send, count, type, recv, recvCount, recvType);
        }
    }

    private static void run(final int ranks, final int nodes, final String check, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(ranks, nodes, transport, Ranks.job(ranks, Map.of("check", check), List.of(new BasicModule())), body);
        }
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(Calls.values()).flatMap(c -> Stream.of(1, 2).map(n -> Arguments.of(c, n)));
    }

    /** Tests calls whose mismatch no message shows: two ranks that wait as roots. */
    static Stream<Arguments> whereAMessageShowsIt() {
        return everywhere().filter(a -> a.get()[0] != Calls.ROOT);
    }

    @Test
    void shouldFindAMismatchWhenNoOtherMessageCanArrive() {
        final AssertionError failure = assertThrows(AssertionError.class, () -> run(3, 1, "fast", rank -> {
            if (rank.worldRank() == 1) {
                rank.world().messages().recv(new int[1], 1, Datatype.INT, 2, 0);
            }
            rank.world().engine().blocking().bcast(new int[1], 1, Datatype.INT, rank.worldRank() == 0 ? 0 : 1);
            rank.world().engine().blocking().barrier();
        }));
        assertEquals("collective calls differ on MPI_COMM_WORLD: rank 0 calls bcast(root 0, 4 bytes), rank 2 calls bcast(root 1, 4 bytes)",
            failure.getCause().getMessage());
    }

    @ParameterizedTest
    @MethodSource("whereAMessageShowsIt")
    void shouldFindAMismatchThatAMessageShows(final Calls calls, final int nodes) {
        final AssertionError failure = assertThrows(AssertionError.class, () -> run(2, nodes, "fast", rank -> {
            calls.call.apply(new Caller(rank.world().engine().blocking(), 2), rank.worldRank());
            rank.world().engine().blocking().barrier();
        }));
        calls.check(failure.getCause(), false);
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void shouldFindAMismatchOnAllRanksInEveryForm(final Calls calls, final int nodes) throws Exception {
        run(3, nodes, "full", rank -> {
            final Communicator world = rank.world();
            calls.check(assertThrows(MpiFailure.class, () -> calls.call.apply(new Caller(world.engine().blocking(), 3), rank.worldRank())), true);
            final Request started = calls.call.apply(new Caller(world.engine().nonblocking(), 3), rank.worldRank());
            calls.check(assertThrows(MpiFailure.class, started::await), true);
            final var made = (PersistentRequest) calls.call.apply(new Caller(world.engine().persistent(), 3), rank.worldRank());
            made.start();
            calls.check(assertThrows(MpiFailure.class, made::await), true);
            // later calls are not affected
            final long[] sum = {rank.worldRank()};
            world.engine().blocking().allreduce(Reserved.IN_PLACE, sum, 1, Datatype.LONG, Op.SUM);
            assertEquals(3, sum[0]);
        });
    }

    @Test
    void shouldFindInFullWhatNoMessageShows() throws Exception {
        run(2, 1, "full", rank -> {
            final int me = rank.worldRank();
            final Collectives<Request> world = rank.world().engine().blocking();
            final MpiFailure root = assertThrows(MpiFailure.class, () -> world.bcast(new int[1], 1, Datatype.INT, 1 - me));
            assertEquals("collective calls differ on MPI_COMM_WORLD: rank 0 calls bcast(root 1, 4 bytes), rank 1 calls bcast(root 0, 4 bytes)",
                root.getMessage());
            final MpiFailure op = assertThrows(MpiFailure.class,
                () -> world.allreduce(new int[1], new int[1], 1, Datatype.INT, me == 0 ? Op.SUM : Op.MAX));
            assertEquals(ErrorClass.OP, op.errorClass());
            assertTrue(op.getMessage().endsWith("rank 0 calls allreduce(SUM of int, 4 bytes), rank 1 calls allreduce(MAX of int, 4 bytes)"),
                op.getMessage());
            final MpiFailure type = assertThrows(MpiFailure.class,
                () -> world.allreduce(me == 0 ? new int[1] : new float[1], me == 0 ? new int[1] : new float[1], 1,
                    me == 0 ? Datatype.INT : Datatype.FLOAT, Op.SUM));
            assertEquals(ErrorClass.TYPE, type.errorClass());
            final MpiFailure nothing = assertThrows(MpiFailure.class, () -> world.bcast(new int[1], me, Datatype.INT, 0));
            assertEquals(ErrorClass.COUNT, nothing.errorClass());
        });
    }

    /** Of three ranks the last one makes another call, on one node and on two. */
    @ParameterizedTest
    @CsvSource({"fast, 1", "fast, 2", "full, 2"})
    void shouldSayThatCallsDifferWhereCommunicatorsAreCreatedByDifferentCalls(final String check, final int nodes) throws Exception {
        run(3, nodes, check, rank -> {
            final Communicator world = rank.world();
            final boolean last = rank.worldRank() == 2;
            final String differ = "collective calls differ on MPI_COMM_WORLD: ";
            final List<String> seen = new ArrayList<>();
            seen.add(failure(() -> pick(last, world::dup, () -> world.split(0, 0))));
            seen.add(failure(() -> pick(last, () -> world.split(0, 0), () -> world.create(world.group()))));
            seen.add(failure(() -> pick(last, () -> world.create(world.group()), () -> world.iDup().request().waitFor())));
            seen.add(failure(() -> pick(last, world::dup, () -> world.createIntercomm(0, world, 0, 0))));
            if (rank.worldRank() != 1) {
                assertEquals(List.of(differ + "rank 0 calls dup(), rank 2 calls split()", differ + "rank 0 calls split(), rank 2 calls create()",
                    differ + "rank 0 calls create(), rank 2 calls " + (check.equals("full") ? "iDup()" : "dup()"),
                    differ + "rank 0 calls dup(), rank 2 calls createIntercomm()"), seen);
            } else {
                assertTrue(seen.stream().allMatch(s -> s.startsWith("collective failed on another rank: rank 0 reported it")), seen::toString);
            }
            // the communicator stays usable, and no context id is lost
            assertEquals(0, rank.context().contexts().inUse());
            final Communicator made = world.dup();
            made.engine().blocking().barrier();
            made.free();
        });
    }

    private static void pick(final boolean other, final Runnable usual, final Runnable otherwise) {
        (other ? otherwise : usual).run();
    }

    private static String failure(final Executable call) {
        return assertThrows(MpiFailure.class, call).getMessage();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldFindBlockingAgainstNonblockingAndPersistentCallsInFull(final int nodes) throws Exception {
        run(3, nodes, "full", rank -> {
            final CollectiveEngine world = rank.world().engine();
            final boolean last = rank.worldRank() == 2;
            final String start = "collective calls differ on MPI_COMM_WORLD: rank 0 calls ";
            final MpiFailure failure = assertThrows(MpiFailure.class, () -> (last ? world.nonblocking() : world.blocking()).barrier().await());
            assertEquals(ErrorClass.OTHER, failure.errorClass());
            assertEquals(start + "barrier(), rank 2 calls nonblocking barrier()", failure.getMessage());
            assertEquals(start + "nonblocking allreduce(SUM of long, 8 bytes), rank 2 calls persistent allreduce(SUM of long, 8 bytes)",
                failure(() -> {
                    if (last) {
                        final PersistentRequest made = world.persistent().allreduce(Reserved.IN_PLACE, new long[1], 1, Datatype.LONG, Op.SUM);
                        made.start();
                        made.await();
                    } else {
                        world.nonblocking().allreduce(Reserved.IN_PLACE, new long[1], 1, Datatype.LONG, Op.SUM).await();
                    }
                }));
            world.blocking().barrier();
        });
    }

    /** Only full compares forms: elsewhere they serve one another. */
    @ParameterizedTest
    @ValueSource(strings = {"fast", "off"})
    void shouldLetABlockingCallMeetANonblockingOne(final String check) throws Exception {
        run(3, 2, check, rank -> {
            final long[] sum = {1};
            final CollectiveEngine world = rank.world().engine();
            (rank.worldRank() == 1 ? world.nonblocking() : world.blocking()).allreduce(Reserved.IN_PLACE, sum, 1, Datatype.LONG, Op.SUM).await();
            assertEquals(3, sum[0]);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"full", "fast", "off"})
    void shouldLetCallsDifferWhereTheyMay(final String check) throws Exception {
        run(3, 2, check, rank -> {
            final int me = rank.worldRank();
            final Collectives<Request> world = rank.world().engine().blocking();
            final long[] ones = {1, 1, 1};
            final long[] at = {0, 1, 2};
            final int[] all = new int[3];
            if (me == 0) {
                world.gather(Reserved.IN_PLACE, 0, null, all, 1, Datatype.INT, 0);
                world.gatherv(Reserved.IN_PLACE, 0, null, all, new long[] {1, 2, 0}, new long[] {0, 1, 0}, Datatype.INT, 0);
            } else {
                world.gather(new int[] {me}, 1, Datatype.INT, null, 0, null, 0);
                world.gatherv(new int[] {me, me}, 4 - 2 * me, Datatype.INT, null, null, null, null, 0);
            }
            final long[] lengths = new long[3];
            lengths[me] = me + 1;
            world.alltoallv(new int[9], lengths, at, Datatype.INT, new int[9], lengths, at, Datatype.INT);
            world.allgatherv(new int[] {me}, 1, Datatype.INT, all, ones, at, Datatype.INT);
            // as bytes on one rank, as one element on the other
            world.bcast(me == 0 ? new byte[8] : new long[1], me == 0 ? 8 : 1, me == 0 ? Datatype.BYTE : Datatype.LONG, 0);
            world.barrier();
        });
    }

    @ParameterizedTest
    @CsvSource({"fast, 1", "full, 1", "full, 2"})
    void shouldCheckSeveralAtOnce(final String check, final int nodes) throws Exception {
        run(4, nodes, check, rank -> {
            final Request[] under = new Request[20];
            final long[][] sums = new long[20][1];
            for (int i = 0; i < under.length; i++) {
                sums[i][0] = i;
                under[i] = rank.world().engine().nonblocking().allreduce(Reserved.IN_PLACE, sums[i], 1, Datatype.LONG, Op.SUM);
            }
            for (int i = under.length - 1; i >= 0; i--) {
                under[i].await();
                assertEquals(4 * i, sums[i][0]);
            }
        });
    }

    @Test
    void shouldHavePrintedItsWarningsWhenFinalizeEnds() throws Exception {
        final CountDownLatch printed = new CountDownLatch(1);
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final PrintStream before = System.err;
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(2, 1, transport, Ranks.job(2, Map.of("check", "full"), List.of(new BasicModule())), rank -> {
                // the thread that would print is at work
                rank.executor().execute(() -> assertDoesNotThrow(() -> printed.await(60, TimeUnit.SECONDS)));
                if (rank.worldRank() == 0) {
                    rank.world().messages().send(SendMode.STANDARD, new int[1], 1, Datatype.INT, 1, 6);
                } else {
                    rank.world().messages().recv(new float[1], 1, Datatype.FLOAT, 0, 6);
                }
            });
        } finally {
            System.setErr(before);
        }
        final String text = err.toString(StandardCharsets.UTF_8);
        printed.countDown();
        assertTrue(text.matches("tutti: warning: rank 1 on node \\S+ receives tag 6 of rank 0 on MPI_COMM_WORLD as float, sent as int\\R"), text);
    }

    @Test
    void shouldRaiseNoFalseAlarmInTheContractWithFull() throws Exception {
        final Map<String, String> full = Map.of("check", "full");
        final List<CollModule> basic = List.of(new BasicModule());
        ContractSuite.blocking(new ContractSuite.Shape(4, 2), full, basic);
        ContractSuite.requests(new ContractSuite.Shape(3, 1), full, basic);
        ContractSuite.persistent(new ContractSuite.Shape(5, 2), full, basic);
        ContractSuite.intercommunicators(new ContractSuite.Groups(3, 2, 2), full, basic);
    }

    /** Creates the communicator on which ranks call differently. Of three or four ranks, the others make different calls. */
    enum Where {
        PART {
            @Override
            Communicator of(final Communicator world) {
                return world.split(world.rank() < 2 ? 0 : 1, -world.rank());
            }
        },
        INTER {
            @Override
            Communicator of(final Communicator world) {
                final int half = world.rank() % 2;
                return world.split(half, 0).createIntercomm(0, world, 1 - half, 5);
            }
        };

        abstract Communicator of(Communicator world);
    }

    @ParameterizedTest
    @CsvSource({"PART, 1", "PART, 2", "INTER, 1", "INTER, 2"})
    void shouldFindInFullAMismatchOnEveryKindOfCommunicator(final Where where, final int nodes) throws Exception {
        run(4, nodes, "full", rank -> {
            final Communicator comm = where.of(rank.world());
            final int me = rank.worldRank();
            final MpiFailure found = assertThrows(MpiFailure.class, () -> {
                if (me % 2 == 0) {
                    comm.engine().blocking().barrier();
                } else {
                    comm.engine().blocking().allgather(new int[1], 1, Datatype.INT, new int[2], 1, Datatype.INT);
                }
            });
            assertTrue(found.getMessage().contains("calls barrier()") && found.getMessage().contains("calls allgather("), found.getMessage());
            assertTrue(found.getMessage().startsWith("collective calls differ on " + comm.name() + ": rank "), found.getMessage());
            assertEquals(ErrorClass.OTHER, found.errorClass());
            comm.engine().blocking().barrier();
            comm.disconnect();
        });
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    void shouldFindAMismatchBetweenTheGroupsByAMessage(final int nodes) {
        final AssertionError failure = assertThrows(AssertionError.class, () -> run(2, nodes, "fast", rank -> {
            final Communicator comm = Where.INTER.of(rank.world());
            if (rank.worldRank() == 0) {
                comm.engine().blocking().allreduce(new int[1], new int[1], 1, Datatype.INT, Op.SUM);
            } else {
                comm.engine().blocking().alltoall(new int[1], 1, Datatype.INT, new int[1], 1, Datatype.INT);
            }
        }));
        assertTrue(failure.getCause().getMessage().startsWith("collective calls differ on comm "), failure.getCause()::toString);
        assertTrue(failure.getCause().getMessage().contains("calls allreduce()"), failure.getCause()::toString);
        assertTrue(failure.getCause().getMessage().contains("calls alltoall()"), failure.getCause()::toString);
    }

    @ParameterizedTest
    @CsvSource({"full, 1", "full, 2", "fast, 1", "fast, 2", "off, 1"})
    void shouldStartPersistentCallsInAnyOrder(final String check, final int nodes) throws Exception {
        run(3, nodes, check, rank -> {
            final int me = rank.worldRank();
            final Collectives<PersistentRequest> world = rank.world().engine().persistent();
            final long[][] data = new long[4][3000];
            final PersistentRequest[] made = new PersistentRequest[4];
            for (int i = 0; i < 3; i++) {
                made[i] = i == 1 ? world.bcast(data[i], 3000, Datatype.LONG, 1)
                    : world.allreduce(Reserved.IN_PLACE, data[i], 3000, Datatype.LONG, Op.SUM);
            }
            made[3] = world.barrier();
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 4; i++) {
                    Arrays.fill(data[i], i == 1 && me != 1 ? -1 : 10 * round + i);
                }
                for (int i = 0; i < 4; i++) {
                    made[(i + me + round) % 4].start();
                    // other calls in between do not matter
                    if (i == 2) {
                        rank.world().engine().blocking().barrier();
                    }
                }
                for (final PersistentRequest r : made) {
                    r.await();
                }
                assertEquals(3 * 10 * round, data[0][2999]);
                assertEquals(10 * round + 1, data[1][0]);
                assertEquals(3 * (10 * round + 2), data[2][1]);
            }
        });
    }
}
