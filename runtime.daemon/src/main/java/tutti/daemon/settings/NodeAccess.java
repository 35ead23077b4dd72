package tutti.daemon.settings;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.security.Credential;
import tutti.daemon.security.Role;

/**
 * Setting of who may do what on a node.
 *
 * @param secret   file with the secret of the cluster or the certificate of the node; {@value #NONE} when everybody may do everything; null for the
 *                 secret of the user
 * @param insecure whether everybody may do everything on a node that listens beyond loopback
 * @param signers  file with the certificates whose holders may sign modules, in PEM format; null when modules need not be signed
 */
public record NodeAccess(@Nullable String secret, boolean insecure, @Nullable Path signers) {
    /** Value of a node without a secret. */
    public static final String NONE = "none";

    /**
     * Returns what the node shows to others; null when everybody may do everything.
     *
     * @param listen the address on which the node is to listen
     * @throws IOException when there is no secret that nodes can use, or the node must not be without; the message is one line that says what to do
     */
    public @Nullable Credential credential(final InetSocketAddress listen) throws IOException {
        if (NONE.equals(secret)) {
            if (!insecure && (listen.getAddress() == null || !listen.getAddress().isLoopbackAddress())) {
                // Cause: anybody in the network could use it. Remedy: `tutti secure init`.
                throw new IOException(
                    "a node that listens beyond loopback needs a secret: " + NodeProperties.LISTEN + "=" + listen.getHostString() + ":"
                        + listen.getPort() + ", " + NodeProperties.SECRET + "=" + NONE + "; set " + NodeProperties.SECRET
                        + " to a file that 'tutti secure init' makes, or say that everybody may do everything on it: --insecure, or "
                        + NodeProperties.INSECURE + "=true");
            }
            return null;
        }
        final Credential found = secret == null ? Credential.ofUser() : Credential.read(Path.of(secret));
        if (found.role() != Role.NODE) {
            // Cause: the node was started with the secret of a command. Remedy: the file `node.secret` that `tutti secure init` makes.
            throw new IOException("a node needs the secret for role " + Role.NODE + ", this one is for role " + found.role()
                + (secret == null ? "" : ": file=" + secret));
        }
        return found;
    }
}
