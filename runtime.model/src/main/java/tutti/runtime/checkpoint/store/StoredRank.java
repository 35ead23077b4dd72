package tutti.runtime.checkpoint.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/** The state of one rank at a checkpoint, as it was written. For one thread at a time. */
@ConsumerType
public interface StoredRank {

    /** Returns the number of ranks that the job had. */
    int ranks();

    /** Returns the number of the point in the program at which the state was saved. */
    long point();

    /** Returns the lengths of the items in bytes, by name, in the order in which they were written. */
    Map<String, Long> items();

    /**
     * Reads an item.
     *
     * @param name its name
     * @param into receives the bytes; as long as the item
     * @throws IOException when the item cannot be read, or its bytes are not those that were written
     */
    void read(String name, MemorySegment into) throws IOException;
}
