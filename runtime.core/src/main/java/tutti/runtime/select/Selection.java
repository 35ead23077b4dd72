package tutti.runtime.select;

import java.util.List;
import tutti.coll.Call;
import tutti.coll.CollInstance;
import tutti.coll.Operation;
import tutti.coll.Table;

/** Which module's algorithm serves which operation on one communicator. Immutable. */
public final class Selection {

    /**
     * What serves an operation.
     *
     * @param module the module
     * @param entry  its offer
     * @param <C>    the call of the operation
     */
    public record Chosen<C extends Call>(OfferedModule module, Table.Entry<C> entry) {
        @Override
        public String toString() {
            return "module " + module + ", algorithm " + entry.name();
        }
    }

    private final Chosen<?>[] chosen;
    private final List<CollInstance> instances;

    Selection(final Chosen<?>[] chosen, final List<CollInstance> instances) {
        this.chosen = chosen;
        this.instances = instances;
    }

    /** What serves the operation, or null. */
    @SuppressWarnings("unchecked")
    public <C extends Call> Chosen<C> of(final Operation<C> operation) {
        return (Chosen<C>) chosen[operation.ordinal()];
    }

    /** The modules on this communicator that were chosen for something. */
    public List<CollInstance> instances() {
        return instances;
    }
}
