package tutti.runtime.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Objects that the other side names by a number. Looking one up takes no lock; putting and removing, once per long message, does.
 *
 * @param <T> what is named
 */
final class HandleTable<T> {
    private volatile AtomicReferenceArray<T> table = new AtomicReferenceArray<>(16);
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
        final AtomicReferenceArray<T> larger = new AtomicReferenceArray<>(2 * table.length());
        for (int i = 0; i < table.length(); i++) {
            larger.set(i, table.get(i));
        }
        table = larger;
        free = Arrays.copyOf(free, larger.length());
    }

    /** What that number names, or null. */
    T get(final long slot) {
        final AtomicReferenceArray<T> t = table;
        return slot < 0 || slot >= t.length() ? null : t.get((int) slot);
    }

    /** Takes it out; null when the number names nothing. */
    synchronized T remove(final long slot) {
        final T value = get(slot);
        if (value != null) {
            table.set((int) slot, null);
            free[freeCount++] = (int) slot;
        }
        return value;
    }

    /** Takes all out. */
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
