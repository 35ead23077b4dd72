package tutti.daemon.protocol;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;
import tutti.runtime.inspect.RankState;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.process.owner.RankOutcome;

/**
 * Control message. On a link it is one type byte, {@link MessageCodec#type}, and the record as JSON, in which a peer may leave out only what
 * may be null.
 */
public sealed interface Message {

    // from a command to a daemon

    /** Requests the {@link ClusterState}. */
    record Describe() implements Message {
    }

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
     */
    record Run(int ranks, Mapping mapping, List<String> nodes, String mainClass, List<String> args, List<ProgramFile> files,
        Map<String, String> parameters, @Nullable RuleTable rules, long timeoutMillis, String program, String launchedBy,
        Map<String, String> environment, boolean placed) implements Message {
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
    }

    /** Ends the job of this link. */
    record CancelRun() implements Message {
    }

    /** Ends the job with that id, on whichever node it was launched. The answer is a {@link Reply}. */
    record CancelJob(String job) implements Message {
    }

    /** Stops the node with that name, or all nodes when null. The answer is a {@link Reply}. */
    record Stop(@Nullable String node) implements Message {
    }

    /** Tells a daemon to join the cluster of the daemon at that address. The answer is a {@link Reply}. */
    record Join(String host, int port) implements Message {
    }

    /**
     * Changes the modules; the bytes of the change's file follow, if it has one. The answer is a {@link Reply}.
     *
     * @param force whether the change is made when the receiver's part of the cluster is no majority
     */
    record Change(ModuleChange change, boolean force) implements Message {
        /** Checks that the change is present. */
        public Change {
            Objects.requireNonNull(change, "change");
        }
    }

    // from a daemon to a command

    /** Reports of all nodes, in name order; nodes that did not answer in time are missing. */
    record ClusterState(List<NodeReport> nodes) implements Message {
        /** Copies the list. */
        public ClusterState {
            nodes = List.copyOf(nodes);
        }
    }

    /** Result of a request: an exit status and a text for the user, possibly empty. */
    record Reply(int status, String text) implements Message {
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

    // between daemons, on links that serve no job

    /** Nodes that the sender knows, itself first. */
    record Members(List<NodeInfo> nodes) implements Message {
        /** Copies the list, which holds at least the sender. */
        public Members {
            nodes = List.copyOf(nodes);
            if (nodes.isEmpty()) {
                throw new IllegalArgumentException("list of members is empty");
            }
        }
    }

    /** Packet of the membership of the sender. */
    record Packet(byte[] bytes) implements Message {
        /** Checks that the bytes are present. */
        public Packet {
            Objects.requireNonNull(bytes, "bytes");
        }
    }

    /** Announcement that the sender stops. */
    record Leave() implements Message {
    }

    /** Kinds of questions between daemons. */
    enum Question {
        /** Requests the {@link NodeReport}. */
        REPORT,
        /** Ends the job with the id in the argument, if the receiver coordinates it. */
        CANCEL,
        /** Stops the receiver. */
        STOP,
        /** Removes modules, a JSON list of {@link tutti.runtime.module.ModuleId}, once no job uses them. */
        RETIRE,
        /** Requests the port that a rank of the receiver published under the name in the argument. */
        LOOKUP,
        /** Asks whether the node with the name in the argument is in the receiver's view. */
        SEES,
        /** Asks whether the receiver's view has exactly the nodes in the argument, sorted names with commas between them. */
        VIEW,
        /** Installs a module of the receiver on the node that asks; the argument names both, as JSON. The text says why it failed. */
        SEND_MODULE,
        /** Tells the receiver which modules are in quarantine, a JSON list of {@link tutti.runtime.module.QuarantinedModule}. */
        QUARANTINE,
        /** Asks whether the receiver reaches the majority of the last agreed view; the text says why not. */
        MAJORITY,
        /** Requests what the ranks of the job in the argument do, if the receiver coordinates it, as text. */
        RANKS,
        /** Requests what the receiver finds when it examines itself, a {@link tutti.daemon.node.NodeHealth} as JSON. */
        EXAMINE
    }

    /** Question; the {@link Answer} has the same id. */
    record Ask(long id, Question question, String argument) implements Message {
        /** Checks that the question is present. */
        public Ask {
            Objects.requireNonNull(question, "question");
        }
    }

    /** Answer: whether the request was carried out, and the report or text if one was requested; otherwise null. */
    record Answer(long id, boolean done, @Nullable NodeReport report, @Nullable String text) implements Message {
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
     */
    record Prepare(String job, byte[] key, String transport, List<String> nodes, List<Integer> nodeOfRank, int self, List<JobProgram> programs,
        List<ProgramFile> files, @Nullable String parent, Map<String, String> environment) implements Message {
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
    }

    // between the node that coordinates a change of modules and another one, on a separate link

    /** Tells a node to prepare a change; the bytes of the change's file follow, if it has one. The answer is a {@link ChangeState}. */
    record PrepareChange(ModuleChange change) implements Message {
        /** Checks that the change is present. */
        public PrepareChange {
            Objects.requireNonNull(change, "change");
        }
    }

    /** Tells a node to commit the change that it prepared, or to undo it. The answer is a {@link ChangeState}. */
    record SettleChange(boolean commit) implements Message {
    }

    /**
     * Result of a step of a change.
     *
     * @param done   whether it is done
     * @param module the module if it is done and the change has a single one; otherwise null
     * @param text   the reason if it is not done; otherwise empty
     */
    record ChangeState(boolean done, @Nullable ModuleId module, String text) implements Message {
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
     */
    record Prepared(Catalogue catalogue, List<String> transports, @Nullable HostPort listener) implements Message {
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

    // between the coordinator of a job and its parts, and from a command: what ranks do

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

    /** Request of a command: what the ranks of a job do. The reply has the report. */
    record DescribeRanks(String job) implements Message {
        /** Checks that the job is present. */
        public DescribeRanks {
            Objects.requireNonNull(job, "job");
        }
    }

    /** Request of a command: what each node finds when it examines itself. The reply has a {@link tutti.daemon.node.ClusterHealth} as JSON. */
    record Examine() implements Message {
    }
}
