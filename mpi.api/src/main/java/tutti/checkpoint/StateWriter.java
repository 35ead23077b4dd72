package tutti.checkpoint;

import java.io.DataOutputStream;
import java.io.IOException;

/** Writes state of a program at a checkpoint; the {@link StateReader} of the same name reads it. */
@FunctionalInterface
public interface StateWriter {
    /**
     * Writes the state.
     *
     * @throws IOException when it cannot be written; there is no checkpoint then, and the program goes on
     */
    void write(DataOutputStream out) throws IOException;
}
