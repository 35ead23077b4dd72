/** What the ranks of a call tell each other that succeeds on all of them or on none: windows and files are created so, and files accessed. */
@NullMarked
package tutti.runtime.exchange;

import org.jspecify.annotations.NullMarked;
