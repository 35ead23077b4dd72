package tutti.daemon.protocol;

/** The exit statuses that the command gives a meaning of its own; all others are the program's. */
public final class ExitStatus {
    /** All went well. */
    public static final int OK = 0;
    /** A rank failed with an exception. */
    public static final int FAILED = 1;
    /** The command line, the program or a parameter makes no sense. */
    public static final int USAGE = 2;
    /** There is no cluster, or a node of it was lost. */
    public static final int NO_CLUSTER = 3;
    /** The nodes could not agree on modules. */
    public static final int NO_AGREEMENT = 4;
    /** The time given with {@code --timeout} is over. */
    public static final int TIMEOUT = 124;

    private ExitStatus() {
    }
}
