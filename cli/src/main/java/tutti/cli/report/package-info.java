/**
 * Pictures, plots and progress bars.
 *
 * <pre>{@code
 * Plot.Point -> Plot -> DrawingBuilder -> Drawing -> SvgWriter (FILE.svg), PngWriter (FILE.png)
 * }</pre>
 */
@NullMarked
package tutti.cli.report;

import org.jspecify.annotations.NullMarked;
