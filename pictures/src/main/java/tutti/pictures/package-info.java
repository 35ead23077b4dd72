/**
 * Pictures and plots, as SVG and PNG.
 *
 * <pre>{@code
 * Plot.Point -> Plot -> DrawingBuilder -> Drawing -> SvgWriter (FILE.svg), PngWriter (FILE.png)
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.pictures;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
