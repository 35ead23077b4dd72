package tutti.pictures.schedule;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import tutti.pictures.Drawing;
import tutti.pictures.DrawingBuilder;
import tutti.pictures.Palette;
import tutti.pictures.TextWidth;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;

/**
 * Drawing of the trace of a job: a lane per rank, those of a node in one band, calls as bars over time, the time that a rank waits for others as a
 * line below them, messages as arrows. For one picture.
 *
 * <p>Bars that are closer than {@value #CLOSE} pixels are one bar. Messages of two ranks that are sent within some pixels are one arrow; where more
 * than {@value #ARROWS_PER_RANK} per rank or {@value #MAX_ARROWS} were left, none is drawn. No arrow has one end only.
 */
public final class TracePicture {
    /** Shortest time that a picture shows, in nanoseconds. */
    private static final int SHORTEST = 1000;
    private static final int MAX_RANKS = 64;
    private static final int MAX_ARROWS = 250;
    private static final int ARROWS_PER_RANK = 20;
    private static final int COLOURS = 6;
    private static final int WIDTH = 900;
    private static final double CLOSE = 2;
    private static final double TEXT = 12;
    private static final double LABEL = 10;
    /** Pixels to the right of the lanes, for what the ranks did. */
    private static final int SUMMARY = 215;
    private static final double TICKS = 8;
    private static final int MIXED = 0xc9c9c9;
    private static final int ARROW = Palette.tint(Palette.ARROW, 0.65);
    private static final int TALL = 24;

    private final List<RankTrace> traces;
    private final List<MessagePairs.Pair> messages;
    private final ClockAlignment clocks;
    /** Messages that are one arrow each. */
    private final List<List<MessagePairs.Pair>> bundles;
    /** Messages by their receivers. */
    private final Map<Integer, List<MessagePairs.Pair>> received = new HashMap<>();
    private final DrawingBuilder drawing;
    private final long start;
    private final long duration;
    private final double left;
    private final double row;
    private final Map<String, Integer> colours = new LinkedHashMap<>();
    /** Texts of bars, above the arrows. */
    private final List<Runnable> labels = new ArrayList<>();
    private final Map<Integer, Double> middle = new LinkedHashMap<>();

    /** Time in nanoseconds from the start of the trace. */
    private record Interval(long from, long to) {}

    /** Calls of a rank that are drawn as one. */
    private record Bar(String operation, int calls, double from, double to) {}

    private TracePicture(final String program, final List<RankTrace> all) {
        messages = MessagePairs.of(all);
        clocks = new ClockAlignment(all, messages);
        traces = all.subList(0, Math.min(MAX_RANKS, all.size()));
        drawing = new DrawingBuilder(
            "Trace of " + program.substring(program.lastIndexOf('/') + 1) + ", " + all.size() + (all.size() == 1 ? " rank" : " ranks"));
        start = all.stream().flatMapToLong(t -> t.events().stream().mapToLong(e -> e.begin() + clocks.shift(t.node()))).min().orElse(0);
        duration = Math.max(SHORTEST,
            all.stream().flatMapToLong(t -> t.events().stream().mapToLong(e -> e.end() + clocks.shift(t.node()))).max().orElse(0) - start);
        final double names = traces.stream().mapToDouble(t -> TextWidth.of("rank " + t.rank(), TEXT, false)).max().orElse(0);
        left = DrawingBuilder.MARGIN + 8 + names + 12;
        row = traces.size() > TALL ? 17 : 28;
        bundles = bundles();
        messages.forEach(m -> received.computeIfAbsent(m.receiver().rank(), n -> new ArrayList<>()).add(m));
        chooseColours();
    }

    /** Returns the drawing of the traces of a job's ranks, of the first {@value #MAX_RANKS} of them. */
    public static Drawing of(final String program, final List<RankTrace> traces) {
        return new TracePicture(program, traces).draw(traces.size(), ChromeTrace.dropped(traces));
    }

    /** Gives the operations that take the longest time a colour each. */
    private void chooseColours() {
        final Map<String, Long> times = new LinkedHashMap<>();
        for (final RankTrace t : traces) {
            t.events().stream().filter(TracePicture::isCall).forEach(e -> times.merge(operation(t, e), e.end() - e.begin(), Long::sum));
        }
        times.entrySet().stream().sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
            .limit(COLOURS)
            .forEach(e -> colours.put(e.getKey(), Palette.tint(Palette.line(colours.size()), 0.5)));
    }

    /** Returns whether an event is a call of the program: a collective, or a message that is no part of one. */
    private static boolean isCall(final TraceEvent e) {
        return e.kind() == null || e.context() < 0;
    }

    private static String operation(final RankTrace t, final TraceEvent e) {
        return t.calls().get(e.call()).operation();
    }

    private double x(final long nanos) {
        return left + (double) nanos / duration * WIDTH;
    }

    private Interval interval(final RankTrace t, final TraceEvent e) {
        final long shift = clocks.shift(t.node()) - start;
        return new Interval(e.begin() + shift, Math.max(e.begin(), e.end()) + shift);
    }

    private Drawing draw(final int ranks, final long dropped) {
        final double right = left + WIDTH;
        final double width = right + SUMMARY;
        double y = drawing.title(width);
        y = drawing.paragraph(DrawingBuilder.MARGIN, y, width - 2 * DrawingBuilder.MARGIN, TEXT, false, Palette.FAINT,
            "Bars: calls of MPI. Dark line below: waiting for another rank." + arrowsNote()
                + (ranks > traces.size() ? " The first " + traces.size() + " of " + ranks + " ranks." : "")
                + (dropped > 0 ? " " + dropped + " later events were dropped." : "")
                + (traces.stream().anyMatch(t -> t.events().stream().anyMatch(e -> e.context() < 0)) ? ""
                    : " Messages within collectives; -p intercept=trace adds those of the program, and its waits."));
        final double top = y + 6;
        final double bottom = lanes(top + 14, right, width);
        axis(top + 8, top + 14, bottom);
        for (final RankTrace t : traces) {
            rank(t, right);
        }
        arrows();
        labels.forEach(Runnable::run);
        legend(bottom + 8, width);
        return drawing.build();
    }

    /** Draws the bands of nodes, and assigns each rank its place; returns the lower edge of the last. */
    private double lanes(final double from, final double right, final double width) {
        double y = from;
        final Map<String, List<RankTrace>> byNode = traces.stream()
            .collect(Collectors.groupingBy(RankTrace::node, LinkedHashMap::new, Collectors.toList()));
        for (final Map.Entry<String, List<RankTrace>> n : byNode.entrySet()) {
            final double top = y;
            y += 18 + n.getValue().size() * row;
            drawing.box(new Drawing.Bounds(DrawingBuilder.MARGIN, top, width - DrawingBuilder.MARGIN, y), 0xf6f7fa, Palette.GRID);
            drawing.text(DrawingBuilder.MARGIN + 6, top + 13, Drawing.Alignment.START, TEXT, true, Palette.TEXT, "node " + n.getKey());
            double at = top + 18;
            for (final RankTrace t : n.getValue()) {
                middle.put(t.rank(), at + row / 2);
                drawing.rule(left, at + row / 2, right, at + row / 2, Palette.GRID);
                drawing.text(DrawingBuilder.MARGIN + 8, at + row / 2 + 4, Drawing.Alignment.START, TEXT, false, Palette.TEXT, "rank " + t.rank());
                at += row;
            }
            y += 4;
        }
        return y;
    }

    private double middle(final int rank) {
        return Objects.requireNonNull(middle.get(rank), "place of a rank");
    }

    private void axis(final double y, final double top, final double bottom) {
        final double power = Math.pow(10, Math.floor(Math.log10(duration / TICKS)));
        final double step = duration / TICKS / power > 5 ? 10 * power : duration / TICKS / power > 2 ? 5 * power : 2 * power;
        for (double at = 0; at <= duration * 1.0001; at += step) {
            drawing.rule(x((long) at), top, x((long) at), bottom, Palette.GRID);
            drawing.text(x((long) at), y, Drawing.Alignment.START, TEXT, false, Palette.FAINT, time(at));
        }
    }

    private static String time(final double nanos) {
        if (nanos == 0) {
            return "0";
        }
        final String[] units = {"ns", "µs", "ms", "s"};
        double value = nanos;
        int unit = 0;
        while (value >= 1000 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f %s" : "%.1f %s", value, units[unit]);
    }

    private void rank(final RankTrace t, final double right) {
        final double centre = middle(t.rank());
        final double half = row / 2 - 4;
        final List<TraceEvent> calls = t.events().stream().filter(TracePicture::isCall).sorted(Comparator.comparingLong(TraceEvent::begin)).toList();
        for (final Bar b : bars(t, calls)) {
            final String name = b.operation + (b.calls == 1 ? "" : " and " + (b.calls - 1) + " more");
            drawing.add(new Drawing.Box(b.from, centre - half, Math.max(1, b.to - b.from), 2 * half, 0, colours.getOrDefault(b.operation, MIXED),
                Palette.FAINT, "rank " + t.rank() + ": " + name));
            if (TextWidth.of(name, LABEL, false) < b.to - b.from - 6 && row > 20) {
                labels.add(() -> drawing.text(b.from + 3, centre + 1, Drawing.Alignment.START, LABEL, false, Palette.TEXT, name));
            }
        }
        final List<Interval> waits = merged(waits(t));
        double last = Double.NEGATIVE_INFINITY;
        for (final Interval w : waits) {
            final double from = Math.max(last, x(w.from));
            if (x(w.to) - from >= 0.25) {
                drawing.add(new Drawing.Box(from, centre + half - 4, x(w.to) - from, 3, 0, Palette.TEXT, Palette.TEXT,
                    "rank " + t.rank() + " waits " + time(w.to - w.from)));
                last = x(w.to);
            }
        }
        final List<Interval> inCalls = merged(calls.stream().map(e -> interval(t, e)).toList());
        drawing.text(right + 10, centre + 4, Drawing.Alignment.START, TEXT, false, Palette.TEXT,
            "in MPI " + percent(inCalls) + ", waiting " + percent(waits));
    }

    private String percent(final List<Interval> intervals) {
        return Math.round(100.0 * intervals.stream().mapToLong(i -> i.to - i.from).sum() / duration) + " %";
    }

    /** Returns the calls of a rank, close ones as one bar. */
    private List<Bar> bars(final RankTrace t, final List<TraceEvent> calls) {
        final List<Bar> bars = new ArrayList<>();
        for (final TraceEvent e : calls) {
            final Interval i = interval(t, e);
            final Bar last = bars.isEmpty() ? null : bars.getLast();
            final Bar next = new Bar(operation(t, e), 1, x(i.from), x(i.to));
            if (last != null && next.from < last.to + CLOSE
                && (last.operation.equals(next.operation) || last.to - last.from < CLOSE || next.to - next.from < CLOSE)) {
                // the longer call names the bar
                bars.set(bars.size() - 1, new Bar(last.to - last.from < next.to - next.from ? next.operation : last.operation, last.calls + 1,
                    last.from, Math.max(last.to, next.to)));
            } else {
                bars.add(next);
            }
        }
        return bars;
    }

    /** Returns when a rank waited: for messages not sent yet, for posts, and in calls that wait for requests. */
    private List<Interval> waits(final RankTrace t) {
        final List<Interval> waits = new ArrayList<>();
        received.getOrDefault(t.rank(), List.of()).forEach(m -> {
            final long from = interval(t, m.receive()).from;
            waits.add(new Interval(from, from + m.waited(clocks.shift(t.node()) - clocks.shift(m.sender().node()))));
        });
        t.events().stream().filter(e -> e.kind() == Kind.AWAIT || e.kind() == Kind.RESERVE || !e.ended() && e.kind() == Kind.RECV
            || e.kind() == null && (operation(t, e).startsWith("wait") || operation(t, e).toLowerCase(Locale.ROOT).endsWith("probe")))
            .forEach(e -> waits.add(interval(t, e)));
        return waits;
    }

    private static List<Interval> merged(final List<Interval> intervals) {
        final List<Interval> merged = new ArrayList<>();
        intervals.stream().sorted(Comparator.comparingLong(Interval::from)).forEach(i -> {
            final Interval last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && i.from <= last.to) {
                merged.set(merged.size() - 1, new Interval(last.from, Math.max(last.to, i.to)));
            } else if (i.to > i.from) {
                merged.add(i);
            }
        });
        return merged;
    }

    /** Returns bundles of messages: those of two ranks that are sent within a number of pixels; the smallest number that leaves few bundles. */
    private List<List<MessagePairs.Pair>> bundles() {
        final Set<Integer> ranks = traces.stream().map(RankTrace::rank).collect(Collectors.toSet());
        final List<MessagePairs.Pair> drawn = messages.stream()
            .filter(m -> ranks.contains(m.sender().rank()) && ranks.contains(m.receiver().rank())).toList();
        for (double pixels = 1; pixels <= WIDTH; pixels *= 2) {
            final double width = pixels;
            final List<List<MessagePairs.Pair>> bundles = List.copyOf(drawn.stream()
                .collect(Collectors.groupingBy(m -> List.of(m.sender().rank(), m.receiver().rank(),
                    (int) (x(interval(m.sender(), m.send()).from) / width)), LinkedHashMap::new, Collectors.toList()))
                .values());
            if (bundles.size() <= Math.min(MAX_ARROWS, ARROWS_PER_RANK * traces.size())) {
                return bundles;
            }
        }
        return List.of();
    }

    private String arrowsNote() {
        return messages.isEmpty() ? "" : bundles.isEmpty() ? " Messages are too many to be drawn." : " Arrows: messages"
            + (bundles.stream().anyMatch(b -> b.size() > 1) ? ", close ones as one." : ".");
    }

    private void arrows() {
        for (final List<MessagePairs.Pair> bundle : bundles) {
            final MessagePairs.Pair m = bundle.getFirst();
            drawing.add(new Drawing.Line(List.of(
                new Drawing.Position(x(interval(m.sender(), m.send()).from), middle(m.sender().rank())),
                new Drawing.Position(x(interval(m.receiver(), m.receive()).to), middle(m.receiver().rank()))), ARROW,
                0.8 + Math.min(1.2, 0.15 * Math.log(bundle.size()) / Math.log(2)), Drawing.Dash.SOLID, true,
                bundle.size() + (bundle.size() == 1 ? " message" : " messages") + " from rank " + m.sender().rank() + " to rank "
                    + m.receiver().rank()));
        }
    }

    private void legend(final double y, final double width) {
        double x = DrawingBuilder.MARGIN;
        double line = y;
        for (final Map.Entry<String, Integer> c : colours.entrySet()) {
            final double room = 17 + TextWidth.of(c.getKey(), TEXT, false) + 18;
            if (x + room > width - DrawingBuilder.MARGIN) {
                x = DrawingBuilder.MARGIN;
                line += 18;
            }
            drawing.add(new Drawing.Box(x, line, 12, 12, 0, c.getValue(), Palette.FAINT, ""));
            drawing.text(x + 17, line + 10, Drawing.Alignment.START, TEXT, false, Palette.TEXT, c.getKey());
            x += room;
        }
    }
}
