package tutti.daemon.settings;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Role;

/**
 * Setting of who may do what on a node.
 *
 * @param secret   file with the secret of the cluster; {@value #NONE} when everybody may do everything; null for the secret of the user
 * @param insecure whether everybody may do everything on a node that listens beyond loopback
 */
public record NodeAccess(@Nullable String secret, boolean insecure) {
    /** Value of a node without a secret. */
    public static final String NONE = "none";

    /**
     * Returns the secret of the node; null when everybody may do everything.
     *
     * @param listen the address on which the node is to listen
     * @throws IOException when there is no secret that nodes can use, or the node must not be without; the message is one line that says what to do
     */
    public @Nullable ClusterSecret secret(final InetSocketAddress listen) throws IOException {
        if (NONE.equals(secret)) {
            if (!insecure && (listen.getAddress() == null || !listen.getAddress().isLoopbackAddress())) {
                throw new IOException(
                    "a node that listens beyond loopback needs a secret: " + NodeProperties.LISTEN + "=" + listen.getHostString() + ":"
                        + listen.getPort() + ", " + NodeProperties.SECRET + "=" + NONE + "; set " + NodeProperties.SECRET
                        + " to a file that 'tutti secure init' makes, or say that everybody may do everything on it: --insecure, or "
                        + NodeProperties.INSECURE + "=true");
            }
            return null;
        }
        final ClusterSecret found = secret == null ? ClusterSecret.ofUser() : ClusterSecret.read(Path.of(secret));
        if (found.role() != Role.NODE) {
            throw new IOException("a node needs the secret for role " + Role.NODE + ", this one is for role " + found.role()
                + (secret == null ? "" : ": file=" + secret));
        }
        return found;
    }
}
