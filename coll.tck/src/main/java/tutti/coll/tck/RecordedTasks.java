package tutti.coll.tck;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.coll.plan.Assignment;
import tutti.coll.plan.PlanRecorder;
import tutti.coll.plan.Predecessors;
import tutti.coll.plan.TaskKind;
import tutti.coll.plan.TaskSink;

/**
 * The recorded tasks of one rank's plan and of its nested parts, each with the part that it belongs to. Peers are given by index, and ranges are
 * those of the outermost plan.
 */
final class RecordedTasks implements TaskSink<VirtualComm.Group> {
    private final int index;
    private final @Nullable Reduction ofCall;
    private final List<RecordedTask> tasks;
    private final List<PlanRecorder<VirtualComm.Group>> owners;
    private final List<Integer> implied;
    private final Map<String, List<PlanRecorder<VirtualComm.Group>>> parts;
    private int maxTasks = Integer.MAX_VALUE;
    private long maxScratch = Long.MAX_VALUE;
    private final List<BufferRange> memory;
    /** By part: the indices of the ranks that read its shared memory. */
    private final Map<PlanRecorder<VirtualComm.Group>, Set<Integer>> readers;

    /** Creates an empty list for the plan of a call with a reduction, or with none. */
    RecordedTasks(final int place, final @Nullable Reduction reduction) {
        this.index = place;
        this.ofCall = reduction;
        this.tasks = new ArrayList<>();
        this.owners = new ArrayList<>();
        this.implied = new ArrayList<>();
        this.parts = new HashMap<>();
        this.memory = new ArrayList<>();
        this.readers = new HashMap<>();
    }

    private RecordedTasks(final RecordedTasks origin, final List<RecordedTask> tasks, final List<PlanRecorder<VirtualComm.Group>> owners) {
        this.index = origin.index;
        this.ofCall = origin.ofCall;
        this.tasks = tasks;
        this.owners = owners;
        this.implied = origin.implied;
        this.parts = origin.parts;
        this.memory = origin.memory;
        this.readers = origin.readers;
    }

    int index() {
        return index;
    }

    List<RecordedTask> tasks() {
        return tasks;
    }

    /** Returns the part of the plan that a task belongs to. */
    PlanRecorder<VirtualComm.Group> owner(final int task) {
        return owners.get(task);
    }

    /** Returns the parts that were planned on a communicator, in order. On the outermost communicator the outermost plan is the only one. */
    List<PlanRecorder<VirtualComm.Group>> parts(final String channel) {
        return parts.getOrDefault(channel, List.of());
    }

    Map<String, List<PlanRecorder<VirtualComm.Group>>> parts() {
        return parts;
    }

    /** Returns the sum of all reservations in bytes. */
    long reserved() {
        return memory.stream().mapToLong(BufferRange::bytes).sum();
    }

    /** Limits the numbers of tasks and of reservations, and the scratch memory in bytes. */
    void limit(final int tasksAndReservations, final long scratch) {
        maxTasks = tasksAndReservations;
        maxScratch = scratch;
    }

    private void checkLimit(final int used) {
        if (used >= maxTasks) {
            throw new IllegalStateException("plan too long: limit=" + maxTasks);
        }
    }

    @Override
    public void begin(final PlanRecorder<VirtualComm.Group> part) {
        parts.computeIfAbsent(part.comm().comm().channel(), c -> new ArrayList<>()).add(part);
    }

    @Override
    public void reserve(final BufferRange range) {
        checkLimit(memory.size());
        if (range.bytes() > maxScratch - range.offset()) {
            throw new IllegalStateException(
                "too much scratch memory: bytes=" + range.bytes() + ", after=" + range.offset() + ", limit=" + maxScratch);
        }
        memory.add(range);
    }

    @Override
    public void share(final PlanRecorder<VirtualComm.Group> part, final int... peers) {
        final Set<Integer> all = readers.computeIfAbsent(part, p -> new TreeSet<>());
        for (final int peer : peers) {
            all.add(part.comm().comm().peer(peer));
        }
    }

    /** Returns the ranks that read the shared memory of a part, by index. */
    Set<Integer> readers(final PlanRecorder<VirtualComm.Group> part) {
        return readers.getOrDefault(part, Set.of());
    }

    /** Returns the parts whose shared memory is read, with the readers by index. */
    Map<PlanRecorder<VirtualComm.Group>, Set<Integer>> readers() {
        return readers;
    }

    /** Returns the number of parts of the plan, itself included. */
    int partCount() {
        return parts.values().stream().mapToInt(List::size).sum();
    }

    @Override
    public void add(final PlanRecorder<VirtualComm.Group> part, final TaskKind kind, final @Nullable BufferRange from,
        final @Nullable BufferRange into, final int peer, final int post, final @Nullable Reduction reduction,
        final Predecessors before) {
        checkLimit(tasks.size());
        if (reduction != null && !reduction.equals(ofCall)) {
            throw new IllegalArgumentException("not the reduction of the call: reduction=" + reduction);
        }
        tasks.add(new RecordedTask(tasks.size(), kind, from, into, peer < 0 ? -1 : part.comm().comm().peer(peer), post, reduction,
            null, before.toArray()));
        owners.add(part);
        implied.add(before.implied());
    }

    @Override
    public void assign(final Assignment assignment) {
        if (!(assignment instanceof Assignment.ByWorker)) {
            tasks.set(tasks.size() - 1, tasks.getLast().withAssignment(assignment));
        }
    }

    /** Returns the number of predecessors that a task has whatever the algorithm named. They come first. */
    int impliedDependencies(final int task) {
        return implied.get(task);
    }

    /** Returns a copy with the task of the same id replaced. */
    RecordedTasks with(final RecordedTask task) {
        final List<RecordedTask> changed = new ArrayList<>(tasks);
        changed.set(task.id(), task);
        return new RecordedTasks(this, changed, owners);
    }

    /** Returns a copy with a new first task, on which the task {@code waiting} also depends. All ids grow by one. */
    RecordedTasks waitingFor(final RecordedTask first, final int waiting) {
        final List<RecordedTask> changed = new ArrayList<>(List.of(first));
        for (final RecordedTask t : tasks) {
            final int[] after = Arrays.stream(t.after()).map(a -> a + 1).toArray();
            changed.add(t.withOrder(t.id() + 1, t.id() == waiting ? plus(after, 0) : after));
        }
        final List<PlanRecorder<VirtualComm.Group>> all = new ArrayList<>(owners);
        all.add(0, outermost());
        return new RecordedTasks(this, changed, all);
    }

    /** Returns a copy with a task moved to the end, where no task depends on it. Its successors depend on its predecessors instead. */
    RecordedTasks withoutWaitingFor(final int late) {
        final RecordedTask task = tasks.get(late);
        final List<RecordedTask> changed = new ArrayList<>(tasks);
        changed.set(late, RecordedTask.fence(late, task.after()));
        changed.add(task.withOrder(tasks.size(), task.after()));
        final List<PlanRecorder<VirtualComm.Group>> allOwners = new ArrayList<>(owners);
        allOwners.add(owners.get(late));
        return new RecordedTasks(this, changed, allOwners);
    }

    /** Returns a copy with an additional post that depends on all other tasks. */
    RecordedTasks postingAtTheEnd() {
        final List<RecordedTask> changed = new ArrayList<>(tasks);
        final int[] all = tasks.stream().mapToInt(RecordedTask::id).toArray();
        final PlanRecorder<VirtualComm.Group> outermost = outermost();
        changed.add(RecordedTask.signal(tasks.size(), TaskKind.POST, -1, posts(outermost), all));
        final List<PlanRecorder<VirtualComm.Group>> allOwners = new ArrayList<>(owners);
        allOwners.add(outermost);
        return new RecordedTasks(this, changed, allOwners);
    }

    PlanRecorder<VirtualComm.Group> outermost() {
        return parts.values().iterator().next().getFirst().outermost();
    }

    /** Returns whether a range of the outermost plan exists. */
    boolean has(final BufferRange span) {
        if (span.buffer() == Buffer.SHARED) {
            return parts.values().stream().flatMap(List::stream).map(p -> p.buffer(Buffer.SHARED))
                .anyMatch(m -> m.offset() <= span.offset() && span.end() <= m.end());
        }
        return span.buffer() == Buffer.SCRATCH ? memory.stream().anyMatch(m -> m.offset() <= span.offset() && span.end() <= m.end())
            : span.end() <= outermost().buffer(span.buffer()).bytes();
    }

    /** Returns the number of posts of a part. */
    int posts(final PlanRecorder<VirtualComm.Group> part) {
        int posts = 0;
        for (int i = 0; i < tasks.size(); i++) {
            posts += owners.get(i) == part && tasks.get(i).kind() == TaskKind.POST ? 1 : 0;
        }
        return posts;
    }

    private static int[] plus(final int[] all, final int one) {
        final int[] more = Arrays.copyOf(all, all.length + 1);
        more[all.length] = one;
        return more;
    }
}
