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
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;

/** Connects and performs the handshake on the calling thread. The peer has accepted the returned channel, and nothing after its answer was read. */
final class Connector {
    private static final Duration MAX_LIMIT = Duration.ofDays(1);

    private final InetSocketAddress address;
    private final String peer;
    private final Duration limit;
    private final long deadline;

    Connector(final InetSocketAddress address, final Duration limit) {
        this.address = address;
        this.peer = WireFormat.hostAndPort(address);
        this.limit = limit;
        this.deadline = System.nanoTime() + (limit.compareTo(MAX_LIMIT) > 0 ? MAX_LIMIT : limit).toNanos();
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
            accepted = true;
            return channel;
        } catch (ClosedByInterruptException e) {
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while connecting to " + peer);
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            if (!accepted) {
                channel.close();
            }
        }
    }

    private void connect(final SocketChannel channel) throws IOException {
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.socket().connect(address, millisLeft());
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (SocketTimeoutException e) {
            throw new IOException("no Tutti daemon answers at " + peer + " within " + limit.toMillis() + " ms", e);
        } catch (IOException e) {
            throw new IOException("no Tutti daemon answers at " + peer + ": " + e.getMessage(), e);
        }
    }

    private void handshake(final SocketChannel channel, final byte[] helloBytes) throws IOException {
        try {
            channel.write(ByteBuffer.wrap(helloBytes)); // the send buffer of a new connection is empty, so all of it is written
            InputStream in = channel.socket().getInputStream();
            byte[] header = read(channel, in, WireFormat.HANDSHAKE_HEADER, true);
            MemorySegment answer = MemorySegment.ofArray(header);
            String reason = new String(read(channel, in, HandshakeCodec.reasonLength(answer, 0), false), StandardCharsets.UTF_8);
            switch (HandshakeCodec.verdict(answer, 0)) {
                case WireFormat.ACCEPTED -> {}
                case WireFormat.REFUSED -> throw new RefusedException(reason);
                default -> throw new ProtocolException("malformed answer: verdict=" + HandshakeCodec.verdict(answer, 0));
            }
        } catch (RefusedException | ClosedByInterruptException e) {
            throw e;
        } catch (ProtocolException.Version e) {
            throw new IOException("the Tutti daemon at " + peer + " runs another release: " + e.getMessage(), e);
        } catch (ProtocolException e) {
            throw new IOException("the peer at " + peer + " is not a Tutti daemon: " + e.getMessage(), e);
        } catch (SocketTimeoutException e) {
            throw new IOException("the peer at " + peer + " did not answer the handshake within " + limit.toMillis()
                + " ms, it may not be a Tutti daemon", e);
        } catch (IOException e) {
            throw new IOException("the peer at " + peer + " closed the connection in the handshake, it may not be a Tutti daemon: "
                + e.getMessage(), e);
        }
    }

    /** Reads that many bytes; a header that begins with the magic is rejected at the first byte that differs from it. */
    private byte[] read(final SocketChannel channel, final InputStream in, final int bytes, final boolean magic) throws IOException {
        byte[] into = new byte[bytes];
        int have = 0;
        while (have < bytes) {
            channel.socket().setSoTimeout(millisLeft());
            int count = in.read(into, have, bytes - have);
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

    private int millisLeft() throws SocketTimeoutException {
        long millis = (deadline - System.nanoTime() + 999_999) / 1_000_000;
        if (millis <= 0) {
            throw new SocketTimeoutException("time limit exceeded");
        }
        return (int) Math.min(millis, Integer.MAX_VALUE);
    }
}
