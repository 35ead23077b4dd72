package tutti.cli;

import java.io.PrintWriter;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;

/**
 * Main class of a node that a run starts for itself, with its name as the only argument. It is {@code tutti daemon} without the parser of
 * command lines, and ends when its standard input ends.
 */
final class EmbeddedNode {
    /** The node listens on a free port on loopback. */
    private static final HostPort LISTEN = new HostPort("127.0.0.1", 0);

    private EmbeddedNode() {}

    public static void main(final String[] args) {
        InputEnd.watch();
        try {
            new NodeProcess(NodeProcess.Settings.ofRun(args[0], LISTEN), new OptionalBundles()).run();
        } catch (final Exception e) {
            System.exit(CommandFailure.report(new PrintWriter(System.err, true, System.err.charset()), e));
        }
        System.exit(ExitStatus.OK);
    }
}
