package tutti.pictures;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writer of pictures as SVG. For one picture. */
final class SvgWriter {
    /** Width in pixels within which the mouse shows the tip of a line. */
    private static final int REACH = 6;

    private final StringBuilder svg = new StringBuilder();

    private SvgWriter() {}

    static String write(final Drawing drawing) {
        final SvgWriter writer = new SvgWriter();
        writer.add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>%n".replace("%n", "\n"));
        writer.add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
            + "font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\">\n", drawing.width(), drawing.height(), drawing.width(), drawing.height());
        writer.add("<title>%s</title>\n", escaped(drawing.title()));
        writer.add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", drawing.width(), drawing.height());
        drawing.shapes().forEach(writer::shape);
        return writer.svg.append("</svg>\n").toString();
    }

    private void add(final String format, final Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    private void shape(final Drawing.Shape shape) {
        switch (shape) {
            case Drawing.Box b -> add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" fill=\"#%06x\" stroke=\"#%06x\"%s\n",
                b.x(), b.y(), b.width(), b.height(), b.radius(), b.fill(), b.stroke(), end("rect", b));
            case Drawing.Line l -> line(l);
            case Drawing.Mark m -> mark(m);
            case Drawing.Text t -> add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%.1f\"%s fill=\"#%06x\">%s</text>\n", t.at().x(),
                t.at().y(), t.alignment().name().toLowerCase(Locale.ROOT), t.size(), t.bold() ? " font-weight=\"bold\"" : "", t.colour(),
                escaped(t.text()));
        }
    }

    /** Returns the end of an element, with the tip as its title. */
    private static String end(final String element, final Drawing.Shape shape) {
        return shape.tip().isEmpty() ? "/>" : "><title>" + escaped(shape.tip()) + "</title></" + element + ">";
    }

    private void line(final Drawing.Line l) {
        add("<polyline points=\"%s\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.1f\"%s/>\n", points(l.corners()), l.colour(), l.width(),
            switch (l.dash()) {
                case SOLID -> "";
                case DASHED -> " stroke-dasharray=\"6 3\"";
                case DOTTED -> " stroke-dasharray=\"2 3\"";
            });
        if (l.arrow()) {
            add("<polygon points=\"%s\" fill=\"#%06x\"/>\n", points(l.head()), l.colour());
        }
        if (!l.tip().isEmpty()) {
            // a thin line is hard to hit with the mouse
            add("<polyline points=\"%s\" fill=\"none\" stroke=\"#000000\" stroke-opacity=\"0\" stroke-width=\"%d\"%s\n", points(l.corners()), REACH,
                end("polyline", l));
        }
    }

    private void mark(final Drawing.Mark m) {
        final int fill = m.hollow() ? Palette.WHITE : m.colour();
        if (m.form() == Drawing.Form.CIRCLE) {
            add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%06x\" stroke=\"#%06x\"%s\n", m.centre().x(), m.centre().y(), m.radius(), fill,
                m.colour(), end("circle", m));
        } else {
            add("<polygon points=\"%s\" fill=\"#%06x\" stroke=\"#%06x\"%s\n", points(m.corners()), fill, m.colour(), end("polygon", m));
        }
    }

    private static String points(final List<Drawing.Position> corners) {
        return corners.stream().map(c -> String.format(Locale.ROOT, "%.1f,%.1f", c.x(), c.y())).collect(Collectors.joining(" "));
    }

    private static String escaped(final String text) {
        final StringBuilder out = new StringBuilder();
        for (final char c : text.toCharArray()) {
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                // XML has no other control characters
                default -> out.append(c < ' ' && c != '\n' || c == '\uffff' || c == '\ufffe' || Character.isSurrogate(c) ? '?' : c);
            }
        }
        return out.toString();
    }
}
