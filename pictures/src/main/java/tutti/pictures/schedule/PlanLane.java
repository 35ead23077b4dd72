package tutti.pictures.schedule;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import tutti.runtime.introspect.PartSummary;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankPlan;

/**
 * Lane of a picture of plans: ranks that are drawn together.
 *
 * @param node  name of the node of the ranks; empty where they are on several
 * @param ranks ranks, in their order
 */
record PlanLane(String node, List<Integer> ranks) {
    /** Maximum number of lanes that groups of ranks may have on one node; with more, all ranks of the node are one group. */
    private static final int ROLES = 4;
    /** Maximum number of lanes of groups; with more, groups span nodes. */
    private static final int GROUPS = 16;
    /** Maximum number of ranks with lanes of their own, where each of them may send in each round. */
    private static final int DENSE_RANKS = 16;
    /** Maximum number of ranks with lanes of their own. */
    private static final int SPARSE_RANKS = 24;
    private static final int FEW_ARROWS = 12;

    /** Which ranks share a lane. */
    enum Grouping {
        /** Those with the same tasks on the same node, if the picture would have too many arrows else. */
        AUTO,
        /** None. */
        RANKS,
        /** Those with the same tasks on the same node. */
        NODES
    }

    /** Copies the list. */
    PlanLane {
        ranks = List.copyOf(ranks);
    }

    /** Returns the lanes, those of a node together. */
    static List<PlanLane> of(final PlanGraph graph, final Grouping grouping) {
        final boolean apart = grouping == Grouping.RANKS || grouping == Grouping.AUTO && isSparse(graph);
        if (apart) {
            return lanes(graph, p -> p.node() + "\n" + p.rank());
        }
        final Map<Integer, String> roles = roles(graph);
        final Map<String, Long> rolesOfNode = graph.plans().stream().collect(Collectors.groupingBy(RankPlan::node,
            Collectors.collectingAndThen(Collectors.mapping(p -> roles.get(p.rank()), Collectors.toSet()), s -> (long) s.size())));
        final List<PlanLane> byNode = lanes(graph, p -> p.node() + "\n"
            + (Objects.requireNonNull(rolesOfNode.get(p.node()), "roles of a node") > ROLES ? "" : roles.get(p.rank())));
        if (byNode.size() <= GROUPS) {
            return byNode;
        }
        final boolean manyRoles = roles.values().stream().distinct().count() > ROLES;
        return lanes(graph, p -> manyRoles ? "" : Objects.requireNonNull(roles.get(p.rank()), "role of a rank"));
    }

    private static boolean isSparse(final PlanGraph graph) {
        final int ranks = graph.plans().size();
        final long most = graph.arrows().stream().collect(Collectors.groupingBy(a -> a.from().round(), Collectors.counting())).values().stream()
            .mapToLong(n -> n).max().orElse(0);
        return ranks <= DENSE_RANKS && most <= Math.max(FEW_ARROWS, ranks) || ranks <= SPARSE_RANKS && graph.arrows().size() <= 2 * ranks;
    }

    /** Returns what each rank does: kinds, numbers and lengths of its tasks in each round. */
    private static Map<Integer, String> roles(final PlanGraph graph) {
        final Map<Integer, List<String>> tasks = new LinkedHashMap<>();
        graph.plans().forEach(p -> tasks.put(p.rank(), new ArrayList<>()));
        graph.nodes().stream().filter(n -> n.task().kind() != PlannedTask.Kind.FENCE)
            .forEach(n -> Objects.requireNonNull(tasks.get(n.rank()), "tasks of a rank")
                .add(n.round() + " " + n.task().kind() + " " + n.task().bytes()));
        return tasks.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().stream().sorted().collect(Collectors.joining(","))));
    }

    /** Key of the lane of a rank. */
    private interface LaneKey {
        String of(RankPlan plan);
    }

    private static List<PlanLane> lanes(final PlanGraph graph, final LaneKey key) {
        final Map<String, Map<String, List<RankPlan>>> byNode = new LinkedHashMap<>();
        graph.plans().forEach(p -> {
            final String k = key.of(p);
            byNode.computeIfAbsent(k.startsWith(p.node() + "\n") ? p.node() : "", n -> new LinkedHashMap<>())
                .computeIfAbsent(k, x -> new ArrayList<>()).add(p);
        });
        return byNode.entrySet().stream().flatMap(n -> lanes(n.getKey(), n.getValue().values()).stream()).toList();
    }

    private static List<PlanLane> lanes(final String node, final Collection<List<RankPlan>> groups) {
        return groups.stream().map(g -> new PlanLane(node, g.stream().map(RankPlan::rank).toList())).toList();
    }

    /** Returns the name of the lane: its ranks, or their number where they are scattered. */
    String label() {
        final String all = PartSummary.list(ranks);
        return all.length() <= 24 ? (ranks.size() == 1 ? "rank " : "ranks ") + all : ranks.size() + " ranks";
    }
}
