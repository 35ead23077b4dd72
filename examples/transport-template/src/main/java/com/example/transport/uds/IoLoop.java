package com.example.transport.uds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Thread of a transport: waits until channels are ready, and calls their members. All handlers run on it, so their calls never overlap. */
final class IoLoop {
    private static final Logger LOG = LoggerFactory.getLogger(IoLoop.class);
    private static final long TICK_MILLIS = 200;
    private static final long STOP_MILLIS = 3_000;

    /** Listener or link of the loop. The loop calls it on its thread. */
    interface Member {
        /** Registers the channel. */
        void register(Selector selector) throws IOException;

        /** Handles that the channel is ready. */
        void ready();

        /** Checks time limits; called every fraction of a second. */
        void tick(long now);

        /** Closes the channel, at once or soon. Idempotent. */
        void close();
    }

    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Thread thread = new Thread(this::run, "uds-io");
    private boolean stopping;
    private boolean ended;

    private IoLoop(final Selector selector) {
        this.selector = selector;
    }

    static IoLoop start() throws IOException {
        final IoLoop loop = new IoLoop(Selector.open());
        loop.thread.setDaemon(true);
        loop.thread.start();
        return loop;
    }

    /** Runs a task on the thread, soon; drops it when the thread has ended. */
    void execute(final Runnable task) {
        synchronized (tasks) {
            if (!ended) {
                tasks.add(task);
                selector.wakeup();
            }
        }
    }

    /** Adds a member. */
    void add(final Member member) {
        execute(() -> {
            try {
                member.register(selector);
            } catch (final IOException e) {
                LOG.debug("channel was closed before it was registered", e);
                member.close();
            }
            if (stopping) {
                member.close();
            }
        });
    }

    /** Closes all members and ends the thread. Waits for that, unless it is called on that thread. */
    void stop() {
        execute(() -> {
            stopping = true;
            members().forEach(Member::close);
        });
        if (Thread.currentThread() != thread) {
            try {
                thread.join(STOP_MILLIS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private List<Member> members() {
        return selector.keys().stream().filter(SelectionKey::isValid).map(k -> (Member) k.attachment()).toList();
    }

    private void run() {
        try {
            long lastTick = System.nanoTime();
            while (!stopping || !selector.keys().isEmpty()) {
                selector.select(k -> ((Member) k.attachment()).ready(), TICK_MILLIS);
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                }
                final long now = System.nanoTime();
                if (now - lastTick > TICK_MILLIS * 1_000_000) {
                    lastTick = now;
                    members().forEach(m -> m.tick(now));
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            end();
        }
    }

    private void end() {
        synchronized (tasks) {
            ended = true;
            try {
                selector.close();
            } catch (final IOException e) {
                LOG.warn("selector cannot be closed", e);
            }
        }
    }
}
