package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Current state of a store, in memory and on disk, which is replaced there first. Safe for any thread. */
final class CurrentState {
    private static final Logger LOG = LoggerFactory.getLogger(CurrentState.class);

    private final StateFile disk;
    private final boolean wasLost;
    private StoreState state;

    private CurrentState(final StateFile disk, final StoreState state, final boolean wasLost) {
        this.disk = disk;
        this.state = state;
        this.wasLost = wasLost;
    }

    /** Reads the state of the last run. A damaged file is set aside, and the store begins without modules. */
    static CurrentState ofLastRun(final Path folder, final StateFile.Steps steps) throws IOException {
        final StateFile disk = new StateFile(folder, steps);
        try {
            return new CurrentState(disk, disk.read(), false);
        } catch (final StateFile.DamagedException e) {
            final Path aside = disk.setAside();
            LOG.error("{}; it is set aside as {}, and modules that the other nodes have are fetched from them", e.getMessage(), aside.getFileName());
            return new CurrentState(disk, StoreState.empty(), true);
        }
    }

    /** Returns whether the state of the last run was damaged. */
    boolean wasLost() {
        return wasLost;
    }

    synchronized StoreState get() {
        return state;
    }

    /**
     * Makes a state the current one.
     *
     * @throws IOException when it cannot be written; then the old one is current
     */
    synchronized void replace(final StoreState next) throws IOException {
        disk.replace(next);
        state = next;
    }

    /**
     * Makes a state the current one, after those that may follow it are written.
     *
     * @throws IOException when one of them cannot be written; then the old one is current
     */
    synchronized void begin(final StoreState next, final StoreState... following) throws IOException {
        try {
            for (final StoreState f : following) {
                disk.reserve(f);
            }
            replace(next);
        } catch (final IOException e) {
            disk.release();
            throw e;
        }
    }

    /** Deletes states that were written in advance and are not needed any more. */
    synchronized void release() {
        disk.release();
    }
}
