package tutti.cli.report;

import java.util.List;

/** Canvas of a plot: shapes at positions in pixels from the upper left corner, in the order in which they cover each other. */
interface Canvas {

    /** Position in pixels. */
    record Position(double x, double y) {}

    /** Alignment of a text with its position. */
    enum Alignment { START, MIDDLE, END }

    /** Draws a line through positions; {@code colour} is an RGB value. */
    void line(List<Position> corners, int colour, double width);

    /** Draws a filled circle. */
    void dot(Position centre, double radius, int colour);

    /** Draws a text; the position is on its base line. */
    void text(Position at, Alignment alignment, double size, boolean bold, int colour, String text);

    /** Returns the content of the file with the picture. */
    byte[] bytes();
}
