package tutti.runtime.match;

import java.util.Arrays;

/** What a thread still has to visit, so that work which brings work elsewhere does not nest. One per thread. */
final class Progress {
    private static final ThreadLocal<Progress> CURRENT = ThreadLocal.withInitial(Progress::new);

    boolean active;
    private Serial[] todo = new Serial[8];
    private int count;

    private Progress() { }

    static Progress current() {
        return CURRENT.get();
    }

    void later(final Serial serial) {
        if (count == todo.length) {
            todo = Arrays.copyOf(todo, 2 * count);
        }
        todo[count++] = serial;
    }

    void visitAll() {
        while (count > 0) {
            final Serial serial = todo[--count];
            todo[count] = null;
            serial.drain();
        }
    }
}
