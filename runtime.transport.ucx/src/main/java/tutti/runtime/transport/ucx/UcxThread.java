package tutti.runtime.transport.ucx;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Thread of a transport that serves its links: it waits for the descriptors of their workers. It runs while there are links.
 *
 * <p><b>Threads.</b> The lock of this object guards the links that are added, the thread, and the descriptor that wakes it. It is held for a short
 * time only. All else belongs to the thread.
 */
final class UcxThread {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
    /** {@code struct pollfd}: descriptor, events at 4, events that occurred at 6. */
    private static final int POLL_BYTES = 8;
    private static final short READABLE = 1;
    private static final int NO_LIMIT = -1;
    private static final int LEFT_MILLIS = 1;
    private static final int CLOSING_MILLIS = 20;

    private final MemorySegment one = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    private final List<UcxLink> added = new ArrayList<>();
    private @Nullable Thread thread;
    private int descriptor = -1;

    /** A link and what the thread waits for. */
    private static final class Served {
        private final UcxLink link;
        private int next = UcxLink.AGAIN;
        /** Index among the descriptors; negative when the thread does not wait for it. */
        private int index = -1;

        Served(final UcxLink link) {
            this.link = link;
        }

        boolean isTimed() {
            return next == UcxLink.AGAIN || next == UcxLink.LEFT || next == UcxLink.LIMITED || next == UcxLink.LOCKED;
        }

        boolean isWatched() {
            return next == UcxLink.WATCH || next == UcxLink.LIMITED;
        }

        int millis() {
            return switch (next) {
                case UcxLink.AGAIN -> 0;
                case UcxLink.LEFT -> LEFT_MILLIS;
                case UcxLink.LIMITED, UcxLink.LOCKED -> CLOSING_MILLIS;
                default -> NO_LIMIT;
            };
        }
    }

    UcxThread() {
        one.set(ValueLayout.JAVA_LONG, 0, 1);
    }

    /** Adds a link, and starts the thread when there was none. */
    synchronized void add(final UcxLink link) {
        added.add(link);
        if (thread != null) {
            wake();
            return;
        }
        descriptor = Ucp.eventDescriptor();
        Thread starting = Thread.ofPlatform().daemon().name("tutti-ucx").inheritInheritableThreadLocals(false).unstarted(this::run);
        starting.setContextClassLoader(UcxThread.class.getClassLoader());
        thread = starting;
        starting.start();
    }

    /** Makes the thread look for links that request it. Any thread. */
    synchronized void wake() {
        if (thread != null && descriptor >= 0) {
            Ucp.write(descriptor, one.address());
        }
    }

    /** Returns the thread; null when there is none. */
    synchronized @Nullable Thread current() {
        return thread;
    }

    private void run() {
        List<Served> all = new ArrayList<>();
        MemorySegment polled = Arena.ofAuto().allocate(POLL_BYTES, Long.BYTES);
        MemorySegment count = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
        while (takeAdded(all)) {
            if (polled.byteSize() < (long) (all.size() + 1) * POLL_BYTES) {
                polled = Arena.ofAuto().allocate((long) (2 * all.size() + 2) * POLL_BYTES, Long.BYTES);
            }
            await(all, polled, count);
            serve(all, polled);
            Thread.interrupted(); // a handler may have set it
        }
    }

    /** Takes the links that were added. Returns false, and ends the thread, when there is no link. */
    private synchronized boolean takeAdded(final List<Served> all) {
        for (UcxLink link : added) {
            all.add(new Served(link));
        }
        added.clear();
        if (all.isEmpty()) {
            thread = null;
            if (descriptor >= 0) {
                Ucp.close(descriptor);
            }
            descriptor = -1;
            return false;
        }
        return true;
    }

    private void await(final List<Served> all, final MemorySegment polled, final MemorySegment count) {
        int waker;
        synchronized (this) {
            waker = descriptor;
        }
        set(polled, 0, waker);
        int descriptors = 1;
        int millis = waker < 0 ? LEFT_MILLIS : NO_LIMIT;
        for (Served each : all) {
            each.index = -1;
            if (each.isWatched()) {
                each.index = descriptors++;
                set(polled, each.index, each.link.descriptor());
            }
            int own = each.link.isRequested() ? 0 : each.millis();
            if (own != NO_LIMIT) {
                millis = millis == NO_LIMIT ? own : Math.min(millis, own);
            }
        }
        int ready = Ucp.poll(polled.address(), descriptors, millis);
        if (ready < 0) {
            // interrupted by a signal: nothing is known of the descriptors
            all.forEach(each -> each.index = -1);
            polled.set(SHORT, 6, (short) 0);
        } else if (polled.get(SHORT, 6) != 0) {
            Ucp.read(waker, count.address());
        }
    }

    private static void set(final MemorySegment polled, final int index, final int descriptor) {
        long at = (long) index * POLL_BYTES;
        polled.set(INT, at, descriptor);
        polled.set(SHORT, at + 4, READABLE);
        polled.set(SHORT, at + 6, (short) 0);
    }

    private static void serve(final List<Served> all, final MemorySegment polled) {
        Iterator<Served> each = all.iterator();
        while (each.hasNext()) {
            Served served = each.next();
            boolean isReady = served.index >= 0 && polled.get(SHORT, (long) served.index * POLL_BYTES + 6) != 0;
            if (isReady || served.isTimed() || served.link.isRequested()) {
                served.next = served.link.run();
                if (served.next == UcxLink.ENDED) {
                    each.remove();
                }
            }
        }
    }
}
