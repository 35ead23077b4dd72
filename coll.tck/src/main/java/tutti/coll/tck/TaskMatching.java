package tutti.coll.tck;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Operation;
import tutti.coll.plan.PlanRecorder;
import tutti.coll.plan.TaskKind;

/**
 * The relations between tasks of different ranks. The k-th send that a rank plans to another on a communicator is received by the k-th receive that
 * the other plans from it there. The k-th offloaded collectives that the ranks of a communicator plan are parts of one. An await has the post that it
 * waits for. A read of a peer has the range that it reads in the peer's memory.
 */
final class TaskMatching {

    /** A reference to a task of a rank's plan. */
    record TaskRef(int rank, int task) {}

    /** The ranks of a communicator, by index. */
    private record Members(String channel, List<Integer> indices) {}

    private record Pair(String channel, int from, int to) {}

    private final List<RecordedTasks> plans;
    private final @Nullable TaskRef[][] partners;
    private final @Nullable BufferRange[][] sources;
    private final Map<TaskRef, OffloadedCollective> collectives = new HashMap<>();
    private final List<CheckFailure> failures = new ArrayList<>();

    /** Matches the plans of all ranks, which are in the order of their index. */
    TaskMatching(final List<RecordedTasks> plans) {
        this.plans = plans;
        this.partners = plans.stream().map(t -> new TaskRef[t.tasks().size()]).toArray(TaskRef[][]::new);
        this.sources = plans.stream().map(t -> new BufferRange[t.tasks().size()]).toArray(BufferRange[][]::new);
        plans.forEach(this::compareNested);
        if (failures.isEmpty()) {
            matchMessages();
            matchPosts();
            matchOffloaded();
            plans.forEach(this::findSources);
            compareReaders();
        }
    }

    /** Checks that all members of a group nest the same collectives on it. */
    private void compareNested(final RecordedTasks plan) {
        plan.parts().forEach((channel, parts) -> {
            for (final int index : parts.getFirst().comm().comm().indices()) {
                final List<? extends Operation<?>> here = operations(parts);
                final List<? extends Operation<?>> there = operations(plans.get(index).parts(channel));
                if (index != plan.index() && !here.equals(there)) {
                    failures.add(new CheckFailure(plan.index(), -1, index, "collectives within a group differ: here=" + here + ", there=" + there));
                    return;
                }
            }
        });
    }

    private static List<Operation<?>> operations(final List<PlanRecorder<VirtualComm.Group>> parts) {
        final List<Operation<?>> operations = new ArrayList<>();
        parts.forEach(p -> operations.add(p.operation()));
        return operations;
    }

    private void matchMessages() {
        final Map<Pair, List<TaskRef>> sends = new LinkedHashMap<>();
        final Map<Pair, List<TaskRef>> recvs = new LinkedHashMap<>();
        for (final RecordedTasks plan : plans) {
            for (final RecordedTask t : plan.tasks()) {
                if (t.kind() == TaskKind.SEND || t.kind() == TaskKind.RECV) {
                    final boolean sent = t.kind() == TaskKind.SEND;
                    final String channel = plan.owner(t.id()).comm().comm().channel();
                    final Pair pair = sent ? new Pair(channel, plan.index(), t.peer()) : new Pair(channel, t.peer(), plan.index());
                    (sent ? sends : recvs).computeIfAbsent(pair, p -> new ArrayList<>()).add(new TaskRef(plan.index(), t.id()));
                }
            }
        }
        sends.forEach((pair, list) -> match(list, recvs.getOrDefault(pair, List.of())));
        recvs.forEach((pair, list) -> match(list, sends.getOrDefault(pair, List.of())));
    }

    private void match(final List<TaskRef> refs, final List<TaskRef> others) {
        for (int k = 0; k < refs.size(); k++) {
            final TaskRef ref = refs.get(k);
            final RecordedTask task = task(ref);
            if (k >= others.size()) {
                failures.add(CheckFailure.of(ref.rank, task, "no match for message " + k));
                return;
            }
            final TaskRef partner = others.get(k);
            final long here = bytes(task);
            final long there = bytes(task(partner));
            if (here != there) {
                failures.add(CheckFailure.of(ref.rank, task, "lengths differ: here=" + here + ", there=" + there + ", peer's task=" + partner.task));
                return;
            }
            partners[ref.rank][ref.task] = partner;
        }
    }

    private void matchPosts() {
        final Map<PlanRecorder<VirtualComm.Group>, List<TaskRef>> posts = new HashMap<>();
        each(TaskKind.POST, (plan, t) -> posts.computeIfAbsent(plan.owner(t.id()), p -> new ArrayList<>())
            .add(new TaskRef(plan.index(), t.id())));
        each(TaskKind.AWAIT, (plan, t) -> {
            final PlanRecorder<VirtualComm.Group> there = partOf(plan, t);
            final List<TaskRef> made = posts.getOrDefault(there, List.of());
            if (t.post() < made.size()) {
                partners[plan.index()][t.id()] = made.get(t.post());
            } else {
                failures.add(CheckFailure.of(plan.index(), t, "awaits a post that the peer never makes: post=" + t.post() + ", posts="
                    + made.size()));
            }
        });
    }

    private void matchOffloaded() {
        final Map<Members, Map<Integer, List<TaskRef>>> offloaded = new LinkedHashMap<>();
        each(TaskKind.OFFLOADED, (plan, t) -> {
            final VirtualComm comm = plan.owner(t.id()).comm().comm();
            offloaded.computeIfAbsent(new Members(comm.channel(), IntStream.of(comm.indices()).boxed().toList()), c -> new HashMap<>())
                .computeIfAbsent(plan.index(), i -> new ArrayList<>()).add(new TaskRef(plan.index(), t.id()));
        });
        offloaded.forEach((members, byIndex) -> matchOffloaded(members.indices, byIndex));
    }

    private void matchOffloaded(final List<Integer> indices, final Map<Integer, List<TaskRef>> byIndex) {
        final int most = byIndex.values().stream().mapToInt(List::size).max().orElse(0);
        for (int k = 0; k < most; k++) {
            final int number = k;
            final List<TaskRef> parts = new ArrayList<>();
            for (final int index : indices) {
                final List<TaskRef> planned = byIndex.getOrDefault(index, List.of());
                if (k == planned.size()) {
                    final TaskRef ref = byIndex.values().stream().filter(l -> l.size() > number).findFirst().orElseThrow().get(k);
                    failures.add(new CheckFailure(ref.rank, ref.task, index, "no match for offloaded collective " + k + " on rank " + index + " ("
                        + task(ref) + ")"));
                    return;
                }
                parts.add(planned.get(k));
            }
            final OffloadedCollective collective = new OffloadedCollective(parts, parts.stream().map(p -> task(p).offloaded()).toList());
            final Optional<String> disagreement = collective.disagreement();
            if (disagreement.isPresent()) {
                failures.add(CheckFailure.of(parts.getFirst().rank, task(parts.getFirst()), disagreement.get()));
                return;
            }
            parts.forEach(p -> collectives.put(p, collective));
        }
    }

    private interface Visitor {
        void visit(RecordedTasks plan, RecordedTask task);
    }

    private void each(final TaskKind kind, final Visitor visitor) {
        for (final RecordedTasks plan : plans) {
            for (final RecordedTask t : plan.tasks()) {
                if (t.kind() == kind) {
                    visitor.visit(plan, t);
                }
            }
        }
    }

    private void findSources(final RecordedTasks plan) {
        for (final RecordedTask t : plan.tasks()) {
            if (t.readsPeer()) {
                try {
                    sources[plan.index()][t.id()] = partOf(plan, t).resolve(t.source());
                } catch (final IllegalArgumentException e) {
                    failures.add(CheckFailure.of(plan.index(), t, "the peer has no such memory: " + e.getMessage()));
                }
            }
        }
    }

    /** Checks that the ranks that read the shared memory of a part are those that its plan names. */
    private void compareReaders() {
        final Map<PlanRecorder<VirtualComm.Group>, Set<Integer>> actual = new HashMap<>();
        each(TaskKind.GET, (plan, t) -> addReader(actual, plan, t));
        each(TaskKind.PEER_REDUCE, (plan, t) -> addReader(actual, plan, t));
        for (final RecordedTasks plan : plans) {
            plan.readers().forEach((part, named) -> {
                final Set<Integer> idle = new TreeSet<>(named);
                idle.removeAll(actual.getOrDefault(part, Set.of()));
                if (!idle.isEmpty()) {
                    failures.add(new CheckFailure(plan.index(), -1, idle.iterator().next(), "names a reader of shared memory that does not read it"));
                }
            });
        }
    }

    private void addReader(final Map<PlanRecorder<VirtualComm.Group>, Set<Integer>> actual, final RecordedTasks plan, final RecordedTask task) {
        if (task.source().buffer() == Buffer.SHARED) {
            final PlanRecorder<VirtualComm.Group> part = partOf(plan, task);
            actual.computeIfAbsent(part, p -> new TreeSet<>()).add(plan.index());
            if (!plans.get(task.peer()).readers(part).contains(plan.index())) {
                failures.add(CheckFailure.of(plan.index(), task, "reads shared memory of a plan that does not name it as a reader"));
            }
        }
    }

    /** Returns the peer's part of the collective that a task belongs to. */
    private PlanRecorder<VirtualComm.Group> partOf(final RecordedTasks plan, final RecordedTask task) {
        final PlanRecorder<VirtualComm.Group> here = plan.owner(task.id());
        final String channel = here.comm().comm().channel();
        return plans.get(task.peer()).parts(channel).get(plan.parts(channel).indexOf(here));
    }

    private RecordedTask task(final TaskRef ref) {
        return plans.get(ref.rank).tasks().get(ref.task);
    }

    /** Returns the length of the message of a send or receive. */
    private static long bytes(final RecordedTask task) {
        return (task.kind() == TaskKind.SEND ? task.source() : task.target()).bytes();
    }

    List<CheckFailure> failures() {
        return failures;
    }

    /** Returns the matching task of a send or receive, or the post that an await waits for. Fails if there is none. */
    TaskRef partner(final int rank, final int task) {
        return Objects.requireNonNull(partners[rank][task], "task without a partner");
    }

    /** Returns the range that a task reads in its peer's memory, as a range of the peer's outermost plan. Fails if it reads none. */
    BufferRange source(final int rank, final int task) {
        return Objects.requireNonNull(sources[rank][task], "task reads no peer's memory");
    }

    /** Returns the collective that an offloaded task belongs to. Fails for another task. */
    OffloadedCollective collective(final TaskRef ref) {
        return Objects.requireNonNull(collectives.get(ref), "task is not offloaded");
    }
}
