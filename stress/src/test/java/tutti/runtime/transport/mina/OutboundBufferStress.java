package tutti.runtime.transport.mina;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.Arrays;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;

/**
 * Stress tests of {@link OutboundBuffer}: one thread sends while another does what the I/O thread does. At the end the I/O thread serves the
 * requests that are pending: bytes that nobody has requested to write then are stuck.
 */
public class OutboundBufferStress {
    private static final int MAX_BURST = 7;

    /** A sender and the I/O thread. */
    @JCStressTest
    @Outcome(id = "12", expect = ACCEPTABLE, desc = "both frames were written, in order")
    @Outcome(expect = FORBIDDEN, desc = "a frame was lost, torn or stuck")
    @State
    public static class SenderAndIoThread {
        private final TestLink link = new TestLink(MAX_BURST, OutboundBuffer.HIGH_MARK);

        @Actor
        public void sends() {
            link.send(1, 9);
            link.send(2, 3);
        }

        @Actor
        public void serves() {
            link.serve(4);
        }

        @Arbiter
        public void end(final I_Result r) {
            r.r1 = link.finish();
        }
    }

    /** Two senders, which serialise their sends, and the I/O thread. */
    @JCStressTest
    @Outcome(id = {"1234", "1324", "1342", "3124", "3142", "3412"}, expect = ACCEPTABLE, desc = "all frames were written, in order of each sender")
    @Outcome(expect = FORBIDDEN, desc = "a frame was lost, torn, stuck or overtaken")
    @State
    public static class TwoSenders {
        private final TestLink link = new TestLink(MAX_BURST, OutboundBuffer.HIGH_MARK);

        private void send(final int number, final int bytes) {
            synchronized (link) {
                link.send(number, bytes);
            }
        }

        @Actor
        public void first() {
            send(1, 9);
            send(2, 3);
        }

        @Actor
        public void second() {
            send(3, 5);
            link.serve(2);
            send(4, 1);
        }

        @Arbiter
        public void end(final I_Result r) {
            r.r1 = link.finish();
        }
    }

    /** Heartbeats go between frames. */
    @JCStressTest
    @Outcome(id = "12", expect = ACCEPTABLE, desc = "both frames were written, in order")
    @Outcome(expect = FORBIDDEN, desc = "a frame was lost, stuck or torn by a heartbeat")
    @State
    public static class Heartbeat {
        private final TestLink link = new TestLink(3, OutboundBuffer.HIGH_MARK);

        @Actor
        public void sends() {
            link.send(1, 2);
            link.send(2, 3);
        }

        @Actor
        public void beats() {
            link.outbound.heartbeat();
            link.serve(2);
            link.outbound.heartbeat();
        }

        @Arbiter
        public void end(final I_Result r) {
            r.r1 = link.finish();
        }
    }

    /** The second frame does not fit into the ring, so the ring grows while the I/O thread writes. */
    @JCStressTest
    @Outcome(id = "12", expect = ACCEPTABLE, desc = "both frames were written, in order")
    @Outcome(expect = FORBIDDEN, desc = "a frame was lost, torn or stuck")
    @State
    public static class Growth {
        private final TestLink link = new TestLink(1500, OutboundBuffer.HIGH_MARK);

        @Actor
        public void sends() {
            link.send(1, 3000);
            link.send(2, 3000);
        }

        @Actor
        public void serves() {
            link.serve(4);
        }

        @Arbiter
        public void end(final I_Result r) {
            r.r1 = link.finish();
        }
    }

    /** A link that is being closed ends its output when the buffer is empty: by then everything accepted must be written. */
    @JCStressTest
    @Outcome(id = "-1, 12", expect = ACCEPTABLE, desc = "the output was not ended yet")
    @Outcome(id = "20, 12", expect = ACCEPTABLE, desc = "the output was ended behind all frames")
    @Outcome(expect = FORBIDDEN, desc = "the output was ended too early")
    @State
    public static class Close {
        private final TestLink link = new TestLink(MAX_BURST, OutboundBuffer.HIGH_MARK);
        private volatile boolean closing;

        @Actor
        public void sends() {
            link.send(1, 9);
            link.send(2, 3);
            closing = true;
        }

        @Actor
        public void serves(final II_Result r) {
            r.r1 = -1;
            for (int i = 0; i < 6 && r.r1 < 0; i++) {
                link.serve(1);
                if (closing && link.outbound.isEmpty()) {
                    r.r1 = link.channel.written();
                }
            }
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r2 = link.finish();
        }
    }

    /** The memory is released while a sender copies. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "the sender noticed nothing")
    @Outcome(expect = FORBIDDEN, desc = "the sender was refused")
    @State
    public static class Release {
        private final TestLink link = new TestLink(MAX_BURST, OutboundBuffer.HIGH_MARK);

        @Actor
        public void sends(final I_Result r) {
            r.r1 = link.send(1, 9) && link.send(2, 3000) && link.send(3, 3000) ? 1 : 0;
        }

        @Actor
        public void closes() {
            link.outbound.close();
        }
    }

    /** A sender that is rejected, because too much is queued, is notified when there is space. */
    @JCStressTest
    @Outcome(id = "true, 123", expect = ACCEPTABLE, desc = "there was space")
    @Outcome(id = "false, 123", expect = ACCEPTABLE, desc = "the sender was notified, and sent again")
    @Outcome(expect = FORBIDDEN, desc = "the sender was never notified, or a frame was lost")
    @State
    public static class BlockedSender {
        private final TestLink link = new TestLink(0, 26);
        private boolean accepted;
        private boolean notified;

        public BlockedSender() {
            link.send(1, 9);
            link.send(2, 9);
            link.channel.burst = 100;
        }

        @Actor
        public void sends() {
            accepted = link.send(3, 1);
        }

        @Actor
        public void serves() {
            link.serve(1);
            notified = link.outbound.clearSenderBlocked();
        }

        @Arbiter
        public void end(final ZI_Result r) {
            r.r1 = accepted;
            if (!accepted) {
                if (!notified && link.isServiceRequested()) {
                    link.serve(1);
                    notified = link.outbound.clearSenderBlocked();
                }
                if (notified) {
                    link.send(3, 1);
                }
            }
            r.r2 = link.finish();
        }
    }

    /** An outbound buffer with its channel, and what a link does with them. */
    private static final class TestLink {
        private static final int TORN = -1;
        private static final int STUCK = -2;

        final BurstChannel channel;
        final OutboundBuffer outbound;
        private volatile boolean requested;

        TestLink(final int burst, final int highMark) {
            channel = new BurstChannel(burst);
            outbound = new OutboundBuffer(channel, () -> requested = true, highMark);
        }

        /** Sends a frame whose bytes are its number. */
        boolean send(final int number, final int bytes) {
            final byte[] frame = new byte[bytes];
            Arrays.fill(frame, (byte) number);
            return outbound.offer(frame, bytes, null, 0, 0);
        }

        boolean isServiceRequested() {
            return requested;
        }

        /** Serves the link as the I/O thread does. */
        void serve(final int times) {
            for (int i = 0; i < times; i++) {
                if (requested) {
                    requested = false;
                    outbound.writable();
                }
            }
        }

        /** Serves the link until nothing is requested, and releases it. Returns the numbers of the frames written, as decimal digits. */
        int finish() {
            while (requested) {
                serve(1);
            }
            final boolean stuck = !outbound.isEmpty();
            outbound.close();
            return stuck ? STUCK : frames();
        }

        private int frames() {
            int numbers = 0;
            int at = 0;
            while (at + WireFormat.FRAME_HEADER <= channel.written()) {
                final int length = channel.int32(at);
                at += WireFormat.FRAME_HEADER;
                final int number = length > 0 && at < channel.written() ? channel.int8(at) : 0;
                for (int end = at + length; at < end; at++) {
                    if (length < 0 || at >= channel.written() || channel.int8(at) != number) {
                        return TORN;
                    }
                }
                numbers = length == 0 ? numbers : 10 * numbers + number;
            }
            return at == channel.written() ? numbers : TORN;
        }
    }
}
