package tutti.runtime.registry;

/** Provides the modules of this node to jobs. */
public interface ModuleProvider {

    /** Leases all modules that this node offers now. */
    Lease lease();
}
