package tutti.runtime.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;

/** Keeps checkpoints in memory, for the ranks of all nodes of a job and of the jobs that continue it. */
final class MemoryStorage implements CheckpointStorage {
    /** The state of a rank. */
    private record Stored(int ranks, long point, Map<String, byte[]> data) implements StoredRank {
        @Override
        public Map<String, Long> items() {
            final Map<String, Long> items = new LinkedHashMap<>();
            data.forEach((name, bytes) -> items.put(name, (long) bytes.length));
            return items;
        }

        @Override
        public void read(final String name, final MemorySegment into) {
            MemorySegment.copy(MemorySegment.ofArray(data.get(name)), 0, into, 0, data.get(name).length);
        }
    }

    private final TreeMap<Integer, Map<Integer, Stored>> written = new TreeMap<>();
    private final TreeSet<Integer> complete = new TreeSet<>();
    private final int restored;
    private final List<String> failing = new CopyOnWriteArrayList<>();

    MemoryStorage() {
        restored = 0;
    }

    /** Creates the storage of a job that continues from the newest checkpoint of another one. */
    MemoryStorage(final MemoryStorage before) {
        written.putAll(before.written);
        complete.addAll(before.complete);
        restored = complete.last();
    }

    /** Makes a step fail: {@code write R} for a rank, or {@code complete}. */
    MemoryStorage failAt(final String step) {
        failing.add(step);
        return this;
    }

    void repair() {
        failing.clear();
    }

    synchronized List<Integer> complete() {
        return List.copyOf(complete);
    }

    synchronized int written() {
        return written.size();
    }

    private void check(final String step) throws IOException {
        if (failing.contains(step)) {
            throw new IOException("no space left: " + step);
        }
    }

    @Override
    public int restored() {
        return restored;
    }

    @Override
    public synchronized StoredRank restored(final int rank) {
        return restored == 0 ? null : written.get(restored).get(rank);
    }

    @Override
    public synchronized void write(final int number, final SavedRank state) throws IOException {
        check("write " + state.rank());
        if (!complete.isEmpty() && number <= complete.last()) {
            throw new IOException("number is too small: " + number);
        }
        final Map<String, byte[]> data = new LinkedHashMap<>();
        state.items().forEach(i -> data.put(i.name(), i.data().toArray(ValueLayout.JAVA_BYTE)));
        written.computeIfAbsent(number, n -> new TreeMap<>()).put(state.rank(), new Stored(state.ranks(), state.point(), data));
    }

    @Override
    public synchronized void complete(final int number) throws IOException {
        check("complete");
        if (written.get(number).size() != written.get(number).get(0).ranks()) {
            throw new IOException("ranks are missing: " + written.get(number).keySet());
        }
        complete.add(number);
    }

    @Override
    public synchronized void discard(final int number) {
        written.remove(number);
    }

    @Override
    public synchronized void removeOlder(final int number) {
        written.headMap(number).clear();
        complete.headSet(number).clear();
    }
}
