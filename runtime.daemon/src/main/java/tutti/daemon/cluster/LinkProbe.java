package tutti.daemon.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tutti.daemon.health.LinkQuality;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Transport;

/**
 * Probe of the network to another node by a link of its own: whether packets of any size pass, and what the link carries.
 *
 * <p><b>Threads.</b> The probing thread sends; a thread of the transport notifies it of answers and of space.
 */
public final class LinkProbe implements LinkHandler {
    private static final int SAMPLE = 512 << 10;
    private static final int SAMPLES = 3;
    private static final int ROUND_TRIPS = 5;
    /** More than the longest packets, of 9,000 bytes, hold. */
    private static final int FULL = 16 << 10;
    /** Time limit of a measurement; a link that needs longer for a sample is slow in any case. */
    private static final Duration MEASURED = Duration.ofSeconds(1);
    /** Time limit of a connect, and of packets of full size. */
    private static final Duration LIMIT = Duration.ofSeconds(4);
    private static final byte DATA = 0;
    /** First byte of a frame that the other node answers by a short one. */
    private static final byte QUESTION = 1;
    /** First byte of a frame that the other node answers by one of the same length. */
    private static final byte ECHO = 2;
    private static final byte ANSWER = 3;

    private final Semaphore answers = new Semaphore(0);
    private final Semaphore space = new Semaphore(0);
    private final long end;

    private LinkProbe(final Duration limit) {
        this.end = System.nanoTime() + limit.toNanos();
    }

    /** Returns a handler that answers the frames that ask for an answer; stateless. */
    static LinkHandler responder() {
        return new Responder();
    }

    /** Answers probes. An answer that finds no space is lost, and the probe late. */
    private static final class Responder implements LinkHandler {
        @Override
        public void frame(final Link link, final MemorySegment memory, final long offset, final int bytes) {
            final byte kind = memory.get(ValueLayout.JAVA_BYTE, offset);
            if (kind != DATA) {
                link.trySend(new byte[] {ANSWER}, 1, memory, offset, kind == ECHO ? bytes - 1 : 0);
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

    private static Hello hello(final NodeInfo from) {
        return new Hello(Protocol.PROBE, MessageCodec.write(new NodeHello(Protocol.VERSION, from, null)));
    }

    /**
     * Measures the link to a node: the time of a short frame and its answer, and of {@value #SAMPLE} bytes and their answer. The best of a few
     * samples counts, since a busy machine makes all others too long; a fast link needs one. Blocks, for a second at the most once the node has
     * accepted the link.
     *
     * @throws IOException when the node does not accept the link
     */
    static LinkQuality measure(final Transport transport, final NodeInfo from, final NodeInfo to) throws IOException, InterruptedException {
        final LinkProbe probe = new LinkProbe(MEASURED);
        final Link link = transport.connect(to.address().socketAddress(), hello(from), probe, MEASURED);
        try {
            long roundTrip = MEASURED.toNanos();
            for (int i = 0; i < ROUND_TRIPS && !probe.isLate(); i++) {
                roundTrip = Math.min(roundTrip, probe.nanos(link, QUESTION, 1));
            }
            long rate = 0;
            for (int i = 0; i < SAMPLES && !probe.isLate() && LinkSpeed.ofRate(rate) == LinkSpeed.SLOW; i++) {
                final long nanos = Math.max(1, probe.nanos(link, QUESTION, SAMPLE) - roundTrip);
                rate = Math.max(rate, SAMPLE * TimeUnit.SECONDS.toNanos(1) / nanos);
            }
            return new LinkQuality(to.name(), TimeUnit.NANOSECONDS.toMicros(roundTrip), rate);
        } finally {
            link.close();
        }
    }

    /**
     * Returns why packets do not pass to a node and back, in one line; null when they do. The handshake of the link needs small packets alone; then
     * both sides send a frame that fills packets of any size, which a network drops whose packets may not be as long as its hosts believe. Blocks
     * for 8 s at the most.
     */
    public static @Nullable String failure(final Transport transport, final NodeInfo from, final NodeInfo to) {
        final String pair = "from node " + from.name() + " to node " + to.name();
        final Link link;
        final LinkProbe probe = new LinkProbe(LIMIT.multipliedBy(2));
        try {
            link = transport.connect(to.address().socketAddress(), hello(from), probe, LIMIT);
        } catch (final IOException e) {
            return "no new link can be opened " + pair + ": " + Protocol.oneLine(e);
        }
        try {
            probe.nanos(link, ECHO, FULL);
            return probe.isLate() ? "small packets pass " + pair + ", packets of full size do not: an interface or tunnel between them has a "
                + "smaller MTU than theirs; set the same MTU everywhere" : null;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the probe was interrupted";
        } finally {
            link.close();
        }
    }

    private boolean isLate() {
        return System.nanoTime() - end >= 0;
    }

    /** Returns how long some bytes and their answer take, or the time until the limit if they take longer. The last frame is of a kind. */
    private long nanos(final Link link, final byte last, final int bytes) throws InterruptedException {
        final MemorySegment zeros = MemorySegment.ofArray(new byte[link.maxFrame()]);
        final byte[] kind = new byte[1];
        final long begin = System.nanoTime();
        for (int sent = 0; sent < bytes;) {
            final int frame = Math.min(bytes - sent, link.maxFrame());
            kind[0] = sent + frame == bytes ? last : DATA;
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
