package tutti.cli.report;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Canvas whose picture is SVG. */
final class SvgCanvas implements Canvas {
    private final StringBuilder svg = new StringBuilder();

    SvgCanvas(final int width, final int height) {
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\">\n"
            + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", width, height);
    }

    private void add(final String format, final Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    @Override
    public void line(final List<Position> corners, final int colour, final double width) {
        add("<polyline points=\"%s\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.1f\"/>\n", corners.stream()
            .map(c -> String.format(Locale.ROOT, "%.1f,%.1f", c.x(), c.y())).collect(Collectors.joining(" ")), colour, width);
    }

    @Override
    public void dot(final Position centre, final double radius, final int colour) {
        add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%06x\"/>\n", centre.x(), centre.y(), radius, colour);
    }

    @Override
    public void text(final Position at, final Alignment alignment, final double size, final boolean bold, final int colour, final String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%.0f\"%s fill=\"#%06x\">%s</text>\n", at.x(), at.y(),
            alignment.name().toLowerCase(Locale.ROOT), size, bold ? " font-weight=\"bold\"" : "", colour,
            text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    @Override
    public byte[] bytes() {
        return (svg + "</svg>\n").getBytes(StandardCharsets.UTF_8);
    }
}
