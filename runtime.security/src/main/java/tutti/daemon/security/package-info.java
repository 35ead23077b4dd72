/**
 * Who may do what in a cluster: roles, the cluster's secret and hellos that are signed by it, certificates and links over TLS.
 *
 * <pre>{@code
 * ClusterSecret      -> HelloSigner (a Transport)        -> Hello -> HelloVerifier -> Role
 * ClusterCertificate -> CertifiedTransport (a Transport) -> Link.peerCertificate -> HelloVerifier -> Role
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.security;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
