package tutti.daemon.modules;

import tutti.runtime.select.ModuleId;

/**
 * A module in a node's store.
 *
 * @param id     which one
 * @param file   where its bundle is
 * @param status what it is there for
 */
record StoredModule(ModuleId id, String file, Status status) {

    /** What a stored module is there for. */
    enum Status {
        /** To be offered to jobs. */
        ACTIVE,
        /** To be brought back by a rollback. */
        PREVIOUS
    }
}
