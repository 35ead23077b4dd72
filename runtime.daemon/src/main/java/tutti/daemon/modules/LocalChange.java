package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;

/**
 * Change of modules on this node, as its coordinator leads it. Its steps are called one after the other; the last one is always {@link #close}, after
 * which a change that is not decided is left to the {@link ChangeSettlement}.
 */
final class LocalChange {
    private final ModuleStore store;
    private boolean begun;
    private volatile boolean cancelled;

    LocalChange(final ModuleStore store) {
        this.store = store;
    }

    synchronized Message.ChangeState prepare(final String id, final List<String> nodes, final ModuleChange change, final Path file) {
        try {
            checkNotCancelled();
            final ModuleStore.Staged staged = store.prepare(id, nodes, change, file);
            begun = true;
            if (cancelled) {
                // the coordinator has not heard that it is prepared, so no node commits it
                store.undo();
            }
            checkNotCancelled();
            return new Message.ChangeState(true, staged.id(), staged.replaced(), staged.unproved() == null ? "" : staged.unproved());
        } catch (final IOException | RuntimeException e) {
            return Message.ChangeState.failed(Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return Message.ChangeState.failed("interrupted");
        }
    }

    private void checkNotCancelled() throws IOException {
        if (cancelled) {
            throw new IOException("the change was cancelled");
        }
    }

    /** Carries out a step of the prepared change. When nothing is prepared, there is nothing to undo, and other steps fail. */
    synchronized Message.ChangeState settle(final Message.ChangeStep step) {
        try {
            if (step == Message.ChangeStep.UNDO) {
                cancelled = true;
            }
            if (begun) {
                switch (step) {
                    case COMMIT -> store.commit();
                    case FINISH -> store.finish();
                    case UNDO -> store.undo();
                }
            } else if (step != Message.ChangeStep.UNDO) {
                throw new IOException("the change is not prepared");
            }
            return Message.ChangeState.ok();
        } catch (final IOException | RuntimeException e) {
            return Message.ChangeState.failed(Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return Message.ChangeState.failed("interrupted");
        }
    }

    /** Cancels a preparation that is in progress or has not begun. Does not block. */
    void cancel() {
        cancelled = true;
    }

    /** Ends the lead of the coordinator: allows the next change to begin, or leaves this one to the settlement. */
    synchronized void close() {
        cancelled = true;
        if (begun) {
            begun = false;
            store.endLead();
        }
    }
}
