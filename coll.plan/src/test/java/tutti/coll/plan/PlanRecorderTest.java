package tutti.coll.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.Worker;

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
    }

    private record Group(int rank, int size, Consumer<Plan> algorithm) implements CollSubComm {
        @Override
        public int parentRank(final int of) {
            return of;
        }
    }

    /** Ranks 0 and 1 are on one node. */
    private record Comm(int rank, int size, boolean isInter, Consumer<Plan> algorithm) implements PlanComm<Comm> {
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
            algorithm.accept(nested);
        }
    }

    private record Task(int part, TaskKind kind, BufferRange from, BufferRange into, int post, int[] after, int... implied) {}

    private static final class Tasks implements TaskSink<Comm> {
        private final List<Task> all = new ArrayList<>();
        private final List<BufferRange> reserved = new ArrayList<>();
        private final Map<Integer, Worker> workers = new HashMap<>();
        private final Map<Integer, Set<Integer>> readers = new HashMap<>();

        @Override
        public void begin(final PlanRecorder<Comm> part) {
            assertEquals(all.stream().mapToInt(Task::part).max().orElse(0) + 1, part.index());
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
            final int post,
            final Reduction reduction, final int[] after, final int... implied) {
            all.add(new Task(part.index(), kind, from, into, post, after, implied));
        }

        @Override
        public void assign(final Worker worker) {
            workers.put(all.size() - 1, worker);
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

    /** Records a nested collective whose send buffer is {@code from} and whose receive buffer is {@code into}. */
    private int nest(final Call.Allreduce call, final BufferRange from, final BufferRange into, final Consumer<Plan> algorithm) {
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
        final int copy = plan.copy(worker, Buffer.SEND.at(0, 8), DATA);
        final int reduce = plan.reduce(worker, new Sum(8), Buffer.SEND.at(0, 8), DATA, copy);
        assertEquals(Map.of(copy, worker, reduce, worker), tasks.workers);
        assertEquals(List.of(TaskKind.COPY, TaskKind.COPY, TaskKind.REDUCE), tasks.all.stream().map(Task::kind).toList());
        assertRefused("ranges of different length: from=SEND[0..4), into=RECV[0..8)", () -> plan.copy(worker, Buffer.SEND.at(0, 4), DATA));
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
        final int copied = plan.copy(IN.slice(0, 4), Buffer.SHARED.at(0, 4));
        assertEquals(Buffer.SHARED.at(16, 8), plan.shared(8, 0));
        final int fence = plan.fence();
        final int read = plan.get(0, Buffer.SHARED.at(0, 8), Buffer.SHARED.at(16, 8));
        assertEquals(List.of(TaskKind.RESERVE, TaskKind.COPY, TaskKind.FENCE, TaskKind.GET), tasks.all.stream().map(Task::kind).toList());
        assertArrayEquals(new int[] {0}, tasks.all.get(copied).implied());
        assertArrayEquals(new int[] {0, fence}, tasks.all.get(read).implied());
        assertEquals(Map.of(0, Set.of(0)), tasks.readers);
    }

    @Test
    void shouldGiveEachNestedCollectiveSharedMemoryOfItsOwn() {
        plan.shared(8, 0);
        nest(CALL, IN, DATA, nested -> {
            assertEquals(Buffer.SHARED.at(0, 8), nested.shared(8, 1));
            nested.copy(Buffer.SEND.at(0, 8), Buffer.SHARED.at(0, 8));
        });
        assertEquals(List.of(Buffer.SHARED.at(Plan.MAX_SHARED, 8)),
            tasks.all.stream().filter(t -> t.kind() == TaskKind.COPY).map(Task::into).toList());
        assertEquals(Map.of(0, Set.of(0), 1, Set.of(1)), tasks.readers);
    }

    @Test
    void shouldRefuseSharedMemoryThatIsTooLongOrNotReserved() {
        plan.shared(Plan.MAX_SHARED - 8, 0);
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
    void shouldRefuseAnUnknownTask() {
        assertRefused("no such task: after=0, tasks=0", () -> plan.send(DATA, 0, 0));
        assertRefused("no such task: after=-1, tasks=0", () -> plan.send(DATA, 0, -1));
    }

    @Test
    void shouldRefuseRangesThatDoNotFitTogether() {
        assertRefused("ranges of different length: from=SEND[0..8), into=RECV[0..4)", () -> plan.copy(IN, DATA.slice(0, 4)));
        assertRefused("ranges overlap: from=RECV[0..4), into=RECV[2..6)", () -> plan.copy(DATA.slice(0, 4), DATA.slice(2, 4)));
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
        final int first = plan.post();
        final int awaited = plan.await(0, 3);
        final int second = plan.post(awaited);
        assertArrayEquals(new int[] {first}, tasks.all.get(second).implied());
        assertEquals(List.of(0, 3, 1), tasks.all.stream().map(Task::post).toList());
        assertEquals(2, plan.posts());
    }

    @Test
    void shouldOrderTasksAroundAFence() {
        final int first = plan.recv(DATA, 0);
        final int fence = plan.fence();
        final int second = plan.send(DATA, 0);
        final int third = plan.send(DATA, 2, second);
        final int end = plan.fence();
        final int empty = plan.fence();
        assertArrayEquals(new int[] {first}, tasks.all.get(fence).after());
        assertArrayEquals(new int[] {fence}, tasks.all.get(second).implied());
        assertArrayEquals(new int[] {third}, tasks.all.get(end).after());
        assertArrayEquals(new int[] {end}, tasks.all.get(empty).after());
    }

    @Test
    void shouldTranslateTheRangesOfNestedCollectives() {
        plan.scratch(8);
        final int end = nest(CALL, IN, DATA, nested -> {
            assertEquals(Buffer.SCRATCH.at(0, 16), nested.scratch(16));
            nested.copy(IN.slice(4, 4), Buffer.SCRATCH.at(8, 4));
            assertRefused("range not within a reservation: range=SCRATCH[64..72)", () -> nested.recv(Buffer.SCRATCH.at(64, 8), 1));
        });
        assertEquals(Buffer.SCRATCH.at(128, 4), plan.scratch(4));
        final Task copy = tasks.all.get(1);
        assertEquals(List.of(1, IN.slice(4, 4), Buffer.SCRATCH.at(72, 4)), List.of(copy.part, copy.from, copy.into));
        assertArrayEquals(new int[] {0}, copy.implied);
        assertArrayEquals(new int[] {1}, tasks.all.get(end).after());
        assertEquals(List.of(0, 1, 1), tasks.all.stream().map(Task::part).toList());
    }

    @Test
    void shouldOrderNestedCollectivesWithinTheirPartAlone() {
        plan.send(IN, 0);
        final int end = nest(CALL, IN, DATA, nested -> {
            nested.send(IN, 1);
            nested.send(IN, 1);
        });
        plan.send(IN, 2);
        final int fence = plan.fence();
        assertArrayEquals(new int[] {2, 3}, tasks.all.get(end).after());
        assertArrayEquals(new int[] {0, end, end + 1}, tasks.all.get(fence).after());
        assertArrayEquals(new int[0], tasks.all.get(1).after());
    }

    @Test
    void shouldTakeEmptyBuffersForAbsentOnes() {
        nest(new Call.Allreduce(OP, 0, false), null, null, nested -> nested.send(Buffer.SEND.at(0, 0), 1));
        assertEquals(0, tasks.all.get(1).from().bytes());
    }
}
