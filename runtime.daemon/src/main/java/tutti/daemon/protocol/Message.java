package tutti.daemon.protocol;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.RankOutcome;
import tutti.runtime.select.AgreedModules;
import tutti.runtime.select.Catalogue;
import tutti.runtime.select.ModuleId;
import tutti.runtime.select.RuleTable;

/** A control message. On a link it is one type byte, {@link MessageCodec#type}, and the record as JSON. */
public sealed interface Message {

    // from a command to a daemon

    /** Asks for {@link ClusterState}. */
    record Describe() implements Message {
    }

    /**
     * Starts a job; the bytes of its files follow. Answered by {@link Accepted}, output and {@link Done}, or by Done alone.
     *
     * @param ranks         of the job; 0 is one per core of the cluster
     * @param cyclic        whether ranks are dealt out in turn
     * @param mainClass     the class with main
     * @param args          of the program
     * @param files         jars of the program, in class path order
     * @param parameters    of the job
     * @param rules         of the job; null for those of the daemon
     * @param timeoutMillis how long the job may take; 0 is for ever
     * @param program       as the user wrote it
     * @param launchedBy    user and host
     */
    record Run(int ranks, boolean cyclic, String mainClass, List<String> args, List<ProgramFile> files, Map<String, String> parameters,
               RuleTable rules, long timeoutMillis, String program, String launchedBy) implements Message {
        /** Checks what a client may get wrong. */
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
            args = List.copyOf(args);
            files = ProgramFile.check(files);
            parameters = Map.copyOf(parameters);
        }
    }

    /** Ends the job of this link. */
    record CancelRun() implements Message {
    }

    /** Ends the job of that id, wherever it was launched. Answered by {@link Reply}. */
    record CancelJob(String job) implements Message {
    }

    /** Stops the node of that name, or all when null. Answered by {@link Reply}. */
    record Stop(String node) implements Message {
    }

    /** Tells a daemon to join the cluster of the daemon at that address. Answered by {@link Reply}. */
    record Join(String host, int port) implements Message {
    }

    /** Changes the modules; the bytes of its file follow, if it has one. Answered by {@link Reply}. */
    record Change(ModuleChange change) implements Message {
        /** Refuses one without a change. */
        public Change {
            Objects.requireNonNull(change, "change");
        }
    }

    // from a daemon to a command

    /** What every node says of itself, in name order; nodes that did not answer in time are left out. */
    record ClusterState(List<NodeReport> nodes) implements Message {
        /** Copies the list. */
        public ClusterState {
            nodes = List.copyOf(nodes);
        }
    }

    /** The end of a request: an exit status and what to tell the user, possibly nothing. */
    record Reply(int status, String text) implements Message {
    }

    /** The job exists. */
    record Accepted(String job) implements Message {
    }

    /** The job ended; its output is complete. */
    record Done(int status, String text) implements Message {
    }

    // between daemons, on the links of the mesh

    /** The nodes that the sender knows, itself first. */
    record Members(List<NodeInfo> nodes) implements Message {
        /** Copies the list, which holds at least the sender. */
        public Members {
            nodes = List.copyOf(nodes);
            if (nodes.isEmpty()) {
                throw new IllegalArgumentException("list of members is empty");
            }
        }
    }

    /** The sender stops. */
    record Leave() implements Message {
    }

    /** What one daemon asks another. */
    enum Question {
        /** For its {@link NodeReport}. */
        REPORT,
        /** To end the job of that id, if it coordinates it. */
        CANCEL,
        /** To stop. */
        STOP,
        /** To let go of modules, a JSON list of {@link tutti.runtime.select.ModuleId}, when no job holds them any more. */
        RETIRE
    }

    /** Asks; {@link Answer} comes back with the same id. */
    record Ask(long id, Question question, String argument) implements Message {
        /** Refuses one without a question. */
        public Ask {
            Objects.requireNonNull(question, "question");
        }
    }

    /** Answers: a report, or whether it was done. */
    record Answer(long id, boolean done, NodeReport report) implements Message {
    }

    // between the coordinator of a job and another node of it, on a link of their own

    /**
     * The part of a job that the receiver runs; the bytes of its files follow.
     *
     * @param job        its id
     * @param key        its secret
     * @param nodes      that hold ranks
     * @param nodeOfRank index of the node of each rank
     * @param self       index of the receiver
     * @param mainClass  the class with main
     * @param args       of the program
     * @param files      jars of the program, in class path order
     */
    record Prepare(String job, byte[] key, List<NodeAddress> nodes, List<Integer> nodeOfRank, int self, String mainClass, List<String> args,
                   List<ProgramFile> files) implements Message {
        /** Checks what would break the receiver. */
        public Prepare {
            nodes = List.copyOf(nodes);
            nodeOfRank = List.copyOf(nodeOfRank);
            args = List.copyOf(args);
            files = ProgramFile.check(files);
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

    // between the node that leads a change of modules and another one, on a link of their own

    /** Tells a node to get ready for a change; the bytes of its file follow, if it has one. Answered by {@link ChangeState}. */
    record PrepareChange(ModuleChange change) implements Message {
        /** Refuses one without a change. */
        public PrepareChange {
            Objects.requireNonNull(change, "change");
        }
    }

    /** Tells a node to do what it got ready for, or to undo that. Answered by {@link ChangeState}. */
    record SettleChange(boolean commit) implements Message {
    }

    /** Whether a step of a change is done, the module that it is about, if it is a single one, and else why not. */
    record ChangeState(boolean done, ModuleId module, String text) implements Message {
    }

    // between the coordinator of a job and another node of it, on a link of their own

    /** What a coordinator tells a part to do. */
    enum Verb {
        /** Start the ranks. */
        START,
        /** End the ranks. */
        CANCEL
    }

    /** Goes from the coordinator to a part. */
    record Order(Verb verb, String reason) implements Message {
        /** Refuses one without a verb. */
        public Order {
            Objects.requireNonNull(verb, "verb");
        }
    }

    /** What a part of a job has reached. */
    enum Phase {
        /** All links stand. */
        CONNECTED,
        /** Nothing of the job is left. */
        ENDED,
        /** The part could not get ready; it is gone. */
        FAILED
    }

    /** The program is stored and opened; these are the modules that the node holds for the job. */
    record Prepared(Catalogue catalogue) implements Message {
        /** Refuses one without modules' names. */
        public Prepared {
            Objects.requireNonNull(catalogue, "catalogue");
        }
    }

    /** Tells a part what the nodes agreed on, and to link to the others. */
    record Connect(AgreedModules agreement) implements Message {
        /** Refuses one without an agreement. */
        public Connect {
            Objects.requireNonNull(agreement, "agreement");
        }
    }

    /** Goes from a part to the coordinator; status and text are for FAILED. */
    record Progress(Phase phase, int status, String text) implements Message {
        /** Refuses one without a phase. */
        public Progress {
            Objects.requireNonNull(phase, "phase");
        }
    }

    /** A rank ended. */
    record RankEnded(int rank, RankOutcome.Kind kind, int status, String text) implements Message {
        /** Refuses one without a kind. */
        public RankEnded {
            Objects.requireNonNull(kind, "kind");
        }
    }

    /** A part lost its link to another node of the job while ranks ran. */
    record NodeLost(int node, String reason) implements Message {
    }
}
