package tutti.pictures;

import java.util.ArrayList;
import java.util.List;

/** Builder of a picture, which becomes as large as its shapes with a margin need. For one thread. */
public final class DrawingBuilder {
    /** Margin around all shapes, in pixels. */
    public static final int MARGIN = 16;
    private static final double TITLE_SIZE = 14;

    private final String title;
    private final List<Drawing.Shape> shapes = new ArrayList<>();

    /** Creates a builder; {@code title} says what the picture shows. */
    public DrawingBuilder(final String title) {
        this.title = title;
    }

    /** Adds a shape above the others. */
    public void add(final Drawing.Shape shape) {
        shapes.add(shape);
    }

    /** Adds a rectangle without a tip. */
    public void box(final Drawing.Bounds at, final int fill, final int stroke) {
        add(new Drawing.Box(at.left(), at.top(), at.right() - at.left(), at.bottom() - at.top(), 0, fill, stroke, ""));
    }

    /** Adds a straight thin line without a head. */
    public void rule(final double x1, final double y1, final double x2, final double y2, final int colour) {
        add(new Drawing.Line(List.of(new Drawing.Position(x1, y1), new Drawing.Position(x2, y2)), colour, 1, Drawing.Dash.SOLID, false, ""));
    }

    /** Adds a text. */
    public void text(final double x, final double y, final Drawing.Alignment alignment, final double size, final boolean bold, final int colour,
        final String text) {
        add(new Drawing.Text(new Drawing.Position(x, y), alignment, size, bold, colour, text));
    }

    /** Adds the title, with as many lines as a width needs; returns the position below. */
    public double title(final double width) {
        return paragraph(MARGIN, MARGIN + TITLE_SIZE, width - 2 * MARGIN, TITLE_SIZE, true, Palette.TEXT, title);
    }

    /** Adds words in lines that are no longer than a width, unless a single word is; returns the base line of the next line. */
    public double paragraph(final double x, final double y, final double width, final double size, final boolean bold, final int colour,
        final String words) {
        double line = y;
        StringBuilder text = new StringBuilder();
        for (final String word : words.split(" ")) {
            if (!text.isEmpty() && TextWidth.of(text + " " + word, size, bold) > width) {
                text(x, line, Drawing.Alignment.START, size, bold, colour, text.toString());
                line += 1.4 * size;
                text = new StringBuilder();
            }
            text.append(text.isEmpty() ? "" : " ").append(word);
        }
        text(x, line, Drawing.Alignment.START, size, bold, colour, text.toString());
        return line + 1.4 * size;
    }

    /** Returns the picture. */
    public Drawing build() {
        final double right = shapes.stream().mapToDouble(s -> s.bounds().right()).max().orElse(0);
        final double bottom = shapes.stream().mapToDouble(s -> s.bounds().bottom()).max().orElse(0);
        return new Drawing((int) Math.ceil(right) + MARGIN, (int) Math.ceil(bottom) + MARGIN, title, shapes);
    }
}
