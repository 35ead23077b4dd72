/** An exchange of numbers by which a collective call succeeds on all ranks or on none. Windows and files use it. */
@NullMarked
package tutti.runtime.exchange;

import org.jspecify.annotations.NullMarked;
