package tutti.runtime.select;

/** Where jobs get their modules from. */
public interface ModuleProvider {

    /** What is offered now. */
    Catalogue catalogue();

    /** Holds every module that is active now. */
    Lease lease();
}
