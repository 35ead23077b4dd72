package tutti.coll.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class MemoryOrderTest {
    private final MemoryOrder memory = new MemoryOrder();

    private Set<Integer> read(final long start, final long end, final int task) {
        final Set<Integer> before = new TreeSet<>();
        memory.read(start, end, task, before::add);
        return before;
    }

    private Set<Integer> write(final long start, final long end, final int task) {
        final Set<Integer> before = new TreeSet<>();
        memory.write(start, end, task, before::add);
        return before;
    }

    @Test
    void shouldOrderAReadAfterTheWritersOfItsParts() {
        write(0, 10, 0);
        write(20, 30, 1);
        assertEquals(Set.of(0, 1), read(5, 25, 2));
        assertEquals(Set.of(), read(10, 20, 3));
    }

    @Test
    void shouldOrderAWriteAfterTheReadersSinceTheLastWrite() {
        write(0, 10, 0);
        read(0, 5, 1);
        read(2, 8, 2);
        assertEquals(Set.of(1, 2), write(0, 7, 3));
        assertEquals(Set.of(0, 2, 3), write(0, 10, 4));
        assertEquals(Set.of(4), write(9, 11, 5));
    }

    /** Compares with one entry per byte. */
    @Test
    void shouldKnowTheLastAccessesOfEveryByte() {
        final Random random = new Random(7);
        final int bytes = 200;
        final int[] writer = new int[bytes];
        final List<Set<Integer>> readers = new ArrayList<>();
        for (int i = 0; i < bytes; i++) {
            writer[i] = -1;
            readers.add(new TreeSet<>());
        }
        for (int task = 0; task < 20_000; task++) {
            final int start = random.nextInt(bytes);
            final int end = Math.min(bytes, start + 1 + random.nextInt(random.nextInt(8) == 0 ? bytes : 12));
            final boolean writes = random.nextInt(3) == 0;
            final Set<Integer> expected = new TreeSet<>();
            for (int i = start; i < end; i++) {
                if (writes && !readers.get(i).isEmpty()) {
                    expected.addAll(readers.get(i));
                } else if (writer[i] >= 0) {
                    expected.add(writer[i]);
                }
                if (writes) {
                    writer[i] = task;
                    readers.get(i).clear();
                } else {
                    readers.get(i).add(task);
                }
            }
            assertEquals(expected, writes ? write(start, end, task) : read(start, end, task), "task=" + task);
        }
    }
}
