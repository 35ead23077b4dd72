package tutti.runtime.transport.mina;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;

/**
 * Looks whether packets of full size pass to a listener and back. A network whose packets may not be as long as its hosts believe drops those alone:
 * links open, and then stand still.
 *
 * <p>It asks by links of their own, which every listener answers itself ({@link #ANSWERS}): first a question that fills packets of any size, then
 * short ones, each of which must be answered before the next. When all these are answered and the first is not, the process runs, the host is
 * reached, and long packets are lost. A peer that is busy or stopped answers none, so no time limit decides. For one thread, which may be
 * interrupted.
 */
final class PacketLook {
    /** Purpose of the links that ask. */
    static final String PURPOSE = "tutti-look";
    /** Handles such a link at its listener: answers each frame by the same one. Stateless. */
    static final LinkHandler ANSWERS = new Answers();
    /** More than the longest packets, of 9,000 bytes, hold. */
    private static final int FULL = 16 << 10;
    private static final int SHORT = 1;
    /** Short questions that are answered while the long one is not. */
    private static final int ROUNDS = 4;

    private final Connection peer;

    /** Opens a link to the listener. Blocks until it is accepted. */
    @FunctionalInterface
    interface Connection {
        /** Opens a link with a hello, whose frames a handler receives. */
        Link open(Hello hello, LinkHandler handler) throws IOException;
    }

    PacketLook(final Connection peer) {
        this.peer = peer;
    }

    private static final class Answers implements LinkHandler {
        private static final byte[] NO_HEADER = {};

        @Override
        public void frame(final Link link, final MemorySegment memory, final long offset, final int bytes) {
            // an answer that finds no space is lost: who asks sends one frame
            link.trySend(NO_HEADER, 0, memory, offset, bytes);
        }

        @Override
        public void writable(final Link link) {
            // nothing waits for space
        }

        @Override
        public void closed(final Link link, final @Nullable Throwable cause) {
            // nothing is kept
        }
    }

    /** A question and whether it is answered. */
    private static final class Question implements LinkHandler {
        private final CountDownLatch answered = new CountDownLatch(1);
        private final CountDownLatch over = new CountDownLatch(1);

        @Override
        public void frame(final Link link, final MemorySegment memory, final long offset, final int bytes) {
            answered.countDown();
            over.countDown();
        }

        @Override
        public void writable(final Link link) {
            // one frame always finds space
        }

        @Override
        public void closed(final Link link, final @Nullable Throwable cause) {
            over.countDown();
        }

        boolean isAnswered() {
            return answered.getCount() == 0;
        }
    }

    /**
     * Returns whether short packets pass and those of full size do not; false as well when that cannot be told. Blocks until the peer has answered
     * the short questions, or is gone.
     *
     * @param limit time that the long question has at the least
     */
    boolean isHole(final Duration limit) {
        final Question full = new Question();
        try {
            final Link link = ask(full, FULL);
            try {
                for (int i = 0; i < ROUNDS; i++) {
                    if (full.answered.await(limit.toMillis() / ROUNDS, TimeUnit.MILLISECONDS) || !isShortAnswered()) {
                        return false;
                    }
                }
                return !full.isAnswered();
            } finally {
                link.close();
            }
        } catch (final IOException e) {
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean isShortAnswered() throws IOException, InterruptedException {
        final Question question = new Question();
        final Link link = ask(question, SHORT);
        try {
            question.over.await();
            return question.isAnswered();
        } finally {
            link.close();
        }
    }

    private Link ask(final Question question, final int bytes) throws IOException {
        final Link link = peer.open(new Hello(PURPOSE, new byte[0]), question);
        final byte[] zeros = new byte[bytes];
        link.trySend(zeros, bytes, null, 0, 0);
        return link;
    }
}
