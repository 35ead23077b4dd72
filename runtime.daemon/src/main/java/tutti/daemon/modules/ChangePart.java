package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;

/** A change of modules on this node. Its steps come one after the other, and the last is a settlement, whatever happens. */
final class ChangePart {
    private final ModuleStore store;
    private ModuleStore.Staged staged;
    private boolean settled;

    ChangePart(final ModuleStore store) {
        this.store = store;
    }

    synchronized Message.ChangeState prepare(final ModuleChange change, final Path file) {
        try {
            if (settled) {
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
        final ModuleStore.Staged mine = staged;
        settled = true;
        staged = null;
        try {
            if (mine != null && commit) {
                store.commit(mine);
            } else if (mine != null) {
                store.abort(mine);
            }
            return new Message.ChangeState(true, null, "");
        } catch (final IOException e) {
            return new Message.ChangeState(false, null, Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Message.ChangeState(false, null, "interrupted");
        }
    }
}
