package tutti.cli;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.ClusterSecret;

/**
 * A daemon that a command talks to, and the secret by which it is allowed to.
 *
 * @param address the address on which the daemon listens
 * @param secret  the secret of its cluster; null for a user who has none, whom only nodes without a secret serve
 */
record Contact(HostPort address, @Nullable ClusterSecret secret) {

    /** Returns the daemon at an address, with the secret of the user, which is made if the user has none. */
    static Contact ofUser(final HostPort address) {
        try {
            return new Contact(address, ClusterSecret.ofUser());
        } catch (final IOException e) {
            if (!ClusterSecret.isOfUserPresent()) {
                return new Contact(address, null);
            }
            throw new CommandFailure(ExitStatus.DENIED, Protocol.oneLine(e), e);
        }
    }
}
