/**
 * Decisions of tuning on live calls: which algorithm serves the next call of a trial, which one is the fastest, and when its time has drifted. They
 * depend on nothing but times that all ranks know, so all ranks decide alike.
 *
 * <pre>{@code
 * Trial -> Samples; DriftWatch
 * }</pre>
 */
@NullMarked
package tutti.runtime.tuning;

import org.jspecify.annotations.NullMarked;
