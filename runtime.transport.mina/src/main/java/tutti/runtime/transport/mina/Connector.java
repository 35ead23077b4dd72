package tutti.runtime.transport.mina;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.liveness.PeerLifeline;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;

/** Connects and performs the handshake on the calling thread. The peer has accepted the returned channel, and nothing after its answer was read. */
final class Connector {
    private static final Logger LOG = LoggerFactory.getLogger(Connector.class);
    /** What the JDK says before the name of an alert of the peer. */
    private static final String ALERT = "Received fatal alert: ";

    private final InetSocketAddress address;
    private final String peer;
    private final Duration limit;
    private final @Nullable SSLContext context;
    private final Level level;
    private @Nullable TlsChannel tls;

    /** Creates a connector; with a level of the log, at which it says what it waits for. */
    Connector(final InetSocketAddress address, final Duration limit, final @Nullable SSLContext context, final Level level) {
        this.address = address;
        this.peer = WireFormat.hostAndPort(address);
        this.limit = limit.compareTo(PeerLifeline.HOST_LIMIT) > 0 ? PeerLifeline.HOST_LIMIT : limit;
        this.context = context;
        this.level = level;
    }

    SocketChannel open(final Hello hello) throws IOException {
        byte[] helloBytes = HandshakeCodec.hello(hello);
        if (address.isUnresolved()) {
            throw new UnknownHostException("unknown host: address=" + peer);
        }
        SocketChannel channel = SocketChannel.open();
        boolean accepted = false;
        try {
            connect(channel);
            handshake(channel, helloBytes);
            channel.configureBlocking(false);
            TlsChannel opened = tls;
            if (opened != null) {
                opened.continueOn(channel);
            }
            accepted = true;
            return channel;
        } catch (ClosedByInterruptException e) {
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while connecting to " + peer);
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            if (!accepted) {
                releaseTls();
                channel.close();
            }
        }
    }

    /** Returns TLS on the channel that was opened; null without. */
    @Nullable
    TlsChannel tls() {
        return tls;
    }

    /** Releases what TLS holds, when no link uses it. */
    void releaseTls() {
        if (tls != null) {
            tls.close();
        }
    }

    private void connect(final SocketChannel channel) throws IOException {
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.socket().connect(address, (int) Math.max(1, limit.toMillis()));
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (SocketTimeoutException e) {
            throw new IOException("no Tutti daemon answers at " + peer + " within " + limit.toMillis() + " ms", e);
        } catch (IOException e) {
            throw new IOException("no Tutti daemon answers at " + peer + ": " + e.getMessage(), e);
        }
    }

    private void handshake(final SocketChannel channel, final byte[] helloBytes) throws IOException {
        try (PatientChannel patient = new PatientChannel(channel)) {
            ByteChannel bytes = patient;
            boolean isProtected = true;
            if (context != null) {
                TlsChannel secured = TlsChannel.connecting(bytes, context);
                tls = secured;
                isProtected = secured.handshake();
                bytes = secured;
            }
            if (isProtected) {
                bytes.write(ByteBuffer.wrap(helloBytes)); // the send buffer of a new connection is empty, so all of it is written
            }
            byte[] header = read(bytes, WireFormat.HANDSHAKE_HEADER, true);
            MemorySegment answer = MemorySegment.ofArray(header);
            String reason = new String(read(bytes, HandshakeCodec.reasonLength(answer, 0), false), StandardCharsets.UTF_8);
            // what comes without TLS is refused, whatever it says
            switch (isProtected ? HandshakeCodec.verdict(answer, 0) : WireFormat.REFUSED) {
                case WireFormat.ACCEPTED -> {}
                case WireFormat.REFUSED -> throw new RefusedException(reason);
                default -> throw new ProtocolException("malformed answer: verdict=" + HandshakeCodec.verdict(answer, 0));
            }
        } catch (RefusedException | ClosedByInterruptException e) {
            throw e;
        } catch (SSLException e) {
            throw tlsFailure(e);
        } catch (ProtocolException.Version e) {
            throw new IOException("the Tutti daemon at " + peer + " runs another release: " + e.getMessage(), e);
        } catch (ProtocolException e) {
            throw new IOException("the peer at " + peer + " is not a Tutti daemon: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException("the peer at " + peer + " closed the connection in the handshake, it may not be a Tutti daemon: "
                + e.getMessage(), e);
        }
    }

    private IOException tlsFailure(final SSLException e) {
        String reason = WireFormat.reason(e);
        int alert = reason.indexOf(ALERT);
        if (alert >= 0) {
            // Cause: the certificate is of another authority, or has expired. Remedy: `tutti secure user` or `tutti secure node` of this cluster.
            RefusedException refused = new RefusedException("the certificate is not accepted: " + reason.substring(alert + ALERT.length()));
            refused.initCause(e);
            return refused;
        }
        return new IOException("the certificate of the peer at " + peer + " is not accepted: " + reason, e);
    }

    /** Reads that many bytes; a header that begins with the magic is rejected at the first byte that differs from it. */
    private static byte[] read(final ByteChannel channel, final int bytes, final boolean magic) throws IOException {
        byte[] into = new byte[bytes];
        int have = 0;
        while (have < bytes) {
            int count = channel.read(ByteBuffer.wrap(into, have, bytes - have));
            if (count < 0) {
                throw new EOFException("end of stream");
            }
            have += count;
            if (magic) {
                HandshakeCodec.checkMagic(MemorySegment.ofArray(into), 0, have);
            }
        }
        return into;
    }

    /** The channel in blocking mode, whose reads wait as long as the connection is open, and say so. */
    private final class PatientChannel implements ByteChannel {
        private final SocketChannel channel;
        private final InputStream in;
        private final PeerLifeline lifeline = new PeerLifeline(address);
        private final LiveWait wait =
            new LiveWait("the peer at " + peer + " does not answer the handshake, it is busy or stopped, or no Tutti daemon",
                () -> lifeline.look(PeerLifeline.HOST_LIMIT) != PeerLifeline.Life.NOTHING, text -> LOG.atLevel(level).log(text));

        PatientChannel(final SocketChannel channel) throws IOException {
            this.channel = channel;
            this.in = channel.socket().getInputStream();
            channel.socket().setSoTimeout((int) LiveWait.PERIOD.toMillis());
        }

        @Override
        public int read(final ByteBuffer into) throws IOException {
            byte[] bytes = new byte[into.remaining()];
            int count = patientRead(bytes);
            if (count > 0) {
                into.put(bytes, 0, count);
            }
            return count;
        }

        private int patientRead(final byte[] bytes) throws IOException {
            while (true) {
                try {
                    return in.read(bytes);
                } catch (SocketTimeoutException e) {
                    if (!wait.goesOn()) {
                        throw new IOException("its host does not answer any more", e);
                    }
                }
            }
        }

        @Override
        public int write(final ByteBuffer from) throws IOException {
            return channel.write(from);
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        /** Closes what watches the connection, and not the connection. */
        @Override
        public void close() throws IOException {
            lifeline.close();
        }
    }
}
