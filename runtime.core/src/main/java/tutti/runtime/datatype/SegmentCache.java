package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;

/**
 * Remembers the segments of the buffers used last, so that a program that uses the same few again and again makes no garbage.
 *
 * <p>One per rank. Holds buffers and segments weakly: it pins no memory, and a segment is made anew after a collection. Threads may
 * share it; at worst they make a segment twice.
 */
public final class SegmentCache {
    private static final int ENTRIES = 8;

    private final Entry[] entries = new Entry[ENTRIES];
    private int next;

    /** The memory behind a buffer as {@link Memory#of} gives it; what is staged there is copied each time. */
    public MemorySegment of(final Object buffer) {
        for (final Entry entry : entries) {
            if (entry != null && entry.buffer.refersTo(buffer)) {
                final MemorySegment memory = entry.memory.get();
                if (memory != null && buffer != null) {
                    return memory;
                }
            }
        }
        return remember(buffer, Memory.of(buffer));
    }

    private MemorySegment remember(final Object buffer, final MemorySegment memory) {
        if (!Memory.isStaged(buffer) && buffer != memory) {
            final int slot = next;
            entries[slot] = new Entry(new WeakReference<>(buffer), new WeakReference<>(memory));
            next = (slot + 1) % ENTRIES;
        }
        return memory;
    }

    /** A segment refers to its array, so it must be weak as well. */
    private record Entry(WeakReference<Object> buffer, WeakReference<MemorySegment> memory) {
    }
}
