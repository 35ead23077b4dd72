package tutti.cli.hosts;

import java.util.List;

/**
 * A command line that starts containers of a cluster. Each container prints {@code ready NAME HOST:PORT} on the command's standard output, and ends
 * when the command's standard input ends, or is silent for 30 s after a line that followed the first one.
 *
 * @param nodes  names of the nodes of the containers
 * @param line   the command with its arguments
 * @param remote whether the containers run on other hosts, and the command ends when they have ended
 */
public record LaunchCommand(List<String> nodes, List<String> line, boolean remote) {

    /** Copies the lists. */
    public LaunchCommand {
        nodes = List.copyOf(nodes);
        line = List.copyOf(line);
    }
}
