package tutti.daemon.control;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tutti.daemon.health.LinkQuality;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Transport;

/**
 * Measures what a link to another node carries, on a link of its own: the time of a short frame and its answer, and of {@value #SAMPLE} bytes and
 * their answer. The best of a few samples counts, since a busy machine makes all others too long; a fast link needs one.
 *
 * <p><b>Threads.</b> The measuring thread sends; a thread of the transport notifies it of answers and of space.
 */
final class RateProbe implements LinkHandler {
    private static final int SAMPLE = 512 << 10;
    private static final int SAMPLES = 3;
    private static final int ROUND_TRIPS = 5;
    /** Time limit of everything; a link that needs longer for a sample is slow in any case. */
    private static final Duration LIMIT = Duration.ofMillis(1000);
    private static final byte DATA = 0;
    /** First byte of a frame that the other node answers. */
    private static final byte QUESTION = 1;
    private static final byte ANSWER = 2;

    private final Semaphore answers = new Semaphore(0);
    private final Semaphore space = new Semaphore(0);
    private final long end = System.nanoTime() + LIMIT.toNanos();

    private RateProbe() {}

    /** Returns a handler that answers the frames that ask for an answer; stateless. */
    static LinkHandler responder() {
        return new Responder();
    }

    /** Answers probes. An answer that finds no space is lost, and the probe late. */
    private static final class Responder implements LinkHandler {
        @Override
        public void frame(final Link link, final MemorySegment memory, final long offset, final int bytes) {
            if (memory.get(ValueLayout.JAVA_BYTE, offset) == QUESTION) {
                link.trySend(new byte[] {ANSWER}, 1, null, 0, 0);
            }
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

    /**
     * Measures the link to a node. Blocks, for a second at the most once the node has accepted the link.
     *
     * @throws IOException when the node does not accept the link
     */
    static LinkQuality measure(final Transport transport, final NodeInfo to, final Hello hello) throws IOException, InterruptedException {
        final RateProbe probe = new RateProbe();
        final Link link = transport.connect(to.address().socketAddress(), hello, probe, LIMIT);
        try {
            long roundTrip = LIMIT.toNanos();
            for (int i = 0; i < ROUND_TRIPS && !probe.isLate(); i++) {
                roundTrip = Math.min(roundTrip, probe.nanos(link, 1));
            }
            long rate = 0;
            for (int i = 0; i < SAMPLES && !probe.isLate() && LinkSpeed.ofRate(rate) == LinkSpeed.SLOW; i++) {
                final long nanos = Math.max(1, probe.nanos(link, SAMPLE) - roundTrip);
                rate = Math.max(rate, SAMPLE * TimeUnit.SECONDS.toNanos(1) / nanos);
            }
            return new LinkQuality(to.name(), TimeUnit.NANOSECONDS.toMicros(roundTrip), rate);
        } finally {
            link.close();
        }
    }

    private boolean isLate() {
        return System.nanoTime() - end >= 0;
    }

    /** Returns how long some bytes and their answer take, or the time until the limit if they take longer. */
    private long nanos(final Link link, final int bytes) throws InterruptedException {
        final MemorySegment zeros = MemorySegment.ofArray(new byte[link.maxFrame()]);
        final byte[] kind = new byte[1];
        final long begin = System.nanoTime();
        for (int sent = 0; sent < bytes;) {
            final int frame = Math.min(bytes - sent, link.maxFrame());
            kind[0] = sent + frame == bytes ? QUESTION : DATA;
            if (link.trySend(kind, 1, zeros, 0, frame - 1)) {
                sent += frame;
            } else if (!space.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                break;
            }
        }
        answers.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        return System.nanoTime() - begin;
    }

    @Override
    public void frame(final Link link, final MemorySegment memory, final long offset, final int bytes) {
        answers.release();
    }

    @Override
    public void writable(final Link link) {
        space.release();
    }

    @Override
    public void closed(final Link link, final @Nullable Throwable cause) {
        // the limit ends what waits
    }
}
