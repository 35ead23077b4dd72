package tutti.runtime.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.process.owner.JobEndedError;
import tutti.runtime.schedule.ScheduleExecution;
import tutti.runtime.select.CanaryTrial;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.LiveModules;

/**
 * Changes the modules of one communicator at one rank, together with the other ranks, while the program calls it.
 *
 * <p>A change is a round. A helper thread of each rank takes part: the ranks agree on the latest change of the job's modules that one of them knows,
 * select from these modules, and agree on the call with which the new epoch begins (see {@link EpochSequence}). A rank takes part in a round when its
 * node knows of a newer change, and every node hears of it; so rounds need nothing of the program, which goes on.
 *
 * <p>What ends the communicator, or must find all ranks in one epoch, {@linkplain #settle settles} the rounds: the ranks combine how many each has
 * begun, take part in those that another one has begun, and begin no others meanwhile.
 *
 * <p><b>Threads.</b> Safe for any thread. The lock of this object guards its state. One thread at a time takes part in a round.
 */
final class EpochChanges {
    private static final Logger LOG = LoggerFactory.getLogger(EpochChanges.class);
    /** For how long a rank goes on without an answer, at the rate of its calls. */
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** The step of the exchange of a communicator that is freed, which precedes the notification of the leader. */
    private static final int SETTLING = 1;

    private final CommContext comm;
    private final Epochs epochs;
    private final PersistentCalls persistent;
    private final List<Awaited> awaited = new ArrayList<>();
    /** Number of rounds that were begun. */
    private long rounds;
    /** Number of rounds that may begin; while the rounds are settled. */
    private long allowed = Long.MAX_VALUE;
    private boolean isRunning;
    /** Set when the communicator takes part in no round any more. */
    private boolean isClosed;
    private CompletableFuture<Void> idle = CompletableFuture.completedFuture(null);

    /** A change that somebody awaits. */
    private record Awaited(int change, CompletableFuture<Void> reached) {}

    EpochChanges(final CommContext comm, final Epochs epochs, final PersistentCalls persistent) {
        this.comm = comm;
        this.epochs = epochs;
        this.persistent = persistent;
    }

    /**
     * Takes part in rounds until the communicator has the modules of the latest change that this node knows. Does not wait.
     *
     * @return a stage that completes when it has them, or is freed
     */
    synchronized CompletionStage<Void> follow() {
        final int wanted = live().newest().change();
        if (isClosed || change() < 0 || change() >= wanted) {
            return CompletableFuture.completedStage(null);
        }
        final CompletableFuture<Void> reached = new CompletableFuture<>();
        awaited.add(new Awaited(wanted, reached));
        proceed();
        return reached;
    }

    private LiveModules live() {
        return comm.owner().job().live();
    }

    /** Returns the change of the latest epoch; negative before the modules are selected. */
    private int change() {
        return epochs.last().table().change();
    }

    /** Begins the next round, if there is one and none runs. */
    private void proceed() {
        if (!isRunning && isNext()) {
            isRunning = true;
            idle = new CompletableFuture<>();
            try {
                comm.owner().lifecycle().helpers().thread("-live", this::run).start();
            } catch (final JobEndedError e) {
                LOG.debug("modules of {} are not changed any more", comm, e);
            }
        }
    }

    /** Returns whether there is a round to take part in: while rounds are settled, one that another rank has begun. */
    private boolean isNext() {
        return allowed == Long.MAX_VALUE ? change() < live().newest().change() : rounds < allowed;
    }

    private synchronized boolean begins() {
        if (isNext()) {
            rounds++;
            return true;
        }
        return false;
    }

    private void run() {
        CoreOccupancy.enter();
        CompletableFuture<Void> done = null;
        try {
            while (done == null) {
                while (begins()) {
                    round();
                }
                done = end();
            }
        } catch (final JobEndedError e) {
            LOG.debug("modules of {} are not changed any more", comm, e);
        } catch (final MpiFailure e) {
            failed(e);
        } catch (final RuntimeException e) {
            // Cause: the runtime, or a module that it called, threw an exception while the modules of a communicator changed. Remedy: the cause says
            // which; report it otherwise.
            failed(new MpiFailure(ErrorClass.INTERN, "modules of " + comm + " cannot be changed: " + e, e));
        } finally {
            CoreOccupancy.leave();
            if (done != null) {
                done.complete(null);
            }
        }
    }

    /** Returns what those wait for who {@linkplain #catchUp catch up}, since the thread ends; null where there is another round by now. */
    private synchronized @Nullable CompletableFuture<Void> end() {
        if (isNext()) {
            return null;
        }
        isRunning = false;
        return idle;
    }

    private void failed(final MpiFailure failure) {
        if (failure.isOfLoss() || failure.errorClass() == ErrorClass.REVOKED) {
            LOG.debug("modules of {} are not changed any more", comm, failure);
        } else {
            // Cause: ranks could not agree on modules that changed while the job ran. Remedy: the reason follows.
            LOG.error("modules of {} cannot be changed: {}", comm, failure.getMessage(), failure);
        }
        epochs.fail(failure);
        close();
    }

    /** Takes part in a round. */
    private void round() {
        final long begin = System.nanoTime();
        final long before = epochs.begun();
        try (LiveModules.Hold held = live().hold()) {
            final long[] newest = {held.newest()};
            comm.liveExchanges().combine(newest, Op.MAX);
            if (newest[0] != change()) {
                turnTo(held.of((int) newest[0]), before, begin);
            }
        }
    }

    private void turnTo(final JobModules modules, final long before, final long since) {
        final Epoch last = epochs.last();
        final CollTable table = new CollTable(comm, 0, last.table().preferred());
        boolean isUsed = false;
        try {
            if (comm.isInter()) {
                table.makeLocal(comm.liveExchanges(), modules);
            }
            table.select(modules, SelectionExchange.ofChange(comm, table, modules));
            final CanaryTrial trial = modules.trial();
            if (trial != null && !comm.isInter() && comm.size() > 1) {
                table.setCanary(Canary.begin(comm, modules, trial, persistent));
            }
            begin(table, before, since);
            isUsed = true;
        } finally {
            if (!isUsed) {
                table.release();
            }
        }
    }

    /** Agrees on the call with which the epoch of a table begins. */
    private void begin(final CollTable table, final long before, final long since) {
        final long elapsed = Math.max(1, System.nanoTime() - since);
        final long window = Math.round((double) (epochs.begun() - before) / elapsed * WINDOW_NANOS);
        final long prepared = epochs.proposePrepared();
        final long[] most = {prepared, epochs.propose(window), persistent.isEmpty() ? 0 : 1};
        comm.liveExchanges().combine(most, Op.MAX);
        final Canary canary = table.canary();
        if (canary != null && most[2] != 0) {
            canary.expectPersistent();
        }
        final Epoch next = epochs.replace(most[1], most[0], table);
        reached(table.change());
        if (most[2] != 0) {
            persistent.move(most[0], next);
        }
    }

    private void reached(final int change) {
        final List<Awaited> now = new ArrayList<>();
        synchronized (this) {
            awaited.stream().filter(a -> a.change() <= change).forEach(now::add);
            awaited.removeAll(now);
        }
        now.forEach(a -> a.reached().complete(null));
    }

    /** Begins no more rounds of its own; returns how many it has begun, of which one may run. */
    private synchronized long pause() {
        allowed = rounds;
        return rounds;
    }

    private synchronized long rounds() {
        return rounds;
    }

    /** Takes part in rounds that other ranks have begun; returns a stage that completes afterwards. */
    private synchronized CompletionStage<Void> catchUp(final long begunByAny) {
        allowed = begunByAny;
        proceed();
        return idle;
    }

    /** Settles the rounds, together with all ranks, and waits. No round begins until {@link #resume}. */
    void settle() {
        final long[] most = {pause()};
        comm.exchanges().combine(most, Op.MAX);
        epochs.await(catchUp(most[0]));
    }

    /** Allows rounds again. */
    synchronized void resume() {
        allowed = Long.MAX_VALUE;
        proceed();
    }

    /** Settles the rounds of a communicator that this rank has freed, when the others free it; does not wait. */
    void settleThen(final Runnable then) {
        final long[] most = {pause()};
        comm.bootstrap(ContextIds.FREED).allreduce(most, Op.MAX, SETTLING, new ScheduleExecution.CompletionListener() {
            @Override
            public @Nullable MpiFailure finished(final ScheduleExecution execution, final @Nullable MpiFailure failure) {
                return failure;
            }

            @Override
            public void afterCompletion(final ScheduleExecution execution, final @Nullable MpiFailure failure) {
                catchUp(failure == null ? most[0] : rounds()).thenRun(then);
            }
        });
    }

    /** Takes part in no round any more: those who wait for one go on. */
    void close() {
        synchronized (this) {
            isClosed = true;
        }
        reached(Integer.MAX_VALUE);
    }
}
