package tutti.daemon.launch;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.process.owner.RankProgram;

/**
 * Request for a job.
 *
 * @param ranks         number of ranks; 0 means one per core of the cluster
 * @param mapping       how ranks are placed on nodes
 * @param nodes         names of the nodes on which ranks are placed, in this order; empty for all nodes in the order of their names
 * @param mainClass     class with the main method
 * @param args          arguments of the program
 * @param files         jars of the program, in class path order
 * @param parameters    parameters of the job
 * @param rules         selection rules of the job; null for the rules of the daemon
 * @param timeoutMillis time limit of the job; 0 means no limit
 * @param program       as the user wrote it
 * @param launchedBy    user who ran the command
 * @param environment   variables that the program finds in its environment, besides those of the nodes
 * @param placed        whether the client wants its {@link RankPlacement}
 * @param traced        whether the client wants the traces of the ranks, if the parameters ask for them; nodes keep them in any case
 * @param restart       checkpoint from which the job continues, JOB or JOB/NUMBER; null if it begins anew
 * @param options       options of the program's command line; null without
 */
public record RunRequest(int ranks, Mapping mapping, List<String> nodes, String mainClass, List<String> args, List<ProgramFile> files,
    Map<String, String> parameters, @Nullable RuleTable rules, long timeoutMillis, String program, String launchedBy,
    Map<String, String> environment, boolean placed, boolean traced, @Nullable String restart,
    RankProgram.@Nullable Options options) {
    /** Ways to place ranks on nodes. A node has as many slots as it has cores, or as its launcher says. */
    public enum Mapping {
        /** Blocks of consecutive ranks whose sizes differ by at most one. */
        BLOCK,
        /** Fills the slots of a node before those of the next. */
        SLOT,
        /** Deals the ranks out to the nodes in turn, and leaves out nodes whose slots are full. */
        NODE
    }

    /** Checks the values that a client may get wrong. */
    public RunRequest {
        if (ranks < 0 || ranks > Protocol.MAX_RANKS) {
            throw new IllegalArgumentException("ranks out of range: ranks=" + ranks + ", range=0.." + Protocol.MAX_RANKS);
        }
        if (mainClass == null || mainClass.isBlank()) {
            // Cause: the job ended while a part of it was prepared.
            throw new IllegalArgumentException("main class missing");
        }
        if (timeoutMillis < 0) {
            // Remedy: 0 or more.
            throw new IllegalArgumentException("timeout out of range: timeoutMillis=" + timeoutMillis + ", min=0");
        }
        Objects.requireNonNull(mapping, "mapping");
        nodes = List.copyOf(nodes);
        args = List.copyOf(args);
        files = ProgramFile.check(files);
        parameters = Map.copyOf(parameters);
        environment = Map.copyOf(environment);
    }

    /** Creates a request for a program without options of its command line. */
    public RunRequest(final int ranks, final Mapping mapping, final List<String> nodes, final String mainClass, final List<String> args,
        final List<ProgramFile> files, final Map<String, String> parameters, final @Nullable RuleTable rules, final long timeoutMillis,
        final String program, final String launchedBy, final Map<String, String> environment, final boolean placed, final boolean traced,
        final @Nullable String restart) {
        this(ranks, mapping, nodes, mainClass, args, files, parameters, rules, timeoutMillis, program, launchedBy, environment, placed, traced,
            restart, null);
    }
}
