package tutti.runtime.module;

/** The catalogue of this node: the modules that it offers at any time. Published as a service of the node. Safe for any thread. */
public interface NodeCatalogue {

    /** Returns the modules that this node offers now. */
    Catalogue catalogue();
}
