package tutti.daemon.protocol;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.HostPort;
import tutti.runtime.inspect.RankState;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankProgram;

/**
 * Control message. On a link it is one type byte, {@link MessageCodec#type}, and the record as JSON, in which a peer may leave out only what
 * may be null.
 */
public sealed interface Message {

    // from a command to a daemon

    /** Ways to place ranks on nodes. A node has as many slots as it has cores, or as its launcher says. */
    enum Mapping {
        /** Blocks of consecutive ranks whose sizes differ by at most one. */
        BLOCK,
        /** Fills the slots of a node before those of the next. */
        SLOT,
        /** Deals the ranks out to the nodes in turn, and leaves out nodes whose slots are full. */
        NODE
    }

    /**
     * Starts a job; the bytes of its files follow. The answer is {@link Accepted}, output and {@link Done}, or only Done.
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
     * @param placed        whether the client wants {@link Placed}
     * @param traced        whether the client wants the traces of the ranks, if the parameters ask for them; nodes keep them in any case
     * @param restart       checkpoint from which the job continues, JOB or JOB/NUMBER; null if it begins anew
     * @param options       options of the program's command line; null without
     */
    record Run(int ranks, Mapping mapping, List<String> nodes, String mainClass, List<String> args, List<ProgramFile> files,
        Map<String, String> parameters, @Nullable RuleTable rules, long timeoutMillis, String program, String launchedBy,
        Map<String, String> environment, boolean placed, boolean traced, @Nullable String restart,
        RankProgram.@Nullable Options options) implements Message {
        /** Checks the values that a client may get wrong. */
        public Run {
            if (ranks < 0 || ranks > Protocol.MAX_RANKS) {
                throw new IllegalArgumentException("ranks out of range: ranks=" + ranks + ", range=0.." + Protocol.MAX_RANKS);
            }
            if (mainClass == null || mainClass.isBlank()) {
                throw new IllegalArgumentException("main class missing");
            }
            if (timeoutMillis < 0) {
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
        public Run(final int ranks, final Mapping mapping, final List<String> nodes, final String mainClass, final List<String> args,
            final List<ProgramFile> files, final Map<String, String> parameters, final @Nullable RuleTable rules, final long timeoutMillis,
            final String program, final String launchedBy, final Map<String, String> environment, final boolean placed, final boolean traced,
            final @Nullable String restart) {
            this(ranks, mapping, nodes, mainClass, args, files, parameters, rules, timeoutMillis, program, launchedBy, environment, placed, traced,
                restart, null);
        }
    }

    /** Ends the job of this link. */
    record CancelRun() implements Message {
    }

    // from a daemon to a command

    /** Result of a request: an exit status and a text for the user, possibly empty. */
    record Reply(int status, String text) {
    }

    /** Acceptance of a job, with its id. */
    record Accepted(String job) implements Message {
    }

    /**
     * Placement of the job's ranks, before they start.
     *
     * @param nodes      names of the nodes that have ranks, in the order in which they get them
     * @param nodeOfRank index of the node of each rank
     */
    record Placed(List<String> nodes, List<Integer> nodeOfRank) implements Message {
        /** Copies the lists. */
        public Placed {
            nodes = List.copyOf(nodes);
            nodeOfRank = List.copyOf(nodeOfRank);
        }
    }

    /** End of the job; its output is complete. */
    record Done(int status, String text) implements Message {
    }

    // between the coordinator of a job and another node of it, on a separate link

    /**
     * Preparation of the part of a job that the receiver runs; the bytes of the job's files follow.
     *
     * @param job        id of the job
     * @param key        secret of the job
     * @param transport  scheme of the transport that carries the messages between the job's nodes
     * @param nodes      names of the nodes that have ranks
     * @param nodeOfRank index of the node of each rank
     * @param self       index of the receiver
     * @param programs   programs of the ranks, in the order of the ranks
     * @param files      jars of the programs, in class path order
     * @param parent     name of the port of the job that spawned this one; null if none did
     * @param environment variables that the programs find in their environment
     * @param restart    checkpoint from which the ranks continue; null if they begin anew
     * @param owner      who runs the job; null if that is not known
     * @param spawner    id of the job that spawned this one; null if none did
     */
    record Prepare(String job, byte[] key, String transport, List<String> nodes, List<Integer> nodeOfRank, int self, List<JobProgram> programs,
        List<ProgramFile> files, @Nullable String parent, Map<String, String> environment, @Nullable Restart restart, @Nullable String owner,
        @Nullable String spawner) implements Message {
        /** Checks the values that the receiver relies on. */
        public Prepare {
            Objects.requireNonNull(transport, "transport");
            nodes = List.copyOf(nodes);
            nodeOfRank = List.copyOf(nodeOfRank);
            programs = List.copyOf(programs);
            files = ProgramFile.check(files);
            environment = Map.copyOf(environment);
            if (self < 0 || self >= nodes.size()) {
                throw new IllegalArgumentException("node out of range: self=" + self + ", nodes=" + nodes.size());
            }
            for (final int node : nodeOfRank) {
                if (node < 0 || node >= nodes.size()) {
                    throw new IllegalArgumentException("node out of range: node=" + node + ", nodes=" + nodes.size());
                }
            }
        }

        /** Returns the order without files, and with another environment. */
        public Prepare withoutFiles(final Map<String, String> with) {
            return new Prepare(job, key, transport, nodes, nodeOfRank, self, programs, List.of(), parent, with, restart, owner, spawner);
        }
    }

    // between the coordinator of a job and another node of it, on a separate link

    /** Orders of a coordinator to a part of a job. */
    enum Verb {
        /** Starts the ranks. */
        START,
        /** Ends the ranks. */
        CANCEL,
        /** Ends the jobs that the part has spawned. */
        END_SPAWNED
    }

    /** Order of the coordinator to a part. */
    record Order(Verb verb, String reason) implements Message {
        /** Checks that the verb is present. */
        public Order {
            Objects.requireNonNull(verb, "verb");
        }
    }

    /** Phases that a part of a job reports. */
    enum Phase {
        /** All links are open. */
        CONNECTED,
        /** The part has ended and nothing of the job is left on the node. */
        ENDED,
        /** The part could not be prepared or connected, and has ended. */
        FAILED,
        /** The part has spawned a job; its output follows as that of the part. */
        SPAWNED,
        /** A job that the part has spawned has ended, and its output is complete. */
        SPAWN_ENDED
    }

    /**
     * Report of a part that the program is stored and opened.
     *
     * @param catalogue  modules that the node has leased for the job
     * @param transports schemes of the node's transports
     * @param listener   address at which the job's transport listens on the node; null when the node does not have that transport
     * @param ports      address at which other jobs reach the ranks on the node; null for that of the daemon
     */
    record Prepared(Catalogue catalogue, List<String> transports, @Nullable HostPort listener, @Nullable HostPort ports) implements Message {
        /** Creates the report of a part whose ranks other jobs reach at the daemon. */
        public Prepared(final Catalogue catalogue, final List<String> transports, final @Nullable HostPort listener) {
            this(catalogue, transports, listener, null);
        }

        /** Checks that the catalogue is present. */
        public Prepared {
            Objects.requireNonNull(catalogue, "catalogue");
            transports = List.copyOf(transports);
        }
    }

    /**
     * Tells a part to connect to the other parts.
     *
     * @param agreement agreement of the nodes
     * @param nodes     nodes of the job, with the addresses of their listeners on the job's transport
     * @param daemons   nodes of the job, with the addresses of their daemons
     */
    record Connect(AgreedModules agreement, List<NodeAddress> nodes, List<NodeAddress> daemons) implements Message {
        /** Checks that the agreement is present. */
        public Connect {
            Objects.requireNonNull(agreement, "agreement");
            nodes = List.copyOf(nodes);
            daemons = List.copyOf(daemons);
        }
    }

    /** Report of a part to the coordinator; status and text are used by FAILED. */
    record Progress(Phase phase, int status, String text) implements Message {
        /** Checks that the phase is present. */
        public Progress {
            Objects.requireNonNull(phase, "phase");
        }
    }

    /** Report of a part that a rank ended. */
    record RankEnded(int rank, RankOutcome.Kind kind, int status, String text) implements Message {
        /** Checks that the kind is present. */
        public RankEnded {
            Objects.requireNonNull(kind, "kind");
        }
    }

    /** Report of a part that it lost its link to another node of the job while ranks ran. */
    record NodeLost(int node, String reason) implements Message {
    }

    // between the coordinator of a job and its parts: what ranks do

    /**
     * Question of the coordinator to a part: what its ranks do. The part answers with {@link Inspected}.
     *
     * @param id           number of the question
     * @param waitedMillis if no rank has been waiting for that long, the part answers with no states; 0 for an answer in any case
     */
    record Inspect(long id, long waitedMillis) implements Message {
    }

    /** Answer of a part to {@link Inspect}: the states of its ranks. */
    record Inspected(long id, List<RankState> states) implements Message {
        /** Copies the list. */
        public Inspected {
            states = List.copyOf(states);
        }
    }

    // between the coordinator of a job and its parts: checkpoints

    /**
     * Order of the coordinator to a part: first without a point, which the part answers with {@link LastPoint}; then with the point at which its
     * ranks save their states.
     *
     * @param id    number of the checkpoint's order
     * @param point number of a point of the program; 0 to be told the last one
     */
    record PointOrder(long id, long point) implements Message {
    }

    /** Answer of a part: the number of the last point that its ranks have reached. */
    record LastPoint(long id, long point) implements Message {
    }

    /**
     * Report of the part with rank 0: what became of a checkpoint.
     *
     * @param number  number of the checkpoint
     * @param point   number of the point of the program
     * @param bytes   bytes of the states of all ranks
     * @param nanos   how long rank 0 was occupied with it
     * @param problem why there is no such checkpoint; null if there is one
     */
    record Checkpointed(int number, long point, long bytes, long nanos, @Nullable String problem) implements Message {
    }

    // where the states of a checkpoint are

    /**
     * Checkpoint from which a job continues. Its number alone does not name it: a job that continues from an older checkpoint uses numbers again.
     *
     * @param series     the series
     * @param number     number of the checkpoint
     * @param job        id of the job that has written it
     * @param generation how many jobs have continued the series up to that job, from 1
     * @param point      number of the point in the program at which the states were saved
     * @param ranks      number of ranks of that job, and of those that continue it
     * @param holders    the ranks that nodes hold; a rank may have several holders, which are asked in this order
     */
    record Restart(String series, int number, String job, int generation, long point, int ranks, List<Holder> holders) {
        /** Checks that names are present, and copies the list. */
        public Restart {
            Objects.requireNonNull(series, "series");
            Objects.requireNonNull(job, "job");
            holders = List.copyOf(holders);
        }

        /** Returns the names of the nodes that hold a rank. */
        public List<String> holders(final int rank) {
            return holders.stream().filter(h -> h.ranks().contains(rank)).map(Holder::node).toList();
        }
    }

    /** Node, and the ranks whose states it holds. */
    record Holder(String node, List<Integer> ranks) {
        /** Checks that the name is present, and copies the list. */
        public Holder {
            Objects.requireNonNull(node, "node");
            ranks = List.copyOf(ranks);
        }
    }

    // between a node and a job JVM

    /**
     * The modules that a node offers, for its job JVMs.
     *
     * @param catalogue the modules
     * @param sources   where their bundles are, in the order of the catalogue
     * @param added     those of them that were installed on the node
     */
    record OfferedModules(Catalogue catalogue, List<String> sources, List<ModuleId> added) {
        /** Copies the lists. */
        public OfferedModules {
            sources = List.copyOf(sources);
            added = List.copyOf(added);
            if (sources.size() != catalogue.modules().size()) {
                throw new IllegalArgumentException("not one source per module: modules=" + catalogue.modules().size() + ", sources="
                    + sources.size());
            }
        }
    }

    /**
     * Preparation of the part of a job in the receiving job JVM. The receiver reports as a part does to its coordinator.
     *
     * @param prepare   order of the coordinator, without files
     * @param classPath files of the programs
     * @param modules   modules that the node offers
     * @param places    number of cores of the cluster
     */
    record PrepareJvm(Prepare prepare, List<String> classPath, OfferedModules modules, int places) implements Message {
        /** Checks that all is present. */
        public PrepareJvm {
            Objects.requireNonNull(prepare, "prepare");
            Objects.requireNonNull(modules, "modules");
            classPath = List.copyOf(classPath);
        }
    }
}
