package tutti.pictures.schedule;

import java.util.List;
import java.util.stream.Collectors;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankPlan;

/** Writer of plans as a graph for Graphviz: a box per rank with its tasks; dependencies are solid lines, messages and posts dashed. */
public final class PlanDot {
    private PlanDot() {}

    /** Returns the graph in the DOT language. */
    public static String of(final List<RankPlan> plans) {
        final PlanGraph graph = new PlanGraph(plans);
        final StringBuilder dot = new StringBuilder("digraph plan {\n  label=\"").append(quoted(PlanText.heading(plans.getFirst())))
            .append(PlanText.parts(plans).stream().map(part -> "\\n" + quoted(part)).collect(Collectors.joining()))
            .append("\";\n  labelloc=t;\n  node [shape=box, fontsize=10];\n");
        for (final RankPlan p : plans) {
            dot.append("  subgraph cluster_").append(p.rank()).append(" {\n    label=\"rank ").append(p.rank()).append("\";\n");
            for (final PlannedTask t : p.tasks()) {
                dot.append("    ").append(name(p.rank(), t.id())).append(" [label=\"").append(t.id()).append(' ').append(PlanText.kind(t))
                    .append("\\n").append(quoted(PlanText.details(p, t))).append("\"];\n");
            }
            for (final PlannedTask t : p.tasks()) {
                for (final int a : t.after()) {
                    dot.append("    ").append(name(p.rank(), a)).append(" -> ").append(name(p.rank(), t.id())).append(";\n");
                }
            }
            dot.append("  }\n");
        }
        for (final PlanGraph.Arrow a : graph.arrows()) {
            dot.append("  ").append(name(a.from().rank(), a.from().task().id())).append(" -> ").append(name(a.to().rank(), a.to().task().id()))
                .append(" [style=dashed, color=blue];\n");
        }
        return dot.append("}\n").toString();
    }

    private static String name(final int rank, final int task) {
        return "r" + rank + "t" + task;
    }

    private static String quoted(final String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"");
    }
}
