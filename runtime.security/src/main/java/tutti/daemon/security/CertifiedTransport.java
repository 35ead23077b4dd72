package tutti.daemon.security;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/** Transport with TLS that opens links to nodes alone: who listens must show the certificate of a node. */
record CertifiedTransport(Transport transport) implements Transport {

    @Override
    public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
        return transport.listen(address, acceptor);
    }

    @Override
    public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) throws IOException {
        final Link link = transport.connect(address, hello, handler, limit);
        final X509Certificate certificate = link.peerCertificate();
        try {
            if (certificate == null || ClusterCertificate.Subject.of(certificate).role() != Role.NODE) {
                // Cause: the certificate is that of a user. Remedy: `tutti secure node`.
                throw new IllegalArgumentException("not a certificate for role " + Role.NODE);
            }
            return link;
        } catch (final IllegalArgumentException e) {
            link.close();
            // Cause: what answers shows no certificate of a node of this cluster. Remedy: the address, or the certificate of that node.
            throw new IOException("the peer at " + link.peer() + " is not a node of the cluster: " + e.getMessage(), e);
        }
    }
}
