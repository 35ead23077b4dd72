package tutti.runtime.process;

import java.io.File;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * The files that a rank deletes when it ends, with the rules of {@link File#deleteOnExit}. Safe for any thread.
 *
 * <p><b>Threads.</b> The lock of this object guards both fields; no file is deleted under it.
 */
final class FilesDeletedAtExit {
    private final SequencedSet<String> paths = new LinkedHashSet<>();
    private boolean closed;

    synchronized void add(final String path) {
        if (closed) {
            throw new IllegalStateException("shutdown in progress");
        }
        paths.add(path);
    }

    /** Deletes the files, the latest first. From now on none can be added. */
    void delete() {
        close().forEach(path -> new File(path).delete());
    }

    private synchronized SequencedSet<String> close() {
        closed = true;
        final SequencedSet<String> latestFirst = new LinkedHashSet<>(paths.reversed());
        paths.clear();
        return latestFirst;
    }
}
