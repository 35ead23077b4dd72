package tutti.checkpoint;

import java.io.DataInputStream;
import java.io.IOException;

/** Reads what a {@link StateWriter} has written, when the program continues from a checkpoint. */
@FunctionalInterface
public interface StateReader {
    /**
     * Reads the state.
     *
     * @throws IOException when it cannot be read; the program fails then
     */
    void read(DataInputStream in) throws IOException;
}
