package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;

/** Change of modules on this node. Its steps are called one after the other; the last one is always {@link #close}. */
final class LocalChange {
    private final ModuleStore store;
    private ModuleStore.Staged staged;
    private boolean settled;
    private boolean closed;

    LocalChange(final ModuleStore store) {
        this.store = store;
    }

    synchronized Message.ChangeState prepare(final ModuleChange change, final Path file) {
        try {
            if (settled || closed) {
                throw new IOException("the change was cancelled");
            }
            staged = store.prepare(change, file);
            return new Message.ChangeState(true, staged.id(), staged.unproved() == null ? "" : staged.unproved());
        } catch (final IOException | RuntimeException e) {
            return new Message.ChangeState(false, null, Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Message.ChangeState(false, null, "interrupted");
        }
    }

    /** Commits or aborts the prepared change; has no effect the second time. */
    synchronized Message.ChangeState settle(final boolean commit) {
        final boolean first = !settled && staged != null;
        settled = true;
        try {
            if (first && commit) {
                store.commit(staged);
            } else if (first) {
                store.abort(staged);
            }
            return new Message.ChangeState(true, null, "");
        } catch (final IOException e) {
            return new Message.ChangeState(false, null, Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Message.ChangeState(false, null, "interrupted");
        }
    }

    /** Undoes a change that was not committed, and allows the next change to begin. */
    synchronized void close() {
        settle(false);
        if (staged != null && !closed) {
            store.endChange();
        }
        closed = true;
    }
}
