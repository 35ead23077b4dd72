package tutti.cli;

import java.util.Optional;
import tutti.daemon.node.HostPort;

/**
 * Line that a daemon prints on its standard output when it accepts commands: {@code ready NAME HOST:PORT}.
 *
 * @param name    the node's name
 * @param address the address on which it listens
 */
record ReadyLine(String name, HostPort address) {
    private static final String READY = "ready ";

    /** Returns the content of a line; empty when it is another one. */
    static Optional<ReadyLine> parse(final String line) {
        final int space = line.lastIndexOf(' ');
        return line.startsWith(READY) && space > READY.length()
            ? Optional.of(new ReadyLine(line.substring(READY.length(), space), HostPort.parse(line.substring(space + 1)))) : Optional.empty();
    }

    @Override
    public String toString() {
        return READY + name + " " + address;
    }
}
