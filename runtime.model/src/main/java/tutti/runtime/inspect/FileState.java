package tutti.runtime.inspect;

import java.util.List;

/**
 * A file that a rank has open, at a moment.
 *
 * @param path       its path
 * @param mode       its access mode, for example {@code CREATE|RDWR}
 * @param pointer    the rank's pointer, in elements of its view; {@link #NO_POINTER} in sequential mode
 * @param etypeBytes bytes of such an element
 * @param isAtomic   whether the file is in atomic mode
 * @param pending    calls that began an access which is not complete, the oldest first, and before them the begin of one in two calls that has not
 *                   been ended; not all if there are many
 */
public record FileState(String path, String mode, long pointer, long etypeBytes, boolean isAtomic, List<String> pending) {
    /** The pointer of a rank that has none of its own. */
    public static final long NO_POINTER = -1;

    /** Copies the list. */
    public FileState {
        pending = List.copyOf(pending);
    }
}
