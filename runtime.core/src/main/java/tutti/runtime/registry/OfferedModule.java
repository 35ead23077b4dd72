package tutti.runtime.registry;

import tutti.coll.CollModule;
import tutti.runtime.module.ModuleId;

/**
 * A module that a job may use on this node.
 *
 * @param id     identity of the module
 * @param module its service object
 */
public record OfferedModule(ModuleId id, CollModule module) {
    @Override
    public String toString() {
        return id.toString();
    }
}
