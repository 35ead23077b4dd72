package tutti.runtime.registry;

import java.io.IOException;
import java.util.List;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;

/** A lease of modules of this node for a job: leased modules stay installed until the lease is closed. Safe for any thread. */
public interface Lease extends AutoCloseable {

    /** Returns the catalogue of the modules at the time when the lease was made. */
    Catalogue catalogue();

    /**
     * Releases all modules but the given ones, and returns the service objects of those.
     *
     * @throws IOException when a module is not leased, or was removed nevertheless
     */
    List<OfferedModule> keep(List<ModuleId> modules) throws IOException;

    /** Releases all modules. Idempotent. */
    @Override
    void close();
}
