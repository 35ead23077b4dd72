package tutti.runtime.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Part of the state of a program, which the program has registered under a name. */
@FunctionalInterface
public interface StateItem {

    /**
     * Returns the bytes of the item; called at a checkpoint, on the rank's thread. They must not change until the checkpoint has been written.
     *
     * @throws IOException when the item cannot be written
     */
    MemorySegment save() throws IOException;
}
