/**
 * Progress bars and plots for the commands that measure.
 *
 * <pre>{@code
 * Plot.Point -> Plot -> Canvas: SvgCanvas (FILE.svg), PngCanvas (FILE.png)
 * }</pre>
 */
@NullMarked
package tutti.cli.report;

import org.jspecify.annotations.NullMarked;
