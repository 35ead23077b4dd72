package tutti.pictures;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.runtime.policy.LongRange;

/**
 * Plot of measurements: charts of microseconds over bytes on log scales, with lines. Charts are in the order of their first points. Where lines
 * compete, a chart has colours for {@value #COLOURED} of them, the best ones first: those that are the fastest most often, then those that are
 * closest to the fastest. The others are grey, and named only where the mouse is. Where lines do not compete, each has a colour and is named.
 */
public final class Plot {
    private static final int COLUMNS = 3;
    private static final int COLOURED = 8;
    private static final int WIDTH = 340;
    private static final int HEIGHT = 230;
    private static final int LEFT = 74;
    private static final int TOP = 50;
    private static final int BOTTOM = 48;
    private static final int ROW = 17;
    private static final double SMALL = 12;
    private static final double HEADING = 13;
    private static final double MARK = 3.2;
    /** Pixels between the points of two lines at one size. */
    private static final double APART = 3;
    /** Maximum part of the distance between two sizes that the points of one size take. */
    private static final double SHARE = 0.5;
    /** Pixels between the ends of the horizontal axis and the first and last size. */
    private static final int EDGE = 16;
    private static final double SHORTEST = 1e-3;
    private static final int MANY_DECADES = 9;
    private static final double[] STEPS = {1, 2, 5};

    private final DrawingBuilder drawing;
    private final Labels labels;
    private final double left;
    private final double top;
    private final double height;

    /**
     * Measurement to plot.
     *
     * @param chart  title of its chart
     * @param line   name of its line
     * @param bytes  size
     * @param micros time in microseconds
     * @param high   upper end of the spread, in microseconds
     * @param noise  whether the time is not reliable
     */
    public record Point(String chart, String line, long bytes, double micros, double high, boolean noise) {
        /** Raises values that a log scale does not have. */
        public Point {
            micros = Math.max(SHORTEST, micros);
            high = Math.max(micros, high);
        }

        /** Creates a point without a spread. */
        public Point(final String chart, final String line, final long bytes, final double micros) {
            this(chart, line, bytes, micros, micros, false);
        }

        private String tip() {
            return line + ", " + bytes + " bytes: " + number(micros) + (high > micros ? " to " + number(high) : "") + " µs"
                + (noise ? ", noise" : "");
        }
    }

    /**
     * Texts of a plot.
     *
     * @param title  what was measured, on which machine
     * @param spread what a bar at a point shows; null where points have none
     * @param best   whether the lines compete, so that the fastest at each size is marked
     */
    public record Labels(String title, @Nullable String spread, boolean best) {}

    /** A line of a chart: its points by size. */
    private record Curve(String name, TreeMap<Long, Point> points, int wins, double distance) {
        /** Returns the point of a size that the curve has. */
        Point at(final long size) {
            return Objects.requireNonNull(points.get(size));
        }
    }

    private Plot(final DrawingBuilder drawing, final Labels labels, final double left, final double top, final double height) {
        this.drawing = drawing;
        this.labels = labels;
        this.left = left;
        this.top = top;
        this.height = height;
    }

    /** Returns the plot of at least one point. Of several points of a line at one size the fastest counts. */
    public static Drawing of(final Labels labels, final List<Point> points) {
        final Map<String, List<Curve>> charts = new LinkedHashMap<>();
        group(points, Point::chart).forEach((name, ofChart) -> charts.put(name, curves(ofChart)));
        final double legend =
            charts.values().stream().flatMap(List::stream).mapToDouble(c -> TextWidth.of(name(c, true), SMALL, false)).max().orElse(0);
        final double title = charts.keySet().stream().mapToDouble(t -> TextWidth.of(t, HEADING, true)).max().orElse(0);
        final double width = Math.max(LEFT + WIDTH + 40 + legend, title) + DrawingBuilder.MARGIN;
        final int rows = charts.values().stream().mapToInt(c -> labels.best ? Math.min(c.size(), COLOURED + 1) : c.size()).max().orElse(1);
        final double height = Math.max(HEIGHT, rows * ROW);
        final int columns = charts.size() <= 4 ? Math.min(2, charts.size()) : COLUMNS;
        final DrawingBuilder drawing = new DrawingBuilder(labels.title);
        final double head =
            drawing.paragraph(DrawingBuilder.MARGIN, drawing.title(columns * width), columns * width - 2 * DrawingBuilder.MARGIN, SMALL,
                false, Palette.FAINT, key(labels, points));
        int i = 0;
        for (final Map.Entry<String, List<Curve>> c : charts.entrySet()) {
            final int row = i / columns;
            new Plot(drawing, labels, DrawingBuilder.MARGIN + i % columns * width, head + row * (TOP + height + BOTTOM), height)
                .chart(c.getKey(), c.getValue());
            i++;
        }
        return drawing.build();
    }

    /**
     * Writes the plot of at least one point.
     *
     * @param file name that ends like one of {@link Drawing#FORMATS}
     * @throws IOException when the file cannot be written, or a PNG cannot be drawn since the system has no fonts
     */
    public static void write(final Path file, final Labels labels, final List<Point> points) throws IOException {
        of(labels, points).write(file);
    }

    /** Returns what the signs of the plot mean. */
    private static String key(final Labels labels, final List<Point> points) {
        return "Time of a call over its bytes, both on log scales."
            + (labels.spread == null ? "" : " Bars: " + labels.spread + "; points of one size are beside each other.")
            + (labels.best ? " Ring: the fastest at this size." : "") + (points.stream().anyMatch(Point::noise) ? " White mark: noise." : "");
    }

    private static Map<String, List<Point>> group(final List<Point> points, final Function<Point, String> by) {
        return points.stream().collect(Collectors.groupingBy(by, LinkedHashMap::new, Collectors.toList()));
    }

    /** Returns the lines of a chart, in their order if they do not compete, else the best first. */
    private static List<Curve> curves(final List<Point> points) {
        final Map<Long, Double> fastest = points.stream().collect(Collectors.toMap(Point::bytes, Point::micros, Math::min));
        final List<Curve> curves = new ArrayList<>();
        group(points, Point::line).forEach((name, all) -> {
            final TreeMap<Long, Point> bySize = new TreeMap<>();
            all.forEach(p -> bySize.merge(p.bytes, p, (a, b) -> a.micros <= b.micros ? a : b));
            curves
                .add(new Curve(name, bySize, (int) bySize.values().stream().filter(p -> p.micros == fastest.getOrDefault(p.bytes, p.micros)).count(),
                    bySize.values().stream().mapToDouble(p -> Math.log(p.micros / fastest.getOrDefault(p.bytes, p.micros))).average().orElse(0)));
        });
        return curves;
    }

    private static String name(final Curve curve, final boolean best) {
        return curve.name + (best && curve.wins > 0 ? " (" + curve.wins + "×)" : "");
    }

    /** Logarithmic scale. */
    private record Axis(double low, double high, double from, double to) {
        double at(final double value) {
            return low == high ? (from + to) / 2 : from + (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low)) * (to - from);
        }
    }

    private static String number(final double micros) {
        return micros >= 100 ? Long.toString(Math.round(micros))
            : String.format(Locale.ROOT, micros >= 10 ? "%.1f" : micros >= 0.1 ? "%.2f" : "%.3f", micros);
    }

    /** Returns a time with its unit, which is not always microseconds. */
    private static String tick(final double micros) {
        final double value = micros < 0.999 ? micros * 1e3 : micros < 999 ? micros : micros < 999_999 ? micros / 1e3 : micros / 1e6;
        return (value < 0.999 ? String.format(Locale.ROOT, "%.1f", value) : Long.toString(Math.round(value)))
            + (micros < 0.999 ? " ns" : micros < 999 ? " µs" : micros < 999_999 ? " ms" : " s");
    }

    private void chart(final String title, final List<Curve> all) {
        final List<Curve> ranked = labels.best
            ? all.stream().sorted(Comparator.comparingInt(Curve::wins).reversed().thenComparingDouble(Curve::distance).thenComparing(Curve::name))
                .toList()
            : all;
        final int named = labels.best ? Math.min(COLOURED, ranked.size()) : ranked.size();
        final List<Point> points = all.stream().flatMap(c -> c.points.values().stream()).toList();
        final TreeSet<Long> sizes = points.stream().map(Point::bytes).collect(Collectors.toCollection(TreeSet::new));
        final Axis x = new Axis(Math.max(1, sizes.first()), Math.max(1, sizes.last()), left + LEFT + EDGE, left + LEFT + WIDTH - EDGE);
        final Axis y = vertical(points);
        drawing.text(left, top + 12, Drawing.Alignment.START, HEADING, true, Palette.TEXT, title);
        scales(x, y, sizes);
        final List<Axis> own = axes(x, sizes, ranked.size(), points.stream().anyMatch(p -> p.high > p.micros) ? named : 0);
        for (int i = ranked.size() - 1; i >= 0; i--) {
            line(ranked.get(i), own.get(i), y, i < named ? Palette.line(i) : Palette.OTHERS, i < named ? i : -1);
        }
        if (labels.best) {
            for (final long size : sizes) {
                final Curve fastest = ranked.stream().filter(c -> c.points.containsKey(size))
                    .min(Comparator.comparingDouble(c -> c.at(size).micros)).orElseThrow();
                final Point p = fastest.at(size);
                drawing.add(new Drawing.Line(ring(own.get(ranked.indexOf(fastest)).at(Math.max(1, size)), y.at(p.micros)), Palette.TEXT, 1.2,
                    Drawing.Dash.SOLID, false, "fastest: " + p.tip()));
            }
        }
        legend(ranked.subList(0, named), ranked.size() - named);
    }

    /** Returns the horizontal axis of each line: those of lines with a spread are beside each other, and those of lines that are points. */
    private List<Axis> axes(final Axis x, final TreeSet<Long> sizes, final int lines, final int spread) {
        double closest = Double.POSITIVE_INFINITY;
        for (final long size : sizes.tailSet(sizes.first(), false)) {
            closest = Math.min(closest, x.at(Math.max(1, size)) - x.at(Math.max(1, sizes.headSet(size).last())));
        }
        final double apart = Math.min(APART, SHARE * closest / Math.max(1, spread));
        final List<Axis> axes = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            final double point = left + LEFT + WIDTH * (i + 0.5) / lines;
            final double shift = i < spread ? apart * (i - (spread - 1) / 2.0) : 0;
            axes.add(sizes.size() > 1 ? new Axis(x.low, x.high, x.from + shift, x.to + shift) : new Axis(1, 1, point, point));
        }
        return axes;
    }

    private static List<Drawing.Position> ring(final double x, final double y) {
        final List<Drawing.Position> corners = new ArrayList<>();
        for (int i = 0; i <= 16; i++) {
            corners.add(new Drawing.Position(x + 6.5 * Math.cos(i * Math.PI / 8), y + 6.5 * Math.sin(i * Math.PI / 8)));
        }
        return corners;
    }

    private Axis vertical(final List<Point> points) {
        final double shortest = points.stream().mapToDouble(Point::micros).min().orElseThrow();
        final double longest = points.stream().mapToDouble(Point::high).max().orElseThrow();
        return new Axis(rounded(shortest / 1.05, false), rounded(longest * 1.05, true), top + TOP + height, top + TOP);
    }

    /** Returns the next number of the form 1, 2 or 5 times a power of ten. */
    private static double rounded(final double value, final boolean up) {
        final double power = Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
        double below = power;
        for (final double step : STEPS) {
            if (step * power >= value && up) {
                return step * power;
            }
            below = step * power <= value ? step * power : below;
        }
        return up ? 10 * power : below;
    }

    private void scales(final Axis x, final Axis y, final TreeSet<Long> sizes) {
        final boolean fine = y.high / y.low <= 1000;
        final double right = left + LEFT + WIDTH;
        final double distance = Math.log10(y.high / y.low) > MANY_DECADES ? 1000 : 10;
        for (double power = Math.pow(10, Math.floor(Math.log10(y.low) + 1e-9)); power <= y.high * 1.001; power *= distance) {
            for (final double step : STEPS) {
                final double value = step * power;
                if (value >= y.low * 0.999 && value <= y.high * 1.001 && (fine || step == 1)) {
                    drawing.rule(left + LEFT, y.at(value), right, y.at(value), Palette.GRID);
                    drawing.text(left + LEFT - 6, y.at(value) + 4, Drawing.Alignment.END, SMALL, false, Palette.TEXT, tick(value));
                }
            }
        }
        drawing.text(left + LEFT - 6, y.to - 16, Drawing.Alignment.END, SMALL, false, Palette.FAINT, "time");
        drawing.rule(left + LEFT, y.from, right, y.from, Palette.FAINT);
        drawing.rule(left + LEFT, y.from, left + LEFT, y.to, Palette.FAINT);
        double taken = Double.NEGATIVE_INFINITY;
        for (final long size : sizes) {
            final String text = new LongRange(size, size).toString();
            final double at = x.at(Math.max(1, size));
            final double half = TextWidth.of(text, SMALL, false) / 2;
            drawing.rule(at, y.from, at, y.from + 4, Palette.FAINT);
            if (at - half > taken) {
                drawing.text(at, y.from + 18, Drawing.Alignment.MIDDLE, SMALL, false, Palette.TEXT, text);
                taken = at + half + 4;
            }
        }
        drawing.text(left + LEFT + WIDTH / 2.0, y.from + 34, Drawing.Alignment.MIDDLE, SMALL, false, Palette.FAINT, "bytes");
    }

    /** Draws a line through the points of all sizes; number -1 is a line without marks. */
    private void line(final Curve curve, final Axis x, final Axis y, final int colour, final int number) {
        final List<Drawing.Position> corners =
            curve.points.values().stream().map(p -> new Drawing.Position(x.at(Math.max(1, p.bytes)), y.at(p.micros)))
                .toList();
        if (corners.size() > 1) {
            drawing.add(new Drawing.Line(corners, colour, number < 0 ? 1 : 1.6, number < 0 ? Drawing.Dash.SOLID : Palette.dash(number), false,
                curve.name));
        }
        for (final Point p : curve.points.values()) {
            final double at = x.at(Math.max(1, p.bytes));
            if (p.high > p.micros && number >= 0) {
                drawing.add(new Drawing.Line(List.of(new Drawing.Position(at, y.at(p.micros)), new Drawing.Position(at, y.at(p.high))),
                    Palette.tint(colour, 0.6), 1, Drawing.Dash.SOLID, false, p.tip()));
            }
            drawing.add(new Drawing.Mark(new Drawing.Position(at, y.at(p.micros)), number < 0 ? MARK / 2 : MARK,
                number < 0 ? Drawing.Form.CIRCLE : Palette.form(number), colour, p.noise, p.tip()));
        }
    }

    /** Names the lines with colours, and counts the others. */
    private void legend(final List<Curve> coloured, final int others) {
        final double at = left + LEFT + WIDTH + 10;
        double y = top + TOP + 4;
        for (int i = 0; i < coloured.size(); i++) {
            sample(at, y, Palette.line(i), Palette.dash(i));
            drawing.add(new Drawing.Mark(new Drawing.Position(at + 10, y), MARK, Palette.form(i), Palette.line(i), false, ""));
            drawing.text(at + 26, y + 4, Drawing.Alignment.START, SMALL, false, Palette.TEXT, name(coloured.get(i), labels.best));
            y += ROW;
        }
        if (others > 0) {
            sample(at, y, Palette.OTHERS, Drawing.Dash.SOLID);
            drawing.text(at + 26, y + 4, Drawing.Alignment.START, SMALL, false, Palette.FAINT, others + " more");
        }
    }

    private void sample(final double x, final double y, final int colour, final Drawing.Dash dash) {
        drawing.add(new Drawing.Line(List.of(new Drawing.Position(x, y), new Drawing.Position(x + 20, y)), colour, 1.6, dash, false, ""));
    }
}
