package tutti.daemon.security;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Transport that signs the hello of each link that it opens by the secret of the cluster; everything else is as the transport below does it.
 *
 * <p>A signed hello has, before its payload: the octet {@link #SIGNED}, the role as an octet, the time in milliseconds, 16 random bytes, and the
 * authentication code of these, the purpose, the payload and the port of the receiver. It holds for a while and once; see {@link HelloVerifier}.
 *
 * <p><b>Threads.</b> As thread-safe as the transport below.
 */
final class HelloSigner implements Transport {
    /** First octet of a signed payload; those without a signature are JSON. */
    static final byte SIGNED = 1;
    static final int NONCE_BYTES = 16;
    static final int MAC_BYTES = 32;
    /** Bytes that the authentication code covers, before the payload. */
    static final int HEAD_BYTES = 2 + Long.BYTES + NONCE_BYTES;

    private final Transport transport;
    private final ClusterSecret secret;
    private final SecureRandom random = new SecureRandom();

    HelloSigner(final Transport transport, final ClusterSecret secret) {
        this.transport = transport;
        this.secret = secret;
    }

    @Override
    public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
        return transport.listen(address, acceptor);
    }

    @Override
    public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) throws IOException {
        return transport.connect(address, sign(hello, address.getPort(), System.currentTimeMillis()), handler, limit);
    }

    /** Returns the hello with a signature. */
    Hello sign(final Hello hello, final int port, final long millis) {
        final byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        final byte[] head = ByteBuffer.allocate(HEAD_BYTES).put(SIGNED).put((byte) secret.role().ordinal()).putLong(millis).put(nonce).array();
        return new Hello(hello.purpose(), ByteBuffer.allocate(HEAD_BYTES + MAC_BYTES + hello.payload().length).put(head)
            .put(mac(secret, head, port, hello.purpose(), hello.payload())).put(hello.payload()).array());
    }

    /** Returns the authentication code of a hello. */
    static byte[] mac(final ClusterSecret secret, final byte[] head, final int port, final String purpose, final byte[] payload) {
        final byte[] name = purpose.getBytes(StandardCharsets.US_ASCII);
        return secret.mac(head, ByteBuffer.allocate(2 * Integer.BYTES).putInt(port).putInt(name.length).array(), name, payload);
    }
}
