package tutti.runtime.collective;

import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.match.ContextPurge;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.ScheduleExecution;

/**
 * Deferred release of a freed communicator: waits for pending operations, releases modules, drops unexpected messages, then notifies the leader.
 * When all ranks have notified the leader, it may allot the context id again.
 *
 * <p>The release proceeds without a waiting thread; as a request it is complete when no operation is pending on this rank. A collective that
 * failed is not pending; the messages that it left are dropped like any unexpected message.
 */
final class DeferredCommFree extends Request implements ScheduleExecution.CompletionListener {
    private final CollectiveEngine engine;
    private final CommContext comm;
    private final Runnable released;

    private DeferredCommFree(final CollectiveEngine engine, final Runnable released) {
        super(engine.comm().owner().lifecycle());
        this.engine = engine;
        this.comm = engine.comm();
        this.released = released;
    }

    /** Starts the release when the collectives of a communicator are complete; calls back when its modules are released. */
    static DeferredCommFree start(final CollectiveEngine engine, final Runnable released) {
        final DeferredCommFree free = new DeferredCommFree(engine, released);
        free.comm.pending().close(free::collectivesDone);
        return free;
    }

    private void collectivesDone() {
        engine.settle(this::settled);
    }

    private void settled() {
        engine.release();
        comm.locality().leaveRegion();
        engine.tables().forEach(DeferredCommFree::freeHidden);
        released.run();
        comm.owner().mailbox().submit(new ContextPurge(comm.id(), comm.id() + ContextIds.FREED, this::purged));
    }

    /** Frees the hidden communicators of a table that is released. */
    static void freeHidden(final CollTable table) {
        final Canary canary = table.canary();
        if (canary != null) {
            canary.free();
        }
        for (final SubCommunicator sub : table.subs()) {
            if (!table.isDuplicated(sub)) {
                start(sub.engine(), () -> {
                    // the outer communicator is the one that the rank remembers
                });
            } else {
                // the leader of the duplicate frees the context id with its own
                final CommContext hidden = sub.engine().comm();
                hidden.locality().leaveRegion();
                hidden.forgetLost();
                hidden.owner().mailbox().submit(new ContextPurge(hidden.id(), hidden.id() + ContextIds.FREED));
            }
        }
    }

    private void purged() {
        comm.bootstrap(ContextIds.FREED).arrive(0, this);
        finish(null);
    }

    @Override
    public @Nullable MpiFailure finished(final ScheduleExecution execution, final @Nullable MpiFailure failure) {
        comm.forgetLost();
        if (failure == null && comm.members().index() == 0) {
            comm.owner().contexts().free(comm.id());
            for (final long context : engine.hiddenOfDuplicate()) {
                comm.owner().contexts().free(context);
            }
        }
        return failure;
    }

    @Override
    public void afterCompletion(final ScheduleExecution execution, final @Nullable MpiFailure failure) {
        // the execution is not used again
    }

    @Override
    public Pending pendingOperation() {
        return Pending.ofAll(PendingWait.Kind.RELEASE, comm.id(), -1);
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
