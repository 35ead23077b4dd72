package tutti.cli.introspect;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.introspect.RankPlan;
import tutti.runtime.policy.LongRange;

/** Drawing of plans as a space-time diagram in SVG: a lane per rank from the top, steps from the left, messages and posts as arrows. */
public final class PlanSvg {
    private static final int BOX = 92;
    private static final int COLUMN = 126;
    private static final int BOX_HEIGHT = 17;
    private static final int ROW = 21;
    private static final int LEFT = 64;
    private static final int TOP = 58;
    private static final int GAP = 12;
    private static final int FOOT = 30;
    private static final Map<Kind, String> COLORS = new EnumMap<>(Map.of(Kind.SEND, "#cfe2f7", Kind.RECV, "#d5ecd3", Kind.COPY, "#ececec",
        Kind.REDUCE, "#f8d9c4", Kind.FENCE, "#f7f7f7", Kind.POST, "#e6dbf4", Kind.AWAIT, "#f8eebb", Kind.GET, "#cfeeee", Kind.RESERVE, "#f2f2e0"));

    private final PlanGraph graph;
    private final Map<Integer, Integer> laneTop = new HashMap<>();
    private final Map<Integer, Integer> laneHeight = new HashMap<>();
    private final Map<PlanGraph.Node, int[]> corners = new HashMap<>();
    private final StringBuilder svg = new StringBuilder();
    private int height = TOP;

    private PlanSvg(final List<RankPlan> plans) {
        this.graph = new PlanGraph(plans);
    }

    /** Returns the drawing. */
    public static String of(final List<RankPlan> plans) {
        return new PlanSvg(plans).draw();
    }

    private String draw() {
        place();
        final int width = Math.max(LEFT + COLUMN * graph.steps() + GAP, 760);
        final String heading = escaped(PlanText.heading(graph.plans().getFirst()));
        line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        line("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"10\">",
            width, height + FOOT, width, height + FOOT);
        line("<title>%s</title>", heading);
        line("<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
            + "<path d=\"M0 0 L8 4 L0 8 z\" fill=\"#335\"/></marker></defs>");
        line("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        line("<text x=\"%d\" y=\"22\" font-size=\"14\">%s</text>", GAP, heading);
        for (int s = 0; s < graph.steps(); s++) {
            line("<text x=\"%d\" y=\"46\" fill=\"#777\">step %d</text>", LEFT + COLUMN * s, s);
        }
        graph.plans().forEach(p -> lane(p, width));
        graph.nodes().forEach(this::box);
        graph.arrows().forEach(this::arrow);
        legend();
        line("</svg>");
        return svg.toString();
    }

    /** Assigns each task its position: tasks of one rank and step are below each other. */
    private void place() {
        final Map<List<Integer>, Integer> taken = new HashMap<>();
        final Map<Integer, Integer> rows = new HashMap<>();
        for (final PlanGraph.Node n : graph.nodes()) {
            final int row = taken.merge(List.of(n.rank(), n.step()), 1, Integer::sum) - 1;
            rows.merge(n.rank(), row + 1, Math::max);
            corners.put(n, new int[] {LEFT + COLUMN * n.step(), row});
        }
        for (final RankPlan p : graph.plans()) {
            laneTop.put(p.rank(), height);
            laneHeight.put(p.rank(), Math.max(1, rows.getOrDefault(p.rank(), 0)) * ROW + 4);
            height += laneHeight.get(p.rank()) + GAP;
        }
        corners.forEach((n, corner) -> corner[1] = laneTop.get(n.rank()) + 4 + corner[1] * ROW);
    }

    private void lane(final RankPlan p, final int width) {
        line("<rect x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fafafc\" stroke=\"#e2e2ea\"/>", laneTop.get(p.rank()), width,
            laneHeight.get(p.rank()));
        line("<text x=\"%d\" y=\"%d\" font-size=\"11\">rank %d</text>", GAP / 2, laneTop.get(p.rank()) + laneHeight.get(p.rank()) / 2 + 4, p.rank());
    }

    private void box(final PlanGraph.Node n) {
        final int[] at = corners.get(n);
        final PlannedTask t = n.task();
        line("<g class=\"task\"><title>rank %d, task %d: %s</title>", n.rank(), t.id(), escaped(PlanText.kind(t) + " " + PlanText.details(t)));
        line("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\" fill=\"%s\" stroke=\"#778\"/>", at[0], at[1], BOX, BOX_HEIGHT,
            COLORS.get(t.kind()));
        line("<text x=\"%d\" y=\"%d\">%s</text></g>", at[0] + 4, at[1] + 12, escaped(label(t)));
    }

    private static String label(final PlannedTask t) {
        final StringBuilder label = new StringBuilder(PlanText.kind(t));
        if (t.peer() >= 0) {
            label.append(' ').append(t.peer());
        }
        if (t.kind() == Kind.POST || t.kind() == Kind.AWAIT) {
            label.append(" #").append(t.number());
        } else if (t.kind() != Kind.FENCE && t.kind() != Kind.RESERVE) {
            label.append(' ').append(new LongRange(t.bytes(), t.bytes()));
        }
        return label.toString();
    }

    private void arrow(final PlanGraph.Arrow a) {
        final int[] from = corners.get(a.from());
        final int[] to = corners.get(a.to());
        line("<line class=\"message\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#335\" stroke-opacity=\"0.65\"%s marker-end=\"url(#tip)\"/>",
            from[0] + BOX, from[1] + BOX_HEIGHT / 2, to[0], to[1] + BOX_HEIGHT / 2,
            a.from().task().kind() == Kind.POST ? " stroke-dasharray=\"4 3\"" : "");
    }

    private void legend() {
        final Set<Kind> used = EnumSet.noneOf(Kind.class);
        graph.nodes().forEach(n -> used.add(n.task().kind()));
        int x = GAP;
        for (final Kind k : used) {
            line("<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\" stroke=\"#778\"/>", x, height, COLORS.get(k));
            line("<text x=\"%d\" y=\"%d\">%s</text>", x + 17, height + 10, k.name().toLowerCase(java.util.Locale.ROOT));
            x += 80;
        }
    }

    private void line(final String format, final Object... args) {
        svg.append(args.length == 0 ? format.replace("%%", "%") : format.formatted(args)).append('\n');
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
                default -> out.append(c < ' ' || c == '\uffff' || c == '\ufffe' || Character.isSurrogate(c) ? '?' : c);
            }
        }
        return out.toString();
    }
}
