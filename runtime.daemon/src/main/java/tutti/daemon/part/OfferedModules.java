package tutti.daemon.part;

import java.util.List;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;

/**
 * The modules that a node offers, for its job JVMs.
 *
 * @param catalogue the modules
 * @param sources   where their bundles are, in the order of the catalogue
 * @param added     those of them that were installed on the node
 */
record OfferedModules(Catalogue catalogue, List<String> sources, List<ModuleId> added) {
    /** Copies the lists. */
    OfferedModules {
        sources = List.copyOf(sources);
        added = List.copyOf(added);
        if (sources.size() != catalogue.modules().size()) {
            // Cause: the job ended while a part of it was prepared.
            throw new IllegalArgumentException("not one source per module: modules=" + catalogue.modules().size() + ", sources="
                + sources.size());
        }
    }
}
