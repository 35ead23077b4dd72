package tutti.daemon.modules;

import java.util.List;
import java.util.Objects;

/**
 * Record of a change that is prepared on a node and not decided there. It holds what each outcome leads to, so that a node which is restarted
 * computes nothing.
 *
 * @param id        id of the change
 * @param nodes     names of all nodes of the change
 * @param phase     {@code PREPARED}, {@code COMMITTED} or {@code UNDONE}
 * @param before    state without the change
 * @param committed state with the new module beside those that it replaces
 * @param after     state after the change
 */
record UnfinishedChange(String id, List<String> nodes, ChangePhase phase, StoreState before, StoreState committed, StoreState after) {
    UnfinishedChange {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(phase, "phase");
        Objects.requireNonNull(before, "before");
        Objects.requireNonNull(committed, "committed");
        Objects.requireNonNull(after, "after");
        nodes = List.copyOf(nodes);
    }

    /** Returns the record in another phase. */
    UnfinishedChange in(final ChangePhase next) {
        return new UnfinishedChange(id, nodes, next, before, committed, after);
    }
}
