package tutti.daemon.security;

import java.io.IOException;
import java.nio.file.Path;
import tutti.runtime.transport.Transport;

/** What a node or a command shows to the nodes of its cluster: a secret or a certificate. Immutable. */
public sealed interface Credential permits ClusterSecret, ClusterCertificate {

    /** Returns what its holder may do. */
    Role role();

    /** Returns a transport that shows this credential on the links that it opens. */
    Transport over(Transport transport);

    /**
     * Reads the credential of a file: a certificate when the name of the file ends in {@code .p12}, else a secret.
     *
     * @throws IOException when it cannot be read or is not valid, or others have access to it; the message is one line that names the file
     */
    static Credential read(final Path file) throws IOException {
        return file.toString().endsWith(ClusterCertificate.SUFFIX) ? ClusterCertificate.read(file) : ClusterSecret.read(file);
    }

    /**
     * Returns the credential of the current user: that of the file which the environment variable {@link ClusterSecret#VARIABLE} names, else the
     * secret in the home folder, which is made when it is missing.
     *
     * @throws IOException as {@link #read}
     */
    static Credential ofUser() throws IOException {
        final String named = System.getenv(ClusterSecret.VARIABLE);
        return named != null && named.strip().endsWith(ClusterCertificate.SUFFIX) ? read(Path.of(named.strip())) : ClusterSecret.ofUser();
    }
}
