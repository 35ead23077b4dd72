/**
 * What commands that measure show: their progress, and plots. Independent of what is measured.
 *
 * <pre>{@code
 * Plot.Point -> Plot -> Canvas: SvgCanvas (FILE.svg), PngCanvas (FILE.png)
 * }</pre>
 */
@NullMarked
package tutti.cli.report;

import org.jspecify.annotations.NullMarked;
