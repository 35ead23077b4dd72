/**
 * What a trial of modules knows and decides: which bytes of a call are its results, whether two results are the same, and the verdict.
 *
 * <pre>{@code
 * Canary (package collective) -> RecvUse, ResultComparison -> Outcome         of one call, on one rank
 *                             -> CallClasses -> CallClass; CanaryReport       equal on all ranks
 * }</pre>
 */
@NullMarked
package tutti.runtime.canary;

import org.jspecify.annotations.NullMarked;
