package tutti.runtime.checkpoint.store;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * The state of one rank at a checkpoint, to be written.
 *
 * @param rank  the rank in the job
 * @param ranks number of ranks of the job
 * @param point number of the point in the program at which all ranks saved their states
 * @param items the data; no two have the same name
 */
public record SavedRank(int rank, int ranks, long point, List<Item> items) {

    /**
     * Named bytes.
     *
     * @param name the name, any text of at most 1,000 characters
     * @param data the bytes, of any length
     */
    public record Item(String name, MemorySegment data) {
        /** Checks that the data is present. */
        public Item {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(data, "data");
        }
    }

    /** Copies the list. */
    public SavedRank {
        items = List.copyOf(items);
    }

    /** Returns the number of bytes of all items. */
    public long bytes() {
        return items.stream().mapToLong(i -> i.data().byteSize()).sum();
    }
}
