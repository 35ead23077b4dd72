package tutti.runtime.transport.mina;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.mina.transport.socket.nio.NioProcessor;
import org.apache.mina.transport.socket.nio.NioSession;
import org.jspecify.annotations.Nullable;

/**
 * I/O thread of a transport: MINA's processor, which registers and removes sessions and ends its thread when there are none.
 *
 * <p>Data bypasses MINA's own path (a heap buffer per read, a queue and a wake-up per write). A link whose channel is ready reads and writes
 * it within {@link #select}, in its own direct memory, without allocation.
 *
 * <p><b>Threads.</b> The methods that MINA calls run on the I/O thread. Both sets of links are concurrent, as connecting threads announce links and a
 * closing thread lists them.
 */
final class LinkProcessor extends NioProcessor {
    /** Interval at which links that other threads poll are checked. */
    private static final long LEFT_CHECK_NANOS = 1_000_000;

    private final IoThreadFactory threads;
    private final long tickNanos;
    private final Set<MinaLink> links = ConcurrentHashMap.newKeySet();
    private final Set<MinaLink> expected = ConcurrentHashMap.newKeySet();
    private final Consumer<SelectionKey> ready = this::ready;
    /** Channels that are closed when this process ends. Nothing else refers to them, and a channel that nothing refers to is closed. */
    static final Set<SocketChannel> OF_PROCESS = ConcurrentHashMap.newKeySet();
    /** Links that other threads poll. */
    private final Set<MinaLink> left = new HashSet<>();
    private @Nullable Thread namedThread;
    private long nextTick = System.nanoTime();
    private long nextLeftCheck = nextTick;

    LinkProcessor(final IoThreadFactory threads, final TransportSettings settings) {
        super(threads);
        this.threads = threads;
        this.tickNanos = TimeUnit.MILLISECONDS.toNanos(settings.tickMillis());
    }

    /** Returns the links that are served now, or whose sessions are about to be registered. */
    List<MinaLink> links() {
        // in this order: a link that moves between the sets is found in at least one of them
        final List<MinaLink> all = new ArrayList<>(expected);
        links.stream().filter(l -> !all.contains(l)).forEach(all::add);
        return all;
    }

    /** Announces a link that is about to be registered. */
    void expect(final MinaLink link) {
        expected.add(link);
    }

    /** Withdraws the announcement of a link. */
    void cancelExpected(final MinaLink link) {
        expected.remove(link);
    }

    /**
     * Serves the links until MINA has something to do or the timeout expires. Always returns 0, since nothing is left to read
     * or write; an early 0 without a wake-up would make MINA replace the selector.
     */
    @Override
    protected int select(final long timeoutMillis) throws Exception {
        if (namedThread != Thread.currentThread()) {
            namedThread = Thread.currentThread();
            threads.restoreName();
        }
        long now = System.nanoTime();
        long end = now + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        do {
            Thread.interrupted(); // a handler may have set it; it would keep select from blocking
            long wait = Math.min(end - now, nextTick - now);
            if (!left.isEmpty()) {
                wait = Math.min(wait, LEFT_CHECK_NANOS);
            }
            if (wait > 0) {
                selector.select(ready, (wait + 999_999) / 1_000_000);
            } else {
                selector.selectNow(ready);
            }
            now = System.nanoTime();
            if (!left.isEmpty() && now - nextLeftCheck >= 0) {
                left.removeIf(link -> !link.remainsLeft());
                nextLeftCheck = now + LEFT_CHECK_NANOS;
            }
            if (now - nextTick >= 0) {
                for (MinaLink link : links) {
                    link.tick();
                }
                nextTick = now + tickNanos;
            }
        } while (!wakeupCalled.get() && now - end < 0);
        return 0;
    }

    private void ready(final SelectionKey key) {
        MinaLink link = ((LinkSession) key.attachment()).link();
        if (link.ready(key)) {
            left.add(link);
        }
    }

    @Override
    protected void init(final NioSession session) throws Exception {
        LinkSession linkSession = (LinkSession) session;
        MinaLink link = linkSession.link();
        links.add(link);
        expected.remove(link);
        try {
            super.init(session);
        } catch (Exception e) {
            links.remove(link);
            link.fail(e);
            link.sessionClosed();
            throw e;
        }
        link.registered(linkSession.getChannel().keyFor(selector));
    }

    @Override
    protected void destroy(final NioSession session) throws Exception {
        MinaLink link = ((LinkSession) session).link();
        links.remove(link);
        left.remove(link);
        SocketChannel channel = ((LinkSession) session).getChannel();
        if (((LinkSession) session).endsWithProcess()) {
            channel.keyFor(selector).cancel();
            OF_PROCESS.add(channel);
        } else {
            super.destroy(session);
        }
    }

    /** Does nothing. MINA replaces selectors that wake up for no reason, which those of this JDK do not. */
    @Override
    protected void registerNewSelector() {
        // the selector is kept
    }
}
