package tutti.pictures;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Picture in memory: shapes at positions in pixels from the upper left corner, in the order in which they cover each other. SVG and PNG are made from
 * the same shapes. The background is white, so that a picture can be read on a dark page.
 *
 * @param width  width in pixels
 * @param height height in pixels
 * @param title  what is shown, in a few words
 * @param shapes shapes, the lowest first
 */
public record Drawing(int width, int height, String title, List<Shape> shapes) {
    /** Endings of the names of files that {@link #write} can write. */
    public static final List<String> FORMATS = List.of(".svg", ".png");

    /** Copies the list. */
    public Drawing {
        shapes = List.copyOf(shapes);
    }

    /** Position in pixels. */
    public record Position(double x, double y) {}

    /** Alignment of a text with its position. */
    public enum Alignment { START, MIDDLE, END }

    /** Pattern of a line. */
    public enum Dash { SOLID, DASHED, DOTTED }

    /** Form of a mark. */
    public enum Form { CIRCLE, SQUARE, TRIANGLE, DIAMOND }

    /** Part of a picture. */
    public sealed interface Shape permits Box, Line, Mark, Text {
        /** Returns the smallest rectangle around the shape. */
        Bounds bounds();

        /** Returns what a browser shows when the mouse is over the shape; empty for nothing. */
        default String tip() {
            return "";
        }
    }

    /** Rectangle by its edges. */
    public record Bounds(double left, double top, double right, double bottom) {
        /** Returns whether the rectangles have an inner point in common. */
        public boolean overlaps(final Bounds other) {
            return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
        }

        /** Returns whether the other rectangle is within this one. */
        public boolean contains(final Bounds other) {
            return left <= other.left && top <= other.top && other.right <= right && other.bottom <= bottom;
        }
    }

    /** Rectangle with round corners; colours are RGB values. */
    public record Box(double x, double y, double width, double height, double radius, int fill, int stroke, String tip) implements Shape {
        @Override
        public Bounds bounds() {
            return new Bounds(x, y, x + width, y + height);
        }
    }

    /** Line through positions; {@code arrow} puts a head at its end. */
    public record Line(List<Position> corners, int colour, double width, Dash dash, boolean arrow, String tip) implements Shape {
        /** Copies the list. */
        public Line {
            corners = List.copyOf(corners);
        }

        @Override
        public Bounds bounds() {
            return new Bounds(corners.stream().mapToDouble(Position::x).min().orElse(0), corners.stream().mapToDouble(Position::y).min().orElse(0),
                corners.stream().mapToDouble(Position::x).max().orElse(0), corners.stream().mapToDouble(Position::y).max().orElse(0));
        }

        /** Returns the corners of the head: its point first. */
        List<Position> head() {
            final Position to = corners.getLast();
            final Position from = corners.get(corners.size() - 2);
            final double length = Math.max(1e-9, Math.hypot(to.x - from.x, to.y - from.y));
            final double dx = (to.x - from.x) / length;
            final double dy = (to.y - from.y) / length;
            final double size = 5 + width;
            return List.of(to, new Position(to.x - size * dx - size / 2.4 * dy, to.y - size * dy + size / 2.4 * dx),
                new Position(to.x - size * dx + size / 2.4 * dy, to.y - size * dy - size / 2.4 * dx));
        }
    }

    /** Mark of a point; a hollow one is filled with white. */
    public record Mark(Position centre, double radius, Form form, int colour, boolean hollow, String tip) implements Shape {
        @Override
        public Bounds bounds() {
            return new Bounds(centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius);
        }

        /** Returns the corners of the forms that have any. */
        List<Position> corners() {
            final double r = radius;
            return switch (form) {
                case CIRCLE -> List.of();
                case SQUARE -> List.of(at(-0.85 * r, -0.85 * r), at(0.85 * r, -0.85 * r), at(0.85 * r, 0.85 * r), at(-0.85 * r, 0.85 * r));
                case TRIANGLE -> List.of(at(0, -r), at(r, 0.8 * r), at(-r, 0.8 * r));
                case DIAMOND -> List.of(at(0, -r), at(r, 0), at(0, r), at(-r, 0));
            };
        }

        private Position at(final double dx, final double dy) {
            return new Position(centre.x + dx, centre.y + dy);
        }
    }

    /** Text of one line; the position is on its base line. */
    public record Text(Position at, Alignment alignment, double size, boolean bold, int colour, String text) implements Shape {
        @Override
        public Bounds bounds() {
            final double width = TextWidth.of(text, size, bold);
            final double left = at.x - switch (alignment) {
                case START -> 0;
                case MIDDLE -> width / 2;
                case END -> width;
            };
            return new Bounds(left, at.y - 0.8 * size, left + width, at.y + 0.25 * size);
        }
    }

    /** Returns the picture as an SVG document. */
    public String svg() {
        return SvgWriter.write(this);
    }

    /**
     * Returns the picture as PNG.
     *
     * @throws IOException when the system has no fonts
     */
    public byte[] png() throws IOException {
        try {
            return PngWriter.write(this);
        } catch (final RuntimeException | LinkageError | InternalError e) {
            throw new IOException("no picture can be drawn on this system: " + e + "; write .svg, or install fonts", e);
        }
    }

    /** Returns the picture in the format that the ending of a file's name says: PNG, or else SVG. */
    public byte[] bytes(final String name) throws IOException {
        return name.endsWith(".png") ? png() : svg().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Writes a file in the format that the ending of its name says.
     *
     * @throws IOException when the file cannot be written, or a PNG cannot be drawn since the system has no fonts
     */
    public void write(final Path file) throws IOException {
        Files.write(file, bytes(file.toString()));
    }
}
