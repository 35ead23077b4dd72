package tutti.runtime.wire;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.AccessItem;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.match.CancelItem;
import tutti.runtime.match.DataLayout;
import tutti.runtime.match.MessageCounter;
import tutti.runtime.match.Send;
import tutti.runtime.match.SendTarget;
import tutti.runtime.match.UnexpectedMessage;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.Link;

/**
 * Sends messages to another node of the job, or of a connected one, with flow control by credits.
 *
 * <p><b>Overview.</b> Messages are sent in the order in which they were submitted, each as an EAGER or an RTS frame. EAGER frames spend credit:
 * the memory that the receiving node reserves for unexpected messages of this node. The receiving node returns credit as these messages are
 * received. Without credit a message is announced by an RTS, which costs the receiving node a few words each, so a slow receiver costs nobody's
 * heap. Where the link gives access to memory, an RTS has the key of data that is not on the heap, which the receiving node reads in pieces and says
 * so by its CTS; meanwhile this node may write a part of it, if it is asked to. After any other CTS the data is sent in segments, behind all frames
 * that are in order. Messages take turns of {@value #TURN} bytes: a message never waits for the end of a much longer one, and shorter ones arrive one
 * after the other, so that their receivers can pass on the first while the others are on their way.
 *
 * <p>What does not fit on the link stays here until the link is writable, as the sender's request and not as bytes.
 *
 * <p><b>Threads.</b> All state belongs to the owner of this executor, except the credit to be added or returned, which is counted atomically, and the
 * receives of the other node. When the link refuses a frame nobody waits: {@link #requestSettle} continues, called by the I/O thread when the link is
 * writable.
 */
public final class PeerNode extends SendTarget implements UnexpectedMessage.ReleaseListener, AccessItem.Queue {
    /** Largest eager message, in bytes, on a link whose frames can hold it. */
    public static final int EAGER_LIMIT = 32 * 1024;
    /** Initial credit in bytes: the memory that a node reserves for unexpected messages of one other node. */
    static final long CREDIT_LIMIT = 4L << 20;
    /** Bytes of a message that are sent before the next message has its turn. */
    static final int TURN = 256 * 1024;
    /** Credit that an eager message costs on top of its bytes. */
    static final int OVERHEAD = 64;

    private final int node;
    private final String name;
    private final int base;
    private final BiConsumer<Integer, String> lost;
    private final BiConsumer<Integer, String> left;
    private final MessageCounter sent = new MessageCounter();
    private final byte[] header = new byte[Frame.HEADER];
    /** A piece of data with gaps, packed; as long as a frame from its first use on. */
    private MemorySegment packed = MemorySegment.NULL;
    /** The message and the position of the piece that was packed and refused by the link; null if there is none. */
    private @Nullable Send packedOf;
    private long packedAt;
    private final Deque<WorkItem> ordered = new ArrayDeque<>();
    /** Sends whose data the other node waits for. */
    private final Deque<Send> bulk = new ArrayDeque<>();
    private final HandleTable<Send> pendingRts = new HandleTable<>();
    /** Reads from the other node's memory, and writes to it, that have something to do. */
    private final Deque<BulkTransfer> transfers = new ArrayDeque<>();
    /** Decides how the data of a message comes that this node can read. */
    final TransferChoice choice = new TransferChoice();
    /** Reads of which the other node writes a part. */
    final HandleTable<BulkRead> written = new HandleTable<>();
    /** Messages whose data is there. */
    final FreeList<RendezvousMessage> freeMessages = new FreeList<>();
    /** Writes of which the other node was told. */
    final FreeList<BulkWrite> freeWrites = new FreeList<>();
    /** Accesses to windows that the other node has not answered. */
    final HandleTable<AccessItem> accesses = new HandleTable<>();
    final HandleTable<RendezvousReceive> incoming = new HandleTable<>();
    private final AtomicLong creditToReturn = new AtomicLong();
    private final AtomicLong creditReturned = new AtomicLong();
    private final SettleTrigger settleTrigger = new SettleTrigger();

    /** The link to the node; null before {@link #attach}. */
    private @Nullable Link link;
    private long eagerLimit;
    private long credit = CREDIT_LIMIT;
    /** Bytes that are left of the turn of the first message in {@link #bulk}. */
    private long turn = TURN;
    private boolean leaving;
    /** Why the link is closed; null while it is not. */
    private @Nullable String disconnectReason;

    /**
     * Creates a node without a link.
     *
     * @param lost called with the node and the reason when the link is lost
     * @param left called with the node and the reason when the link is closed in good order
     */
    PeerNode(final int node, final String name, final BiConsumer<Integer, String> lost, final BiConsumer<Integer, String> left) {
        this(node, name, 0, lost, left);
    }

    private PeerNode(final int node, final String name, final int base, final BiConsumer<Integer, String> lost,
        final BiConsumer<Integer, String> left) {
        this.node = node;
        this.name = name;
        this.base = base;
        this.lost = lost;
        this.left = left;
    }

    /**
     * Creates a node of another job without a link.
     *
     * @param base number of that job's rank 0 on this node
     * @param lost called with the node and the reason when the link is lost, or when the other job leaves the node
     */
    public static PeerNode ofOtherJob(final int node, final String name, final int base, final BiConsumer<Integer, String> lost) {
        return new PeerNode(node, name, base, lost, lost);
    }

    String name() {
        return name;
    }

    /** Returns the numbers of messages that were sent to the node. */
    public MessageStatistics statistics() {
        return new MessageStatistics(0, 0, sent.messages(), sent.bytes());
    }

    /** Sets the link to the node and starts sending. */
    void attach(final Link to) {
        submit(new Step() {
            @Override
            void step() {
                if (disconnectReason != null) {
                    // it was lost meanwhile
                    to.close();
                    return;
                }
                link = to;
                eagerLimit = Math.min(EAGER_LIMIT, to.maxFrame() - Frame.HEADER);
            }
        });
    }

    /** Requests a call of {@link #settle}, because the link is writable or there is credit to return. It is cheap, and queued at most once. */
    void requestSettle() {
        if (settleTrigger.queued.compareAndSet(false, true)) {
            submit(settleTrigger);
        }
    }

    @Override
    protected void handleSend(final Send send) {
        if (send.conceal() && send.remaining() == 0) {
            // the other node has read it
            sent.add(0, send.bytes());
        }
        if (disconnectReason != null) {
            fail(send);
        } else if (!send.isCleared()) {
            ordered.add(send);
        } else if (send.remaining() > 0) {
            bulk.add(send);
        } else if (send.remaining() == 0) {
            send.complete(this, null);
        } else if (send.remaining() == Frame.REMOVED) {
            send.cancelled(this);
        } else {
            // Cause: the receiver has failed, or has revoked the communicator, before it received the message. Remedy: `shrink` the communicator.
            send.complete(this, send.remaining() == Frame.LOST ? MpiFailure.ofLoss("the receiver has failed, of a message to node " + name)
                : MpiFailure.revoked("communicator was revoked at the receiver, of a message to node " + name));
        }
    }

    @Override
    protected void cancel(final Send send) {
        if (ordered.removeFirstOccurrence(send)) {
            send.cancelled(this);
        } else if (isAnnounced(send)) {
            ordered.add(new CancelItem(send));
        }
    }

    /** Returns whether the other node has been told of the message, and has not answered. */
    boolean isAnnounced(final Send send) {
        return pendingRts.get(send.announcement()) == send;
    }

    /** Returns the message that the other node was told of by a number, and has not answered; null when there is none. */
    @Nullable
    Send announced(final long id) {
        return pendingRts.get(id);
    }

    /** Queues an item that sends a frame; called by the owner. */
    void enqueue(final WorkItem item) {
        if (disconnectReason == null) {
            ordered.add(item);
        } else {
            // a receive has matched a message that was announced before
            failIncoming();
        }
    }

    private void failIncoming() {
        incoming.clear().forEach(in -> in.fail(failure()));
    }

    @Override
    public void enqueue(final AccessItem item) {
        if (disconnectReason == null) {
            ordered.add(item);
        } else {
            item.fail(failure());
        }
    }

    @Override
    public void released(final long bytes) {
        if (creditToReturn.addAndGet(bytes + OVERHEAD) >= CREDIT_LIMIT / 4) {
            requestSettle();
        }
    }

    /** Adds credit returned by the other node. */
    void addCredit(final long bytes) {
        creditReturned.addAndGet(bytes);
        requestSettle();
    }

    /**
     * Handles a CTS: {@code wanted} bytes may be sent to receive {@code slot} of the other node, or the message was {@link Frame#REMOVED}, or its
     * data was {@link Frame#READ}.
     */
    void clearToSend(final long id, final long slot, final long wanted) {
        final Send send = pendingRts.remove(id);
        if (send != null) {
            send.transfer(slot, wanted == Frame.READ ? 0 : wanted);
            submit(send);
        }
    }

    /** Tells whether its link is one of this host, whose ends can map the same memory. The owner tells. */
    public void askSharesMemory(final Consumer<Boolean> told) {
        submit(new Step() {
            @Override
            void step() {
                told.accept(link != null && disconnectReason == null && link.sharesMemory());
            }
        });
    }

    /**
     * Lets the other node access memory, and tells the exposure; null when its link gives no access to such memory. The owner tells.
     *
     * @param memory native memory
     */
    public void expose(final MemorySegment memory, final Consumer<BulkAccess.@Nullable ExposedMemory> told) {
        submit(new Step() {
            @Override
            void step() {
                final BulkAccess access = link == null || disconnectReason != null ? null : link.bulk();
                BulkAccess.ExposedMemory exposed = null;
                try {
                    exposed = access == null ? null : access.expose(memory);
                } catch (final RuntimeException e) {
                    // the transport has no room for another memory
                }
                told.accept(exposed);
            }
        });
    }

    /** Ends an exposure. */
    public void conceal(final BulkAccess.ExposedMemory memory) {
        submit(new Step() {
            @Override
            void step() {
                memory.close();
            }
        });
    }

    /** Goes on with a read from the other node's memory, or a write to it; called by the owner. */
    void handleTransfer(final BulkTransfer transfer) {
        if (disconnectReason == null) {
            transfers.add(transfer);
        } else {
            transfer.fail(failure());
        }
    }

    @Override
    protected void settle() {
        credit += creditReturned.getAndSet(0);
        final Link to = link;
        if (to == null || disconnectReason != null) {
            return;
        }
        if (creditToReturn.get() >= CREDIT_LIMIT / 4 && !trySendCredit(to)) {
            return;
        }
        if (!trySendOrdered(to)) {
            return;
        }
        if (!transfers.isEmpty()) {
            transferPiece(to);
        }
        Send send;
        while ((send = bulk.peek()) != null) {
            if (!trySendSegment(to, send)) {
                return;
            }
            if (send.remaining() > 0 && turn > 0) {
                continue;
            }
            turn = TURN;
            bulk.poll();
            if (send.remaining() > 0) {
                bulk.add(send);
            } else {
                send.complete(this, null);
            }
        }
        if (leaving) {
            Frame.write(header, Frame.LEAVE, 0, 0, 0, 0, 0, 0);
            to.trySend(header, Frame.HEADER, null, 0, 0);
            to.close();
            leaving = false;
        }
    }

    /** Reads or writes a piece of the data of one message; the others, and the frames that are in order meanwhile, follow. */
    private void transferPiece(final Link over) {
        final BulkTransfer transfer = transfers.remove();
        if (transfer.advance(Objects.requireNonNull(over.bulk(), "a key was received"))) {
            transfers.add(transfer);
        }
        if (!transfers.isEmpty() || !ordered.isEmpty()) {
            requestSettle();
        }
    }

    /** Sends the frames that are in order, several of them together. Returns whether the link accepted all. */
    private boolean trySendOrdered(final Link to) {
        final boolean several = ordered.size() > 1;
        if (several) {
            to.cork();
        }
        try {
            WorkItem item;
            while ((item = ordered.peek()) != null) {
                if (!trySend(to, item)) {
                    return false;
                }
                ordered.poll();
            }
            return true;
        } finally {
            if (several) {
                to.uncork();
            }
        }
    }

    private boolean trySendCredit(final Link to) {
        final long amount = creditToReturn.getAndSet(0);
        Frame.write(header, Frame.CREDIT, 0, 0, 0, 0, amount, 0);
        if (to.trySend(header, Frame.HEADER, null, 0, 0)) {
            return true;
        }
        creditToReturn.addAndGet(amount);
        return false;
    }

    private boolean trySend(final Link to, final WorkItem item) {
        if (item instanceof Send send) {
            return send.isSynchronous() || send.bytes() > eagerLimit || send.bytes() + OVERHEAD > credit ? trySendRts(to, send)
                : trySendEager(to, send);
        }
        if (item instanceof CancelItem cancel) {
            return trySendCancel(to, (Send) cancel.operation());
        }
        return switch (item) {
            case AccessItem access -> trySendAccess(to, access);
            case BulkWrite write -> trySendWritten(to, write);
            default -> trySendCts(to, (ClearToSend) item);
        };
    }

    private boolean trySendAccess(final Link to, final AccessItem item) {
        if (item.begins()) {
            final boolean isAnswer = item.answerTo() >= 0;
            Frame.write(item.header(), isAnswer ? Frame.ANSWER : Frame.ACCESS, 0, 0, 0, 0, 0,
                isAnswer ? item.answerTo() : item.isAnswered() ? accesses.put(item) : -1);
        }
        return item.send(to);
    }

    private boolean trySendCts(final Link to, final ClearToSend cts) {
        final byte[] key = cts.key();
        if (key != null) {
            Frame.write(header, Frame.WRITE, 0, cts.position(), 0, cts.slot(), cts.wanted(), cts.id());
            return to.trySend(header, Frame.HEADER, MemorySegment.ofArray(key), 0, key.length);
        }
        Frame.write(header, Frame.CTS, 0, 0, 0, cts.slot(), cts.wanted(), cts.id());
        if (!to.trySend(header, Frame.HEADER, null, 0, 0)) {
            return false;
        }
        if (cts.wanted() == Frame.READ) {
            freeMessages.give(cts.message());
        }
        return true;
    }

    private boolean trySendWritten(final Link to, final BulkWrite write) {
        Frame.write(header, Frame.WRITTEN, 0, 0, 0, 0, write.isDone() ? 1 : 0, write.slot());
        if (!to.trySend(header, Frame.HEADER, null, 0, 0)) {
            return false;
        }
        freeWrites.give(write);
        return true;
    }

    private boolean trySendEager(final Link to, final Send send) {
        Frame.write(header, Frame.EAGER, send, base, 0);
        if (!to.trySend(header, Frame.HEADER, send.data(), send.offset(), (int) send.bytes())) {
            return false;
        }
        credit -= send.bytes() + OVERHEAD;
        sent.add(1, send.bytes());
        send.complete(this, null);
        return true;
    }

    private boolean trySendRts(final Link to, final Send send) {
        final int id = pendingRts.put(send);
        send.announcedAs(id);
        Frame.write(header, Frame.RTS, send, base, id);
        final BulkAccess access = to.bulk();
        final byte[] key = access != null && send.bytes() > eagerLimit ? send.expose(access) : null;
        if (to.trySend(header, Frame.HEADER, key == null ? null : MemorySegment.ofArray(key), 0, key == null ? 0 : key.length)) {
            sent.add(1, 0);
            return true;
        }
        pendingRts.remove(id);
        return false;
    }

    private boolean trySendCancel(final Link to, final Send send) {
        Frame.write(header, Frame.CANCEL, send.destination() - base, 0, 0, 0, 0, send.announcement());
        return !isAnnounced(send) || to.trySend(header, Frame.HEADER, null, 0, 0);
    }

    private boolean trySendSegment(final Link to, final Send send) {
        final int segment = (int) Math.min(send.remaining(), to.maxFrame() - Frame.HEADER);
        Frame.write(header, Frame.DATA, 0, 0, 0, send.position(), segment, send.slot());
        final DataLayout layout = send.layout();
        final boolean isSent;
        if (layout == null) {
            isSent = to.trySend(header, Frame.HEADER, send.data(), send.offset() + send.position(), segment);
        } else {
            if (packedOf != send || packedAt != send.position()) { // else it was refused before
                packed = packed.byteSize() < segment ? Arena.ofAuto().allocate(to.maxFrame(), Long.BYTES) : packed;
                layout.pack(send.position(), segment, packed, 0);
            }
            isSent = to.trySend(header, Frame.HEADER, packed, 0, segment);
            packedOf = isSent ? null : send;
            packedAt = send.position();
        }
        if (!isSent) {
            return false;
        }
        send.transferred(segment);
        turn -= segment;
        sent.add(0, segment);
        return true;
    }

    /** Sends a LEAVE frame and closes the link, once everything queued has been sent. */
    public void leave() {
        submit(new Step() {
            @Override
            void step() {
                leaving = true;
            }
        });
    }

    /** Fails everything queued or pending and all later sends, because the link is closed. */
    public void disconnected(final String reason, final boolean expected) {
        submit(new Step() {
            @Override
            void step() {
                disconnect(reason, expected);
            }
        });
    }

    private void disconnect(final String reason, final boolean expected) {
        if (disconnectReason == null) {
            disconnectReason = reason;
            failAll();
            (expected ? left : lost).accept(node, reason);
        }
    }

    /** Closes the link, since the other node's ranks are lost: it may be there, and not answer. */
    public void lose(final String reason) {
        submit(new Step() {
            @Override
            void step() {
                if (link != null) {
                    link.close();
                }
                disconnect(reason, true);
            }
        });
    }

    /** Closes the link: a frame may have been sent in part or not at all, so the nodes no longer agree on what was sent. */
    @Override
    protected void broken(final Throwable why) {
        if (link != null) {
            link.close();
        }
        disconnect("internal error: " + why, false);
    }

    private void failAll() {
        packedOf = null; // sends are used again
        for (final WorkItem item : ordered) {
            if (item instanceof Send send) {
                fail(send);
            } else if (item instanceof AccessItem access) {
                access.fail(failure());
            }
        }
        ordered.clear();
        bulk.forEach(this::fail);
        bulk.clear();
        pendingRts.clear().forEach(this::fail);
        transfers.forEach(t -> t.fail(failure()));
        transfers.clear();
        written.clear().forEach(r -> r.fail(failure()));
        accesses.clear().forEach(a -> a.fail(failure()));
        failIncoming();
    }

    private void fail(final Send send) {
        send.conceal();
        send.complete(this, failure());
    }

    private MpiFailure failure() {
        // Cause: the node's process or host has ended, or cannot be reached. Remedy: start it again, then the job.
        return MpiFailure.ofLoss("node " + name + " is gone: " + disconnectReason);
    }

    /** A work item that is rare enough to be allocated; frequent items are reused. */
    private abstract static class Step extends WorkItem {
        abstract void step();

        @Override
        protected void run(final SerialExecutor at) {
            step();
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            throw why;
        }
    }

    /** Work item that does nothing but cause a call of {@link #settle}. */
    private static final class SettleTrigger extends WorkItem {
        private final AtomicBoolean queued = new AtomicBoolean();

        @Override
        protected void run(final SerialExecutor at) {
            queued.set(false);
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            throw why;
        }
    }
}
