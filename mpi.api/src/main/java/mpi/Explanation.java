package mpi;

import java.util.List;

/**
 * Why a collective operation is served as it is on a communicator; an addition of Tutti's to the bindings. The same on every rank.
 *
 * @param operation in lower case, {@code reduce_scatter} for one
 * @param module    name and version of the module that serves it; null when none does
 * @param algorithm the module's algorithm; null when none serves
 * @param priority  of the module on the communicator
 * @param others    every other module that a node of the job holds
 */
public record Explanation(String operation, String module, String algorithm, int priority, List<Other> others) {

    /**
     * A module that does not serve the operation.
     *
     * @param module its name, and its version where that is known
     * @param reason why it does not, {@code missing on node c} for one
     */
    public record Other(String module, String reason) { }

    /** Copies the list. */
    public Explanation {
        others = List.copyOf(others);
    }

    static Explanation of(final tutti.runtime.select.Explanation e) {
        return new Explanation(e.operation(), e.module(), e.algorithm(), e.priority(),
            e.others().stream().map(o -> new Other(o.module(), o.reason())).toList());
    }

    /** A line that says what serves, and an indented line for each of the others. */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(operation).append("  ");
        if (module == null) {
            text.append("no module");
        } else {
            text.append(module).append(", algorithm ").append(algorithm).append(", priority ").append(priority);
        }
        others.forEach(o -> text.append("\n  not ").append(o.module()).append(": ").append(o.reason()));
        return text.toString();
    }
}
