/**
 * How the ranks of a job learn at which point of the program they save their states, and where to.
 */
@NullMarked
package tutti.runtime.checkpoint.agreement;

import org.jspecify.annotations.NullMarked;
