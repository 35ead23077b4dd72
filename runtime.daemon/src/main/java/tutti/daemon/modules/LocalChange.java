package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;

/** A change of modules on this node. Its steps come one after the other; the last is {@link #close}, whatever happens. */
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
                throw new IOException("the change was given up");
            }
            staged = store.prepare(change, file);
            return new Message.ChangeState(true, staged.id(), "");
        } catch (final IOException | RuntimeException e) {
            return new Message.ChangeState(false, null, Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Message.ChangeState(false, null, "interrupted");
        }
    }

    /** Commits or aborts what was prepared; does nothing the second time. */
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

    /** Undoes what was not committed, and lets the next change begin. */
    synchronized void close() {
        settle(false);
        if (staged != null && !closed) {
            store.finish();
        }
        closed = true;
    }
}
