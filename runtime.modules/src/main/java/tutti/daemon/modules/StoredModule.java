package tutti.daemon.modules;

import tutti.runtime.module.ModuleId;

/**
 * Module in a node's store.
 *
 * @param id     id of the module
 * @param file   path of its bundle
 * @param status use of the module
 */
record StoredModule(ModuleId id, String file, Status status) {

    /** Uses of a stored module. */
    enum Status {
        /** The module is offered to jobs. */
        ACTIVE,
        /** The module is kept to be restored by a rollback. */
        PREVIOUS
    }
}
