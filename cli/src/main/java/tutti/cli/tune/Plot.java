package tutti.cli.tune;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tutti.runtime.policy.LongRange;

/** Plot of measurements as SVG: a chart per operation and numbers of nodes and ranks, microseconds over bytes on log scales, a line per algorithm. */
public final class Plot {
    private static final int COLUMNS = 3;
    private static final int WIDTH = 420;
    private static final int HEIGHT = 300;
    private static final int LEFT = 60;
    private static final int TOP = 34;
    private static final int RIGHT = 130;
    private static final int BOTTOM = 34;
    private static final String[] COLOURS = {"#1b6ca8", "#c0392b", "#27803b", "#8e44ad", "#d98200", "#16807a",
        "#7f4a21", "#555555", "#c2185b", "#4a6b00"};

    private final StringBuilder svg = new StringBuilder();

    private Plot() {}

    /** Returns the plot of at least one measurement. */
    public static String of(final List<Measurement> points) {
        final Map<String, List<Measurement>> charts = points.stream().collect(Collectors.groupingBy(p -> p.setting().operation() + ", "
            + p.setting().ranks() + " ranks on " + p.setting().nodes() + (p.setting().nodes() == 1 ? " node" : " nodes"), TreeMap::new,
            Collectors.toList()));
        return new Plot().draw(charts);
    }

    private String draw(final Map<String, List<Measurement>> charts) {
        final int columns = Math.min(COLUMNS, charts.size());
        final int rows = Math.ceilDiv(charts.size(), columns);
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n"
            + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", columns * WIDTH, rows * HEIGHT);
        int i = 0;
        for (final Map.Entry<String, List<Measurement>> chart : charts.entrySet()) {
            add("<g transform=\"translate(%d %d)\">\n", i % columns * WIDTH, i / columns * HEIGHT);
            chart(chart.getKey(), chart.getValue());
            svg.append("</g>\n");
            i++;
        }
        return svg.append("</svg>\n").toString();
    }

    private void add(final String format, final Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    /** Logarithmic scale. */
    private record Axis(double low, double high, double from, double to) {
        double at(final double value) {
            return low == high ? (from + to) / 2 : from + (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low)) * (to - from);
        }
    }

    private void chart(final String title, final List<Measurement> points) {
        final List<Double> micros = points.stream().map(p -> Math.max(1e-3, p.micros())).toList();
        final TreeSet<Long> sizes = points.stream().map(p -> Math.max(1, p.setting().bytes())).collect(Collectors.toCollection(TreeSet::new));
        final Axis x = new Axis(sizes.first(), sizes.last(), LEFT, WIDTH - RIGHT);
        final Axis y = new Axis(Math.pow(10, Math.floor(Math.log10(micros.stream().min(Double::compare).orElseThrow()))),
            Math.pow(10, Math.ceil(Math.log10(micros.stream().max(Double::compare).orElseThrow()) + 1e-9)), HEIGHT - BOTTOM, TOP);
        add("<text x=\"%d\" y=\"18\" font-weight=\"bold\">%s</text>\n", LEFT, title);
        for (double tick = y.low; tick <= y.high * 1.001; tick *= 10) {
            add("<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s us</text>\n", LEFT, y.at(tick),
                WIDTH - RIGHT, LEFT - 4, y.at(tick) + 4, tick < 1 ? String.format(Locale.ROOT, "%.3g", tick) : Long.toString(Math.round(tick)));
        }
        final int step = Math.max(1, sizes.size() / 4);
        int i = 0;
        for (final long size : sizes) {
            if (i++ % step == 0) {
                add("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x.at(size), HEIGHT - BOTTOM + 16,
                    new LongRange(size, size));
            }
        }
        final Map<String, List<Measurement>> lines = points.stream()
            .collect(Collectors.groupingBy(Measurement::algorithm, TreeMap::new, Collectors.toList()));
        int line = 0;
        for (final Map.Entry<String, List<Measurement>> l : lines.entrySet()) {
            line(l.getKey(), l.getValue(), x, y, line++);
        }
    }

    private void line(final String algorithm, final List<Measurement> points, final Axis x, final Axis y, final int number) {
        final String colour = COLOURS[number % COLOURS.length];
        final TreeMap<Long, Double> bySize = new TreeMap<>();
        points.forEach(p -> bySize.merge(Math.max(1, p.setting().bytes()), Math.max(1e-3, p.micros()), Math::min));
        final List<String> corners = new ArrayList<>();
        bySize.forEach((size, micros) -> corners.add(String.format(Locale.ROOT, "%.1f,%.1f", x.at(size), y.at(micros))));
        add("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", String.join(" ", corners), colour);
        for (final String corner : corners) {
            add("<circle cx=\"%s\" cy=\"%s\" r=\"2.2\" fill=\"%s\"/>\n", corner.substring(0, corner.indexOf(',')),
                corner.substring(corner.indexOf(',') + 1), colour);
        }
        add("<text x=\"%d\" y=\"%d\" fill=\"%s\" font-size=\"10\">%s</text>\n", WIDTH - RIGHT + 6, TOP + 8 + 13 * number, colour, algorithm);
    }
}
