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
public final class MemoryStorage implements CheckpointStorage {
    /** The state of a rank, and the steps that fail. */
    private record Stored(int ranks, long point, Map<String, byte[]> data, List<String> failing) implements StoredRank {
        @Override
        public Map<String, Long> items() {
            final Map<String, Long> items = new LinkedHashMap<>();
            data.forEach((name, bytes) -> items.put(name, (long) bytes.length));
            return items;
        }

        @Override
        public void read(final String name, final MemorySegment into) throws IOException {
            check("read " + name, failing);
            MemorySegment.copy(MemorySegment.ofArray(data.get(name)), 0, into, 0, data.get(name).length);
        }
    }

    private final TreeMap<Integer, Map<Integer, Stored>> written = new TreeMap<>();
    private final TreeSet<Integer> complete = new TreeSet<>();
    private final int restored;
    private final List<String> failing = new CopyOnWriteArrayList<>();

    /** Creates the storage of a job that starts from the beginning. */
    public MemoryStorage() {
        restored = 0;
    }

    /** Creates the storage of a job that continues from the newest checkpoint of another one. */
    public MemoryStorage(final MemoryStorage before) {
        written.putAll(before.written);
        complete.addAll(before.complete);
        restored = complete.last();
    }

    /** Makes a step fail: {@code write R} for a rank, {@code complete}, or {@code read NAME} for an item. */
    MemoryStorage failAt(final String step) {
        failing.add(step);
        return this;
    }

    void repair() {
        failing.clear();
    }

    /** Returns the numbers of the complete checkpoints. */
    public synchronized List<Integer> complete() {
        return List.copyOf(complete);
    }

    synchronized int written() {
        return written.size();
    }

    private static void check(final String step, final List<String> failing) throws IOException {
        if (failing.contains(step)) {
            throw new IOException("the disk has failed: " + step);
        }
    }

    @Override
    public int restored() {
        return restored;
    }

    @Override
    public synchronized StoredRank restored(final int rank) {
        final Stored state = restored == 0 ? null : written.get(restored).get(rank);
        return state == null ? null : new Stored(state.ranks, state.point, state.data, failing);
    }

    @Override
    public synchronized List<Integer> held(final int number, final long point) {
        return written.getOrDefault(number, Map.of()).entrySet().stream().filter(e -> e.getValue().point() == point).map(Map.Entry::getKey).toList();
    }

    @Override
    public synchronized StoredRank stored(final int number, final long point, final int rank, final int ranks) throws IOException {
        check("restore " + rank, failing);
        return written.get(number).get(rank);
    }

    @Override
    public synchronized void write(final int number, final SavedRank state) throws IOException {
        check("write " + state.rank(), failing);
        if (!complete.isEmpty() && number <= complete.last()) {
            throw new IOException("number is too small: " + number);
        }
        final Map<String, byte[]> data = new LinkedHashMap<>();
        state.items().forEach(i -> data.put(i.name(), i.data().toArray(ValueLayout.JAVA_BYTE)));
        written.computeIfAbsent(number, n -> new TreeMap<>()).put(state.rank(), new Stored(state.ranks(), state.point(), data, failing));
    }

    @Override
    public synchronized void complete(final int number) throws IOException {
        check("complete", failing);
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
