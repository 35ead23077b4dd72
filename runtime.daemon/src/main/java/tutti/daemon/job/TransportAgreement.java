package tutti.daemon.job;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tutti.daemon.command.SimilarNames;
import tutti.daemon.job.JobAgreementResolver.JobRefusedException;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.PreparedPart;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.NodeEndpoints;

/** Check that a job's transports link each two of its nodes. */
final class TransportAgreement {
    private static final int MAX_NAMES = 8;

    private TransportAgreement() {}

    /**
     * Checks the transports of a job.
     *
     * @param parameters those of the job
     * @param nodes      report of each node, by node name
     */
    static void check(final Map<String, String> parameters, final Map<String, PreparedPart> nodes) throws JobRefusedException {
        final List<String> schemes = JobTransports.schemes(parameters);
        if (parameters.containsKey(JobTransports.PARAMETER)) {
            for (final String scheme : schemes) {
                checkKnown(scheme, nodes);
            }
        }
        // nodes with the same transports have them in common, or not, with the same others; most jobs have one or two kinds
        final Map<List<String>, NodeEndpoints> kinds = new LinkedHashMap<>();
        for (final Map.Entry<String, PreparedPart> node : nodes.entrySet()) {
            final NodeEndpoints next = new NodeEndpoints(node.getKey(), node.getValue().endpoints());
            final NodeEndpoints same = kinds.putIfAbsent(next.endpoints().stream().map(e -> e.scheme() + " " + e.reach()).toList(), next);
            if (same != null && next.endpoints().isEmpty()) {
                throw unlinked(schemes, same.name(), next.name(), nodes);
            }
        }
        for (final NodeEndpoints one : kinds.values()) {
            for (final NodeEndpoints other : kinds.values()) {
                if (one != other && one.common(other).isEmpty()) {
                    throw unlinked(schemes, one.name(), other.name(), nodes);
                }
            }
        }
    }

    private static void checkKnown(final String scheme, final Map<String, PreparedPart> nodes) throws JobRefusedException {
        final Set<String> known = new TreeSet<>();
        nodes.values().forEach(p -> known.addAll(p.transports()));
        if (!known.contains(scheme)) {
            throw new JobRefusedException(ExitStatus.USAGE, "no such transport: " + JobTransports.PARAMETER + "=" + scheme + "; " + held(nodes)
                + "; put its bundle into the --load folder of these nodes" + SimilarNames.nearest(scheme, known));
        }
    }

    /** Returns which nodes have which transports. */
    private static String held(final Map<String, PreparedPart> nodes) {
        final Map<String, Set<String>> holders = new TreeMap<>();
        nodes.forEach((node, p) -> holders.computeIfAbsent(String.join(", ", p.transports()), s -> new TreeSet<>()).add(node));
        return holders.entrySet().stream().map(h -> names(h.getValue()) + (h.getValue().size() == 1 ? " has " : " have ") + h.getKey())
            .collect(Collectors.joining("; "));
    }

    private static String names(final Set<String> nodes) {
        return (nodes.size() == 1 ? "node " : "nodes ") + nodes.stream().limit(MAX_NAMES).collect(Collectors.joining(", "))
            + (nodes.size() > MAX_NAMES ? " and " + (nodes.size() - MAX_NAMES) + " more" : "");
    }

    private static JobRefusedException missing(final String scheme, final Map<String, PreparedPart> nodes, final Set<String> missing) {
        final Set<String> common = new TreeSet<>(nodes.values().iterator().next().transports());
        nodes.values().forEach(p -> common.retainAll(p.transports()));
        // Cause: some nodes of the job lack the transport.
        return new JobRefusedException(ExitStatus.NO_AGREEMENT, "transport " + scheme + " is missing on " + names(missing) + ": " + held(nodes)
            + "; put its bundle into the --load folder of " + names(missing) + ", or use a transport of all nodes: " + JobTransports.PARAMETER + "="
            + String.join("|", common));
    }

    /** Returns why two nodes cannot be linked. */
    private static JobRefusedException unlinked(final List<String> schemes, final String one, final String other,
        final Map<String, PreparedPart> nodes) {
        final Set<String> missing = new TreeSet<>();
        nodes.forEach((node, p) -> {
            if (!p.transports().contains(schemes.getFirst())) {
                missing.add(node);
            }
        });
        if (schemes.size() == 1 && !missing.isEmpty()) {
            return missing(schemes.getFirst(), nodes, missing);
        }
        final String named = String.join(",", schemes);
        // Cause: the transport does not reach from one node to the other, or one of them cannot use it, of which its log tells.
        return new JobRefusedException(ExitStatus.NO_AGREEMENT, "nodes " + one + " and " + other
            + " have no transport in common that links them: " + JobTransports.PARAMETER + "=" + named + "; " + held(nodes)
            + "; name one that links all nodes, too: " + JobTransports.PARAMETER + "=" + named + "," + Endpoint.TCP);
    }
}
