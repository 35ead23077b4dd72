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
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;

/**
 * What plans cost in the model that algorithms state their cost in: each rank sends one message and receives one at a time, a message
 * of n bytes takes alpha + n beta, combining n bytes takes n gamma, copies are free.
 *
 * <p>Within a node, a post is free, and is seen alpha after it was made: an await that comes later waits for nothing. To get n bytes from a
 * peer takes n beta, and to combine with them n beta + n gamma; a rank reads from one peer at a time, and receives no message meanwhile.
 *
 * <p>For one thread.
 */
public final class CostSimulator {
    private final List<RecordedTasks> plans;
    private final TaskMatching matching;
    private final List<List<List<TaskMatching.Place>>> successors = new ArrayList<>();
    private final Deque<TaskMatching.Place> due = new ArrayDeque<>();
    private final Queue<Transfer> transfers = new PriorityQueue<>(Comparator.comparingDouble(Transfer::start)
        .thenComparingInt(t -> t.place.rank()).thenComparingInt(t -> t.place.task()));
    private double alpha;
    private double beta;
    private double gamma;
    private double[][] end;
    private int[][] missing;
    private BitSet[] waits;
    private double[] sendFree;
    private double[] recvFree;

    /** A message, by its send, or a read, and when it can start. */
    private record Transfer(double start, TaskMatching.Place place) { }

    private CostSimulator(final List<RecordedTasks> plans) {
        this.plans = plans;
        this.matching = new TaskMatching(plans);
        if (!matching.flaws().isEmpty()) {
            throw new IllegalArgumentException("messages without a match: " + matching.flaws().getFirst());
        }
    }

    private void findSuccessors() {
        for (final RecordedTasks plan : plans) {
            successors.add(Stream.<List<TaskMatching.Place>>generate(ArrayList::new).limit(plan.tasks().size()).toList());
        }
        plans.forEach(this::findSuccessors);
    }

    private void findSuccessors(final RecordedTasks plan) {
        for (final RecordedTask t : plan.tasks()) {
            final TaskMatching.Place place = new TaskMatching.Place(plan.place(), t.id());
            for (final int a : t.after()) {
                successors.get(plan.place()).get(a).add(place);
            }
            if (t.kind() == RecordedTask.Kind.AWAIT) {
                final TaskMatching.Place post = matching.partner(plan.place(), t.id());
                successors.get(post.rank()).get(post.task()).add(place);
            }
        }
    }

    /**
     * Plans a call.
     *
     * @param calls what each rank calls; as many as there are ranks
     */
    public static <C extends Call> CostSimulator of(final Algorithm<C> algorithm, final List<C> calls) {
        return new CostSimulator(PlanChecker.plans(CommGroups.one(calls.size()), p -> algorithm, calls));
    }

    /**
     * Plans a call of an algorithm that was set up on given nodes.
     *
     * @param calls what each rank calls, by place
     */
    public static <C extends Call> CostSimulator of(final Operation<C> operation, final VirtualModule ensemble, final String algorithm,
                                                    final List<C> calls) {
        return new CostSimulator(PlanChecker.plans(ensemble.groups(), p -> ensemble.algorithm(operation, algorithm, p), calls));
    }

    /**
     * Plans a call on an intercommunicator.
     *
     * @param calls what each rank calls, by place
     */
    public static <C extends Call> CostSimulator of(final Operation<C> operation, final CollModule module, final CommGroups groups,
                                                    final List<C> calls) {
        return new CostSimulator(PlanChecker.plans(groups, p -> groups.offer(module, operation, p).algorithm(), calls));
    }

    /** Plans a call that is the same on all ranks. */
    public static <C extends Call> CostSimulator of(final Algorithm<C> algorithm, final int size, final C call) {
        return of(algorithm, Collections.nCopies(size, call));
    }

    /** The ranks. */
    public int size() {
        return plans.size();
    }

    /** Messages of all ranks together. */
    public long messages() {
        return plans.stream().flatMap(p -> p.tasks().stream()).filter(t -> t.kind() == RecordedTask.Kind.SEND).count();
    }

    /** Bytes of all messages of all ranks together. */
    public long bytes() {
        return plans.stream().flatMap(p -> p.tasks().stream()).filter(t -> t.kind() == RecordedTask.Kind.SEND).mapToLong(t -> t.from().bytes()).sum();
    }

    /** The messages that the rank sends which sends most. */
    public long sent() {
        return most(t -> t.kind() == RecordedTask.Kind.SEND ? 1 : 0);
    }

    /** The bytes that the rank sends which sends most of them. */
    public long sentBytes() {
        return most(t -> t.kind() == RecordedTask.Kind.SEND ? t.from().bytes() : 0);
    }

    /** The bytes that the busiest rank reads in its peers' memory. */
    public long read() {
        return most(t -> t.readsPeer() ? t.from().bytes() : 0);
    }

    /** The bytes that the busiest rank combines. */
    public long combined() {
        return most(t -> t.reduction() == null ? 0 : t.from().bytes());
    }

    private long most(final ToLongFunction<RecordedTask> of) {
        return plans.stream().mapToLong(p -> p.tasks().stream().mapToLong(of).sum()).max().orElse(0);
    }

    /** The scratch memory of the rank that needs most, in bytes. */
    public long scratch() {
        return plans.stream().mapToLong(RecordedTasks::reserved).max().orElse(0);
    }

    /** The tasks of the rank that has most. */
    public int tasks() {
        return plans.stream().mapToInt(p -> p.tasks().size()).max().orElse(0);
    }

    /**
     * When the last task is done.
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
        final int size = plans.size();
        sendFree = new double[size];
        recvFree = new double[size];
        end = new double[size][];
        missing = new int[size][];
        waits = new BitSet[size];
        for (int rank = 0; rank < size; rank++) {
            end[rank] = new double[plans.get(rank).tasks().size()];
            Arrays.fill(end[rank], Double.NaN);
            missing[rank] = new int[end[rank].length];
            waits[rank] = new BitSet();
        }
        for (final List<List<TaskMatching.Place>> ofRank : successors) {
            ofRank.forEach(list -> list.forEach(p -> missing[p.rank()][p.task()]++));
        }
        for (final RecordedTasks plan : plans) {
            plan.tasks().stream().filter(t -> missing[plan.place()][t.id()] == 0).forEach(t -> due.add(new TaskMatching.Place(plan.place(), t.id())));
        }
        do {
            runLocalTasks();
        } while (runNextTransfer());
        return Arrays.stream(end).flatMapToDouble(Arrays::stream).reduce(0, Math::max);
    }

    /** What takes no time on the way from rank to rank; what does is put where it can be found by its time. */
    private void runLocalTasks() {
        while (!due.isEmpty()) {
            final TaskMatching.Place place = due.poll();
            final RecordedTask task = task(place);
            if (task.readsPeer()) {
                transfers.add(new Transfer(start(place), place));
            } else if (task.kind() == RecordedTask.Kind.SEND || task.kind() == RecordedTask.Kind.RECV) {
                final TaskMatching.Place partner = matching.partner(place.rank(), place.task());
                waits[place.rank()].set(place.task());
                if (waits[partner.rank()].get(partner.task())) {
                    final TaskMatching.Place send = task.kind() == RecordedTask.Kind.SEND ? place : partner;
                    transfers.add(new Transfer(start(send), send));
                }
            } else {
                complete(place, endOfLocal(place.rank(), task));
            }
        }
    }

    private double endOfLocal(final int rank, final RecordedTask task) {
        final double ready = ready(rank, task);
        return switch (task.kind()) {
            case REDUCE -> ready + task.from().bytes() * gamma;
            case AWAIT -> {
                final TaskMatching.Place post = matching.partner(rank, task.id());
                yield Math.max(ready, end[post.rank()][post.task()] + alpha);
            }
            default -> ready;
        };
    }

    private void complete(final TaskMatching.Place place, final double time) {
        end[place.rank()][place.task()] = time;
        for (final TaskMatching.Place next : successors.get(place.rank()).get(place.task())) {
            if (--missing[next.rank()][next.task()] == 0) {
                due.add(next);
            }
        }
    }

    /** Moves what can start first of messages and reads; of several, what its rank planned first. What has become later meanwhile is put back. */
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
            recvFree[rank] = next.start + task.from().bytes() * (beta + (task.reduction() == null ? 0 : gamma));
            complete(next.place, recvFree[rank]);
        } else {
            final TaskMatching.Place to = matching.partner(rank, task.id());
            final double done = next.start + alpha + task.from().bytes() * beta;
            sendFree[rank] = done;
            recvFree[to.rank()] = done;
            complete(next.place, done);
            complete(to, done);
        }
    }

    /** When a message or a read can start, as far as is known; never earlier later on. */
    private double start(final TaskMatching.Place place) {
        final double here = ready(place.rank(), task(place));
        if (task(place).readsPeer()) {
            return Math.max(here, recvFree[place.rank()]);
        }
        final TaskMatching.Place to = matching.partner(place.rank(), place.task());
        return Math.max(Math.max(here, sendFree[place.rank()]), Math.max(ready(to.rank(), task(to)), recvFree[to.rank()]));
    }

    private double ready(final int rank, final RecordedTask task) {
        double ready = 0;
        for (final int a : task.after()) {
            ready = Math.max(ready, end[rank][a]);
        }
        return ready;
    }

    private RecordedTask task(final TaskMatching.Place place) {
        return plans.get(place.rank()).tasks().get(place.task());
    }
}
