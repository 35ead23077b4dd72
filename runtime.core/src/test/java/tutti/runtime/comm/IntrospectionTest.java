package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.introspect.RankPlan;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.policy.TraceOption;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests plans that are read, and executions that are traced. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class IntrospectionTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());
    private static final List<CollModule> NODES = List.of(new Layered.Nodes(), new Flat(), new BasicModule());

    private static void traced(final int ranks, final int nodes, final String trace, final List<CollModule> modules, final Ranks.Body body)
        throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(ranks, nodes, transport, Ranks.job(ranks, Map.of(TraceOption.PARAMETER, trace), modules), body);
        }
    }

    /** Checks that messages and posts match: each receive has its send, each await its post. */
    private static void checkEnds(final List<RankPlan> plans) {
        final List<String> sent = new ArrayList<>();
        final List<String> posted = new ArrayList<>();
        for (final RankPlan p : plans) {
            for (final PlannedTask t : p.tasks()) {
                switch (t.kind()) {
                    case SEND -> sent.add(t.context() + ": " + p.rank() + " " + t.peer() + " " + t.number() + " " + t.bytes());
                    case POST -> posted.add(t.context() + "." + t.part() + ": " + p.rank() + " " + t.number());
                    default -> {}
                }
            }
        }
        for (final RankPlan p : plans) {
            for (final PlannedTask t : p.tasks()) {
                assertTrue(t.after().stream().allMatch(a -> a >= 0 && a < t.id()), t.toString());
                switch (t.kind()) {
                    case RECV -> assertTrue(sent.remove(t.context() + ": " + t.peer() + " " + p.rank() + " " + t.number() + " " + t.bytes()),
                        p.rank() + " " + t);
                    case AWAIT -> assertTrue(posted.contains(t.context() + "." + t.part() + ": " + t.peer() + " " + t.number()), p.rank() + " " + t);
                    case GET -> assertTrue(t.peer() >= 0 && t.from() != null && t.into() != null, t.toString());
                    default -> {}
                }
            }
        }
        assertEquals(List.of(), sent);
    }

    private static List<RankPlan> plans(final int ranks, final int nodes, final List<CollModule> modules, final Operation<?> operation,
        final long bytes, final int root) throws Exception {
        final Map<Integer, RankPlan> plans = new ConcurrentHashMap<>();
        Ranks.run(ranks, nodes, modules, rank -> plans.put(rank.worldRank(), rank.world().engine().plan(operation, bytes, root, Integer.MAX_VALUE)));
        return plans.entrySet().stream().sorted(Map.Entry.comparingByKey()).map(Map.Entry::getValue).toList();
    }

    @Test
    void shouldReadNoPlanOfAnIntercommunicator() throws Exception {
        Ranks.run(2, BASIC, rank -> {
            final int me = rank.worldRank();
            final Communicator inter = rank.self().createIntercomm(0, rank.world(), 1 - me, 5);
            assertEquals("plans can be read on intracommunicators only: communicator=" + inter.name(), assertThrows(MpiFailure.class,
                () -> inter.engine().plan(Operation.BARRIER, 0, 0, Integer.MAX_VALUE)).getMessage());
            inter.disconnect();
        });
    }

    @Test
    void shouldReadThePlanOfEveryOperation() throws Exception {
        for (final Operation<?> o : Operation.values()) {
            if (!o.id().startsWith("neighbor_")) {
                final List<RankPlan> plans = plans(5, 1, BASIC, o, 400, 3);
                checkEnds(plans);
                for (final RankPlan p : plans) {
                    assertEquals(o.id(), p.operation());
                    assertEquals("BasicModule 1.0.0", p.module());
                    assertEquals(p.total(), p.tasks().size());
                    assertEquals(o == Operation.BARRIER ? 0 : 400, p.bytes());
                    assertTrue(p.block() == -1 || p.block() == 80, p.toString());
                }
                assertTrue(plans.stream().mapToInt(RankPlan::total).sum() > 0, o.id());
            }
        }
    }

    @Test
    void shouldReadPlansThatShareMemoryAndNestCollectives() throws Exception {
        final List<RankPlan> plans = plans(5, 2, NODES, Operation.ALLREDUCE, 64, 0);
        checkEnds(plans);
        final List<Kind> kinds = plans.stream().flatMap(p -> p.tasks().stream()).map(PlannedTask::kind).distinct().toList();
        assertTrue(kinds.containsAll(List.of(Kind.POST, Kind.AWAIT, Kind.SEND, Kind.RECV)), kinds.toString());
        assertEquals(List.of("reduce on MPI_COMM_WORLD/Nodes.part.0: Flat 1.0.0/flat (priority 50)",
            "allreduce on MPI_COMM_WORLD/Nodes.firsts: BasicModule 1.0.0/recursive_doubling (priority 10)",
            "bcast on MPI_COMM_WORLD/Nodes.part.0: Flat 1.0.0/flat (priority 50)"), served(plans.getFirst().parts()));
        assertTrue(plans.stream().flatMap(p -> p.tasks().stream()).anyMatch(t -> t.peer() >= 0 && (t.kind() == Kind.GET || t.kind() == Kind.REDUCE)));
    }

    /** Returns for each nested collective where it is, and what serves it. */
    private static List<String> served(final List<PlannedPart> parts) {
        return parts.stream().map(p -> p.operation() + " on " + p.communicator() + ": " + p.module() + "/" + p.algorithm() + " (" + p.reason() + ")")
            .toList();
    }

    @Test
    void shouldNameTheAlgorithmOfNestedCollectivesAtEveryDepth() throws Exception {
        final List<RankPlan> plans = plans(8, 1, List.of(new Layered.Halves(), new BasicModule()), Operation.BARRIER, 0, 0);
        final List<PlannedPart> parts = plans.getFirst().parts();
        final String layered = ": Halves 1.0.0/layered (priority 60)";
        final String basic = ": BasicModule 1.0.0/dissemination (priority 10)";
        final String part = "barrier on MPI_COMM_WORLD/Halves.part.0";
        final List<String> half = List.of(part + layered, part + "/Halves.part.0" + basic, part + "/Halves.firsts" + basic,
            part + "/Halves.part.0" + basic);
        final List<String> all = new ArrayList<>(half);
        all.add("barrier on MPI_COMM_WORLD/Halves.firsts" + basic);
        all.addAll(half);
        assertEquals(all, served(parts));
        for (final PlannedPart p : parts) {
            assertTrue(p.first() <= p.last() && p.last() < plans.getFirst().total(), p::toString);
            assertEquals(p.communicator().startsWith("MPI_COMM_WORLD/Halves.part.0/") ? 1 : 0,
                parts.stream().filter(o -> o != p && o.first() <= p.first() && p.last() <= o.last()).count(), p::toString);
        }
        assertEquals("priority 60", plans.getFirst().reason());
        assertEquals("barrier on MPI_COMM_WORLD/Halves.part.1" + layered, served(plans.get(1).parts()).getFirst());
    }

    @Test
    void shouldTraceWhichAlgorithmServesEachTask() throws Exception {
        traced(5, 2, "on", NODES, rank -> {
            final Communicator c = rank.world();
            c.engine().blocking().allreduce(new long[8], new long[8], 8, Datatype.LONG, Op.MAX);
            final RankTrace trace = rank.trace();
            final TracedCall call = trace.calls().getLast();
            final RankPlan plan = c.engine().plan(Operation.ALLREDUCE, 64, 0, Integer.MAX_VALUE);
            assertEquals(plan.parts(), call.parts());
            assertEquals("priority 60", call.reason());
            assertTrue(trace.events().stream().filter(e -> e.kind() != null && e.peer() >= 0 && trace.calls().get(e.call()) == call)
                .allMatch(e -> PlannedPart.of(call.parts(), e.task()) != null), trace::toString);
        });
    }

    @Test
    void shouldNeitherRunWhatItReadsNorPlanItTwice() throws Exception {
        Ranks.run(2, BASIC, rank -> {
            final Communicator c = rank.world();
            // rank 1 reads nothing: no message is sent
            if (c.rank() == 0) {
                final RankPlan plan = c.engine().plan(Operation.ALLREDUCE, 1 << 20, 0, 1);
                assertEquals(1, plan.tasks().size());
                assertTrue(plan.total() > 1);
                assertEquals(plan, c.engine().plan(Operation.ALLREDUCE, 1 << 20, 0, 1));
                assertEquals(1, rank.statistics().plans());
            }
            final double[] sum = new double[1 << 17];
            c.engine().blocking().allreduce(new double[1 << 17], sum, 1 << 17, Datatype.DOUBLE, Op.SUM);
            assertEquals(1, rank.statistics().plans());
        });
    }

    @Test
    void shouldSayWhyAPlanCannotBeRead() throws Exception {
        Ranks.run(1, BASIC, rank -> {
            assertEquals("root out of range: root=1, size=1",
                assertThrows(MpiFailure.class, () -> rank.world().engine().plan(Operation.BCAST, 1, 1, 1)).getMessage());
            assertEquals("bytes out of range: bytes=-1, min=0",
                assertThrows(MpiFailure.class, () -> rank.world().engine().plan(Operation.BCAST, -1, 0, 1)).getMessage());
            assertEquals("neighbor_allgather needs a communicator with neighbours",
                assertThrows(MpiFailure.class, () -> rank.world().engine().plan(Operation.NEIGHBOR_ALLGATHER, 1, 0, 1)).getMessage());
            assertEquals("BYTE BOR", rank.world().engine().plan(Operation.SCAN, 7, 0, 1).data());
            assertEquals("DOUBLE SUM", rank.world().engine().plan(Operation.SCAN, 8, 0, 1).data());
        });
    }

    @ParameterizedTest
    @CsvSource({"4, 1, basic", "4, 2, basic", "5, 2, nodes"})
    void shouldRecordEveryTaskOfEveryFormOfCall(final int ranks, final int nodes, final String modules) throws Exception {
        final Map<Integer, RankTrace> traces = new ConcurrentHashMap<>();
        final Map<Integer, Long> expected = new ConcurrentHashMap<>();
        final long before = System.currentTimeMillis();
        traced(ranks, nodes, "on", modules.equals("basic") ? BASIC : NODES, rank -> {
            final Communicator c = rank.world();
            final long already = rank.trace().events().size();
            c.engine().blocking().allreduce(new long[3], new long[3], 3, Datatype.LONG, Op.MAX);
            c.engine().nonblocking().allreduce(new long[3], new long[3], 3, Datatype.LONG, Op.MAX).await();
            final PersistentRequest again = c.engine().persistent().allreduce(new long[3], new long[3], 3, Datatype.LONG, Op.MAX);
            for (int i = 0; i < 3; i++) {
                again.start();
                again.await();
            }
            again.free();
            final RankTrace trace = rank.trace();
            traces.put(c.rank(), trace);
            final long tasks =
                c.engine().plan(Operation.ALLREDUCE, 24, 0, Integer.MAX_VALUE).tasks().stream().filter(t -> t.kind() != Kind.FENCE).count();
            expected.put(c.rank(), already + 5 * (tasks + 1));
        });
        final long after = System.currentTimeMillis();
        for (final RankTrace t : traces.values()) {
            assertEquals(expected.get(t.rank()), t.events().size(), "rank " + t.rank());
            assertEquals(0, t.dropped());
            assertEquals("n" + t.rank() % nodes, t.node());
            assertEquals(5, t.events().stream().filter(e -> e.kind() == null && t.calls().get(e.call()).operation().equals("allreduce")).count());
            for (final TraceEvent e : t.events()) {
                assertTrue(e.begin() <= e.end(), e.toString());
                assertTrue(e.begin() / 1_000_000 >= before - 1 && e.end() / 1_000_000 <= after + 1, e.toString());
                assertTrue(e.peer() < ranks && e.peer() != t.rank(), e.toString());
            }
        }
    }

    @Test
    void shouldKeepTheFirstEventsAndCountTheOthers() throws Exception {
        traced(2, 1, "7", BASIC, rank -> {
            for (int i = 0; i < 20; i++) {
                rank.world().engine().blocking().barrier();
            }
            final RankTrace trace = rank.trace();
            assertEquals(7, trace.events().size());
            assertEquals(20 * 3, trace.events().size() + trace.dropped());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "2"})
    void shouldReportPendingTasksAsNotEnded(final String limit) throws Exception {
        final CountDownLatch read = new CountDownLatch(1);
        traced(2, 1, limit, BASIC, rank -> {
            final Communicator c = rank.world();
            c.engine().blocking().barrier();
            if (c.rank() == 0) {
                final Request waiting = c.engine().nonblocking().bcast(new long[1], 1, Datatype.LONG, 1);
                // the thread that owns the mailbox starts it, which may be that of the other rank
                Awaitility.await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> rank.trace().events().stream().anyMatch(e -> e.kind() == Kind.RECV && !e.ended()));
                final RankTrace trace = rank.trace();
                read.countDown();
                final List<TraceEvent> open = trace.events().stream().filter(e -> !e.ended()).toList();
                assertEquals(Arrays.asList(null, Kind.RECV), open.stream().map(TraceEvent::kind).toList());
                assertEquals("bcast", trace.calls().get(open.getLast().call()).operation());
                assertEquals(1, open.getLast().peer());
                assertTrue(open.stream().allMatch(e -> e.begin() <= e.end()), open.toString());
                assertEquals(limit.equals("2") ? 2 : 5, trace.events().size());
                assertEquals(5, trace.events().size() + trace.dropped());
                waiting.await();
                assertTrue(rank.trace().events().stream().allMatch(TraceEvent::ended));
            } else {
                assertTrue(read.await(60, TimeUnit.SECONDS));
                c.engine().blocking().bcast(new long[1], 1, Datatype.LONG, 1);
            }
        });
    }

    @Test
    void shouldRecordNothingUnlessItIsAskedTo() throws Exception {
        Ranks.run(2, BASIC, rank -> {
            rank.world().engine().blocking().barrier();
            assertNull(rank.trace());
        });
    }

    @Test
    void shouldBoundATrace() {
        assertEquals(0, TraceOption.limit(Map.of(), 4));
        assertEquals(20_000, TraceOption.limit(Map.of(TraceOption.PARAMETER, "on"), 50));
        assertEquals(976, TraceOption.limit(Map.of(TraceOption.PARAMETER, "on"), 1024));
        assertEquals(77, TraceOption.limit(Map.of(TraceOption.PARAMETER, "77"), 1024));
        assertNull(TraceOption.problem("1000000"));
        for (final String bad : List.of("", "0", "-1", "off", "1000001", "99999999999")) {
            assertEquals("neither on nor a number of events per rank, range=1..1000000", TraceOption.problem(bad), bad);
        }
    }
}
