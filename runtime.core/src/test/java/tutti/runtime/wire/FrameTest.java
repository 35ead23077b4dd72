package tutti.runtime.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.runtime.access.WindowTable;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Receive;
import tutti.runtime.match.Send;

/** Tests of the header of a {@link Frame}, and of what {@link PeerFrameHandler} does with frames. */
class FrameTest {
    private final byte[] frame = new byte[Frame.HEADER + 8];
    private final MemorySegment memory = MemorySegment.ofArray(frame);
    private final List<String> lost = new ArrayList<>();
    private final PeerNode peer = new PeerNode(3, "far", (node, reason) -> lost.add(reason), (node, reason) -> {});
    private final Mailbox mailbox = new Mailbox();
    private final PeerFrameHandler handler = new PeerFrameHandler(peer, rank -> rank == 1 ? mailbox : null, new WindowTable(),
        new LinkPolling());

    @Test
    void shouldWriteTheHeaderInLittleEndianOrder() {
        Frame.write(frame, Frame.RTS, 0x020304, 0x3132333411121314L, -1, 0x0102030405060708L, 9, 0x2122232425262728L);
        assertEquals("02" + "040302" + "ffffffff" + "1413121134333231" + "0807060504030201" + "0900000000000000" + "2827262524232221"
            + "0000000000000000", HexFormat.of().formatHex(frame, 0, Frame.HEADER));
    }

    @Test
    void shouldReadWhatWasWrittenAtAnyOffset() {
        final Send send = new Send();
        send.envelope(5, 6, Long.MIN_VALUE + 7, 1L << 40);
        send.ofCall(Long.MIN_VALUE | 12);
        send.message(MemorySegment.NULL, 0, 9, false);
        Frame.write(frame, Frame.EAGER, send, 2, -4);
        final MemorySegment moved = MemorySegment.ofArray(new byte[Frame.HEADER + 3]);
        MemorySegment.copy(memory, 0, moved, 3, Frame.HEADER);
        assertEquals(Frame.EAGER, Frame.kind(moved, 3));
        assertEquals(7, Frame.destination(moved, 3));
        assertEquals(5, Frame.context(moved, 3));
        assertEquals(6, Frame.source(moved, 3));
        assertEquals(Long.MIN_VALUE + 7, Frame.tag(moved, 3));
        assertEquals(1L << 40, Frame.bytes(moved, 3));
        assertEquals(-4, Frame.id(moved, 3));
        assertEquals(Long.MIN_VALUE | 12, Frame.call(moved, 3));
    }

    @Test
    void shouldDeliverAnEagerMessageToTheMailboxOfItsDestination() {
        final Receive receive = new Receive();
        final byte[] target = new byte[8];
        receive.arm(op -> {}, null, 0);
        receive.want(4, 2, 7);
        receive.into(MemorySegment.ofArray(target), 0, 8);
        mailbox.submit(receive);
        Frame.write(frame, Frame.EAGER, 1, 4, 2, 7, 8, 0);
        frame[Frame.HEADER + 7] = 5;
        handler.frame(null, memory, 0, frame.length);
        assertEquals(8, receive.received());
        assertEquals(5, target[7]);
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 8, 'message to a rank of another node, rank=2'", "1, 1, 7, 'eager message whose length differs from its frame, bytes=8'",
        "2, 2, 8, 'message to a rank of another node, rank=2'", "4, 1, 8, 'data without CTS, slot=0'",
        "7, 2, 8, 'message to a rank of another node, rank=2'", "8, 1, 8, 'request to write what was not announced, send=0'",
        "9, 1, 8, 'data written that nobody asked for, slot=0'",
        "10, 1, 8, 'access out of range, action=-1, runs=-1, bytes=8, access=0'", "11, 1, 8, 'answer to no access, access=0'",
        "99, 1, 8, 'unknown frame, kind=99'"})
    void shouldRefuseFramesThatViolateTheProtocol(final int kind, final int destination, final long bytes, final String message) {
        Frame.write(frame, kind, destination, 0, 0, 0, bytes, 0);
        final UncheckedIOException refused = assertThrows(UncheckedIOException.class, () -> handler.frame(null, memory, 0, frame.length));
        assertEquals("node far violated the protocol: " + message, refused.getCause().getMessage());
    }

    @Test
    void shouldRefuseAFrameWithoutAHeader() {
        final UncheckedIOException refused = assertThrows(UncheckedIOException.class, () -> handler.frame(null, memory, 0, Frame.HEADER - 1));
        assertEquals("node far violated the protocol: frame too short, bytes=47", refused.getCause().getMessage());
    }

    @Test
    void shouldReportALinkThatClosesWithoutALeaveAsLost() {
        handler.closed(null, new IllegalStateException("reset"));
        assertEquals(List.of("reset"), lost);
    }

    @Test
    void shouldTakeALeaveForAnExpectedEnd() {
        Frame.write(frame, Frame.LEAVE, 0, 0, 0, 0, 0, 0);
        handler.frame(null, memory, 0, Frame.HEADER);
        handler.closed(null, new IllegalStateException("reset"));
        assertEquals(List.of(), lost);
    }
}
