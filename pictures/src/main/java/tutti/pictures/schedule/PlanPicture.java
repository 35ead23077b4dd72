package tutti.pictures.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tutti.pictures.Drawing;
import tutti.pictures.DrawingBuilder;
import tutti.pictures.Palette;
import tutti.pictures.TextWidth;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.introspect.RankPlan;

/**
 * Drawing of plans as a space-time diagram: lanes from the top, those of a node in one band, rounds from the left, messages and posts as arrows. For
 * one picture.
 *
 * <p>A lane is a rank. Where arrows would cover the picture, it is a group of ranks of a node that have the same tasks, see {@link PlanLane}. A
 * round begins with messages or posts of the previous ones. Tasks of one kind in a lane and round are one box, boxes of a round are below each
 * other in the order of their steps, and arrows between two boxes are one arrow, with their number. Rounds that repeat are left out, see
 * {@link PlanColumns}, with the arrows that begin or end in them. Fences are no boxes.
 */
public final class PlanPicture {
    private static final int MIN_WIDTH = 620;
    /** Pixels between rounds. */
    private static final int GAP = 36;
    private static final int WIDEST_GAP = 180;
    private static final int MANY_ROUNDS = 9;
    private static final int WIDEST_OF_MANY = 72;
    /** Pixels that a gap gets for the number of an arrow's messages. */
    private static final int NUMBER_GAP = 28;
    /** Pixels that a gap gets for each lane that an arrow crosses. */
    private static final double STEEP = 5;
    /** Pixels that a gap gets for each arrow between two lanes and what is above and below them. */
    private static final double CROSSED = 14;
    private static final double TEXT = 12;
    private static final double NUMBER = 10;
    private static final int EDGE = 0x8a8f9c;
    private static final int ARROW = Palette.tint(Palette.ARROW, 0.75);
    private static final int MANY_LANES = 20;
    private static final double[] LABEL_PLACES = {0.3, 0.4, 0.6, 0.5, 0.2, 0.7, 0.8};
    /** Colours of boxes: tints of those of Okabe and Ito, with lightness that differs enough for any kind of colour blindness. */
    static final Map<Kind, Integer> FILLS = Collections.unmodifiableMap(new EnumMap<>(Map.of(Kind.SEND, 0xa2d6f3, Kind.RECV, 0xf1ca73, Kind.COPY,
        0xe7e7e7, Kind.REDUCE, 0xe8a673, Kind.POST, 0xdea8c6, Kind.AWAIT, 0xf5ed84, Kind.GET, 0x59c0a4, Kind.RESERVE, 0xd4d4d4, Kind.OPAQUE, 0xf47c40,
        Kind.OFFLOADED,
        0xb87cf4)));

    private final PlanGraph graph;
    private final List<PlanLane> lanes;
    private final boolean grouped;
    private final Map<PlanCell.Key, PlanCell> cells = new LinkedHashMap<>();
    private final PlanColumns columns;
    private final Map<Integer, Integer> laneOf = new HashMap<>();
    private final Map<Integer, Double> left = new HashMap<>();
    private final Map<Integer, Double> wide = new HashMap<>();
    private final double[] hiddenLeft;
    private final double[] laneTop;
    private final double[] laneHeight;
    private final Map<PlanCell.Key, Drawing.Bounds> boxes = new LinkedHashMap<>();
    private final DrawingBuilder drawing;
    private final double row;

    private PlanPicture(final List<RankPlan> plans, final PlanLane.Grouping grouping) {
        graph = new PlanGraph(plans);
        lanes = PlanLane.of(graph, grouping);
        grouped = lanes.stream().anyMatch(l -> l.ranks().size() > 1);
        gather();
        columns = PlanColumns.of(contents());
        hiddenLeft = new double[columns.hidden().size()];
        laneTop = new double[lanes.size()];
        laneHeight = new double[lanes.size()];
        drawing = new DrawingBuilder(PlanText.heading(plans.getFirst()));
        row = lanes.size() > MANY_LANES ? 19 : 24;
    }

    /** Returns the drawing of the plans of one call; groups of ranks have a lane where arrows would cover the picture. */
    public static Drawing of(final List<RankPlan> plans) {
        return of(plans, PlanLane.Grouping.AUTO);
    }

    static Drawing of(final List<RankPlan> plans, final PlanLane.Grouping grouping) {
        return new PlanPicture(plans, grouping).draw();
    }

    /** Returns the drawing of the plans of one call with a lane per rank, however many arrows there are. */
    public static Drawing ofRanks(final List<RankPlan> plans) {
        return of(plans, PlanLane.Grouping.RANKS);
    }

    private void gather() {
        for (int l = 0; l < lanes.size(); l++) {
            for (final int rank : lanes.get(l).ranks()) {
                laneOf.put(rank, l);
            }
        }
        final Map<PlanCell.Key, List<PlanGraph.Node>> tasks = new LinkedHashMap<>();
        graph.nodes().stream().filter(n -> n.task().kind() != Kind.FENCE).forEach(n -> tasks
            .computeIfAbsent(new PlanCell.Key(lane(n.rank()), n.round(), n.task().kind()), k -> new ArrayList<>()).add(n));
        tasks.forEach((k, all) -> cells.put(k, new PlanCell(k.lane(), k.round(), k.kind(), all)));
    }

    private int lane(final int rank) {
        return Objects.requireNonNull(laneOf.get(rank), "lane of a rank");
    }

    /** Returns what each round does. */
    private List<String> contents() {
        final TreeMap<Integer, List<String>> contents = new TreeMap<>();
        cells.values().forEach(c -> contents.computeIfAbsent(c.round(), r -> new ArrayList<>()).add(c.content(!grouped)));
        final int rounds = contents.isEmpty() ? 0 : contents.lastKey() + 1;
        final List<String> texts = new ArrayList<>();
        for (int r = 0; r < rounds; r++) {
            texts.add(contents.getOrDefault(r, List.of()).stream().sorted().collect(Collectors.joining(";")));
        }
        return texts;
    }

    private String label(final PlanCell cell) {
        return cell.label(lanes.get(cell.lane()).ranks().size());
    }

    private Drawing draw() {
        final double names = lanes.stream().mapToDouble(l -> Math.max(TextWidth.of(l.label(), TEXT, false), TextWidth.of(nodeName(l), TEXT, true)))
            .max().orElse(0);
        final double right = placeColumns(DrawingBuilder.MARGIN + 8 + names + 16);
        final double width = Math.max(MIN_WIDTH, right + DrawingBuilder.MARGIN);
        double y = drawing.title(width);
        y = drawing.paragraph(DrawingBuilder.MARGIN, y, width - 2 * DrawingBuilder.MARGIN, TEXT, false, Palette.FAINT, key());
        for (final String part : PlanText.parts(graph.plans())) {
            y = drawing.paragraph(DrawingBuilder.MARGIN, y, width - 2 * DrawingBuilder.MARGIN, TEXT, false, Palette.FAINT, part);
        }
        rounds(y + 4);
        final double bottom = placeLanes(y + 18, width - DrawingBuilder.MARGIN);
        placeBoxes();
        arrows();
        cells.values().forEach(this::box);
        hidden(y + 18, bottom);
        legend(bottom + 10, width);
        return drawing.build();
    }

    private static String nodeName(final PlanLane lane) {
        return lane.node().isEmpty() ? "" : "node " + lane.node();
    }

    /** Returns what the signs of the picture mean. */
    private String key() {
        final int tasks = graph.plans().stream().mapToInt(p -> p.tasks().size()).sum();
        final int all = graph.plans().stream().mapToInt(RankPlan::total).sum();
        final long nodes = graph.plans().stream().map(RankPlan::node).distinct().count();
        return graph.plans().size() + (graph.plans().size() == 1 ? " rank" : " ranks") + " on " + nodes + (nodes == 1 ? " node." : " nodes.")
            + (grouped ? " A lane has ranks with similar tasks; a box says what each of them does, or so many of them; ×N is N messages or posts."
                : "")
            + (tasks < all ? " The first " + tasks + " of " + all + " tasks." : "");
    }

    /** Assigns each column its place; returns the right edge of the last. */
    private double placeColumns(final double from) {
        for (final PlanCell c : cells.values()) {
            wide.merge(c.round(), TextWidth.of(label(c), TEXT, false) + 10, Math::max);
        }
        double x = from;
        double gap = 0;
        int h = 0;
        for (final int r : columns.rounds()) {
            x += gap;
            if (r < 0) {
                hiddenLeft[h] = x;
                x += TextWidth.of(hiddenText(h), TEXT, false);
                gap = GAP;
                h++;
            } else {
                left.put(r, x);
                x += wide.getOrDefault(r, 24.0);
                gap = gap(r);
            }
        }
        return x + 8;
    }

    /** Returns the space behind a round: more where arrows are steep or cross each other, so that they can be told apart. */
    private double gap(final int round) {
        final Set<List<Integer>> ends = graph.arrows().stream().filter(a -> a.from().round() == round)
            .map(a -> List.of(lane(a.from().rank()), lane(a.to().rank()))).collect(Collectors.toSet());
        int longest = 0;
        final int[] crossing = new int[lanes.size()];
        for (final List<Integer> e : ends) {
            final int upper = Math.min(e.getFirst(), e.getLast());
            final int lower = Math.max(e.getFirst(), e.getLast());
            longest = Math.max(longest, lower - upper);
            for (int l = upper; l < lower; l++) {
                crossing[l]++;
            }
        }
        final int crossed = Arrays.stream(crossing).max().orElse(0);
        return Math.min(columns.rounds().size() > MANY_ROUNDS ? WIDEST_OF_MANY : WIDEST_GAP, GAP + (grouped && longest > 0 ? NUMBER_GAP : 0)
            + Math.max(0, Math.max(STEEP * (longest - 2), CROSSED * (crossed - 2))));
    }

    private String hiddenText(final int number) {
        return "… " + columns.hidden().get(number) + (columns.hidden().get(number) == 1 ? " more round" : " more rounds");
    }

    private void rounds(final double y) {
        drawing.text(DrawingBuilder.MARGIN + 6, y + 6, Drawing.Alignment.START, TEXT, false, Palette.FAINT, "round");
        left.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(r -> drawing.text(r.getValue(), y + 6, Drawing.Alignment.START, TEXT,
            false, Palette.FAINT, Integer.toString(r.getKey())));
    }

    /** Assigns each lane its place, and draws the bands of nodes; returns the lower edge of the last. */
    private double placeLanes(final double from, final double right) {
        double y = from;
        for (int l = 0; l < lanes.size();) {
            final String node = lanes.get(l).node();
            final double top = y;
            final boolean named = !node.isEmpty();
            y += named ? 18 : 2;
            int last = l;
            for (; last < lanes.size() && lanes.get(last).node().equals(node); last++) {
                laneTop[last] = y;
                laneHeight[last] = rows(last) * row + (grouped ? 14 : 3);
                y += laneHeight[last] + (grouped ? 8 : 0);
            }
            y += 3;
            drawing.box(new Drawing.Bounds(DrawingBuilder.MARGIN, top, right, y), 0xf6f7fa, Palette.GRID);
            if (named) {
                drawing.text(DrawingBuilder.MARGIN + 6, top + 13, Drawing.Alignment.START, TEXT, true, Palette.TEXT, "node " + node);
            }
            for (; l < last; l++) {
                drawing.rule(DrawingBuilder.MARGIN, laneTop[l], right, laneTop[l], Palette.GRID);
                drawing.text(DrawingBuilder.MARGIN + 8, laneTop[l] + laneHeight[l] / 2 + 4, Drawing.Alignment.START, TEXT, false, Palette.TEXT,
                    lanes.get(l).label());
            }
            y += 5;
        }
        return y;
    }

    private long rows(final int lane) {
        return Math.max(1, cells.keySet().stream().filter(k -> k.lane() == lane).collect(Collectors.groupingBy(PlanCell.Key::round,
            Collectors.counting())).values().stream().mapToLong(n -> n).max().orElse(1));
    }

    private void placeBoxes() {
        final Map<List<Integer>, Integer> taken = new HashMap<>();
        cells.values().stream().sorted(Comparator.comparingInt(PlanCell::firstStep)).forEach(c -> {
            final PlanCell.Key k = c.key();
            final Double x = left.get(k.round());
            final Double width = wide.get(k.round());
            if (x != null && width != null) {
                final int above = taken.merge(List.of(k.lane(), k.round()), 1, Integer::sum) - 1;
                final double y = laneTop[k.lane()] + (grouped ? 8 : 2) + above * row;
                boxes.put(k, new Drawing.Bounds(x, y, x + width, y + row - 4));
            }
        });
    }

    /** Draws the box of a cell, if it has one. */
    private void box(final PlanCell cell) {
        final Drawing.Bounds at = boxes.get(cell.key());
        if (at != null) {
            drawing.add(new Drawing.Box(at.left(), at.top(), at.right() - at.left(), at.bottom() - at.top(), 2, fill(cell.kind()), EDGE, cell.tip()));
            drawing.text(at.left() + 5, at.bottom() - (row - 4) / 2 + 4.2, Drawing.Alignment.START, TEXT, false, Palette.TEXT, label(cell));
        }
    }

    private static int fill(final Kind kind) {
        return Objects.requireNonNull(FILLS.get(kind), "colour of a kind");
    }

    /** Draws an arrow for all messages between two boxes, if both are drawn. */
    private void arrows() {
        final Map<PlanGraph.Node, PlanCell.Key> keys = new HashMap<>();
        cells.values().forEach(c -> c.tasks().forEach(n -> keys.put(n, c.key())));
        final Map<List<PlanCell.Key>, Integer> counts = new LinkedHashMap<>();
        graph.arrows().forEach(a -> counts.merge(List.of(keys.get(a.from()), keys.get(a.to())), 1, Integer::sum));
        final List<Drawing.Bounds> taken = new ArrayList<>(boxes.values());
        final List<Runnable> labels = new ArrayList<>();
        counts.forEach((ends, count) -> {
            final Drawing.Bounds from = boxes.get(ends.getFirst());
            final Drawing.Bounds to = boxes.get(ends.getLast());
            if (from != null && to != null) {
                final Drawing.Position start = new Drawing.Position(from.right(), (from.top() + from.bottom()) / 2);
                final Drawing.Position end = new Drawing.Position(to.left(), (to.top() + to.bottom()) / 2);
                final boolean post = ends.getFirst().kind() == Kind.POST;
                drawing.add(new Drawing.Line(List.of(start, end), ARROW,
                    1 + Math.min(1.5, 0.25 * Math.log(count) / Math.log(2)), post ? Drawing.Dash.DASHED : Drawing.Dash.SOLID, true,
                    count + (post ? " post" : " message") + (count == 1 ? "" : "s") + " from " + lanes.get(ends.getFirst().lane()).label() + " to "
                        + lanes.get(ends.getLast().lane()).label()));
                if (grouped && count > 1) {
                    number(start, end, "×" + count, taken, labels);
                }
            }
        });
        labels.forEach(Runnable::run);
    }

    /** Puts the number of messages beside the middle of an arrow, or not at all where nothing is free: tips have it as well. */
    private void number(final Drawing.Position start, final Drawing.Position end, final String text, final List<Drawing.Bounds> taken,
        final List<Runnable> labels) {
        for (final double place : LABEL_PLACES) {
            final double x = start.x() + place * (end.x() - start.x());
            final double y = start.y() + place * (end.y() - start.y());
            final double half = TextWidth.of(text, NUMBER, false) / 2 + 1;
            final Drawing.Bounds at = new Drawing.Bounds(x - half, y - 7, x + half, y + 7);
            if (taken.stream().noneMatch(at::overlaps)) {
                taken.add(at);
                labels.add(() -> {
                    drawing.box(at, Palette.WHITE, Palette.WHITE);
                    drawing.text(x, y + 3.5, Drawing.Alignment.MIDDLE, NUMBER, false, Palette.TEXT, text);
                });
                return;
            }
        }
    }

    private void hidden(final double top, final double bottom) {
        for (int h = 0; h < hiddenLeft.length; h++) {
            final double width = TextWidth.of(hiddenText(h), TEXT, false);
            drawing.box(new Drawing.Bounds(hiddenLeft[h] - 8, top, hiddenLeft[h] + width + 8, bottom), Palette.WHITE, Palette.GRID);
            drawing.text(hiddenLeft[h], (top + bottom) / 2, Drawing.Alignment.START, TEXT, false, Palette.FAINT, hiddenText(h));
        }
    }

    private void legend(final double top, final double width) {
        final List<LegendEntry> entries = new ArrayList<>();
        for (final Kind k : cells.keySet().stream().map(PlanCell.Key::kind).distinct().sorted().toList()) {
            entries.add(new LegendEntry(meaning(k), (x, y) -> drawing.add(new Drawing.Box(x, y, 12, 12, 2, fill(k), EDGE, ""))));
        }
        if (graph.arrows().stream().anyMatch(a -> a.from().task().kind() == Kind.SEND)) {
            entries.add(new LegendEntry("message", (x, y) -> sample(x, y, Drawing.Dash.SOLID)));
        }
        if (graph.arrows().stream().anyMatch(a -> a.from().task().kind() == Kind.POST)) {
            entries.add(new LegendEntry("post", (x, y) -> sample(x, y, Drawing.Dash.DASHED)));
        }
        double x = DrawingBuilder.MARGIN;
        double y = top;
        for (final LegendEntry e : entries) {
            final double room = 21 + TextWidth.of(e.text, TEXT, false) + 18;
            if (x + room > width - DrawingBuilder.MARGIN && x > DrawingBuilder.MARGIN) {
                x = DrawingBuilder.MARGIN;
                y += 18;
            }
            e.sign.draw(x, y);
            drawing.text(x + 21, y + 10, Drawing.Alignment.START, TEXT, false, Palette.TEXT, e.text);
            x += room;
        }
    }

    /** Entry of the legend: a sign and what it means. */
    private record LegendEntry(String text, Sign sign) {}

    /** Sign of the legend, drawn at a position. */
    private interface Sign {
        void draw(double x, double y);
    }

    private void sample(final double x, final double y, final Drawing.Dash dash) {
        drawing.add(new Drawing.Line(List.of(new Drawing.Position(x, y + 6), new Drawing.Position(x + 16, y + 6)), ARROW, 1, dash, false, ""));
    }

    private static String meaning(final Kind kind) {
        return switch (kind) {
            case SEND -> "send: sends a message";
            case RECV -> "recv: receives one";
            case COPY -> "copy: copies own memory";
            case REDUCE -> "reduce: combines data";
            case POST -> "post: tells the node's ranks";
            case AWAIT -> "await: waits for a post";
            case GET -> "get: copies a peer's memory";
            case RESERVE -> "reserve: waits for readers";
            case OPAQUE -> "opaque: work of the module";
            case OFFLOADED -> "offloaded: a device's collective";
            case FENCE -> throw new IllegalArgumentException("fences are not drawn");
        };
    }
}
