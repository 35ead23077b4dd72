package tutti.runtime.select;

/** Provides the modules of this node to jobs. */
public interface ModuleProvider {

    /** Returns the modules that this node offers now. */
    Catalogue catalogue();

    /** Leases all modules that this node offers now. */
    Lease lease();
}
