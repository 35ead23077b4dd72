package tutti.runtime;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * A transport within one JVM: frames are queued, at most a given number of bytes per link, and delivered by one thread. Meets the guarantees of
 * the SPI including bounded links, so that full links are tested, too. Links give access to memory where that is asked for: at once, or on the thread
 * that delivers.
 */
public final class MemoryTransport implements Transport, AutoCloseable {
    private static final int MAX_FRAME = 32 * 1024 + 64;

    private volatile Thread worker;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(r -> {
        worker = new Thread(r, "memory-transport");
        worker.setDaemon(true);
        return worker;
    });
    private final Set<End> ends = ConcurrentHashMap.newKeySet();
    private final AtomicInteger ports = new AtomicInteger(1);
    private final Map<Integer, LinkAcceptor> listeners = new ConcurrentHashMap<>();
    private final int capacity;
    private final Reading reading;
    /** Every so many links says that both ends are on one host; 0 for none. */
    private final int sharing;
    private final AtomicInteger links = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger writes = new AtomicInteger();
    private final AtomicInteger frames = new AtomicInteger();

    /** How memory of the peer is accessed. */
    public enum Reading {
        /** Not at all. */
        NONE,
        /** On the thread that asks. */
        AT_ONCE,
        /** On the thread that asks, which says so: only on a busy machine. */
        BY_CALLER,
        /** As {@link #BY_CALLER}, and every third access of each end fails. */
        BY_CALLER_FAILING,
        /** On the thread that delivers. */
        LATER,
        /** On the thread that delivers, and the first access of each link fails. */
        FAILING
    }

    /**
     * Creates a transport.
     *
     * @param capacity bytes that are queued at most in each direction of a link
     */
    public MemoryTransport(final int capacity) {
        this(capacity, Reading.NONE);
    }

    /** Creates a transport whose links give access to memory. */
    public MemoryTransport(final int capacity, final Reading reading) {
        this(capacity, reading, 0);
    }

    /**
     * Creates a transport whose links give access to memory.
     *
     * @param sharing every so many links says that both ends are on one host; 0 for none
     */
    public MemoryTransport(final int capacity, final Reading reading, final int sharing) {
        this.capacity = capacity;
        this.reading = reading;
        this.sharing = sharing;
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
        final boolean shares = sharing > 0 && links.getAndIncrement() % sharing == 0;
        final End here = new End(handler, shares);
        final End there = new End(null, shares);
        here.peer = there;
        there.peer = here;
        ends.add(here);
        ends.add(there);
        try {
            accept(acceptor, there, hello);
        } catch (final IOException e) {
            ends.remove(here);
            ends.remove(there);
            throw e;
        }
        return here;
    }

    /** Asks the acceptor on the thread that delivers, so that nothing is delivered meanwhile. */
    private void accept(final LinkAcceptor acceptor, final End end, final Hello hello) throws IOException {
        final FutureTask<Void> task = new FutureTask<>(() -> {
            end.handler = Objects.requireNonNull(acceptor.accept(end, hello), "no handler");
            end.accepted();
            return null;
        });
        if (Thread.currentThread() == worker) {
            task.run();
        } else {
            thread.execute(task);
        }
        try {
            task.get();
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof RefusedException refused ? refused : new RefusedException("acceptor failed: " + e.getCause());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Returns how often memory of a peer was accessed. */
    public int reads() {
        return reads.get();
    }

    /** Returns the number of frames that links have accepted. */
    public int frames() {
        return frames.get();
    }

    /** Returns how often memory of a peer was written. */
    public int writes() {
        return writes.get();
    }

    @Override
    public void close() {
        execute(() -> ends.forEach(end -> end.shut(null)));
        thread.shutdown();
    }

    private final class End implements Link {
        private final Queue<byte[]> arriving = new ArrayDeque<>();
        private final boolean sharesMemory;
        private End peer;
        private volatile LinkHandler handler;
        private volatile boolean closing;
        private int queued;
        private boolean full;
        private boolean closed;
        private final MemoryAccess access =
            new MemoryAccess(this::access, reading == Reading.BY_CALLER || reading == Reading.BY_CALLER_FAILING, writes);
        private int accesses;
        private final AtomicBoolean hasFailed = new AtomicBoolean();

        End(final LinkHandler handler, final boolean sharesMemory) {
            this.sharesMemory = sharesMemory;
            this.handler = handler;
        }

        @Override
        public BulkAccess bulk() {
            // a link that is being accepted has no access yet
            return reading == Reading.NONE || handler == null ? null : access;
        }

        @Override
        public boolean sharesMemory() {
            return sharesMemory;
        }

        private void access(final Runnable task) {
            reads.incrementAndGet();
            switch (reading) {
                case AT_ONCE, BY_CALLER -> task.run();
                case BY_CALLER_FAILING -> {
                    access.fail(++accesses % 3 == 0 ? new IOException("on purpose") : null);
                    task.run();
                }
                case FAILING -> execute(() -> {
                    if (hasFailed.compareAndSet(false, true)) {
                        access.fail(new IOException("on purpose"));
                        task.run();
                        access.fail(null);
                    } else {
                        task.run();
                    }
                });
                default -> execute(task);
            }
        }

        @Override
        public boolean trySend(final byte[] header, final int headerBytes, final MemorySegment payload, final long offset, final int bytes) {
            final long length = (long) headerBytes + bytes;
            if (headerBytes < 0 || bytes < 0 || length < 1 || length > MAX_FRAME) {
                throw new IllegalArgumentException("frame length out of range: headerBytes=" + headerBytes + ", payloadBytes=" + bytes);
            }
            synchronized (peer.arriving) {
                if (closing || closed || peer.closed) {
                    return true;
                }
                if (handler == null || peer.queued + length > capacity && peer.queued > 0) {
                    peer.full = true;
                    return false;
                }
                final byte[] frame = new byte[(int) length];
                System.arraycopy(header, 0, frame, 0, headerBytes);
                if (bytes > 0) {
                    MemorySegment.copy(payload, offset, MemorySegment.ofArray(frame), headerBytes, bytes);
                }
                peer.arriving.add(frame);
                peer.queued += frame.length;
                frames.incrementAndGet();
            }
            execute(peer::deliver);
            return true;
        }

        /** Tells the handler of an accepted link that it may send, if it was refused before. */
        private void accepted() {
            final boolean notify;
            synchronized (peer.arriving) {
                notify = peer.full;
                peer.full = false;
            }
            if (notify) {
                handler.writable(this);
            }
        }

        private void deliver() {
            byte[] frame;
            while (!closing && !closed && (frame = next()) != null) {
                try {
                    handler.frame(this, MemorySegment.ofArray(frame), 0, frame.length);
                } catch (final Throwable e) {
                    shut(e);
                    return;
                }
                final boolean notify;
                synchronized (arriving) {
                    queued -= frame.length;
                    notify = full && queued <= capacity / 2;
                    full &= !notify;
                }
                if (notify && !peer.closing) {
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
                synchronized (peer.arriving) {
                    closed = true;
                }
                ends.remove(this);
                access.fail(new IOException("the link is closed"));
                try {
                    if (handler != null) {
                        handler.closed(this, closing ? null : cause);
                    }
                } catch (final RuntimeException e) {
                    e.printStackTrace();
                }
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
            closing = true;
            execute(() -> {
                peer.deliver();
                shut(null);
            });
        }
    }

    private void execute(final Runnable task) {
        try {
            thread.execute(task);
        } catch (final RejectedExecutionException e) {
            assert thread.isShutdown() : "links of a closed transport are closed";
        }
    }
}
