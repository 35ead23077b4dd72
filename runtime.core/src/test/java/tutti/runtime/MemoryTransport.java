package tutti.runtime;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * A transport within one JVM: frames are queued, at most a given number of bytes per link, and delivered by one thread. Meets the guarantees of
 * the SPI including bounded links, so that full links are tested, too.
 */
public final class MemoryTransport implements Transport, AutoCloseable {
    private static final int MAX_FRAME = 32 * 1024 + 64;

    private final ExecutorService thread = Executors.newSingleThreadExecutor(r -> {
        final Thread t = new Thread(r, "memory-transport");
        t.setDaemon(true);
        return t;
    });
    private final AtomicInteger ports = new AtomicInteger(1);
    private final Map<Integer, LinkAcceptor> listeners = new ConcurrentHashMap<>();
    private final int capacity;

    /**
     * Creates a transport.
     *
     * @param capacity bytes that are queued at most in each direction of a link
     */
    public MemoryTransport(final int capacity) {
        this.capacity = capacity;
    }

    @Override
    public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) {
        final int port = ports.getAndIncrement();
        listeners.put(port, acceptor);
        return new Listener() {
            @Override
            public InetSocketAddress address() {
                return InetSocketAddress.createUnresolved("memory", port);
            }

            @Override
            public void close() {
                listeners.remove(port);
            }
        };
    }

    @Override
    public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit)
        throws IOException {
        final LinkAcceptor acceptor = listeners.get(address.getPort());
        if (acceptor == null) {
            throw new ConnectException("no listener: port=" + address.getPort());
        }
        final End here = new End();
        final End there = new End();
        here.peer = there;
        there.peer = here;
        here.handler = handler;
        synchronized (here) {
            there.handler = acceptor.accept(there, hello);
        }
        thread.execute(there::deliver);
        return here;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private final class End implements Link {
        private final Queue<byte[]> arriving = new ArrayDeque<>();
        private End peer;
        private volatile LinkHandler handler;
        private int queued;
        private boolean full;
        private boolean closed;

        @Override
        public boolean trySend(final byte[] header, final int headerBytes, final MemorySegment payload, final long offset, final int bytes) {
            if (headerBytes + bytes > MAX_FRAME) {
                throw new IllegalArgumentException("frame too long: bytes=" + (headerBytes + bytes));
            }
            synchronized (peer.arriving) {
                if (closed || peer.closed) {
                    return true;
                }
                if (peer.queued + headerBytes + bytes > capacity && peer.queued > 0) {
                    peer.full = true;
                    return false;
                }
                final byte[] frame = new byte[headerBytes + bytes];
                System.arraycopy(header, 0, frame, 0, headerBytes);
                if (bytes > 0) {
                    MemorySegment.copy(payload, offset, MemorySegment.ofArray(frame), headerBytes, bytes);
                }
                peer.arriving.add(frame);
                peer.queued += frame.length;
            }
            execute(peer::deliver);
            return true;
        }

        private void deliver() {
            byte[] frame;
            while (handler != null && (frame = next()) != null) {
                try {
                    handler.frame(this, MemorySegment.ofArray(frame), 0, frame.length);
                } catch (final RuntimeException e) {
                    shut(e);
                    return;
                }
                final boolean notify;
                synchronized (arriving) {
                    queued -= frame.length;
                    notify = full && queued <= capacity / 2;
                    full &= !notify;
                }
                if (notify) {
                    peer.handler.writable(peer);
                }
            }
        }

        private byte[] next() {
            synchronized (arriving) {
                return arriving.poll();
            }
        }

        private void shut(final Throwable cause) {
            if (!closed) {
                closed = true;
                handler.closed(this, cause);
                peer.shut(new IOException("closed by the peer"));
            }
        }

        @Override
        public int maxFrame() {
            return MAX_FRAME;
        }

        @Override
        public String peer() {
            return "memory";
        }

        @Override
        public void close() {
            execute(() -> {
                peer.deliver();
                shut(null);
            });
        }
    }

    private void execute(final Runnable task) {
        if (!thread.isShutdown()) {
            thread.execute(task);
        }
    }
}
