package tutti.runtime.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Table of objects that the remote node refers to by number. A lookup takes no lock; {@code put} and {@code remove}, called once per long
 * message, take one.
 *
 * <p><b>Threads.</b> Safe for any thread. The store to an element publishes the object. The table is replaced under the lock; a lookup in the
 * replaced one finds what was there before.
 *
 * @param <T> type of the objects
 */
final class HandleTable<T> {
    private volatile AtomicReferenceArray<@Nullable T> table = new AtomicReferenceArray<>(16);
    private int[] free = new int[16];
    private int freeCount;
    private int used;

    synchronized int put(final T value) {
        final int slot = freeCount > 0 ? free[--freeCount] : used++;
        if (slot == table.length()) {
            grow();
        }
        table.set(slot, value);
        return slot;
    }

    private void grow() {
        final AtomicReferenceArray<@Nullable T> larger = new AtomicReferenceArray<>(2 * table.length());
        for (int i = 0; i < table.length(); i++) {
            larger.set(i, table.get(i));
        }
        table = larger;
        free = Arrays.copyOf(free, larger.length());
    }

    /** Returns the object with that number, or null. */
    @Nullable
    T get(final long slot) {
        final AtomicReferenceArray<@Nullable T> t = table;
        return slot < 0 || slot >= t.length() ? null : t.get((int) slot);
    }

    /** Removes and returns the object with that number; null when there is none. */
    synchronized @Nullable T remove(final long slot) {
        final T value = get(slot);
        if (value != null) {
            table.set((int) slot, null);
            free[freeCount++] = (int) slot;
        }
        return value;
    }

    /** Removes and returns all objects. */
    synchronized List<T> clear() {
        final List<T> all = new ArrayList<>();
        for (int i = 0; i < used; i++) {
            final T value = remove(i);
            if (value != null) {
                all.add(value);
            }
        }
        return all;
    }
}
