package tutti.coll.tck;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.plan.TaskKind;

/**
 * Simulates plans in the cost model in which algorithms state their cost. A message of n bytes takes alpha + n beta, combining n bytes takes n gamma,
 * and copies are free. A rank sends one message and receives one message at a time.
 *
 * <p>Within a node a post is free, and peers observe it alpha later; an await after that does not wait. Reading n bytes from a peer takes n beta, and
 * combining n bytes with a peer's takes n beta + n gamma. A rank reads from one peer at a time, and receives no message meanwhile.
 *
 * <p>An offloaded collective begins when all ranks that take part have reached it, and takes alpha + n beta, where n is the largest number of bytes
 * that one of them sends or receives in it. Ranks may exchange messages meanwhile. Opaque tasks are free, as copies are.
 *
 * <p>For one thread.
 */
public final class CostSimulator {
    private final List<RecordedTasks> plans;
    private final TaskMatching matching;
    private final List<List<List<TaskMatching.TaskRef>>> successors = new ArrayList<>();
    private final Deque<TaskMatching.TaskRef> due = new ArrayDeque<>();
    private final Queue<Transfer> transfers = new PriorityQueue<>(Comparator.comparingDouble(Transfer::start)
        .thenComparingInt(t -> t.place.rank()).thenComparingInt(t -> t.place.task()));
    private final double[][] end;
    private final int[][] missing;
    private final BitSet[] waits;
    private final double[] sendFree;
    private final double[] recvFree;
    private double alpha;
    private double beta;
    private double gamma;

    /** A message, named by its send, or a read of a peer's memory, with the earliest time at which it can start. */
    private record Transfer(double start, TaskMatching.TaskRef place) {}

    private CostSimulator(final List<RecordedTasks> plans) {
        this.plans = plans;
        this.matching = new TaskMatching(plans);
        this.end = new double[plans.size()][];
        this.missing = new int[plans.size()][];
        this.waits = new BitSet[plans.size()];
        this.sendFree = new double[plans.size()];
        this.recvFree = new double[plans.size()];
        if (!matching.failures().isEmpty()) {
            throw new IllegalArgumentException("plans of the ranks do not match: " + matching.failures().getFirst());
        }
    }

    private void findSuccessors() {
        for (final RecordedTasks plan : plans) {
            successors.add(Stream.<List<TaskMatching.TaskRef>>generate(ArrayList::new).limit(plan.tasks().size()).toList());
        }
        plans.forEach(this::findSuccessors);
    }

    private void findSuccessors(final RecordedTasks plan) {
        for (final RecordedTask t : plan.tasks()) {
            final TaskMatching.TaskRef ref = new TaskMatching.TaskRef(plan.index(), t.id());
            for (final int a : t.after()) {
                successors.get(plan.index()).get(a).add(ref);
            }
            if (t.kind() == TaskKind.AWAIT) {
                final TaskMatching.TaskRef post = matching.partner(plan.index(), t.id());
                successors.get(post.rank()).get(post.task()).add(ref);
            }
        }
    }

    /**
     * Plans a call of an algorithm on all ranks of one node.
     *
     * @param algorithm the algorithm
     * @param calls     the call of each rank; its length is the number of ranks
     * @throws IllegalArgumentException if a message or an await has no match
     */
    public static <C extends Call> CostSimulator of(final Algorithm<C> algorithm, final List<C> calls) {
        return new CostSimulator(PlanChecker.plans(CommGroups.intra(calls.size()), p -> algorithm, calls));
    }

    /**
     * Plans a call of an algorithm of a module that was set up on given nodes.
     *
     * @param operation the operation
     * @param module    the module
     * @param algorithm the name of the algorithm
     * @param calls     the call of each rank, by index
     * @throws IllegalArgumentException if the algorithm is not offered, or a message or an await has no match
     */
    public static <C extends Call> CostSimulator of(final Operation<C> operation, final VirtualModule module, final String algorithm,
        final List<C> calls) {
        return new CostSimulator(PlanChecker.plans(module.groups(), p -> module.algorithm(operation, algorithm, p), calls));
    }

    /**
     * Plans a call on an intercommunicator of the algorithm that a module offers first.
     *
     * @param operation the operation
     * @param module    the module
     * @param groups    the groups
     * @param calls     the call of each rank, by index
     * @throws IllegalArgumentException if the module declines or does not offer the operation, or a message or an await has no match
     */
    public static <C extends Call> CostSimulator of(final Operation<C> operation, final CollModule module, final CommGroups groups,
        final List<C> calls) {
        try (InitializedInstances instances = new InitializedInstances()) {
            final List<AlgorithmTable.Entry<C>> offers = groups.entries(module, operation, instances);
            return new CostSimulator(PlanChecker.plans(groups, p -> offers.get(p).algorithm(), calls));
        }
    }

    /**
     * Plans a call of an algorithm on all ranks of one node, where all ranks make the same call.
     *
     * @param algorithm the algorithm
     * @param size      number of ranks
     * @param call      the call of every rank
     * @throws IllegalArgumentException if a message or an await has no match
     */
    public static <C extends Call> CostSimulator of(final Algorithm<C> algorithm, final int size, final C call) {
        return of(algorithm, Collections.nCopies(size, call));
    }

    /** Returns the number of ranks. */
    public int size() {
        return plans.size();
    }

    /** Returns the number of messages of all ranks together. */
    public long messages() {
        return plans.stream().flatMap(p -> p.tasks().stream()).filter(t -> t.kind() == TaskKind.SEND).count();
    }

    /** Returns the bytes of all messages of all ranks together. */
    public long bytes() {
        return plans.stream().flatMap(p -> p.tasks().stream()).filter(t -> t.kind() == TaskKind.SEND).mapToLong(t -> t.source().bytes()).sum();
    }

    /** Returns the largest number of messages that any one rank sends. */
    public long sent() {
        return most(t -> t.kind() == TaskKind.SEND ? 1 : 0);
    }

    /** Returns the largest number of bytes that any one rank sends in messages. */
    public long sentBytes() {
        return most(t -> t.kind() == TaskKind.SEND ? t.source().bytes() : 0);
    }

    /** Returns the largest number of bytes that any one rank reads from its peers' memory. */
    public long read() {
        return most(t -> t.readsPeer() ? t.source().bytes() : 0);
    }

    /** Returns the largest number of bytes that any one rank combines. */
    public long combined() {
        return most(t -> t.reduction() == null ? 0 : t.source().bytes());
    }

    private long most(final ToLongFunction<RecordedTask> of) {
        return plans.stream().mapToLong(p -> p.tasks().stream().mapToLong(of).sum()).max().orElse(0);
    }

    /** Returns the largest scratch memory of any one rank in bytes. */
    public long scratch() {
        return plans.stream().mapToLong(RecordedTasks::reserved).max().orElse(0);
    }

    /** Returns the largest number of tasks of any one rank. */
    public int tasks() {
        return plans.stream().mapToInt(p -> p.tasks().size()).max().orElse(0);
    }

    /**
     * Returns the time at which the last task is complete, if all ranks start at time 0.
     *
     * @param perMessage     alpha
     * @param perByte        beta
     * @param perReducedByte gamma
     */
    public double time(final double perMessage, final double perByte, final double perReducedByte) {
        alpha = perMessage;
        beta = perByte;
        gamma = perReducedByte;
        return run();
    }

    private double run() {
        if (successors.isEmpty()) {
            findSuccessors();
        }
        Arrays.fill(sendFree, 0);
        Arrays.fill(recvFree, 0);
        for (int rank = 0; rank < plans.size(); rank++) {
            end[rank] = new double[plans.get(rank).tasks().size()];
            Arrays.fill(end[rank], Double.NaN);
            missing[rank] = new int[end[rank].length];
            waits[rank] = new BitSet();
        }
        for (final List<List<TaskMatching.TaskRef>> ofRank : successors) {
            ofRank.forEach(list -> list.forEach(p -> missing[p.rank()][p.task()]++));
        }
        for (final RecordedTasks plan : plans) {
            plan.tasks().stream().filter(t -> missing[plan.index()][t.id()] == 0)
                .forEach(t -> due.add(new TaskMatching.TaskRef(plan.index(), t.id())));
        }
        do {
            runLocalTasks();
        } while (runNextTransfer());
        return Arrays.stream(end).flatMapToDouble(Arrays::stream).reduce(0, Math::max);
    }

    /** Completes the tasks that are neither messages nor reads. Queues messages and reads by the time at which they can start. */
    private void runLocalTasks() {
        while (!due.isEmpty()) {
            final TaskMatching.TaskRef ref = due.poll();
            final RecordedTask task = task(ref);
            if (task.readsPeer()) {
                transfers.add(new Transfer(start(ref), ref));
            } else if (task.kind() == TaskKind.OFFLOADED) {
                waits[ref.rank()].set(ref.task());
                completeIfAllWait(matching.collective(ref));
            } else if (task.kind() == TaskKind.SEND || task.kind() == TaskKind.RECV) {
                final TaskMatching.TaskRef partner = matching.partner(ref.rank(), ref.task());
                waits[ref.rank()].set(ref.task());
                if (waits[partner.rank()].get(partner.task())) {
                    final TaskMatching.TaskRef send = task.kind() == TaskKind.SEND ? ref : partner;
                    transfers.add(new Transfer(start(send), send));
                }
            } else {
                complete(ref, endOfLocal(ref.rank(), task));
            }
        }
    }

    private void completeIfAllWait(final OffloadedCollective collective) {
        if (collective.parts().stream().allMatch(p -> waits[p.rank()].get(p.task()))) {
            final double start = collective.parts().stream().mapToDouble(p -> ready(p.rank(), task(p))).max().orElse(0);
            collective.parts().forEach(p -> complete(p, start + alpha + collective.bytes() * beta));
        }
    }

    private double endOfLocal(final int rank, final RecordedTask task) {
        final double ready = ready(rank, task);
        return switch (task.kind()) {
            case REDUCE -> ready + task.source().bytes() * gamma;
            case AWAIT -> {
                final TaskMatching.TaskRef post = matching.partner(rank, task.id());
                yield Math.max(ready, end[post.rank()][post.task()] + alpha);
            }
            default -> ready;
        };
    }

    private void complete(final TaskMatching.TaskRef ref, final double time) {
        end[ref.rank()][ref.task()] = time;
        for (final TaskMatching.TaskRef next : successors.get(ref.rank()).get(ref.task())) {
            if (--missing[next.rank()][next.task()] == 0) {
                due.add(next);
            }
        }
    }

    /** Runs the message or read that can start first; of several, the one that its rank planned first. One whose start has moved is queued again. */
    private boolean runNextTransfer() {
        while (!transfers.isEmpty()) {
            final Transfer next = transfers.poll();
            final double start = start(next.place);
            if (start > next.start) {
                transfers.add(new Transfer(start, next.place));
            } else {
                run(next);
                return true;
            }
        }
        return false;
    }

    private void run(final Transfer next) {
        final RecordedTask task = task(next.place);
        final int rank = next.place.rank();
        if (task.readsPeer()) {
            recvFree[rank] = next.start + task.source().bytes() * (beta + (task.reduction() == null ? 0 : gamma));
            complete(next.place, recvFree[rank]);
        } else {
            final TaskMatching.TaskRef to = matching.partner(rank, task.id());
            final double done = next.start + alpha + task.source().bytes() * beta;
            sendFree[rank] = done;
            recvFree[to.rank()] = done;
            complete(next.place, done);
            complete(to, done);
        }
    }

    /** Returns the earliest time at which a message or read can start, as far as known. It never decreases later. */
    private double start(final TaskMatching.TaskRef ref) {
        final double ready = ready(ref.rank(), task(ref));
        if (task(ref).readsPeer()) {
            return Math.max(ready, recvFree[ref.rank()]);
        }
        final TaskMatching.TaskRef to = matching.partner(ref.rank(), ref.task());
        return Math.max(Math.max(ready, sendFree[ref.rank()]), Math.max(ready(to.rank(), task(to)), recvFree[to.rank()]));
    }

    private double ready(final int rank, final RecordedTask task) {
        double ready = 0;
        for (final int a : task.after()) {
            ready = Math.max(ready, end[rank][a]);
        }
        return ready;
    }

    private RecordedTask task(final TaskMatching.TaskRef ref) {
        return plans.get(ref.rank()).tasks().get(ref.task());
    }
}
