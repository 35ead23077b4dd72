package tutti.runtime.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.match.CancelItem;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.Send;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.transport.Link;

/** Tests which frames a node sends to another, and that every send ends when the link does. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PeerNodeTest {
    private final List<String> events = new ArrayList<>();
    private final PeerNode peer = new PeerNode(3, "far", (node, reason) -> events.add("lost " + node + ": " + reason), (node, reason) -> {});

    /** Records frames, and refuses or fails where it is told to. */
    private final class RecordingLink implements Link {
        private int maxFrame = 64 * 1024;
        private int refusals;
        private int failures;

        @Override
        public boolean trySend(final byte[] header, final int headerBytes, final MemorySegment payload, final long payloadOffset,
            final int payloadBytes) {
            if (failures > 0) {
                failures--;
                throw new IllegalStateException("cable cut");
            }
            if (refusals > 0) {
                refusals--;
                return false;
            }
            final MemorySegment frame = MemorySegment.ofArray(header);
            events.add("frame " + Frame.kind(frame, 0) + " tag " + Frame.tag(frame, 0) + " payload " + payloadBytes);
            return true;
        }

        @Override
        public void cork() {
            events.add("cork");
        }

        @Override
        public void uncork() {
            events.add("uncork");
        }

        @Override
        public int maxFrame() {
            return maxFrame;
        }

        @Override
        public String peer() {
            return "far";
        }

        @Override
        public void close() {
            events.add("close");
        }
    }

    private void completed(final MessageOperation op) {
        final Send send = (Send) op;
        events.add("done " + send.tag() + (send.failure() == null ? "" : ": " + send.failure().getMessage()));
        assertTrue(send.failure() == null || send.failure().errorClass() == ErrorClass.PROC_FAILED);
    }

    private Send send(final int tag, final int bytes) {
        final Send send = new Send();
        send.arm(this::completed, null, 0);
        send.envelope(0, 0, tag, bytes);
        send.message(MemorySegment.ofArray(new byte[bytes]), 0, 1, false);
        return send;
    }

    @Test
    void shouldKeepSendsInOrderUntilTheLinkIsThereAndWritable() {
        final RecordingLink link = new RecordingLink();
        link.refusals = 1;
        peer.submit(send(1, 8));
        peer.attach(link);
        peer.submit(send(2, PeerNode.EAGER_LIMIT + 1));
        peer.submit(send(3, 0));
        assertEquals(List.of("cork", "frame 1 tag 1 payload 8", "done 1", "frame 2 tag 2 payload 0", "uncork", "frame 1 tag 3 payload 0", "done 3"),
            events);
    }

    @Test
    void shouldEndASeriesOfFramesWhenTheLinkRefusesOne() {
        final RecordingLink link = new RecordingLink();
        link.refusals = 1;
        peer.submit(send(1, 8));
        peer.submit(send(2, 8));
        peer.attach(link);
        assertEquals(List.of("cork", "uncork"), events);
        peer.requestSettle();
        assertEquals(List.of("cork", "uncork", "cork", "frame 1 tag 1 payload 8", "done 1", "frame 1 tag 2 payload 8", "done 2", "uncork"), events);
    }

    @Test
    void shouldAnnounceMessagesThatDoNotFitInAFrame() {
        final RecordingLink link = new RecordingLink();
        link.maxFrame = 32 * 1024;
        peer.attach(link);
        final int most = link.maxFrame - Frame.HEADER;
        peer.submit(send(1, most));
        peer.submit(send(2, most + 1));
        assertEquals(List.of("frame " + Frame.EAGER + " tag 1 payload " + most, "done 1", "frame " + Frame.RTS + " tag 2 payload 0"), events);
    }

    @Test
    void shouldAnnounceMessagesWithoutCredit() {
        peer.attach(new RecordingLink());
        final int each = PeerNode.EAGER_LIMIT;
        final int eager = (int) (PeerNode.CREDIT_LIMIT / (each + PeerNode.OVERHEAD));
        for (int i = 0; i <= eager; i++) {
            peer.submit(send(i, each));
        }
        assertEquals("frame " + Frame.RTS + " tag " + eager + " payload 0", events.getLast());
        events.clear();
        peer.addCredit(each + PeerNode.OVERHEAD);
        peer.submit(send(99, each));
        assertEquals(List.of("frame " + Frame.EAGER + " tag 99 payload " + each, "done 99"), events);
    }

    @Test
    void shouldSendMessagesOneAfterTheOtherUnlessTheyAreLong() {
        final RecordingLink link = new RecordingLink();
        link.maxFrame = 48 * 1024;
        peer.attach(link);
        final int[] bytes = {PeerNode.TURN + 100_000, 64 * 1024, 64 * 1024};
        for (int i = 0; i < bytes.length; i++) {
            peer.submit(send(i, bytes[i]));
        }
        link.refusals = bytes.length;
        for (int i = 0; i < bytes.length; i++) {
            peer.clearToSend(i, i, bytes[i]);
        }
        events.clear();
        peer.requestSettle();
        final List<String> sent = events.stream().map(e -> e.replaceFirst(".* payload ", "")).toList();
        final String whole = Integer.toString(link.maxFrame - Frame.HEADER);
        final String rest = Integer.toString(64 * 1024 - (link.maxFrame - Frame.HEADER));
        assertEquals(List.of(whole, whole, whole, whole, whole, whole, whole, rest, "done 1", whole, rest, "done 2"), sent.subList(0, 12));
        assertEquals("done 0", sent.getLast());
    }

    @Test
    void shouldCountMessagesOnceAndTheBytesThatTheLinkHasTaken() {
        final RecordingLink link = new RecordingLink();
        link.refusals = 1;
        link.maxFrame = 32 * 1024;
        peer.submit(send(1, 8));
        peer.attach(link);
        assertEquals(MessageStatistics.NONE, peer.statistics());
        peer.requestSettle();
        assertEquals(new MessageStatistics(0, 0, 1, 8), peer.statistics());
        peer.submit(send(2, 100_000));
        assertEquals(new MessageStatistics(0, 0, 2, 8), peer.statistics());
        peer.clearToSend(0, 7, 90_000);
        assertEquals("done 2", events.getLast());
        assertEquals(new MessageStatistics(0, 0, 2, 90_008), peer.statistics());
    }

    @Test
    void shouldCancelASendThatHasNotLeftWithoutAskingTheOtherNode() {
        final Send send = send(1, 8);
        peer.submit(send);
        peer.submit(new CancelItem(send));
        assertTrue(send.isCancelled());
        peer.attach(new RecordingLink());
        assertEquals(List.of("done 1"), events);
    }

    @Test
    void shouldAskTheOtherNodeToRemoveAnAnnouncedMessage() {
        peer.attach(new RecordingLink());
        final Send first = send(1, PeerNode.EAGER_LIMIT + 1);
        final Send second = send(2, PeerNode.EAGER_LIMIT + 1);
        peer.submit(first);
        peer.submit(second);
        events.clear();
        peer.submit(new CancelItem(second));
        peer.submit(new CancelItem(first));
        final String cancel = "frame " + Frame.CANCEL + " tag 0 payload 0";
        assertEquals(List.of(cancel, cancel), events);
        events.clear();
        peer.clearToSend(second.announcement(), 0, Frame.REMOVED);
        assertEquals(List.of("done 2"), events);
        assertTrue(second.isCancelled());
        // a receive has matched the first one before
        peer.clearToSend(first.announcement(), 5, 1);
        assertEquals(List.of("done 2", "frame " + Frame.DATA + " tag 0 payload 1", "done 1"), events);
        assertFalse(first.isCancelled());
    }

    @Test
    void shouldNotAskForAMessageThatWasMatchedWhileTheLinkWasFull() {
        final RecordingLink link = new RecordingLink();
        peer.attach(link);
        final Send send = send(1, PeerNode.EAGER_LIMIT + 1);
        peer.submit(send);
        link.refusals = 1;
        peer.submit(new CancelItem(send));
        events.clear();
        peer.clearToSend(send.announcement(), 0, 0);
        assertEquals(List.of("done 1"), events);
        assertFalse(send.isCancelled());
    }

    @Test
    void shouldFailEverySendWhenTheLinkIsLost() {
        peer.attach(new RecordingLink());
        peer.submit(send(1, PeerNode.EAGER_LIMIT + 1));
        events.clear();
        peer.disconnected("connection reset", false);
        peer.disconnected("again", false);
        peer.submit(send(2, 1));
        assertEquals(List.of("done 1: node far is gone: connection reset", "lost 3: connection reset",
            "done 2: node far is gone: connection reset"), events);
    }

    @Test
    void shouldCloseTheLinkAndFailEverySendWhenTheTransportThrows() {
        final RecordingLink link = new RecordingLink();
        peer.attach(link);
        link.failures = 1;
        peer.submit(send(1, 8));
        peer.submit(send(2, 8));
        final String reason = "internal error: java.lang.IllegalStateException: cable cut";
        assertEquals(List.of("close", "done 1: node far is gone: " + reason, "lost 3: " + reason, "done 2: node far is gone: " + reason), events);
        assertNull(peer.incoming.remove(0));
    }
}
