package tutti.runtime.transport.ucx;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.liveness.PeerLifeline;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;

/** Connects and performs the handshake on the calling thread. */
final class Connector {
    private static final Logger LOG = LoggerFactory.getLogger(Connector.class);

    private final InetSocketAddress address;
    private final String peer;
    private final Duration limit;
    private final UcxContext context;

    /**
     * Connection that the peer has accepted.
     *
     * @param channel socket, in blocking mode
     * @param worker  connected to the peer's worker
     * @param token   what the peer's keys contain
     */
    record Accepted(SocketChannel channel, Worker worker, long token) {}

    Connector(final InetSocketAddress address, final Duration limit, final UcxContext context) {
        this.address = address;
        this.peer = UcxTransport.text(address);
        this.limit = limit.compareTo(PeerLifeline.HOST_LIMIT) > 0 ? PeerLifeline.HOST_LIMIT : limit;
        this.context = context;
    }

    /** Connects, says hello and waits for the answer. */
    Accepted connect(final Hello hello, final long token) throws IOException {
        if (address.isUnresolved()) {
            throw new UnknownHostException("unknown host: address=" + peer);
        }
        Worker worker = null;
        boolean isAccepted = false;
        SocketChannel channel = SocketChannel.open();
        try {
            connect(channel);
            worker = new Worker(context);
            Accepted accepted = handshake(channel, worker, Handshake.hello(context.version(), token, hello, worker.address()));
            isAccepted = true;
            return accepted;
        } catch (ClosedByInterruptException e) {
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while connecting to " + peer);
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            if (!isAccepted) {
                channel.close();
                if (worker != null) {
                    worker.destroy();
                }
            }
        }
    }

    private void connect(final SocketChannel channel) throws IOException {
        try {
            PeerSocket.configure(channel);
            channel.socket().connect(address, (int) Math.max(1, limit.toMillis()));
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (SocketTimeoutException e) {
            throw new IOException("no Tutti daemon answers at " + peer + " within " + limit.toMillis() + " ms", e);
        } catch (IOException e) {
            throw new IOException("no Tutti daemon answers at " + peer + ": " + e.getMessage(), e);
        }
    }

    private Accepted handshake(final SocketChannel channel, final Worker worker, final ByteBuffer hello) throws IOException {
        Handshake.Header header;
        byte[] rest;
        try (PeerLifeline lifeline = new PeerLifeline(address)) {
            LiveWait wait = new LiveWait("the peer at " + peer + " does not answer the handshake, it is busy or stopped, or no Tutti daemon",
                () -> lifeline.look(PeerLifeline.HOST_LIMIT) != PeerLifeline.Life.NOTHING, LOG::warn);
            while (hello.hasRemaining()) {
                channel.write(hello);
            }
            channel.socket().setSoTimeout((int) LiveWait.PERIOD.toMillis());
            InputStream in = channel.socket().getInputStream();
            header = Handshake.answerHeader(read(in, Handshake.HEADER, wait, true));
            rest = read(in, header.first() + header.address(), wait, false);
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("the peer at " + peer + " closed the connection in the handshake, it may not be a Tutti daemon: "
                + e.getMessage(), e);
        }
        if (header.octet() == Handshake.REFUSED) {
            throw new RefusedException(new String(rest, 0, header.first(), StandardCharsets.UTF_8));
        }
        String misfit = header.misfit(context.version());
        if (misfit != null) {
            throw new IOException("the peer at " + peer + " cannot be linked: " + misfit);
        }
        byte[] workerAddress = new byte[header.address()];
        System.arraycopy(rest, header.first(), workerAddress, 0, header.address());
        worker.connect(workerAddress);
        return new Accepted(channel, worker, header.token());
    }

    /** Reads that many bytes, as long as the connection is open and the host answers. */
    private static byte[] read(final InputStream in, final int bytes, final LiveWait wait, final boolean isStart) throws IOException {
        byte[] into = new byte[bytes];
        int have = 0;
        while (have < bytes) {
            try {
                int count = in.read(into, have, bytes - have);
                if (count < 0) {
                    throw new EOFException("end of stream");
                }
                have += count;
            } catch (SocketTimeoutException e) {
                if (!wait.goesOn()) {
                    throw new IOException("its host does not answer any more", e);
                }
            }
            if (isStart) {
                Handshake.checkStart(into, have);
            }
        }
        return into;
    }
}
