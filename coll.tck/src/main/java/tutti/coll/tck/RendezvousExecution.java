package tutti.coll.tck;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.plan.Assignment;
import tutti.coll.plan.TaskKind;

/**
 * Executes the plans of all ranks on symbolic memory with rendezvous semantics: a message is transferred only once its send and its receive have both
 * started, an offloaded collective is carried out once all its parts have started, and an await waits for its post. A plan that completes here
 * completes on any transport. Without races the result does not depend on the order of execution.
 */
final class RendezvousExecution {
    private final List<RecordedTasks> plans;
    private final TaskMatching matching;
    private final Term.Pool terms;
    private final Rank[] ranks;
    private final Map<TaskMatching.TaskRef, List<TaskMatching.TaskRef>> waiting = new HashMap<>();
    private final Deque<TaskMatching.TaskRef> ready = new ArrayDeque<>();
    private @Nullable CheckFailure failure;

    /** The memory and progress of one rank. */
    private static final class Rank {
        private final SymbolicMemory send;
        private final SymbolicMemory recv;
        private final SymbolicMemory scratch;
        private final SymbolicMemory shared;
        private final int[] missing;
        private final BitSet started = new BitSet();
        private final BitSet done = new BitSet();
        private final BitSet[] begun;
        private final List<List<Integer>> successors = new ArrayList<>();

        Rank(final RecordedTasks plan, final CallContract contract, final Term.Pool terms) {
            send = contract.sendBefore(plan.index(), terms);
            recv = contract.recvBefore(plan.index(), terms);
            scratch = new SymbolicMemory(plan.outermost().buffer(Buffer.SCRATCH).bytes(), terms.undefined());
            shared = new SymbolicMemory((long) plan.partCount() * AdvancedPlan.MAX_SHARED, terms.undefined());
            missing = new int[plan.tasks().size()];
            begun = new BitSet[plan.tasks().size()];
            for (final RecordedTask t : plan.tasks()) {
                successors.add(new ArrayList<>());
                missing[t.id()] = t.after().length;
                begun[t.id()] = new BitSet();
                begun[t.id()].set(plan.index());
                for (final int a : t.after()) {
                    successors.get(a).add(t.id());
                }
            }
        }

        SymbolicMemory memory(final BufferRange span) {
            return switch (span.buffer()) {
                case SEND -> send;
                case RECV -> recv;
                case SCRATCH -> scratch;
                case SHARED -> shared;
            };
        }
    }

    RendezvousExecution(final List<RecordedTasks> plans, final TaskMatching matching, final CallContract contract, final Term.Pool terms) {
        this.plans = plans;
        this.matching = matching;
        this.terms = terms;
        this.ranks = plans.stream().map(p -> new Rank(p, contract, terms)).toArray(Rank[]::new);
    }

    /** Executes all tasks. Returns a failure of a task or a deadlock; empty if all tasks complete. */
    Optional<CheckFailure> run() {
        for (final RecordedTasks plan : plans) {
            plan.tasks().stream().filter(t -> t.after().length == 0).forEach(t -> ready.add(new TaskMatching.TaskRef(plan.index(), t.id())));
        }
        while (!ready.isEmpty() && failure == null) {
            start(ready.poll());
        }
        return failure != null ? Optional.of(failure) : deadlock();
    }

    SymbolicMemory recvOf(final int rank) {
        return ranks[rank].recv;
    }

    /** Returns the ranks that are known to have started when {@code rank} completes, including itself. */
    BitSet begunBefore(final int rank) {
        final BitSet all = new BitSet();
        all.set(rank);
        for (final BitSet h : ranks[rank].begun) {
            all.or(h);
        }
        return all;
    }

    private void start(final TaskMatching.TaskRef ref) {
        final RecordedTask task = task(ref);
        ranks[ref.rank()].started.set(ref.task());
        switch (task.kind()) {
            case SEND -> transferIfBoth(ref, matching.partner(ref.rank(), ref.task()));
            case RECV -> transferIfBoth(matching.partner(ref.rank(), ref.task()), ref);
            case COPY -> {
                move(ref.rank(), task.source(), ref.rank(), task.target());
                complete(ref);
            }
            case REDUCE -> {
                reduce(ref.rank(), task, ref.rank(), task.source());
                complete(ref);
            }
            case GET -> {
                move(task.peer(), matching.source(ref.rank(), ref.task()), ref.rank(), task.target());
                complete(ref);
            }
            case PEER_REDUCE -> {
                reduce(ref.rank(), task, task.peer(), matching.source(ref.rank(), ref.task()));
                complete(ref);
            }
            case AWAIT -> completeIfPosted(ref, matching.partner(ref.rank(), ref.task()));
            case POST -> {
                complete(ref);
                waiting.getOrDefault(ref, List.of()).forEach(w -> completeIfPosted(w, ref));
            }
            case FENCE, RESERVE -> complete(ref);
            case OPAQUE -> {
                final Assignment work = Objects.requireNonNull(task.assignment(), "opaque task without work");
                for (final BufferRange range : task.writes()) {
                    ranks[ref.rank()].memory(range).write(new SymbolicMemory.TermRange(range.offset(), range.bytes(),
                        terms.unknown(work.description(), ref.rank(), ref.task()), 0));
                }
                complete(ref);
            }
            case OFFLOADED -> {
                final OffloadedCollective collective = matching.collective(ref);
                if (collective.parts().stream().allMatch(p -> ranks[p.rank()].started.get(p.task()))) {
                    carryOut(collective);
                }
            }
        }
    }

    /** Writes the results of a collective, all of whose parts have started. */
    private void carryOut(final OffloadedCollective collective) {
        final List<TaskMatching.TaskRef> parts = collective.parts();
        final List<List<SymbolicMemory.TermRange>> results = new ArrayList<>();
        final List<BitSet> begun = new ArrayList<>();
        for (int rank = 0; rank < parts.size(); rank++) {
            final List<SymbolicMemory.TermRange> result = new ArrayList<>();
            // the root of a bcast has its data
            for (final CallContract.Expected want : task(parts.get(rank)).into() == null ? List.<CallContract.Expected>of() : collective.contract()
                .after(rank)) {
                result.addAll(result(collective, want));
            }
            results.add(result);
            final BitSet known = new BitSet();
            collective.contributors(rank).stream().mapToObj(parts::get).forEach(p -> known.or(ranks[p.rank()].begun[p.task()]));
            begun.add(known);
        }
        for (int rank = 0; rank < parts.size(); rank++) {
            final TaskMatching.TaskRef part = parts.get(rank);
            for (final SymbolicMemory.TermRange result : results.get(rank)) {
                final BufferRange into = task(part).target();
                ranks[part.rank()].memory(into).write(result.movedTo(into.offset() + result.offset()));
            }
            ranks[part.rank()].begun[part.task()].or(begun.get(rank));
        }
        parts.forEach(this::complete);
    }

    /** Returns what a range of a receive buffer holds after a collective, combined in the order of ranks. Offsets are those in that buffer. */
    private List<SymbolicMemory.TermRange> result(final OffloadedCollective collective, final CallContract.Expected want) {
        final long offset = want.range().offset();
        final long bytes = want.range().bytes();
        final SymbolicMemory result = new SymbolicMemory(0, terms.undefined());
        result.write(new SymbolicMemory.TermRange(offset, bytes, terms.undefined(), 0));
        if (want.first() >= 0 && bytes > 0) {
            for (int rank = want.last(); rank >= want.first(); rank--) {
                final TaskMatching.TaskRef part = collective.parts().get(rank);
                final BufferRange from = collective.contribution(rank, task(part), want.position(), bytes);
                final List<SymbolicMemory.TermRange> data = ranks[part.rank()].memory(from).read(from.offset(), bytes);
                if (rank == want.last()) {
                    result.write(offset, data, from.offset());
                } else {
                    final Reduction reduction = Objects.requireNonNull(collective.call(rank).reduction(), "collective combines nothing");
                    combine(part.rank(), task(part), reduction, data, from.offset(), result, offset, bytes);
                }
            }
        }
        return result.read(offset, bytes);
    }

    private void transferIfBoth(final TaskMatching.TaskRef from, final TaskMatching.TaskRef to) {
        if (ranks[from.rank()].started.get(from.task()) && ranks[to.rank()].started.get(to.task())) {
            move(from.rank(), task(from).source(), to.rank(), task(to).target());
            ranks[to.rank()].begun[to.task()].or(ranks[from.rank()].begun[from.task()]);
            complete(from);
            complete(to);
        }
    }

    private void completeIfPosted(final TaskMatching.TaskRef await, final TaskMatching.TaskRef post) {
        if (ranks[post.rank()].done.get(post.task())) {
            ranks[await.rank()].begun[await.task()].or(ranks[post.rank()].begun[post.task()]);
            complete(await);
        } else {
            waiting.computeIfAbsent(post, p -> new ArrayList<>()).add(await);
        }
    }

    private void move(final int fromRank, final BufferRange from, final int toRank, final BufferRange into) {
        final List<SymbolicMemory.TermRange> data = ranks[fromRank].memory(from).read(from.offset(), from.bytes());
        ranks[toRank].memory(into).write(into.offset(), data, from.offset());
    }

    private void reduce(final int rank, final RecordedTask task, final int fromRank, final BufferRange from) {
        final BufferRange into = task.target();
        combine(rank, task, Objects.requireNonNull(task.reduction(), "task combines nothing"), ranks[fromRank].memory(from).read(from.offset(),
            into.bytes()), from.offset(), ranks[rank].memory(into), into.offset(), into.bytes());
    }

    /** Combines data that was read from {@code source} on with a range of the target: the data is that of the lower ranks. */
    private void combine(final int rank, final RecordedTask task, final Reduction reduction, final List<SymbolicMemory.TermRange> lows,
        final long source, final SymbolicMemory target, final long offset, final long bytes) {
        final long shift = offset - source;
        for (final SymbolicMemory.TermRange high : target.read(offset, bytes)) {
            for (final SymbolicMemory.TermRange p : lows) {
                final SymbolicMemory.TermRange low = p.movedTo(p.offset() + shift);
                final long start = Math.max(low.offset(), high.offset());
                final long end = Math.min(low.end(), high.end());
                if (start < end) {
                    combine(rank, task, reduction, low.slice(start, end), high.slice(start, end), target);
                }
            }
        }
    }

    private void combine(final int rank, final RecordedTask task, final Reduction reduction, final SymbolicMemory.TermRange low,
        final SymbolicMemory.TermRange high, final SymbolicMemory target) {
        if (!low.term().isContribution() || !high.term().isContribution()) {
            failure = CheckFailure.of(rank, task, "reduces data that is not a contribution: low=" + low + ", high=" + high
                + (low.term().isContribution() ? high : low).term().origin());
        } else if (low.position() != high.position() || low.position() % reduction.elementBytes() != 0) {
            failure = CheckFailure.of(rank, task, "reduces different elements: low=" + low + ", high=" + high);
        } else {
            final Term sum = terms.combine(low.term(), high.term(), reduction.isCommutative());
            target.write(new SymbolicMemory.TermRange(high.offset(), high.bytes(), sum, high.position()));
        }
    }

    private void complete(final TaskMatching.TaskRef ref) {
        final Rank r = ranks[ref.rank()];
        r.done.set(ref.task());
        for (final int next : r.successors.get(ref.task())) {
            r.begun[next].or(r.begun[ref.task()]);
            if (--r.missing[next] == 0) {
                ready.add(new TaskMatching.TaskRef(ref.rank(), next));
            }
        }
    }

    /** Returns the failure for a wrong result, with the task that wrote it last, and the peer that the data came from. */
    CheckFailure failureAt(final int rank, final BufferRange where, final String what) {
        final List<RecordedTask> tasks = plans.get(rank).tasks();
        final Optional<RecordedTask> last = writer(tasks, tasks.size(), where);
        return new CheckFailure(rank, last.map(RecordedTask::id).orElse(-1), last.map(t -> peer(tasks, t, new BitSet())).orElse(-1), what);
    }

    /** Returns the peer that sent the data that a task wrote; -1 for none. */
    private static int peer(final List<RecordedTask> tasks, final RecordedTask task, final BitSet seen) {
        if (task.peer() >= 0 || seen.get(task.id())) {
            return task.peer();
        }
        seen.set(task.id());
        for (final BufferRange s : task.kind() == TaskKind.REDUCE ? new @Nullable BufferRange[] {task.into(), task.from()}
            : new @Nullable BufferRange[] {task.from()}) {
            final int peer = writer(tasks, task.id(), s).map(t -> peer(tasks, t, seen)).orElse(-1);
            if (peer >= 0) {
                return peer;
            }
        }
        return -1;
    }

    /** Returns the last task before {@code before} that writes to a range. */
    private static Optional<RecordedTask> writer(final List<RecordedTask> tasks, final int before, final @Nullable BufferRange where) {
        for (int t = before - 1; t >= 0; t--) {
            if (tasks.get(t).writes(where)) {
                return Optional.of(tasks.get(t));
            }
        }
        return Optional.empty();
    }

    private Optional<CheckFailure> deadlock() {
        for (final RecordedTasks plan : plans) {
            for (final RecordedTask t : plan.tasks()) {
                if (isWaiting(new TaskMatching.TaskRef(plan.index(), t.id()))) {
                    final List<TaskMatching.TaskRef> cycle = cycle(new TaskMatching.TaskRef(plan.index(), t.id()));
                    final TaskMatching.TaskRef first = cycle.getFirst();
                    return Optional.of(CheckFailure.of(first.rank(), task(first), "deadlock without eager delivery, each waits for the next: "
                        + String.join(", ", cycle.stream().map(p -> "rank " + p.rank() + " task " + p.task()).toList())));
                }
            }
        }
        return Optional.empty();
    }

    private boolean isWaiting(final TaskMatching.TaskRef ref) {
        final Rank r = ranks[ref.rank()];
        return r.started.get(ref.task()) && !r.done.get(ref.task());
    }

    /** Follows the tasks that each task waits for until one repeats. */
    private List<TaskMatching.TaskRef> cycle(final TaskMatching.TaskRef from) {
        final List<TaskMatching.TaskRef> path = new ArrayList<>();
        TaskMatching.TaskRef next = from;
        while (!path.contains(next)) {
            path.add(next);
            next = partner(next);
            while (!isWaiting(next)) {
                final Rank r = ranks[next.rank()];
                int undone = 0;
                final int[] after = task(next).after();
                while (r.done.get(after[undone])) {
                    undone++;
                }
                next = new TaskMatching.TaskRef(next.rank(), after[undone]);
            }
        }
        return path.subList(path.indexOf(next), path.size());
    }

    /** Returns a task that a waiting task waits for: of an offloaded collective, the part of the first rank that has not started it. */
    private TaskMatching.TaskRef partner(final TaskMatching.TaskRef ref) {
        return task(ref).kind() != TaskKind.OFFLOADED ? matching.partner(ref.rank(), ref.task())
            : matching.collective(ref).parts().stream().filter(p -> !ranks[p.rank()].started.get(p.task())).findFirst().orElseThrow();
    }

    private RecordedTask task(final TaskMatching.TaskRef ref) {
        return plans.get(ref.rank()).tasks().get(ref.task());
    }
}
