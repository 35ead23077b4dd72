package tutti.runtime.wire;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Objects that one thread takes, to use them again, and any thread gives back.
 *
 * @param <T> type of the objects
 */
final class FreeList<T extends FreeList.Item<T>> {
    /** Objects that were given back, as a stack of which all are taken at once. */
    private final AtomicReference<@Nullable T> returned = new AtomicReference<>();
    /** Objects for the thread that takes them. */
    private @Nullable T free;

    /** An object that has a place for the next one of its list. */
    interface Item<T> {
        /** Returns the next object of the list. */
        @Nullable
        T nextFree();

        /** Sets the next object of the list. */
        void setNextFree(@Nullable T next);
    }

    /** Returns an object; null when all are used. For one thread at a time. */
    @Nullable
    T take() {
        if (free == null && returned.getPlain() != null) {
            free = returned.getAndSet(null);
        }
        final T taken = free;
        if (taken != null) {
            free = taken.nextFree();
            taken.setNextFree(null);
        }
        return taken;
    }

    /** Gives an object back. Any thread. */
    void give(final T item) {
        T top;
        do {
            top = returned.getPlain();
            item.setNextFree(top);
        } while (!returned.compareAndSet(top, item));
    }
}
