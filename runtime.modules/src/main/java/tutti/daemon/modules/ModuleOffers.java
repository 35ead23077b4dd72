package tutti.daemon.modules;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import tutti.runtime.module.ModuleId;

/** What the modules of this node offer, as far as a node can tell without a communicator. Safe for any thread. */
public interface ModuleOffers {

    /** Returns the ids of the operations that a module declares; empty for a module that this node does not offer. */
    Set<String> operations(ModuleId module);

    /**
     * Returns the names of a module's algorithms by the id of the operation; empty when this node does not offer the module, or the module fails.
     * Runs the module's code. Blocks, for seconds at most.
     *
     * @param parameters of the job, dotted name to value
     */
    SortedMap<String, List<String>> algorithms(ModuleId module, Map<String, String> parameters) throws InterruptedException;
}
