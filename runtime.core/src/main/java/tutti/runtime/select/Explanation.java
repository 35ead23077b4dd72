package tutti.runtime.select;

import java.util.List;

/**
 * Why an operation is served as it is on a communicator.
 *
 * @param operation id of the operation
 * @param module    the module that serves it, name and version; null when none does
 * @param algorithm its algorithm; null when none does
 * @param priority  of the module
 * @param others    every other module that a node of the job holds, and why it does not serve
 */
public record Explanation(String operation, String module, String algorithm, int priority, List<LeftOut> others) {
    /** Copies the list. */
    public Explanation {
        others = List.copyOf(others);
    }
}
