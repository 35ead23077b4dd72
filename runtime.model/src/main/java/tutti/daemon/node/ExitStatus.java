package tutti.daemon.node;

/** Exit statuses that the {@code tutti} command defines; all others are the program's. */
public final class ExitStatus {
    /** Success. */
    public static final int OK = 0;
    /** A rank failed with an exception. */
    public static final int FAILED = 1;
    /** The command line, the program or a parameter is invalid. */
    public static final int USAGE = 2;
    /** No cluster was reached, or a node was lost. */
    public static final int NO_CLUSTER = 3;
    /** The nodes could not agree on modules. */
    public static final int NO_AGREEMENT = 4;
    /** The secret of the user is not that of the cluster, or its role does not suffice. */
    public static final int DENIED = 5;
    /** The job was cancelled: by its client, or with {@code tutti cancel}. */
    public static final int CANCELLED = 7;
    /** Ranks waited for each other, and the job could not go on. */
    public static final int DEADLOCK = 8;
    /** The time limit given with {@code --timeout} has expired. */
    public static final int TIMEOUT = 124;

    /** Standard output was closed before the output was complete, as by {@code | head}: the status of a process that SIGPIPE ends. */
    public static final int PIPE_CLOSED = 141;

    private ExitStatus() {
    }
}
