package tutti.coll.tck;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.plan.TaskKind;

/**
 * Finds reads of a peer's memory that are not ordered with the peer's tasks: before the peer has started, at the same time as it writes the range, or
 * after it may have completed. Memory of {@link Buffer#SHARED} may be read after that, by the ranks that its plan names.
 *
 * <p>The happens-before order follows from three rules. A task happens after its dependencies. A receive happens after the tasks that its send
 * depends on, and an offloaded collective after those that the parts depend on whose data it has. An await happens after its post. A completed send
 * orders nothing. The order is computed only for the readers and the writers of what
 * they read, {@link #BATCH} of them at a time.
 */
final class SharedMemoryRaces {
    private static final int BATCH = 2048;

    /** A reader and a task of the peer that writes the range that it reads. */
    private record Conflict(int reader, int writer) {}

    private final List<RecordedTasks> plans;
    private final TaskMatching matching;
    private final int[] first;
    private final int tasks;
    private final List<TaskMatching.TaskRef> tracked = new ArrayList<>();
    private final List<Conflict> conflicts = new ArrayList<>();
    private final int[] order;
    private int readers;

    private SharedMemoryRaces(final List<RecordedTasks> plans, final TaskMatching matching) {
        this.plans = plans;
        this.matching = matching;
        this.first = new int[plans.size()];
        int all = 0;
        for (int index = 0; index < first.length; index++) {
            first[index] = all;
            all += plans.get(index).tasks().size();
        }
        this.tasks = all;
        this.order = new int[all];
    }

    static Optional<CheckFailure> find(final List<RecordedTasks> plans, final TaskMatching matching) {
        final SharedMemoryRaces races = new SharedMemoryRaces(plans, matching);
        races.collectReaders();
        return races.readers == 0 || !races.sort() ? Optional.empty() : races.check();
    }

    private void collectReaders() {
        for (final RecordedTasks plan : plans) {
            plan.tasks().stream().filter(RecordedTask::readsPeer).forEach(t -> tracked.add(new TaskMatching.TaskRef(plan.index(), t.id())));
        }
        readers = tracked.size();
        final int[][] column = plans.stream().map(t -> new int[t.tasks().size()]).toArray(int[][]::new);
        for (int r = 0; r < readers; r++) {
            column[tracked.get(r).rank()][tracked.get(r).task()] = r + 1;
        }
        for (int r = 0; r < readers; r++) {
            final TaskMatching.TaskRef reader = tracked.get(r);
            final BufferRange read = matching.source(reader.rank(), reader.task());
            final int peer = task(reader).peer();
            if (read.buffer() == Buffer.SEND) {
                continue; // no task writes it
            }
            for (final RecordedTask t : plans.get(peer).tasks()) {
                if (t.writes(read)) {
                    if (column[peer][t.id()] == 0) {
                        tracked.add(new TaskMatching.TaskRef(peer, t.id()));
                        column[peer][t.id()] = tracked.size();
                    }
                    conflicts.add(new Conflict(r, column[peer][t.id()] - 1));
                }
            }
        }
    }

    private boolean isShared(final TaskMatching.TaskRef reader) {
        return matching.source(reader.rank(), reader.task()).buffer() == Buffer.SHARED;
    }

    private RecordedTask task(final TaskMatching.TaskRef ref) {
        return plans.get(ref.rank()).tasks().get(ref.task());
    }

    private int index(final TaskMatching.TaskRef ref) {
        return first[ref.rank()] + ref.task();
    }

    /** Sorts all tasks topologically. Returns false if there is no such order, which is a deadlock. */
    private boolean sort() {
        final int[] missing = new int[tasks];
        final int[][] next = new int[tasks][];
        final int[] used = new int[tasks];
        eachEdge((from, to) -> {
            missing[to]++;
            used[from]++;
        });
        for (int t = 0; t < tasks; t++) {
            next[t] = new int[used[t]];
        }
        eachEdge((from, to) -> next[from][--used[from]] = to);
        final Deque<Integer> ready = new ArrayDeque<>();
        for (int t = 0; t < tasks; t++) {
            if (missing[t] == 0) {
                ready.add(t);
            }
        }
        int sorted = 0;
        while (!ready.isEmpty()) {
            final int t = ready.poll();
            order[sorted++] = t;
            for (final int n : next[t]) {
                if (--missing[n] == 0) {
                    ready.add(n);
                }
            }
        }
        return sorted == tasks;
    }

    private interface Edge {
        void between(int from, int to);
    }

    private void eachEdge(final Edge edge) {
        for (final RecordedTasks plan : plans) {
            final int base = first[plan.index()];
            for (final RecordedTask t : plan.tasks()) {
                for (final int a : t.after()) {
                    edge.between(base + a, base + t.id());
                }
                if (t.kind() == TaskKind.RECV || t.kind() == TaskKind.AWAIT) {
                    edge.between(index(matching.partner(plan.index(), t.id())), base + t.id());
                }
                eachContributor(plan.index(), t, other -> {
                    for (final int a : task(other).after()) {
                        edge.between(first[other.rank()] + a, base + t.id());
                    }
                });
            }
        }
    }

    /** Visits the parts of other ranks of whose data an offloaded collective has some. Does nothing for other tasks. */
    private void eachContributor(final int rank, final RecordedTask task, final Consumer<TaskMatching.TaskRef> visitor) {
        if (task.kind() != TaskKind.OFFLOADED) {
            return;
        }
        final TaskMatching.TaskRef own = new TaskMatching.TaskRef(rank, task.id());
        final OffloadedCollective collective = matching.collective(own);
        collective.contributors(collective.parts().indexOf(own)).stream().mapToObj(collective.parts()::get).filter(p -> !p.equals(own))
            .forEach(visitor);
    }

    private Optional<CheckFailure> check() {
        final BitSet[] begun = before(plans.size(), new Mark() {
            @Override
            public void on(final int task, final BitSet set) {
                set.set(rankOf(task));
            }

            @Override
            public void started(final int task, final BitSet set) {
                set.set(rankOf(task));
            }
        });
        for (int r = 0; r < readers; r++) {
            final TaskMatching.TaskRef reader = tracked.get(r);
            if (!begun[index(reader)].get(task(reader).peer())) {
                return failure(reader, "reads before the peer has begun");
            }
        }
        final BitSet ordered = new BitSet();
        for (int from = 0; from < tracked.size(); from += BATCH) {
            final Optional<CheckFailure> late = check(from, Math.min(tracked.size(), from + BATCH), ordered);
            if (late.isPresent()) {
                return late;
            }
        }
        final int race = ordered.nextClearBit(0);
        if (race == conflicts.size()) {
            return Optional.empty();
        }
        final TaskMatching.TaskRef writer = tracked.get(conflicts.get(race).writer);
        return failure(tracked.get(conflicts.get(race).reader), "race with the peer's task " + writer.task() + " (" + task(writer) + ")");
    }

    /** Checks the order between some of the tracked tasks and all others. */
    private Optional<CheckFailure> check(final int from, final int to, final BitSet ordered) {
        final int[] own = new int[tasks];
        Arrays.fill(own, -1);
        for (int c = from; c < to; c++) {
            own[index(tracked.get(c))] = c - from;
        }
        final BitSet[] before = before(to - from, new Mark() {
            @Override
            public void on(final int task, final BitSet set) {
                if (own[task] >= 0) {
                    set.set(own[task]);
                }
            }

            @Override
            public void started(final int task, final BitSet set) {
                // it may still write
            }
        });
        for (int c = 0; c < conflicts.size(); c++) {
            final int reader = conflicts.get(c).reader;
            final int writer = conflicts.get(c).writer;
            if (reader >= from && reader < to && before[index(tracked.get(writer))].get(reader - from)
                || writer >= from && writer < to && before[index(tracked.get(reader))].get(writer - from)) {
                ordered.set(c);
            }
        }
        return tooLate(from, Math.min(to, readers), before);
    }

    private Optional<CheckFailure> tooLate(final int from, final int to, final BitSet[] before) {
        final Map<Integer, BitSet> atEnd = new HashMap<>();
        for (int c = from; c < to; c++) {
            final int peer = task(tracked.get(c)).peer();
            if (isShared(tracked.get(c))) {
                continue;
            }
            if (!atEnd.computeIfAbsent(peer, p -> atEnd(p, before)).get(c - from)) {
                return failure(tracked.get(c), "may read when the peer is done");
            }
        }
        return Optional.empty();
    }

    /** Returns the marks of the tasks that happen before some task of a rank. */
    private BitSet atEnd(final int rank, final BitSet[] before) {
        final BitSet all = new BitSet();
        for (int t = 0; t < plans.get(rank).tasks().size(); t++) {
            all.or(before[first[rank] + t]);
        }
        return all;
    }

    private interface Mark {
        /** Marks a task that is complete. */
        void on(int task, BitSet set);

        /** Marks a task of which only the start is known. */
        void started(int task, BitSet set);
    }

    /** Returns for each task the marks of the tasks that happen before it. */
    private BitSet[] before(final int width, final Mark mark) {
        final BitSet[] before = new BitSet[tasks];
        for (final int t : order) {
            final int rank = rankOf(t);
            final int id = t - first[rank];
            final BitSet all = new BitSet(width);
            for (final int a : plans.get(rank).tasks().get(id).after()) {
                all.or(before[first[rank] + a]);
                mark.on(first[rank] + a, all);
            }
            final RecordedTask task = plans.get(rank).tasks().get(id);
            if (task.kind() == TaskKind.RECV || task.kind() == TaskKind.AWAIT) {
                final TaskMatching.TaskRef partner = matching.partner(rank, id);
                all.or(before[index(partner)]);
                // of a send only its start is known; it writes nothing, so it marks only its rank
                mark.on(index(partner), all);
            }
            eachContributor(rank, task, other -> {
                for (final int a : task(other).after()) {
                    all.or(before[first[other.rank()] + a]);
                    mark.on(first[other.rank()] + a, all);
                }
                mark.started(index(other), all);
            });
            before[t] = all;
        }
        return before;
    }

    private int rankOf(final int task) {
        final int found = Arrays.binarySearch(first, task);
        int rank = found >= 0 ? found : -found - 2;
        while (rank + 1 < first.length && first[rank + 1] == task) {
            rank++;
        }
        return rank;
    }

    private Optional<CheckFailure> failure(final TaskMatching.TaskRef reader, final String what) {
        return Optional.of(CheckFailure.of(reader.rank(), task(reader), what));
    }
}
