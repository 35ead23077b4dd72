package tutti.runtime.select;

import tutti.coll.CollModule;

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
