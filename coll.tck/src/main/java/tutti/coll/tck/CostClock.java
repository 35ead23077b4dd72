package tutti.coll.tck;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.ToLongFunction;
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
public final class CostClock {
    private final List<Tape> plans;
    private final Matching matching;
    private double alpha;
    private double beta;
    private double gamma;
    private double[][] end;
    private double[] sendFree;
    private double[] recvFree;

    private CostClock(final List<Tape> plans) {
        this.plans = plans;
        this.matching = new Matching(plans);
        if (!matching.flaws().isEmpty()) {
            throw new IllegalArgumentException("messages without a match: " + matching.flaws().getFirst());
        }
    }

    /**
     * Plans a call.
     *
     * @param calls what each rank calls; as many as there are ranks
     */
    public static <C extends Call> CostClock of(final Algorithm<C> algorithm, final List<C> calls) {
        return new CostClock(PlanChecker.plans(Groups.one(calls.size()), p -> algorithm, calls));
    }

    /**
     * Plans a call of an algorithm that was set up on given nodes.
     *
     * @param calls what each rank calls, by place
     */
    public static <C extends Call> CostClock of(final Operation<C> operation, final Ensemble ensemble, final String algorithm,
                                                final List<C> calls) {
        return new CostClock(PlanChecker.plans(ensemble.groups(), p -> ensemble.algorithm(operation, algorithm, p), calls));
    }

    /**
     * Plans a call on an intercommunicator.
     *
     * @param calls what each rank calls, by place
     */
    public static <C extends Call> CostClock of(final Operation<C> operation, final CollModule module, final Groups groups,
                                                final List<C> calls) {
        return new CostClock(PlanChecker.plans(groups, p -> groups.offer(module, operation, p).algorithm(), calls));
    }

    /** Plans a call that is the same on all ranks. */
    public static <C extends Call> CostClock of(final Algorithm<C> algorithm, final int size, final C call) {
        return of(algorithm, Collections.nCopies(size, call));
    }

    /** The ranks. */
    public int size() {
        return plans.size();
    }

    /** Messages of all ranks together. */
    public long messages() {
        return plans.stream().flatMap(p -> p.tasks().stream()).filter(t -> t.kind() == Task.Kind.SEND).count();
    }

    /** Bytes of all messages of all ranks together. */
    public long bytes() {
        return plans.stream().flatMap(p -> p.tasks().stream()).filter(t -> t.kind() == Task.Kind.SEND).mapToLong(t -> t.from().bytes()).sum();
    }

    /** The messages that the rank sends which sends most. */
    public long sent() {
        return most(t -> t.kind() == Task.Kind.SEND ? 1 : 0);
    }

    /** The bytes that the rank sends which sends most of them. */
    public long sentBytes() {
        return most(t -> t.kind() == Task.Kind.SEND ? t.from().bytes() : 0);
    }

    /** The bytes that the busiest rank reads in its peers' memory. */
    public long read() {
        return most(t -> t.readsPeer() ? t.from().bytes() : 0);
    }

    /** The bytes that the busiest rank combines. */
    public long combined() {
        return most(t -> t.reduction() == null ? 0 : t.from().bytes());
    }

    private long most(final ToLongFunction<Task> of) {
        return plans.stream().mapToLong(p -> p.tasks().stream().mapToLong(of).sum()).max().orElse(0);
    }

    /** The scratch memory of the rank that needs most, in bytes. */
    public long scratch() {
        return plans.stream().mapToLong(Tape::reserved).max().orElse(0);
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
        final int size = plans.size();
        sendFree = new double[size];
        recvFree = new double[size];
        end = new double[size][];
        for (int rank = 0; rank < size; rank++) {
            end[rank] = new double[plans.get(rank).tasks().size()];
            Arrays.fill(end[rank], Double.NaN);
        }
        do {
            runLocalTasks();
        } while (runNextTransfer());
        double last = 0;
        for (final double[] times : end) {
            for (final double t : times) {
                last = Math.max(last, t);
            }
        }
        return last;
    }

    /** What takes no time on the way from rank to rank; posts are heard of by ranks that were looked at before. */
    private void runLocalTasks() {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (final Tape plan : plans) {
                for (final Task t : plan.tasks()) {
                    if (!isTransfer(t) && Double.isNaN(end[plan.place()][t.id()])) {
                        end[plan.place()][t.id()] = endOfLocal(plan.place(), t);
                        changed |= t.kind() == Task.Kind.POST && !Double.isNaN(end[plan.place()][t.id()]);
                    }
                }
            }
        }
    }

    private double endOfLocal(final int rank, final Task task) {
        final double ready = ready(rank, task);
        return switch (task.kind()) {
            case REDUCE -> ready + task.from().bytes() * gamma;
            case AWAIT -> {
                final Matching.Place post = matching.partner(rank, task.id());
                yield Math.max(ready, end[post.rank()][post.task()] + alpha);
            }
            default -> ready;
        };
    }

    private static boolean isTransfer(final Task task) {
        return task.readsPeer() || task.kind() == Task.Kind.SEND || task.kind() == Task.Kind.RECV;
    }

    /** Moves what can start first of messages and reads; of several, what its rank planned first. */
    private boolean runNextTransfer() {
        double best = Double.NaN;
        Matching.Place chosen = null;
        for (final Tape plan : plans) {
            for (final Task t : plan.tasks()) {
                if (isTransfer(t) && t.kind() != Task.Kind.RECV && Double.isNaN(end[plan.place()][t.id()])) {
                    final double start = t.readsPeer() ? Math.max(ready(plan.place(), t), recvFree[plan.place()]) : start(plan.place(), t);
                    if (!Double.isNaN(start) && (chosen == null || start < best)) {
                        best = start;
                        chosen = new Matching.Place(plan.place(), t.id());
                    }
                }
            }
        }
        if (chosen == null) {
            return false;
        }
        final Task task = plans.get(chosen.rank()).tasks().get(chosen.task());
        if (task.readsPeer()) {
            read(chosen.rank(), task, best);
        } else {
            transfer(chosen, task, best);
        }
        return true;
    }

    private void read(final int rank, final Task task, final double start) {
        end[rank][task.id()] = start + task.from().bytes() * (beta + (task.reduction() == null ? 0 : gamma));
        recvFree[rank] = end[rank][task.id()];
    }

    private void transfer(final Matching.Place from, final Task send, final double start) {
        final Matching.Place to = matching.partner(from.rank(), from.task());
        final double done = start + alpha + send.from().bytes() * beta;
        end[from.rank()][from.task()] = done;
        end[to.rank()][to.task()] = done;
        sendFree[from.rank()] = done;
        recvFree[to.rank()] = done;
    }

    private double start(final int rank, final Task send) {
        final Matching.Place partner = matching.partner(rank, send.id());
        final double here = Math.max(ready(rank, send), sendFree[rank]);
        final double there = Math.max(ready(partner.rank(), plans.get(partner.rank()).tasks().get(partner.task())), recvFree[partner.rank()]);
        return Math.max(here, there);
    }

    private double ready(final int rank, final Task task) {
        double ready = 0;
        for (final int a : task.after()) {
            ready = Math.max(ready, end[rank][a]);
        }
        return ready;
    }
}
