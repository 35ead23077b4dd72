package tutti.cli.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import tutti.runtime.policy.LongRange;

/** Plot of measurements: charts of microseconds over bytes on log scales, with lines. Charts and lines are in the order of their first points. */
public final class Plot {
    /** Endings of the names of files that {@link #write} can write. */
    public static final List<String> FORMATS = List.of(".svg", ".png");

    private static final int COLUMNS = 3;
    private static final int WIDTH = 420;
    private static final int HEIGHT = 300;
    private static final int LEFT = 60;
    private static final int TOP = 34;
    private static final int RIGHT = 130;
    private static final int BOTTOM = 34;
    private static final double SHORTEST = 1e-3;
    private static final int BLACK = 0;
    private static final int GRID = 0xdddddd;
    private static final int[] COLOURS = {0x1b6ca8, 0xc0392b, 0x27803b, 0x8e44ad, 0xd98200, 0x16807a, 0x7f4a21, 0x555555, 0xc2185b, 0x4a6b00};

    private final Canvas canvas;
    private final double left;
    private final double top;

    /**
     * Measurement to plot.
     *
     * @param chart  title of its chart
     * @param line   name of its line
     * @param bytes  size
     * @param micros time in microseconds
     */
    public record Point(String chart, String line, long bytes, double micros) {
        /** Raises values that a log scale does not have. */
        public Point {
            bytes = Math.max(1, bytes);
            micros = Math.max(SHORTEST, micros);
        }
    }

    /** Plots one chart at a position of the canvas. */
    private Plot(final Canvas canvas, final double left, final double top) {
        this.canvas = canvas;
        this.left = left;
        this.top = top;
    }

    /**
     * Writes the plot of at least one point.
     *
     * @param file name that ends like one of {@link #FORMATS}
     * @throws IOException when the file cannot be written, or a PNG cannot be drawn since the system has no fonts
     */
    public static void write(final Path file, final List<Point> points) throws IOException {
        try {
            Files.write(file, draw(points, file.toString().endsWith(".png") ? PngCanvas::new : SvgCanvas::new));
        } catch (final RuntimeException | LinkageError | InternalError e) {
            throw new IOException("no picture can be drawn on this system: " + e + "; write .svg, or install fonts", e);
        }
    }

    /** Creates a canvas of a size in pixels. */
    private interface CanvasFactory {
        Canvas create(int width, int height);
    }

    private static byte[] draw(final List<Point> points, final CanvasFactory factory) {
        final Collection<List<Point>> charts = group(points, Point::chart).values();
        final int columns = Math.min(COLUMNS, charts.size());
        final Canvas canvas = factory.create(columns * WIDTH, Math.ceilDiv(charts.size(), columns) * HEIGHT);
        int i = 0;
        for (final List<Point> chart : charts) {
            new Plot(canvas, i % columns * WIDTH, i / columns * HEIGHT).chart(chart);
            i++;
        }
        return canvas.bytes();
    }

    private static Map<String, List<Point>> group(final List<Point> points, final Function<Point, String> by) {
        return points.stream().collect(Collectors.groupingBy(by, LinkedHashMap::new, Collectors.toList()));
    }

    private Canvas.Position at(final double x, final double y) {
        return new Canvas.Position(left + x, top + y);
    }

    private void label(final double x, final double y, final Canvas.Alignment alignment, final String text) {
        canvas.text(at(x, y), alignment, 11, false, BLACK, text);
    }

    /** Logarithmic scale. */
    private record Axis(double low, double high, double from, double to) {
        double at(final double value) {
            return low == high ? (from + to) / 2 : from + (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low)) * (to - from);
        }
    }

    private void chart(final List<Point> points) {
        final double shortest = points.stream().mapToDouble(Point::micros).min().orElseThrow();
        final double longest = points.stream().mapToDouble(Point::micros).max().orElseThrow();
        final TreeSet<Long> sizes = points.stream().map(Point::bytes).collect(Collectors.toCollection(TreeSet::new));
        final Axis x = new Axis(sizes.first(), sizes.last(), LEFT, WIDTH - RIGHT);
        final Axis y = new Axis(Math.pow(10, Math.floor(Math.log10(shortest))), Math.pow(10, Math.ceil(Math.log10(longest) + 1e-9)),
            HEIGHT - BOTTOM, TOP);
        canvas.text(at(LEFT, 18), Canvas.Alignment.START, 11, true, BLACK, points.getFirst().chart);
        for (double tick = y.low; tick <= y.high * 1.001; tick *= 10) {
            canvas.line(List.of(at(LEFT, y.at(tick)), at(WIDTH - RIGHT, y.at(tick))), GRID, 1);
            label(LEFT - 4, y.at(tick) + 4, Canvas.Alignment.END,
                (tick < 1 ? String.format(Locale.ROOT, "%.3g", tick) : Long.toString(Math.round(tick))) + " us");
        }
        final int step = Math.max(1, sizes.size() / 4);
        int i = 0;
        for (final long size : sizes) {
            if (i++ % step == 0) {
                label(x.at(size), HEIGHT - BOTTOM + 16, Canvas.Alignment.MIDDLE, new LongRange(size, size).toString());
            }
        }
        int number = 0;
        for (final List<Point> line : group(points, Point::line).values()) {
            line(line, x, y, number++);
        }
    }

    /** Draws a line through the fastest point of each size, and its name. */
    private void line(final List<Point> points, final Axis x, final Axis y, final int number) {
        final int colour = COLOURS[number % COLOURS.length];
        final TreeMap<Long, Double> bySize = new TreeMap<>();
        points.forEach(p -> bySize.merge(p.bytes, p.micros, Math::min));
        final List<Canvas.Position> corners = bySize.entrySet().stream().map(e -> at(x.at(e.getKey()), y.at(e.getValue()))).toList();
        canvas.line(corners, colour, 1.5);
        corners.forEach(c -> canvas.dot(c, 2.2, colour));
        canvas.text(at(WIDTH - RIGHT + 6, TOP + 8 + 13 * number), Canvas.Alignment.START, 10, false, colour, points.getFirst().line);
    }
}
