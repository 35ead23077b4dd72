package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread of a transport for its sockets: it accepts connections, reads hellos, and notices when the socket of a link ends. It runs while there are
 * sockets.
 *
 * <p><b>Threads.</b> The lock of this object guards the members that are added, the thread and its selector. All else belongs to the thread.
 */
final class SocketThread {
    private static final Logger LOG = LoggerFactory.getLogger(SocketThread.class);
    private static final long TICK_MILLIS = 250;

    private final List<Member> added = new ArrayList<>();
    private @Nullable Selector selector;
    private @Nullable Thread thread;

    /** A socket of the thread, which calls it. */
    interface Member {
        /** Registers the channel with this member as attachment. */
        void register(Selector with) throws IOException;

        /** Handles that the channel is ready. Does not fail. */
        void ready();

        /** Checks limits of time, several times a second. */
        void tick();
    }

    /** Adds a socket, and starts the thread when there was none. */
    synchronized void add(final Member member) throws IOException {
        if (thread != null && selector != null) {
            added.add(member);
            selector.wakeup();
            return;
        }
        Selector opened = Selector.open();
        added.add(member);
        selector = opened;
        Thread starting = Thread.ofPlatform().daemon().name("tutti-ucx-sockets").inheritInheritableThreadLocals(false).unstarted(() -> run(opened));
        starting.setContextClassLoader(SocketThread.class.getClassLoader());
        thread = starting;
        starting.start();
    }

    /** Makes the thread forget channels that were closed. */
    synchronized void wake() {
        if (selector != null) {
            selector.wakeup();
        }
    }

    /** Returns the thread; null when there is none. */
    synchronized @Nullable Thread current() {
        return thread;
    }

    private void run(final Selector own) {
        long nextTick = System.nanoTime();
        while (takeAdded(own)) {
            try {
                own.select(key -> ((Member) key.attachment()).ready(), TICK_MILLIS);
                Thread.interrupted(); // an acceptor may have set it
                if (System.nanoTime() - nextTick >= 0) {
                    nextTick = System.nanoTime() + TICK_MILLIS * 1_000_000;
                    own.keys().forEach(SocketThread::tick);
                }
            } catch (IOException | ClosedSelectorException e) {
                // Cause: the system has no memory or descriptors. Remedy: the limit of open files (ulimit -n).
                LOG.error("sockets cannot be watched", e);
                Thread.yield();
            }
        }
    }

    private static void tick(final SelectionKey key) {
        ((Member) key.attachment()).tick();
    }

    /** Registers the sockets that were added. Returns false, and ends the thread, when there is none. */
    private synchronized boolean takeAdded(final Selector own) {
        for (Member member : added) {
            try {
                member.register(own);
            } catch (IOException e) {
                LOG.debug("socket was closed before it was registered", e);
                member.ready();
            }
        }
        added.clear();
        if (!own.keys().isEmpty()) {
            return true;
        }
        thread = null;
        selector = null;
        try {
            own.close();
        } catch (IOException e) {
            LOG.debug("selector cannot be closed", e);
        }
        return false;
    }
}
