package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusalPeriod;
import tutti.runtime.transport.RefusedException;

/**
 * Listener: accepts connections, and makes links of those whose hello the acceptor accepts.
 *
 * <p>Connections without a hello are limited in number and in time; when there are too many, the oldest is dropped.
 *
 * <p><b>Threads.</b> The thread of the sockets accepts and decides. Any thread closes; the lock of {@code unfinished} guards that set.
 */
final class UcxListener implements Listener, SocketThread.Member {
    private static final Logger LOG = LoggerFactory.getLogger(UcxListener.class);
    private static final int MAX_UNFINISHED = 512;
    private static final long HELLO_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final UcxTransport transport;
    private final UcxContext context;
    private final ServerSocketChannel channel;
    private final InetSocketAddress address;
    private final LinkAcceptor acceptor;
    private final Set<PeerSocket> unfinished = new LinkedHashSet<>();
    private final RefusalPeriod late = RefusalPeriod.ofOneReason();
    private final RefusalPeriod failed = RefusalPeriod.ofManyReasons();
    private @Nullable SelectionKey key;

    UcxListener(final UcxTransport transport, final UcxContext context, final ServerSocketChannel channel, final LinkAcceptor acceptor)
        throws IOException {
        this.transport = transport;
        this.context = context;
        this.channel = channel;
        this.address = (InetSocketAddress) channel.getLocalAddress();
        this.acceptor = acceptor;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void register(final Selector with) throws IOException {
        key = channel.register(with, SelectionKey.OP_ACCEPT, this);
    }

    @Override
    public void ready() {
        SelectionKey own = key;
        if (own == null || !channel.isOpen()) {
            return;
        }
        try {
            for (SocketChannel accepted = channel.accept(); accepted != null; accepted = channel.accept()) {
                accept(accepted, own.selector());
            }
        } catch (IOException e) {
            LOG.debug("no connection can be accepted for now: address={}", address, e);
            setInterest(0);
        }
    }

    /** Sets whether connections are accepted: not while the process has no descriptor left, for example. */
    private void setInterest(final int operations) {
        SelectionKey own = key;
        if (own != null && own.isValid()) {
            own.interestOps(operations);
        }
    }

    private void accept(final SocketChannel accepted, final Selector with) throws IOException {
        boolean isKept = false;
        try {
            PeerSocket.configure(accepted);
            accepted.configureBlocking(false);
            PeerSocket socket =
                new PeerSocket(transport.sockets(), accepted, UcxTransport.text((InetSocketAddress) accepted.getRemoteAddress()), this);
            enter(socket);
            socket.register(with);
            isKept = true;
        } finally {
            if (!isKept) {
                accepted.close();
            }
        }
    }

    private void enter(final PeerSocket socket) {
        PeerSocket oldest = null;
        synchronized (unfinished) {
            if (unfinished.size() == MAX_UNFINISHED) {
                Iterator<PeerSocket> first = unfinished.iterator();
                oldest = first.next();
                first.remove();
            }
            unfinished.add(socket);
        }
        if (oldest != null) {
            drop(oldest);
        }
    }

    /** Removes a connection that has sent its hello or is closed. Returns whether it was there. */
    boolean leave(final PeerSocket socket) {
        synchronized (unfinished) {
            return unfinished.remove(socket);
        }
    }

    /** Drops a connection that has not sent its hello, or not read its refusal, in time. */
    void checkTime(final PeerSocket socket) {
        if (socket.nanos() > HELLO_NANOS) {
            if (leave(socket)) {
                drop(socket);
            }
            socket.close();
        }
    }

    private void drop(final PeerSocket socket) {
        long connections = late.count();
        if (connections > 0) {
            // Cause: something connects and says nothing: a port scan, or a load balancer's check. Remedy: keep it away, or ignore it.
            LOG.warn("connections dropped that sent no hello: connections={}, last={}, most={}, seconds={}", connections, socket.peer(),
                MAX_UNFINISHED, TimeUnit.NANOSECONDS.toSeconds(HELLO_NANOS));
        }
        socket.close();
    }

    /** Returns why a peer cannot be linked; null when it can. */
    @Nullable
    String misfit(final Handshake.Header header) {
        return header.misfit(context.version());
    }

    /** Refuses a connection. */
    void refuse(final PeerSocket socket, final String reason) throws IOException {
        leave(socket);
        socket.answer(Handshake.refused(context.version(), reason), true);
    }

    /** Decides on a hello, whose variable parts are {@code from}. */
    void hello(final PeerSocket socket, final Handshake.Header header, final ByteBuffer from) throws IOException {
        leave(socket);
        Hello hello = Handshake.hello(header, from);
        byte[] peerAddress = new byte[header.address()];
        from.get(peerAddress);
        UcxLink link = new UcxLink(context, transport.thread(), socket.peer(), transport::remove);
        LinkHandler handler;
        try {
            handler = acceptor.accept(link, hello);
            if (handler == null) {
                throw new IllegalStateException("the acceptor returned no handler: purpose=" + hello.purpose());
            }
        } catch (RefusedException e) {
            link.abandon(null, e);
            refuse(socket, String.valueOf(e.getMessage()));
            return;
        } catch (Throwable e) { // no failure may end the thread that serves the other sockets
            if (failed.count() > 0) {
                // Cause: an internal error, whose stack follows. Remedy: report it.
                LOG.warn("acceptor failed: peer={}, purpose={}", socket.peer(), hello.purpose(), e);
            }
            link.abandon(null, e);
            refuse(socket, "the acceptor failed: " + e);
            return;
        }
        start(socket, link, handler, header.token(), peerAddress);
    }

    private void start(final PeerSocket socket, final UcxLink link, final LinkHandler handler, final long peerToken, final byte[] peerAddress)
        throws IOException {
        Worker worker = null;
        byte[] own;
        try {
            worker = new Worker(context);
            own = worker.address();
            if (own.length > Handshake.MAX_ADDRESS) {
                throw new IOException("address of a worker too long: bytes=" + own.length + ", max=" + Handshake.MAX_ADDRESS
                    + ": name fewer devices in the variable UCX_NET_DEVICES");
            }
            worker.connect(peerAddress);
        } catch (IOException e) {
            if (worker != null) {
                worker.destroy();
            }
            link.abandon(handler, e);
            refuse(socket, String.valueOf(e.getMessage()));
            return;
        }
        transport.add(link);
        link.start(worker, handler, socket, peerToken);
        socket.setLink(link);
        socket.answer(Handshake.accepted(context.version(), link.token(), own), false);
    }

    @Override
    public void tick() {
        setInterest(SelectionKey.OP_ACCEPT);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("listener cannot be closed: address={}", address, e);
        }
        List<PeerSocket> left;
        synchronized (unfinished) {
            left = new ArrayList<>(unfinished);
        }
        left.forEach(PeerSocket::close);
        transport.sockets().wake();
        transport.remove(this);
    }

    @Override
    public String toString() {
        return "UCX listener at " + UcxTransport.text(address);
    }
}
