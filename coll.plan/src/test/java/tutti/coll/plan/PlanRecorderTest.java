package tutti.coll.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.OffloadDevice;
import tutti.coll.advanced.OffloadedTask;
import tutti.coll.advanced.OpaqueTask;
import tutti.coll.advanced.OpaqueWork;
import tutti.coll.advanced.Worker;

class PlanRecorderTest {
    private static final Reduction OP = new Sum(4);
    private static final BufferRange IN = Buffer.SEND.at(0, 8);
    private static final BufferRange DATA = Buffer.RECV.at(0, 8);
    private static final Call.Allreduce CALL = new Call.Allreduce(OP, 2, false);

    private final Tasks tasks = new Tasks();
    private final Recorder plan = new Recorder(new Comm(1, 3, false), CALL);

    private record Sum(long elementBytes) implements Reduction {
        @Override
        public boolean isCommutative() {
            return true;
        }

        @Override
        public String operation() {
            return "SUM";
        }
    }

    /** An operation of the program. */
    private record Own() implements Reduction {
        @Override
        public long elementBytes() {
            return 8;
        }

        @Override
        public boolean isCommutative() {
            return true;
        }
    }

    private record Group(int rank, int size, Consumer<AdvancedPlan> algorithm) implements CollSubComm {
        @Override
        public int parentRank(final int of) {
            return of;
        }
    }

    /** Ranks 0 and 1 are on one node. */
    private record Comm(int rank, int size, boolean isInter, Consumer<AdvancedPlan> algorithm) implements PlanComm<Comm> {
        Comm(final int rank, final int size, final boolean isInter) {
            this(rank, size, isInter, null);
        }

        @Override
        public int remoteSize() {
            return size;
        }

        @Override
        public boolean isOnSameNode(final int peer) {
            return rank < 2 && peer < 2;
        }

        @Override
        public Comm sub(final CollSubComm group) {
            if (group instanceof Group g) {
                return new Comm(g.rank, g.size, false, g.algorithm);
            }
            throw new IllegalArgumentException("not a sub-communicator");
        }

        @Override
        public <C extends Call> void plan(final Operation<C> operation, final C call, final Plan nested) {
            algorithm.accept(AdvancedPlan.of(nested));
        }
    }

    private record Recorded(int part, TaskKind kind, BufferRange from, BufferRange into, int post, int implied, int... before) {
        /** Returns what the task reads of the rank's own memory; null for nothing. */
        BufferRange reads() {
            return kind == TaskKind.GET ? null : from;
        }
    }

    private static final class Tasks implements TaskSink<Comm> {
        private final List<Recorded> all = new ArrayList<>();
        private final List<BufferRange> reserved = new ArrayList<>();
        private final Map<Integer, Assignment> assignments = new HashMap<>();
        private final Map<Integer, Set<Integer>> readers = new HashMap<>();

        @Override
        public void begin(final PlanRecorder<Comm> part) {
            assertEquals(all.stream().mapToInt(Recorded::part).max().orElse(0) + 1, part.index());
        }

        @Override
        public void reserve(final BufferRange range) {
            reserved.add(range);
        }

        @Override
        public void share(final PlanRecorder<Comm> part, final int... ranks) {
            IntStream.of(ranks).forEach(readers.computeIfAbsent(part.index(), p -> new TreeSet<>())::add);
        }

        @Override
        public void add(final PlanRecorder<Comm> part, final TaskKind kind, final BufferRange from, final BufferRange into, final int peer,
            final int post, final Reduction reduction, final Predecessors before) {
            all.add(new Recorded(part.index(), kind, from, into, post, before.implied(), before.toArray()));
        }

        @Override
        public void assign(final Assignment assignment) {
            assignments.put(all.size() - 1, assignment);
        }
    }

    private final class Recorder extends PlanRecorder<Comm> {
        Recorder(final Comm comm, final Call call) {
            super(tasks, comm, call);
        }
    }

    private void assertRefused(final String message, final Executable call) {
        final int before = tasks.all.size();
        assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
        assertEquals(before, tasks.all.size());
    }

    private void assertBefore(final int task, final int... expected) {
        assertArrayEquals(expected, tasks.all.get(task).before(), () -> Arrays.toString(tasks.all.get(task).before()));
    }

    /** Records a nested collective whose send buffer is {@code from} and whose receive buffer is {@code into}. */
    private Task nest(final Call.Allreduce call, final BufferRange from, final BufferRange into, final Consumer<AdvancedPlan> algorithm) {
        return plan.nested(new Group(0, 2, algorithm), Operation.ALLREDUCE, call, from, into);
    }

    @Test
    void shouldRefuseAPeerOutOfRange() {
        assertRefused("peer out of range: peer=3, ranks=3", () -> plan.send(DATA, 3));
        assertRefused("peer out of range: peer=-1, ranks=3", () -> plan.recv(DATA, -1));
    }

    @Test
    void shouldAssignTheTaskOfAWorkerToIt() {
        final Worker worker = task -> task.complete();
        plan.copy(Buffer.SEND.at(0, 8), DATA);
        final Task copy = plan.copy(worker, Buffer.SEND.at(0, 8), DATA);
        plan.reduce(worker, new Sum(8), Buffer.SEND.at(0, 8), DATA, copy);
        assertEquals(Map.of(1, new Assignment.ByWorker(worker), 2, new Assignment.ByWorker(worker)), tasks.assignments);
        assertEquals(List.of(TaskKind.COPY, TaskKind.COPY, TaskKind.REDUCE), tasks.all.stream().map(Recorded::kind).toList());
        assertRefused("ranges of different length: from=SEND[0..4), into=RECV[0..8)", () -> plan.copy(worker, Buffer.SEND.at(0, 4), DATA));
    }

    @Test
    void shouldOrderAnOpaqueTaskByAllRangesThatItReadsAndWrites() {
        final OpaqueWork work = OpaqueTask::complete;
        final BufferRange low = plan.scratch(8);
        final BufferRange high = plan.scratch(8);
        plan.recv(low, 0);
        plan.recv(high, 2);
        plan.send(DATA, 0);
        plan.opaque(work, List.of(IN, low.slice(0, 4), low.slice(2, 4)), List.of(high, DATA));
        plan.recv(low, 0);
        plan.send(high, 2);
        plan.send(DATA, 2);
        assertBefore(3, 0, 1, 2);
        assertBefore(4, 3, 0);
        assertBefore(5, 3);
        assertBefore(6, 3);
        assertEquals(new Assignment.Opaque(work, List.of(IN, low.slice(0, 4), low.slice(2, 4)), List.of(high, DATA)), tasks.assignments.get(3));
    }

    @Test
    void shouldOrderAnOpaqueTaskWithinItsNestedPart() {
        plan.recv(DATA, 0);
        nest(CALL, IN, DATA, nested -> nested.opaque(OpaqueTask::complete, List.of(DATA), List.of(), nested.post()));
        assertEquals(List.of(TaskKind.RECV, TaskKind.FENCE, TaskKind.POST, TaskKind.OPAQUE, TaskKind.FENCE), tasks.all.stream().map(Recorded::kind)
            .toList());
        assertBefore(3, 1, 2);
        assertBefore(4, 3);
    }

    @Test
    void shouldRefuseAnOpaqueTaskThatWritesARangeTwiceOrAlsoReadsIt() {
        final OpaqueWork work = OpaqueTask::complete;
        assertRefused("ranges overlap: from=RECV[0..8), into=RECV[4..8)", () -> plan.opaque(work, List.of(DATA), List.of(DATA.slice(4, 4))));
        assertRefused("ranges overlap: from=RECV[0..4), into=RECV[0..8)", () -> plan.opaque(work, List.of(), List.of(DATA.slice(0, 4), DATA)));
        assertRefused("the send buffer is read only: into=SEND[0..8)", () -> plan.opaque(work, List.of(), List.of(IN)));
        final BufferRange shared = plan.shared(8, 0);
        assertRefused("only local tasks use shared memory: range=SHARED[0..8)", () -> plan.opaque(work, List.of(shared), List.of()));
    }

    @Test
    void shouldOrderAnOffloadedCollectiveByItsBuffers() {
        final OffloadDevice device = OffloadedTask::complete;
        final Call.Allreduce call = new Call.Allreduce(new Sum(8), 1, false);
        final Call.Bcast bcast = new Call.Bcast(8, 1);
        plan.recv(DATA, 0);
        plan.offloaded(device, Operation.ALLREDUCE, call, IN, DATA);
        plan.offloaded(device, Operation.BCAST, bcast, null, DATA);
        plan.send(DATA, 2);
        plan.offloaded(device, Operation.BCAST, new Call.Bcast(8, 0), null, DATA);
        assertBefore(1, 0);
        assertBefore(2, 1);
        assertBefore(3, 1);
        assertBefore(4, 3, 2);
        assertEquals(new Assignment.Offloaded(device, Operation.ALLREDUCE, call, IN, DATA), tasks.assignments.get(1));
        assertEquals(List.of(DATA), tasks.all.subList(2, 3).stream().map(Recorded::from).toList());
        assertNull(tasks.all.get(2).into());
    }

    @Test
    void shouldRefuseAnOffloadedCollectiveThatNoDeviceCarriesOut() {
        final OffloadDevice device = OffloadedTask::complete;
        final Own own = new Own();
        assertRefused("no device carries out an operation of the program: reduction=Own[], plan other tasks where Reduction.operation() is null",
            () -> plan.offloaded(device, Operation.ALLREDUCE, new Call.Allreduce(own, 1, false), IN, DATA));
        final Call.Allreduce call = new Call.Allreduce(new Sum(8), 1, false);
        assertRefused("send buffer of another length than the call: bytes=0, call=8",
            () -> plan.offloaded(device, Operation.ALLREDUCE, call, null, DATA));
        assertRefused("receive buffer of another length than the call: bytes=4, call=8",
            () -> plan.offloaded(device, Operation.ALLREDUCE, call, IN, DATA.slice(0, 4)));
        assertRefused("peer out of range: peer=3, ranks=3", () -> plan.offloaded(device, Operation.BCAST, new Call.Bcast(8, 3), null, DATA));
        final Neighbors none = Neighbors.of(new int[0], new int[0]);
        assertRefused("no device carries out neighbourhood collectives: operation=neighbor_allgather", () -> plan.offloaded(device,
            Operation.NEIGHBOR_ALLGATHER, new Call.NeighborAllgather(none, 8, Blocks.uniform(0, 8)), IN, null));
        final Recorder between = new Recorder(new Comm(0, 3, true), CALL);
        assertRefused("no device serves an intercommunicator: nest a collective on the local group",
            () -> between.offloaded(device, Operation.BARRIER, new Call.Barrier(), null, null));
    }

    @Test
    void shouldRefuseARangeBeyondItsBuffer() {
        assertRefused("range out of bounds: range=RECV[4..12), bytes=8", () -> plan.recv(Buffer.RECV.at(4, 8), 0));
        assertRefused("range not within a reservation: range=SCRATCH[0..1)", () -> plan.recv(Buffer.SCRATCH.at(0, 1), 0));
    }

    /** An algorithm that computes such a range would be wrong with data. */
    @Test
    void shouldRefuseAnEmptyRangeBeyondItsBuffer() {
        plan.send(IN.slice(8, 0), 0);
        assertRefused("range out of bounds: range=SEND[9..9), bytes=8", () -> plan.send(Buffer.SEND.at(9, 0), 0));
        nest(CALL, IN, DATA, nested -> {
            nested.send(Buffer.SEND.at(8, 0), 1);
            assertRefused("range out of bounds: range=RECV[9..9), bytes=8", () -> nested.recv(Buffer.RECV.at(9, 0), 1));
        });
    }

    @Test
    void shouldRefuseABufferThatTheCallDoesNotHave() {
        final Recorder inPlace = new Recorder(new Comm(0, 3, false), new Call.Allreduce(OP, 2, true));
        assertRefused("no such buffer in this call: range=SEND[0..0)", () -> inPlace.send(Buffer.SEND.at(0, 0), 1));
        final Recorder root = new Recorder(new Comm(0, 3, false), new Call.Scatter(Blocks.uniform(3, 8), 8, 0, true));
        assertRefused("no such buffer in this call: range=RECV[0..8)", () -> root.copy(Buffer.SEND.at(0, 8), DATA));
        final Recorder bcast = new Recorder(new Comm(0, 3, false), new Call.Bcast(8, 0));
        assertRefused("no such buffer in this call: range=SEND[0..8)", () -> bcast.send(IN, 1));
        final Recorder barrier = new Recorder(new Comm(0, 3, false), new Call.Barrier());
        assertRefused("no such buffer in this call: range=RECV[0..0)", () -> barrier.send(Buffer.RECV.at(0, 0), 1));
        nest(new Call.Allreduce(OP, 2, true), null, DATA,
            nested -> assertRefused("no such buffer in this call: range=SEND[0..0)", () -> nested.send(Buffer.SEND.at(0, 0), 1)));
    }

    @Test
    void shouldRefuseARangeAcrossReservations() {
        assertEquals(Buffer.SCRATCH.at(0, 4), plan.scratch(4));
        assertEquals(Buffer.SCRATCH.at(64, 0), plan.scratch(0));
        assertEquals(Buffer.SCRATCH.at(64, 8), plan.scratch(8));
        plan.recv(Buffer.SCRATCH.at(64, 8), 0);
        plan.recv(Buffer.SCRATCH.at(1, 3), 0);
        plan.send(Buffer.SCRATCH.at(4, 0), 0);
        assertRefused("range not within a reservation: range=SCRATCH[2..6)", () -> plan.recv(Buffer.SCRATCH.at(2, 4), 0));
        assertRefused("range not within a reservation: range=SCRATCH[5..5)", () -> plan.recv(Buffer.SCRATCH.at(5, 0), 0));
        assertRefused("range not within a reservation: range=SCRATCH[66..73)", () -> plan.recv(Buffer.SCRATCH.at(66, 7), 0));
        assertEquals(List.of(Buffer.SCRATCH.at(0, 4), Buffer.SCRATCH.at(64, 0), Buffer.SCRATCH.at(64, 8)), tasks.reserved);
    }

    @Test
    void shouldReserveSharedMemoryOnceBeforeAllTasksThatWriteIt() {
        assertEquals(Buffer.SHARED.at(0, 4), plan.shared(4, 0));
        plan.copy(IN.slice(0, 4), Buffer.SHARED.at(0, 4));
        assertEquals(Buffer.SHARED.at(16, 8), plan.shared(8, 0));
        plan.get(0, Buffer.SHARED.at(0, 8), Buffer.SHARED.at(16, 8));
        plan.fence();
        plan.copy(IN, Buffer.SHARED.at(16, 8));
        assertEquals(List.of(TaskKind.RESERVE, TaskKind.COPY, TaskKind.GET, TaskKind.FENCE, TaskKind.COPY),
            tasks.all.stream().map(Recorded::kind).toList());
        assertBefore(1, 0);
        assertBefore(2, 0);
        assertBefore(4, 3);
        assertEquals(Map.of(0, Set.of(0)), tasks.readers);
    }

    @Test
    void shouldGiveEachNestedCollectiveSharedMemoryOfItsOwn() {
        plan.shared(8, 0);
        nest(CALL, IN, DATA, nested -> {
            assertEquals(Buffer.SHARED.at(0, 8), nested.shared(8, 1));
            nested.copy(Buffer.SEND.at(0, 8), Buffer.SHARED.at(0, 8));
        });
        assertEquals(List.of(Buffer.SHARED.at(AdvancedPlan.MAX_SHARED, 8)),
            tasks.all.stream().filter(t -> t.kind() == TaskKind.COPY).map(Recorded::into).toList());
        assertEquals(Map.of(0, Set.of(0), 1, Set.of(1)), tasks.readers);
    }

    @Test
    void shouldRefuseSharedMemoryThatIsTooLongOrNotReserved() {
        plan.shared(AdvancedPlan.MAX_SHARED - 8, 0);
        assertRefused("too much shared memory: bytes=4104, max=4096", () -> plan.shared(8, 0));
        assertRefused("range not within a reservation: range=SHARED[4088..4096)", () -> plan.copy(IN, Buffer.SHARED.at(4088, 8)));
        assertRefused("peer on another node: peer=2, rank=1", () -> plan.shared(0, 2));
        assertRefused("a rank does not await or read itself: peer=1", () -> plan.shared(0, 1));
        final Recorder inter = new Recorder(new Comm(0, 2, true), new Call.Barrier());
        assertRefused("the ranks of an intercommunicator share no memory: nest a collective on the local group", () -> inter.shared(8));
    }

    @Test
    void shouldRefuseSharedMemoryInMessagesAndNestedCollectives() {
        final BufferRange shared = plan.shared(8, 0);
        final String message = "only local tasks use shared memory: range=SHARED[0..8)";
        assertRefused(message, () -> plan.send(shared, 0));
        assertRefused(message, () -> plan.recv(shared, 0));
        assertRefused(message, () -> nest(CALL, shared, DATA, nested -> {}));
        assertRefused(message, () -> nest(CALL, IN, shared, nested -> {}));
    }

    @Test
    void shouldRefuseToWriteTheSendBuffer() {
        final String message = "the send buffer is read only: into=SEND[0..8)";
        assertRefused(message, () -> plan.recv(IN, 0));
        assertRefused(message, () -> plan.copy(DATA, IN));
        assertRefused(message, () -> plan.reduce(OP, DATA, IN));
        assertRefused(message, () -> plan.get(0, DATA, IN));
        assertRefused(message, () -> plan.reduce(OP, 0, DATA, IN));
        assertRefused(message, () -> nest(CALL, DATA, IN, nested -> {}));
    }

    @Test
    void shouldRefuseATaskOfAnotherPlan() {
        final Task other = new Recorder(new Comm(0, 3, false), CALL).send(DATA, 1);
        tasks.all.clear();
        assertTrue(
            assertThrows(IllegalArgumentException.class, () -> plan.send(DATA, 0, other)).getMessage().startsWith("not a task of this plan: "));
        assertRefused("not a task of this plan: after=null", () -> plan.send(DATA, 0, new Task[1]));
    }

    @Test
    void shouldRefuseRangesThatDoNotFitTogether() {
        assertRefused("ranges of different length: from=SEND[0..8), into=RECV[0..4)", () -> plan.copy(IN, DATA.slice(0, 4)));
        assertRefused("ranges overlap: from=RECV[0..4), into=RECV[2..6)", () -> plan.copy(DATA.slice(0, 4), DATA.slice(2, 4)));
        assertRefused("ranges overlap: from=RECV[0..8), into=RECV[4..8)", () -> nest(CALL, DATA, DATA.slice(4, 4), nested -> {}));
        assertRefused("not a multiple of the element: bytes=6, element=4", () -> plan.reduce(OP, IN.slice(0, 6), DATA.slice(0, 6)));
        assertRefused("ranges of different length: from=RECV[0..8), into=RECV[0..4)", () -> plan.get(0, DATA, DATA.slice(0, 4)));
        assertRefused("not a multiple of the element: bytes=6, element=4", () -> plan.reduce(OP, 0, DATA.slice(0, 6), DATA.slice(0, 6)));
    }

    @Test
    void shouldRefuseToShareMemoryWithAnotherNode() {
        assertRefused("peer on another node: peer=2, rank=1", () -> plan.await(2, 0));
        assertRefused("a rank does not await or read itself: peer=1", () -> plan.get(1, DATA, DATA));
        assertRefused("peer out of range: peer=-1, ranks=3", () -> plan.await(-1, 0));
        final Recorder inter = new Recorder(new Comm(0, 2, true), new Call.Barrier());
        assertRefused("the ranks of an intercommunicator share no memory: nest a collective on the local group", inter::post);
    }

    @Test
    void shouldRefuseMorePostsThanTheRuntimeCounts() {
        assertRefused("post out of range: post=-1", () -> plan.await(0, -1));
        assertRefused("post out of range: post=" + PlanRecorder.MAX_POSTS, () -> plan.await(0, PlanRecorder.MAX_POSTS));
        for (int i = 0; i < PlanRecorder.MAX_POSTS; i++) {
            plan.post();
        }
        assertRefused("too many posts: posts=" + PlanRecorder.MAX_POSTS, plan::post);
    }

    @Test
    void shouldMakePostsInTheOrderOfPlanning() {
        plan.post();
        plan.post(plan.await(0, 3));
        assertBefore(2, 0, 1);
        assertEquals(1, tasks.all.get(2).implied());
        assertEquals(List.of(0, 3, 1), tasks.all.stream().map(Recorded::post).toList());
        assertEquals(2, plan.posts());
    }

    @Test
    void shouldOrderTasksAroundAFence() {
        plan.recv(DATA, 0);
        plan.fence();
        final Task second = plan.send(DATA, 0);
        plan.send(DATA, 2, second);
        plan.fence();
        plan.fence();
        assertBefore(1, 0);
        assertBefore(2, 1);
        assertBefore(3, 1, 2);
        assertBefore(4, 3);
        assertBefore(5, 4);
    }

    @Test
    void shouldOrderTasksByTheMemoryThatTheyAccess() {
        final BufferRange scratch = plan.scratch(8);
        plan.recv(scratch, 0);
        plan.copy(IN, DATA);
        plan.reduce(OP, scratch, DATA);
        plan.send(DATA.slice(0, 4), 2);
        plan.recv(scratch.slice(0, 4), 2);
        plan.recv(DATA.slice(4, 4), 0);
        plan.send(IN, 0);
        plan.reduce(OP, scratch, DATA);
        assertBefore(0);
        assertBefore(1);
        assertBefore(2, 0, 1);
        assertBefore(3, 2);
        assertBefore(4, 2);
        assertBefore(5, 2);
        assertBefore(6);
        assertBefore(7, 4, 0, 3, 5);
    }

    @Test
    void shouldNotOrderTasksByMemoryThatIsEmptyOrOnlyRead() {
        plan.send(DATA, 0);
        plan.send(DATA.slice(2, 4), 2);
        plan.recv(DATA.slice(4, 0), 0);
        plan.send(DATA.slice(4, 0), 0);
        IntStream.range(0, 4).forEach(this::assertBefore);
    }

    @Test
    void shouldTranslateTheRangesOfNestedCollectives() {
        plan.scratch(8);
        nest(CALL, IN, DATA, nested -> {
            assertEquals(Buffer.SCRATCH.at(0, 16), nested.scratch(16));
            nested.copy(IN.slice(4, 4), Buffer.SCRATCH.at(8, 4));
            assertRefused("range not within a reservation: range=SCRATCH[64..72)", () -> nested.recv(Buffer.SCRATCH.at(64, 8), 1));
        });
        assertEquals(Buffer.SCRATCH.at(128, 4), plan.scratch(4));
        final Recorded copy = tasks.all.get(1);
        assertEquals(List.of(1, IN.slice(4, 4), Buffer.SCRATCH.at(72, 4)), List.of(copy.part, copy.from, copy.into));
        assertBefore(1, 0);
        assertBefore(2, 1);
        assertEquals(List.of(0, 1, 1), tasks.all.stream().map(Recorded::part).toList());
    }

    @Test
    void shouldOrderNestedCollectivesWithinTheirPartAlone() {
        plan.send(IN, 0);
        nest(CALL, IN, DATA, nested -> {
            nested.send(IN, 1);
            nested.send(IN, 1);
        });
        plan.send(IN, 2);
        plan.fence();
        assertBefore(1);
        assertBefore(2, 1);
        assertBefore(4, 2, 3);
        assertBefore(6, 0, 4, 5);
    }

    /** A nested collective is one task to its surroundings, so that other ranks may read its buffers as soon as it starts. */
    @Test
    void shouldOrderANestedCollectiveByItsBuffers() {
        final BufferRange scratch = plan.scratch(8);
        plan.recv(scratch, 0);
        plan.send(DATA, 2);
        nest(CALL, scratch, DATA, nested -> {
            nested.copy(IN, DATA);
            nested.send(DATA, 1);
        });
        plan.send(DATA, 0);
        plan.recv(scratch, 2);
        assertBefore(2, 0, 1);
        assertBefore(3, 2);
        assertBefore(4, 3);
        assertBefore(5, 4);
        assertBefore(6, 5);
        assertBefore(7, 5, 3, 2);
    }

    @Test
    void shouldTakeTheRootOfANestedBcastForAReaderOfItsDataUnlessItWrites() {
        plan.send(DATA, 2);
        plan.nested(new Group(0, 2, nested -> nested.send(DATA, 1)), Operation.BCAST, new Call.Bcast(8, 0), null, DATA);
        plan.nested(new Group(0, 2, nested -> nested.recv(DATA, 1)), Operation.BCAST, new Call.Bcast(8, 0), null, DATA);
        plan.recv(DATA, 0);
        assertBefore(1);
        assertBefore(2, 1);
        assertBefore(4);
        assertBefore(5, 4, 3, 2, 1, 0);
        assertBefore(6, 5);
        assertBefore(7, 6);
    }

    /** Conflicting tasks of random plans are ordered, whatever the algorithm names. */
    @Test
    void shouldLeaveNoRaceInRandomPlans() {
        for (int seed = 0; seed < 300; seed++) {
            final Random random = new Random(seed);
            tasks.all.clear();
            final Recorder any = new Recorder(new Comm(1, 3, false), new Call.Allreduce(OP, 16, false));
            final BufferRange scratch = any.scratch(64);
            final List<Task> added = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                added.add(addRandomTask(any, scratch, random, added));
            }
            assertNoRace(seed);
        }
    }

    private Task addRandomTask(final AdvancedPlan any, final BufferRange scratch, final Random random, final List<Task> added) {
        final int from = random.nextInt(16);
        final int length = 4 * (1 + random.nextInt(16 - from));
        final BufferRange data = (random.nextBoolean() ? scratch : Buffer.RECV.at(0, 64)).slice(4 * from, length);
        final BufferRange other = (data.buffer() == Buffer.RECV ? scratch : Buffer.RECV.at(0, 64)).slice(4 * random.nextInt(17 - length / 4), length);
        final Task[] after = random.nextInt(8) > 0 || added.isEmpty() ? new Task[0] : new Task[] {added.get(random.nextInt(added.size()))};
        return switch (random.nextInt(20)) {
            case 0 -> any.fence();
            case 1 -> any.nested(new Group(0, 2, nested -> {
                nested.recv(Buffer.RECV.at(0, 4), 1);
                nested.copy(Buffer.SEND.at(0, length), nested.scratch(length));
                nested.reduce(OP, Buffer.SEND.at(0, 4), Buffer.RECV.at(0, 4));
            }), Operation.ALLREDUCE, new Call.Allreduce(OP, length / 4, false), data, other, after);
            case 2 -> any.post(after);
            case 3 -> any.nested(new Group(0, 2, nested -> {
                nested.send(Buffer.RECV.at(0, 4), 1);
                nested.recv(Buffer.RECV.at(0, 4), 1);
            }), Operation.BCAST, new Call.Bcast(length, 0), null, data, after);
            case 4, 5, 6 -> any.copy(data, other, after);
            case 7, 8, 9 -> any.reduce(OP, data, other, after);
            case 10, 11 -> any.get(0, Buffer.SEND.at(0, length), data, after);
            case 12, 13, 14 -> any.recv(data, 0, after);
            default -> any.send(data, 0, after);
        };
    }

    private void assertNoRace(final int seed) {
        final List<BitSet> before = new ArrayList<>();
        for (final Recorded task : tasks.all) {
            final BitSet earlier = new BitSet();
            for (final int t : task.before()) {
                earlier.set(t);
                earlier.or(before.get(t));
            }
            for (int t = 0; t < before.size(); t++) {
                assertTrue(earlier.get(t) || !conflict(tasks.all.get(t), task), "race: seed=" + seed + ", tasks=" + t + " and " + before.size());
            }
            before.add(earlier);
        }
    }

    private static boolean conflict(final Recorded a, final Recorded b) {
        return overlap(a.into, b.into) || overlap(a.reads(), b.into) || overlap(a.into, b.reads());
    }

    private static boolean overlap(final BufferRange a, final BufferRange b) {
        return a != null && b != null && a.buffer() == b.buffer() && a.offset() < b.end() && b.offset() < a.end();
    }

    @Test
    void shouldTakeEmptyBuffersForAbsentOnes() {
        nest(new Call.Allreduce(OP, 0, false), null, null, nested -> nested.send(Buffer.SEND.at(0, 0), 1));
        assertEquals(0, tasks.all.get(1).from().bytes());
    }
}
