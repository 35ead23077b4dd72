package tutti.cli;

import picocli.CommandLine.Option;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;

/** Option {@code --connect}, which names a daemon of the cluster. */
final class ConnectOption {
    @Option(names = "--connect", required = true, paramLabel = "HOST:PORT", description = "a daemon of the cluster")
    private String address;

    Client open() {
        return Client.connect(contact());
    }

    /** Returns the daemon, with the secret of the user. */
    Contact contact() {
        return Contact.ofUser(parse(address));
    }

    static HostPort parse(final String address) {
        try {
            return HostPort.parse(address);
        } catch (final IllegalArgumentException e) {
            throw new CommandFailure(ExitStatus.USAGE, e.getMessage(), e);
        }
    }
}
