package tutti.daemon.part;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;

/** Parameter {@code ranks.per.jvm} of a job: how many of its ranks on a node share a JVM. */
public final class RanksPerJvm {
    /** Name of the parameter. */
    public static final String PARAMETER = "ranks.per.jvm";
    private static final String ALL = "all";

    private RanksPerJvm() {}

    /** Returns what is wrong with a value; null when nothing is. */
    public static @Nullable String problem(final String value) {
        if (value.equals(ALL) || value.matches("[1-9][0-9]{0,4}") && Integer.parseInt(value) <= Protocol.MAX_RANKS) {
            return null;
        }
        return "allowed: " + ALL + ", or a number from 1 to " + Protocol.MAX_RANKS;
    }

    /** Returns the most ranks of a JVM; 0 when all ranks of a node share one, also for a value that is not valid. */
    public static int of(final Map<String, String> parameters) {
        final String value = parameters.getOrDefault(PARAMETER, ALL);
        return value.equals(ALL) || problem(value) != null ? 0 : Integer.parseInt(value);
    }

    /** Returns whether the part of a job on a node is one rank that has a JVM of its own, and is a process by that. */
    static boolean isAlone(final JobSpec spec) {
        return NodeAddress.isJvm(spec.nodes().get(spec.self())) && ranks(spec).size() == 1;
    }

    /** Returns the ranks of the part of a job. */
    static List<Integer> ranks(final JobSpec spec) {
        return IntStream.range(0, spec.size()).filter(r -> spec.nodeOfRank().get(r) == spec.self()).boxed().toList();
    }
}
