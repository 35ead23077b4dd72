package tutti.runtime.wire;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import tutti.runtime.lifecycle.MessagePolling;
import tutti.runtime.transport.Link;

/**
 * Polls the links of a job on the threads of its ranks, and gives the links back to the transport when ranks wait and none of them polls.
 *
 * <p>A rank that has what it waited for does not give the links back: it will likely wait again soon. The transport then takes them back by itself
 * after some milliseconds.
 *
 * <p><b>Threads.</b> Safe for any thread. Both counters are atomic: of a thread that parks and one that stops polling, one sees the other.
 */
final class LinkPolling implements MessagePolling {
    private final AtomicInteger polling = new AtomicInteger();
    private final AtomicInteger parked = new AtomicInteger();
    private volatile Link[] links = {};
    /** Those that are polled without a system call. */
    private volatile Link[] memoryLinks = {};

    /** Adds a link that was opened. */
    synchronized void add(final Link link) {
        final Link[] more = Arrays.copyOf(links, links.length + 1);
        more[links.length] = link;
        set(more);
    }

    /** Removes a link that is closed. */
    synchronized void remove(final Link link) {
        set(Arrays.stream(links).filter(l -> l != link).toArray(Link[]::new));
    }

    private void set(final Link[] now) {
        links = now;
        memoryLinks = Arrays.stream(now).filter(Link::isPolledWithoutSystemCall).toArray(Link[]::new);
    }

    /** Returns whether threads are parked and none polls: only a thread of the transport can then wake them. */
    boolean isWakeUpNeeded() {
        return polling.get() == 0 && parked.get() > 0;
    }

    @Override
    public boolean hasLinks() {
        return links.length > 0;
    }

    @Override
    public void begin() {
        polling.incrementAndGet();
    }

    @Override
    public boolean poll() {
        return poll(links);
    }

    @Override
    public boolean pollMemory() {
        return poll(memoryLinks);
    }

    private static boolean poll(final Link[] polled) {
        boolean any = false;
        for (final Link link : polled) {
            any |= link.poll();
        }
        return any;
    }

    @Override
    public void end() {
        polling.decrementAndGet();
        serveIfNeeded();
    }

    @Override
    public void parking() {
        parked.incrementAndGet();
        serveIfNeeded();
    }

    @Override
    public void unparked() {
        parked.decrementAndGet();
    }

    private void serveIfNeeded() {
        if (isWakeUpNeeded()) {
            for (final Link link : links) {
                link.serve();
            }
        }
    }
}
