package tutti.coll.tck;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;

/**
 * What plans cost in the model that algorithms state their cost in: each rank sends one message and receives one at a time, a message
 * of n bytes takes alpha + n beta, combining n bytes takes n gamma, copies are free.
 *
 * <p>For one thread.
 */
public final class CostClock {
    private final List<RecordingPlan> plans;
    private final Matching matching;
    private double alpha;
    private double beta;
    private double gamma;
    private double[][] end;
    private double[] sendFree;
    private double[] recvFree;

    private CostClock(final List<RecordingPlan> plans) {
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
        final List<RecordingPlan> plans = new ArrayList<>();
        for (int rank = 0; rank < calls.size(); rank++) {
            final RecordingPlan plan = new RecordingPlan(rank, calls.size(), calls.get(rank));
            algorithm.plan(calls.get(rank), plan);
            plans.add(plan);
        }
        return new CostClock(plans);
    }

    /**
     * Plans a call on an intercommunicator.
     *
     * @param calls what each rank calls, by place
     */
    public static <C extends Call> CostClock of(final Operation<C> operation, final CollModule module, final Groups groups,
                                                final List<C> calls) {
        final List<RecordingPlan> plans = new ArrayList<>();
        for (int place = 0; place < groups.size(); place++) {
            final RecordingPlan plan = new RecordingPlan(groups, place, calls.get(place));
            groups.offer(module, operation, place).algorithm().plan(calls.get(place), plan);
            plans.add(plan);
        }
        return new CostClock(plans);
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

    /** The bytes that the busiest rank combines. */
    public long combined() {
        return plans.stream().mapToLong(p -> p.tasks().stream().filter(t -> t.kind() == Task.Kind.REDUCE).mapToLong(t -> t.from().bytes()).sum())
            .max().orElse(0);
    }

    /** The scratch memory of the rank that needs most, in bytes. */
    public long scratch() {
        return plans.stream().mapToLong(RecordingPlan::scratchBytes).max().orElse(0);
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
        } while (runNextMessage());
        double last = 0;
        for (final double[] times : end) {
            for (final double t : times) {
                last = Math.max(last, t);
            }
        }
        return last;
    }

    /** A local task only waits for tasks that were planned before it. */
    private void runLocalTasks() {
        for (final RecordingPlan plan : plans) {
            for (final Task t : plan.tasks()) {
                if (t.kind() != Task.Kind.SEND && t.kind() != Task.Kind.RECV && Double.isNaN(end[plan.place()][t.id()])) {
                    end[plan.place()][t.id()] = ready(plan.place(), t) + (t.kind() == Task.Kind.REDUCE ? t.from().bytes() * gamma : 0);
                }
            }
        }
    }

    /** Moves the message that can start first; of several, the one that its sender planned first. */
    private boolean runNextMessage() {
        double best = Double.NaN;
        Matching.Place chosen = null;
        for (final RecordingPlan plan : plans) {
            for (final Task t : plan.tasks()) {
                if (t.kind() == Task.Kind.SEND && Double.isNaN(end[plan.place()][t.id()])) {
                    final double start = start(plan.place(), t);
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
        final Matching.Place partner = matching.partner(chosen.rank(), chosen.task());
        final double done = best + alpha + task.from().bytes() * beta;
        end[chosen.rank()][chosen.task()] = done;
        end[partner.rank()][partner.task()] = done;
        sendFree[chosen.rank()] = done;
        recvFree[partner.rank()] = done;
        return true;
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
