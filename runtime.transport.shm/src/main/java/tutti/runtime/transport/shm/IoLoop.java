package tutti.runtime.transport.shm;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The I/O thread of a transport. It waits until sockets have bytes and serves the members that they belong to. It ends when it has no members.
 *
 * <p>Links that other threads poll are left to these, and are checked at intervals.
 *
 * <p><b>Threads.</b> Any thread may add members and tasks, and wake the thread. The lock of this object guards the number of members and the end; the
 * other fields belong to the thread. {@code served} is volatile: it is set before the selector is woken.
 */
final class IoLoop {
    static final String NAME = "tutti-io-shm";
    private static final Logger LOG = LoggerFactory.getLogger(IoLoop.class);
    /** Interval at which links that other threads poll are checked. */
    private static final long LEFT_CHECK_NANOS = 2_000_000;
    /** Interval at which time limits are checked. */
    private static final long TICK_NANOS = 100_000_000;

    /** A listener, a connection in its handshake or a link. The loop calls it on its thread. */
    interface Member {
        /** Registers the channel; called once. */
        void register(IoLoop loop, Selector selector) throws IOException;

        /** Handles that the channel is ready. */
        void ready();

        /** Checks time limits. */
        default void tick(final long now) {
            // no time limit by default
        }

        /** Returns whether {@link #tick} is to be called. */
        default boolean hasLimit() {
            return false;
        }

        /** Closes the channel without an answer, after a failure. */
        void fail(Throwable cause);
    }

    private final Selector selector;
    private final Thread thread = Thread.ofPlatform().daemon().name(NAME).inheritInheritableThreadLocals(false).unstarted(this::run);
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Consumer<SelectionKey> ready = this::ready;
    private final List<ShmLink> left = new ArrayList<>();
    private final Queue<ShmLink> pending = new ArrayDeque<>();
    private int limited;
    private int members;
    private boolean ended;
    private volatile boolean served;

    private IoLoop(final Selector selector) {
        this.selector = selector;
    }

    /** Starts a loop. It ends only after its first member was added and removed. */
    static IoLoop start(final Member first) throws IOException {
        final IoLoop loop = new IoLoop(Selector.open());
        loop.add(first);
        loop.thread.setContextClassLoader(IoLoop.class.getClassLoader());
        loop.thread.start();
        return loop;
    }

    /** Adds a member; returns false when the loop has ended. */
    boolean add(final Member member) {
        synchronized (this) {
            if (ended) {
                return false;
            }
            members++;
            tasks.add(() -> register(member));
        }
        selector.wakeup();
        return true;
    }

    /** Runs a task on the thread, soon; drops it when the loop has ended. */
    void execute(final Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    /** Makes the thread look at links that were left to other threads. Any thread. */
    void wakeForLeft() {
        served = true;
        selector.wakeup();
    }

    /** Returns whether the current thread is the one of this loop. */
    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Waits for the end of the thread, at most for a time; preserves the caller's interrupt status. */
    void join(final long millis) {
        try {
            thread.join(millis);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // The methods below are called on the thread.

    /** Registers a member of this thread. */
    void addHere(final Member member) {
        synchronized (this) {
            members++;
        }
        register(member);
    }

    private void register(final Member member) {
        try {
            limited += member.hasLimit() ? 1 : 0;
            member.register(this, selector);
        } catch (IOException | RuntimeException e) {
            member.fail(e);
        }
    }

    /** Notes that a member which had no time limit has one now. */
    void limited() {
        limited++;
    }

    /** Notes that a member which had a time limit has none any more. */
    void unlimited() {
        limited--;
    }

    /** Notes that a member is closed. */
    synchronized void removed() {
        members--;
    }

    /** Serves a link, and keeps in mind what is left to do. */
    void serve(final ShmLink link) {
        switch (link.service()) {
            case MORE -> pending.add(link);
            case LEFT -> {
                if (!left.contains(link)) {
                    left.add(link);
                }
            }
            case DONE -> {}
        }
    }

    private void run() {
        long nextLeftCheck = System.nanoTime();
        long nextTick = nextLeftCheck;
        while (!isEnd()) {
            select();
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                run(task);
            }
            for (int i = pending.size(); i > 0; i--) {
                serve(pending.remove());
            }
            final long now = System.nanoTime();
            if (served || !left.isEmpty() && now - nextLeftCheck >= 0) {
                nextLeftCheck = now + LEFT_CHECK_NANOS;
                checkLeft();
            }
            if (limited > 0 && now - nextTick >= 0) {
                nextTick = now + TICK_NANOS;
                for (final SelectionKey key : List.copyOf(selector.keys())) {
                    ((Member) key.attachment()).tick(now);
                }
            }
        }
        try {
            selector.close();
        } catch (final IOException e) {
            LOG.debug("selector cannot be closed", e);
        }
    }

    private static void run(final Runnable task) {
        try {
            task.run();
        } catch (final Throwable e) { // no failure may end the thread
            // Cause: an internal error, whose stack follows. Remedy: report it.
            LOG.warn("a task of the I/O thread failed", e);
        }
    }

    private synchronized boolean isEnd() {
        ended = members == 0;
        return ended;
    }

    private void select() {
        Thread.interrupted(); // a handler may have set it; it would keep select from blocking
        try {
            if (!pending.isEmpty()) {
                selector.selectNow(ready);
            } else {
                selector.select(ready, TimeUnit.NANOSECONDS.toMillis(!left.isEmpty() ? LEFT_CHECK_NANOS : limited > 0 ? TICK_NANOS : 0));
            }
        } catch (final IOException e) {
            // Cause: an error of the system. Remedy: report it.
            LOG.warn("the I/O thread cannot wait for its sockets", e);
        }
    }

    private void ready(final SelectionKey key) {
        final Member member = (Member) key.attachment();
        try {
            member.ready();
        } catch (final Throwable e) { // no failure may end the thread that serves the other members
            member.fail(e);
        }
    }

    private void checkLeft() {
        served = false; // before the look: what is set from now on wakes the selector
        for (int i = left.size() - 1; i >= 0; i--) {
            final ShmLink link = left.get(i);
            if (!link.remainsLeft()) {
                left.remove(i);
                serve(link);
            }
        }
    }
}
