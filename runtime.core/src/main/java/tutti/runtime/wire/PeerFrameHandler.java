package tutti.runtime.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.AccessItem;
import tutti.runtime.access.WindowTable;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Send;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;

/** Handles the frames from another node of the job. Calls come one at a time, from the threads that read the link. */
final class PeerFrameHandler implements LinkHandler {
    private final PeerNode peer;
    private final IntFunction<@Nullable Mailbox> mailboxes;
    private final LinkPolling polling;
    private final WindowTable windows;
    private final EagerMessage eager;
    private boolean leaveReceived;

    /** Creates a handler; {@code mailboxes} returns the mailbox of a rank of this node, null for other ranks. */
    PeerFrameHandler(final PeerNode peer, final IntFunction<@Nullable Mailbox> mailboxes, final WindowTable windows,
        final LinkPolling polling) {
        this.peer = peer;
        this.polling = polling;
        this.windows = windows;
        this.mailboxes = mailboxes;
        this.eager = new EagerMessage(peer);
    }

    @Override
    public void frame(final Link link, final MemorySegment m, final long at, final int bytes) {
        check(bytes >= Frame.HEADER, "frame too short, bytes", bytes);
        final int payload = bytes - Frame.HEADER;
        final int kind = Frame.kind(m, at);
        switch (kind) {
            case Frame.EAGER -> eager(m, at, payload);
            case Frame.RTS -> rts(m, at, payload);
            case Frame.CTS -> peer.clearToSend(Frame.id(m, at), Frame.tag(m, at), Frame.bytes(m, at));
            case Frame.WRITE -> write(m, at, payload);
            case Frame.WRITTEN -> written(m, at);
            case Frame.ACCESS -> access(m, at, payload);
            case Frame.ANSWER -> answer(m, at, payload);
            case Frame.DATA -> data(m, at, payload);
            case Frame.CANCEL -> mailbox(m, at).submit(RendezvousMessage.cancellation(peer, Frame.id(m, at)));
            case Frame.CREDIT -> peer.addCredit(Frame.bytes(m, at));
            case Frame.LEAVE -> leaveReceived = true;
            default -> throw violation("unknown frame, kind", kind);
        }
    }

    private void eager(final MemorySegment m, final long at, final int payload) {
        final Mailbox mailbox = mailbox(m, at);
        check(Frame.bytes(m, at) == payload, "eager message whose length differs from its frame, bytes", payload);
        eager.envelope(Frame.context(m, at), Frame.source(m, at), Frame.tag(m, at), payload);
        eager.ofCall(Frame.call(m, at));
        eager.at(m, at + Frame.HEADER);
        if (!mailbox.tryRun(eager)) {
            mailbox.submit(eager.copy());
        }
    }

    private void rts(final MemorySegment m, final long at, final int keyBytes) {
        final Mailbox mailbox = mailbox(m, at);
        check(keyBytes <= BulkAccess.MAX_KEY, "announcement too long, key bytes", keyBytes);
        final RendezvousMessage free = peer.freeMessages.take();
        final RendezvousMessage rts = free == null ? new RendezvousMessage(peer) : free;
        rts.announced(Frame.id(m, at), m, at + Frame.HEADER, keyBytes);
        rts.envelope(Frame.context(m, at), Frame.source(m, at), Frame.tag(m, at), Frame.bytes(m, at));
        rts.ofCall(Frame.call(m, at));
        mailbox.submit(rts);
    }

    private void write(final MemorySegment m, final long at, final int keyBytes) {
        check(keyBytes <= BulkAccess.MAX_KEY, "request to write too long, key bytes", keyBytes);
        final long id = Frame.id(m, at);
        final Send send = peer.announced(id);
        final long from = Frame.context(m, at);
        final long bytes = Frame.bytes(m, at);
        if (send == null || send.layout() != null || from < 0 || bytes <= 0 || from > send.bytes() - bytes) {
            throw violation("request to write what was not announced, send", id);
        }
        final BulkWrite free = peer.freeWrites.take();
        final BulkWrite write = free == null ? new BulkWrite(peer) : free;
        write.keyAt(m, at + Frame.HEADER, keyBytes);
        write.set(send, from, bytes, Frame.tag(m, at));
        peer.submit(write);
    }

    private void written(final MemorySegment m, final long at) {
        final long slot = Frame.id(m, at);
        final BulkRead read = peer.written.remove(slot);
        if (read == null) {
            throw violation("data written that nobody asked for, slot", slot);
        }
        read.written(Frame.bytes(m, at) != 0);
    }

    private void access(final MemorySegment m, final long at, final int payload) {
        try {
            windows.access(peer, Frame.id(m, at), m, at + Frame.HEADER, payload);
        } catch (final IllegalArgumentException | ArithmeticException e) {
            throw violation(String.valueOf(e.getMessage()) + ", access", Frame.id(m, at));
        }
    }

    private void answer(final MemorySegment m, final long at, final int payload) {
        final long id = Frame.id(m, at);
        final AccessItem access = peer.accesses.get(id);
        if (access == null) {
            throw violation("answer to no access, access", id);
        }
        if (access.answered(m, at + Frame.HEADER, payload)) {
            peer.accesses.remove(id);
        }
    }

    private void data(final MemorySegment m, final long at, final int payload) {
        final long slot = Frame.id(m, at);
        final RendezvousReceive incoming = peer.incoming.get(slot);
        final long position = Frame.tag(m, at);
        if (incoming == null || !incoming.fits(position, payload)) {
            throw violation("data without CTS, slot", slot);
        }
        if (incoming.receiveSegment(m, at + Frame.HEADER, position, payload)) {
            peer.incoming.remove(slot);
            incoming.complete();
            peer.freeMessages.give(incoming.message());
        }
    }

    private Mailbox mailbox(final MemorySegment m, final long at) {
        final int rank = Frame.destination(m, at);
        final Mailbox mailbox = mailboxes.apply(rank);
        if (mailbox == null) {
            throw violation("message to a rank of another node, rank", rank);
        }
        return mailbox;
    }

    private void check(final boolean valid, final String what, final long value) {
        if (!valid) {
            throw violation(what, value);
        }
    }

    private UncheckedIOException violation(final String what, final long value) {
        return new UncheckedIOException(new IOException("node " + peer.name() + " violated the protocol: " + what + "=" + value));
    }

    @Override
    public boolean isWakeUpNeeded() {
        return polling.isWakeUpNeeded();
    }

    @Override
    public void writable(final Link link) {
        peer.requestSettle();
    }

    @Override
    public void closed(final Link link, final @Nullable Throwable cause) {
        final String reason = leaveReceived ? "it has left the job" : cause == null ? "the link was closed" : String.valueOf(cause.getMessage());
        polling.remove(link);
        peer.disconnected(reason, leaveReceived || cause == null);
    }
}
