package tutti.runtime.registry;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;

/** A lease of modules of this node for a job: leased modules stay installed until the lease is closed. Safe for any thread. */
public interface Lease extends AutoCloseable {

    /** Returns the catalogue of the modules at the time when the lease was made. */
    Catalogue catalogue();

    /**
     * Releases all modules but the given ones, and returns the service objects of those, each the same in every call. One that is not needed and
     * cannot be created declines every communicator.
     *
     * @param modules the modules to keep
     * @param needed  those of them that must be usable
     * @throws IOException when a module is not leased, or a module that is needed cannot be created
     */
    List<OfferedModule> keep(List<ModuleId> modules, Collection<ModuleId> needed) throws IOException;

    /** Leases also the modules that the node offers now; returns their catalogue. */
    Catalogue extend();

    /** Releases all modules. Idempotent. */
    @Override
    void close();
}
