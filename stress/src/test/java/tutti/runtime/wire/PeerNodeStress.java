package tutti.runtime.wire;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import tutti.runtime.match.Send;
import tutti.runtime.transport.Link;

/** Stress tests of {@link PeerNode}: several threads send over one link, which refuses frames until the I/O thread says that it is writable. */
public class PeerNodeStress {

    /** Two senders; the second one also does what the I/O thread does. */
    @JCStressTest
    @Outcome(id = {"1234, 4", "1324, 4", "1342, 4", "3124, 4", "3142, 4", "3412, 4"}, expect = ACCEPTABLE,
        desc = "all messages left, in order of each sender")
    @Outcome(expect = FORBIDDEN, desc = "a message was lost, sent twice or overtaken, or its send is not complete")
    @State
    public static class TwoSenders {
        private final PeerNode peer = new PeerNode(1, "peer", (node, reason) -> {}, (node, reason) -> {});
        private final RefusingLink link = new RefusingLink(peer);
        private int completed;

        public TwoSenders() {
            peer.attach(link);
        }

        private void send(final int number) {
            final Send send = new Send();
            send.arm(op -> completed++, null, 0);
            send.envelope(0, 0, number, 0);
            send.message(MemorySegment.NULL, 0, 1, false);
            peer.submit(send);
        }

        @Actor
        public void first() {
            send(1);
            send(2);
        }

        @Actor
        public void second() {
            send(3);
            send(4);
            link.makeSpace(1);
            link.makeSpace(1);
        }

        @Arbiter
        public void end(final II_Result r) {
            link.makeSpace(4);
            r.r1 = link.trace;
            r.r2 = completed;
        }
    }

    /** Link that has space for some frames. It records their tags, as decimal digits in a plain field. */
    private static final class RefusingLink implements Link {
        private final PeerNode peer;
        private volatile int space = 1;
        private volatile boolean refused;
        private int sent;
        private int trace;

        RefusingLink(final PeerNode peer) {
            this.peer = peer;
        }

        /** Makes space as the I/O thread does, and notifies a sender that was refused. */
        void makeSpace(final int frames) {
            space += frames;
            if (refused) {
                refused = false;
                peer.requestSettle();
            }
        }

        @Override
        public boolean trySend(final byte[] header, final int headerBytes, final MemorySegment payload, final long payloadOffset,
            final int payloadBytes) {
            if (sent == space) {
                refused = true;
                if (sent == space) {
                    return false;
                }
            }
            sent++;
            trace = 10 * trace + (int) Frame.tag(MemorySegment.ofArray(header), 0);
            return true;
        }

        @Override
        public int maxFrame() {
            return 1024;
        }

        @Override
        public String peer() {
            return "peer";
        }

        @Override
        public void close() {
            // nothing to close
        }
    }
}
