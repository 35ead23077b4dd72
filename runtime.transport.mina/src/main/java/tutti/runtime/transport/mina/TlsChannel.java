package tutti.runtime.transport.mina;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * TLS 1.3 over a connection, where both sides show a certificate. {@link #read} decrypts and {@link #write} encrypts; the side that listens performs
 * the TLS handshake within them.
 *
 * <p>A listening side that sees no TLS in the first byte passes all bytes as they are, so that the acceptor can refuse the hello with a reason.
 * Such a peer has no certificate. A connecting side passes the bytes of a peer that answers without TLS in the same way.
 *
 * <p>Encrypted bytes that the connection does not accept are kept, and {@link #flush} is requested. {@link #write} accepts nothing more until then.
 * A failure of TLS sends its alert; what arrives afterwards is discarded.
 *
 * <p><b>Threads.</b> One thread at a time reads and one writes; {@code out} is guarded by its lock, as a reading thread answers in the handshake.
 */
final class TlsChannel implements ByteChannel {
    private static final String[] PROTOCOLS = {"TLSv1.3"};
    private static final byte HANDSHAKE_RECORD = 22;
    private static final int RECORD_HEADER = 5;
    private static final byte MIN_RECORD_TYPE = 20;
    private static final byte MAX_RECORD_TYPE = 23;
    private static final int MAX_RECORD = (16 << 10) + 256;
    /** As many records as the longest write of an {@link OutboundBuffer} needs, and one. */
    private static final int RECORDS_OUT = 4;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SSLEngine engine;
    private final DirectMemory memory;
    private final ByteBuffer in;
    private final ByteBuffer plain;
    private final ByteBuffer out;
    private final int packet;
    private ByteChannel channel;
    private Runnable requestFlush = () -> {};
    /** Whether a read of the channel waits for bytes. */
    private boolean blocking;
    private boolean firstByteIsKnown;
    private volatile boolean passesThrough;
    private boolean buffersOnly;
    private boolean ended;
    private boolean failed;
    private volatile boolean unflushed;

    private TlsChannel(final ByteChannel channel, final SSLEngine engine) {
        this.channel = channel;
        this.engine = engine;
        engine.setEnabledProtocols(PROTOCOLS);
        packet = engine.getSession().getPacketBufferSize();
        int application = engine.getSession().getApplicationBufferSize();
        memory = new DirectMemory((2 + RECORDS_OUT) * packet + application);
        ByteBuffer all = memory.segment().asByteBuffer();
        in = all.slice(0, 2 * packet);
        out = all.slice(2 * packet, RECORDS_OUT * packet);
        plain = all.slice((2 + RECORDS_OUT) * packet, application).limit(0);
    }

    /** Creates the side that connects, on a channel whose reads wait. */
    static TlsChannel connecting(final ByteChannel channel, final SSLContext context) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        TlsChannel made = new TlsChannel(channel, engine);
        made.blocking = true;
        return made;
    }

    /** Creates the side that listens, on a channel whose reads do not wait. */
    static TlsChannel accepting(final SocketChannel channel, final SSLContext context) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setNeedClientAuth(true);
        return new TlsChannel(channel, engine);
    }

    /** Continues on a channel whose reads do not wait, after {@link #handshake}. Called before the channel has other users. */
    void continueOn(final SocketChannel next) {
        channel = next;
        blocking = false;
    }

    /** Sets how a call of {@link #flush} is requested. Called before the channel has other users. */
    void onUnflushed(final Runnable request) {
        requestFlush = request;
    }

    /** Returns whether bytes, the first of a connection, are TLS. */
    static boolean isTls(final MemorySegment memory, final long at, final int bytes) {
        return bytes > 0 && memory.get(ValueLayout.JAVA_BYTE, at) == HANDSHAKE_RECORD;
    }

    /**
     * Performs the TLS handshake of the side that connects. Waits for the peer.
     *
     * @return false when the peer answers without TLS; then {@link #read} returns its answer
     */
    boolean handshake() throws IOException {
        try {
            engine.beginHandshake();
            answer();
            while (!passesThrough && engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
                if (!step(NOTHING, true)) {
                    throw new EOFException("end of stream");
                }
            }
            return !passesThrough;
        } catch (SSLException e) {
            fail();
            throw e;
        }
    }

    /** Returns the certificate of the peer; null before the handshake, and when the peer does not use TLS. */
    @Nullable
    X509Certificate peerCertificate() {
        if (passesThrough) {
            return null;
        }
        try {
            return (X509Certificate) engine.getSession().getPeerCertificates()[0];
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    @Override
    public int read(final ByteBuffer into) throws IOException {
        if (failed) {
            in.clear();
            return Math.min(channel.read(in), 0);
        }
        int before = into.position();
        try {
            while (into.hasRemaining()) {
                if (passesThrough) {
                    return in.position() > 0 ? moveFromIn(into) : channel.read(into);
                }
                if (plain.hasRemaining()) {
                    move(plain, into);
                } else if (!step(into, !buffersOnly && !(blocking && into.position() > before))) {
                    break;
                }
            }
        } catch (SSLException e) {
            fail();
            throw e;
        }
        int bytes = into.position() - before;
        return bytes > 0 || !ended ? bytes : -1;
    }

    /** Returns whether bytes can be read although the connection has none. */
    boolean hasBuffered() {
        return !failed && (plain.hasRemaining() || in.position() > 0 && (passesThrough || hasRecord()));
    }

    /** Sets whether {@link #read} leaves the connection as it is, and returns what was read from it before. */
    void buffersOnly(final boolean newBuffersOnly) {
        buffersOnly = newBuffersOnly;
    }

    @Override
    public int write(final ByteBuffer from) throws IOException {
        if (passesThrough) {
            return channel.write(from);
        }
        synchronized (out) {
            int before = from.position();
            if (!isFlushed()) {
                return 0;
            }
            while (from.hasRemaining() && (out.remaining() >= packet || isFlushed())) {
                if (engine.wrap(from, out).getStatus() == SSLEngineResult.Status.CLOSED) {
                    throw new ClosedChannelException();
                }
            }
            flush();
            return from.position() - before;
        }
    }

    /** Returns whether encrypted bytes wait for {@link #flush}. */
    boolean isUnflushed() {
        return unflushed;
    }

    /** Writes the encrypted bytes that the connection did not accept before. */
    void flush() throws IOException {
        synchronized (out) {
            if (!isFlushed()) {
                requestFlush.run();
            }
        }
    }

    /** Tells the peer that nothing follows. */
    void endOutput() throws IOException {
        synchronized (out) {
            if (!passesThrough && !failed) {
                engine.closeOutbound();
                answer();
            }
        }
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    /** Releases the memory; the connection stays. */
    @Override
    public void close() {
        synchronized (out) {
            memory.close();
        }
    }

    /** Decrypts a record or reads from the connection; returns whether that changed anything. */
    private boolean step(final ByteBuffer into, final boolean mayRead) throws IOException {
        if (in.position() >= RECORD_HEADER && !isRecord()) {
            throw new SSLException("malformed record of TLS");
        }
        if (hasRecord()) {
            boolean direct = into.remaining() >= plain.capacity();
            in.flip();
            SSLEngineResult result;
            try {
                result = engine.unwrap(in, direct ? into : plain.clear());
            } finally {
                in.compact();
                if (!direct) {
                    plain.flip();
                }
            }
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW || result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
                throw new SSLException("malformed record of TLS: " + result.getStatus());
            }
            ended |= result.getStatus() == SSLEngineResult.Status.CLOSED;
            answer();
            return !ended;
        }
        int bytes = mayRead && !ended ? channel.read(in) : 0;
        ended |= bytes < 0;
        if (bytes > 0 && !firstByteIsKnown) {
            firstByteIsKnown = true;
            passesThrough = engine.getUseClientMode() ? in.get(0) == WireFormat.MAGIC[0] : in.get(0) != HANDSHAKE_RECORD;
        }
        return bytes > 0;
    }

    private boolean hasRecord() {
        return in.position() >= RECORD_HEADER && in.position() >= RECORD_HEADER + recordLength();
    }

    /** Returns whether the bytes that have arrived begin with a record. */
    private boolean isRecord() {
        return in.get(0) >= MIN_RECORD_TYPE && in.get(0) <= MAX_RECORD_TYPE && in.get(1) == 3 && recordLength() <= MAX_RECORD;
    }

    private int recordLength() {
        return Short.toUnsignedInt(in.getShort(3));
    }

    /** Does what the engine wants done before it goes on. */
    private void answer() throws IOException {
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> {
                    for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                        task.run();
                    }
                }
                case NEED_WRAP -> {
                    synchronized (out) {
                        if (out.remaining() < packet && !isFlushed()) {
                            flush();
                            return; // the next write goes on
                        }
                        SSLEngineResult.Status status = engine.wrap(NOTHING, out).getStatus();
                        flush();
                        if (status == SSLEngineResult.Status.CLOSED) {
                            return;
                        }
                    }
                }
                default -> {
                    return;
                }
            }
        }
    }

    /** Writes what is encrypted; returns whether all of it was written. Called under the lock. */
    private boolean isFlushed() throws IOException {
        if (out.position() > 0) {
            out.flip();
            try {
                channel.write(out);
            } finally {
                out.compact();
            }
            unflushed = out.position() > 0;
        }
        return !unflushed;
    }

    /** Sends the alert of a failure, as far as the connection accepts it. */
    private void fail() {
        failed = true;
        try {
            answer();
        } catch (IOException e) {
            ended = true; // the peer will see that the connection is closed
        }
    }

    private int moveFromIn(final ByteBuffer into) {
        in.flip();
        int bytes = move(in, into);
        in.compact();
        return bytes;
    }

    private static int move(final ByteBuffer from, final ByteBuffer into) {
        int bytes = Math.min(from.remaining(), into.remaining());
        into.put(into.position(), from, from.position(), bytes);
        into.position(into.position() + bytes);
        from.position(from.position() + bytes);
        return bytes;
    }
}
