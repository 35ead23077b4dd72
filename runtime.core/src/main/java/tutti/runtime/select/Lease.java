package tutti.runtime.select;

import java.io.IOException;
import java.util.List;

/** A job's hold on the modules of this node: what it holds stays installed until it is closed. Safe for any thread. */
public interface Lease extends AutoCloseable {

    /** What is held. */
    Catalogue catalogue();

    /**
     * Gives up everything but these, and gets them.
     *
     * @throws IOException when one is not held, or has gone all the same
     */
    List<OfferedModule> keep(List<ModuleId> modules) throws IOException;

    /** Gives up everything. Idempotent. */
    @Override
    void close();
}
