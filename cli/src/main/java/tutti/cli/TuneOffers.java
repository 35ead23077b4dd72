package tutti.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Collectors;
import tutti.cli.tune.Measurement;
import tutti.cli.tune.TunableParameter;
import tutti.cli.tune.TuneSetting;
import tutti.cli.tune.VariantPlanner;
import tutti.coll.Operation;

/**
 * Settings to measure on a cluster for a number of ranks, with their algorithms, and the parameters of these.
 *
 * @param cluster    cluster
 * @param ranks      number of ranks
 * @param first      number of ranks of the first group, for calls between two groups; otherwise 0
 * @param algorithms algorithms of each setting
 * @param tunables   parameters of algorithms that have values to measure, by operation
 */
record TuneOffers(TuneCluster cluster, int ranks, int first, Map<TuneSetting, List<String>> algorithms,
    Map<String, List<TunableParameter>> tunables) {
    /** Operations that can be measured. */
    static final List<String> MEASURED = List.of("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast",
        "exscan", "gather", "gatherv", "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw",
        "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv");
    private static final List<String> BLOCK_OPERATIONS = List.of("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "gather", "gatherv",
        "reduce_scatter", "reduce_scatter_block", "scatter", "scatterv");
    private static final String NEIGHBOR = "neighbor_";
    /** Number of neighbours of a rank in the program that measures. */
    private static final int NEIGHBORS = 4;

    /**
     * Reads what {@code tutti explain --json} prints. Of the operations that the user did not name, those among neighbours are left out where there
     * is nothing to choose.
     *
     * @param explanations explanations of all operations
     * @param nodes        number of nodes with ranks
     * @param ranksPerJvm  number of ranks that share a JVM; 0 where all ranks of a node do
     * @param operations   operations to measure; empty for all
     */
    static TuneOffers of(final TuneCluster cluster, final int ranks, final int first, final int nodes, final int ranksPerJvm,
        final JsonNode explanations, final List<String> operations, final SortedSet<Long> sizes) {
        final Map<TuneSetting, List<String>> algorithms = new LinkedHashMap<>();
        final Map<String, List<TunableParameter>> tunables = new LinkedHashMap<>();
        for (final JsonNode e : explanations) {
            final String operation = e.get("operation").asText();
            final boolean hasChoice = e.get("offers").size() > 1 || !e.get("tunables").isEmpty();
            final boolean isDefined = first == 0 || Operation.of(operation).onIntercommunicators();
            if (isDefined && (operations.isEmpty() ? MEASURED.contains(operation) && (hasChoice || !operation.startsWith(NEIGHBOR))
                : operations.contains(operation))) {
                final List<String> names = new ArrayList<>();
                e.get("offers").forEach(n -> names.add(n.asText()));
                e.get("tunables").forEach(t -> {
                    if (!t.get("candidates").isEmpty()) {
                        tunables.computeIfAbsent(operation, o -> new ArrayList<>()).add(tunable(t));
                    }
                });
                sizesOf(operation, ranks, first, sizes)
                    .forEach(bytes -> algorithms.put(new TuneSetting(operation, ranks, first, nodes, ranksPerJvm, bytes), names));
            }
        }
        return new TuneOffers(cluster, ranks, first, algorithms, tunables);
    }

    private static TunableParameter tunable(final JsonNode t) {
        final List<Long> candidates = new ArrayList<>();
        t.get("candidates").forEach(c -> candidates.add(c.asLong()));
        return new TunableParameter(t.get("algorithm").asText(), t.get("parameter").asText(), t.get("value").textValue(), t.get("limit").asText(),
            candidates);
    }

    private static List<Long> sizesOf(final String operation, final int ranks, final int first, final SortedSet<Long> sizes) {
        // between groups the blocks of a reduce-scatter are equal in each group
        final int blocks = first > 0 && operation.startsWith("reduce_scatter") ? first * (ranks - first)
            : BLOCK_OPERATIONS.contains(operation) ? ranks : operation.startsWith(NEIGHBOR) ? NEIGHBORS : 1;
        return operation.equals("barrier") ? List.of(0L) : sizes.stream().filter(s -> s >= (long) blocks * Double.BYTES).toList();
    }

    /** Returns jobs that measure all algorithms with the parameters of the job. */
    List<TuneJob> jobs() {
        return TuneJob.of(cluster, ranks, first, algorithms);
    }

    /** Returns jobs that vary one parameter of the algorithms that are fast enough, see {@link VariantPlanner}. */
    List<TuneJob> variants(final int index, final List<Measurement> points) {
        return TuneJob.of(cluster, ranks, first, VariantPlanner.plan(index, List.copyOf(algorithms.keySet()), tunables, points));
    }

    /** Returns the maximum number of parameters of an algorithm. */
    int maxParameters() {
        return tunables.values().stream().flatMap(ofOperation -> ofOperation.stream()
            .collect(Collectors.groupingBy(TunableParameter::algorithm, Collectors.counting())).values().stream())
            .mapToInt(Long::intValue).max().orElse(0);
    }
}
