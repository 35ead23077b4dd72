package tutti.runtime.wire;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Send;
import tutti.runtime.match.SerialExecutor;
import tutti.runtime.match.UnexpectedMessage;
import tutti.runtime.match.WorkItem;
import tutti.runtime.transport.Link;

/**
 * Sends messages to another node of the job, with flow control by credits.
 *
 * <p><b>Overview.</b> Messages are sent in the order in which they were submitted, each as an EAGER or an RTS frame. EAGER frames spend credit:
 * the memory that the receiving node reserves for unexpected messages of this node. The receiving node returns credit as these messages are
 * received. Without credit a message is announced by an RTS, which costs the receiving node a few words each, so a slow receiver costs nobody's
 * heap. After the CTS the data is sent in segments, round robin among the messages and behind all frames that are in order. So a small message
 * never waits for a large one.
 *
 * <p>What does not fit on the link stays here until the link is writable, as the sender's request and not as bytes.
 */
final class PeerNode extends SerialExecutor implements UnexpectedMessage.Origin {
    /** Largest eager message, in bytes. */
    static final int EAGER = 32 * 1024;
    /** Initial credit in bytes: the memory that a node reserves for unexpected messages of one other node. */
    static final long WINDOW = 4L << 20;
    /** Credit that an eager message costs on top of its bytes. */
    static final int OVERHEAD = 64;

    private final int node;
    private final String name;
    private final BiConsumer<Integer, String> lost;
    private final byte[] header = new byte[Frame.HEADER];
    private final Deque<WorkItem> ordered = new ArrayDeque<>();
    private final Deque<RendezvousSend> bulk = new ArrayDeque<>();
    private final HandleTable<Send> offered = new HandleTable<>();
    final HandleTable<RendezvousReceive> incoming = new HandleTable<>();
    private final AtomicLong freed = new AtomicLong();
    private final AtomicLong earned = new AtomicLong();
    private final SettleTrigger kick = new SettleTrigger();

    private Link link;
    private long credit = WINDOW;
    private boolean leaving;
    private String gone;

    /**
     * Creates a node without a link.
     *
     * @param lost called with the node and the reason when the link is lost
     */
    PeerNode(final int node, final String name, final BiConsumer<Integer, String> lost) {
        this.node = node;
        this.name = name;
        this.lost = lost;
    }

    String name() {
        return name;
    }

    /** Sets the link to the node and starts sending. */
    void attach(final Link to) {
        submit(new Step() {
            @Override
            void step() {
                link = to;
            }
        });
    }

    /** Requests a call of {@link #settle}, because the link is writable or there is credit to return. It is cheap, and queued at most once. */
    void kick() {
        if (kick.queued.compareAndSet(false, true)) {
            submit(kick);
        }
    }

    @Override
    protected void take(final Send send) {
        if (gone != null) {
            fail(send);
        } else {
            ordered.add(send);
        }
    }

    /** Queues a CTS; called by the owner. */
    void enqueue(final WorkItem item) {
        if (gone == null) {
            ordered.add(item);
        }
    }

    @Override
    public void taken(final long bytes) {
        if (freed.addAndGet(bytes + OVERHEAD) >= WINDOW / 4) {
            kick();
        }
    }

    /** Adds credit returned by the other node. */
    void earn(final long bytes) {
        earned.addAndGet(bytes);
        kick();
    }

    /** Handles a CTS: {@code wanted} bytes may be sent to receive {@code slot} of the other node. */
    void granted(final long id, final long slot, final long wanted) {
        submit(new Step() {
            @Override
            void step() {
                final Send send = offered.remove(id);
                if (send != null && wanted == 0) {
                    send.complete(PeerNode.this, null);
                } else if (send != null) {
                    bulk.add(new RendezvousSend(send, slot, wanted));
                }
            }
        });
    }

    @Override
    protected void settle() {
        credit += earned.getAndSet(0);
        if (link == null || gone != null) {
            return;
        }
        if (freed.get() >= WINDOW / 4 && !offerCredit()) {
            return;
        }
        WorkItem item;
        while ((item = ordered.peek()) != null) {
            if (!offer(item)) {
                return;
            }
            ordered.poll();
        }
        RendezvousSend b;
        while ((b = bulk.peek()) != null) {
            if (!offer(b)) {
                return;
            }
            bulk.poll();
            if (b.left > 0) {
                bulk.add(b);
            } else {
                b.send.complete(this, null);
            }
        }
        if (leaving) {
            Frame.write(header, Frame.LEAVE, 0, 0, 0, 0, 0, 0);
            link.trySend(header, Frame.HEADER, null, 0, 0);
            link.close();
            leaving = false;
        }
    }

    private boolean offerCredit() {
        final long amount = freed.getAndSet(0);
        Frame.write(header, Frame.CREDIT, 0, 0, 0, 0, amount, 0);
        if (link.trySend(header, Frame.HEADER, null, 0, 0)) {
            return true;
        }
        freed.addAndGet(amount);
        return false;
    }

    private boolean offer(final WorkItem item) {
        if (item instanceof Send send) {
            return send.isSynchronous() || send.bytes() > EAGER || send.bytes() + OVERHEAD > credit ? offerLong(send) : offerEager(send);
        }
        final ClearToSend cts = (ClearToSend) item;
        Frame.write(header, Frame.GRANT, 0, 0, 0, cts.slot(), cts.wanted(), cts.id());
        return link.trySend(header, Frame.HEADER, null, 0, 0);
    }

    private boolean offerEager(final Send send) {
        Frame.write(header, Frame.EAGER, send, 0);
        if (!link.trySend(header, Frame.HEADER, send.data(), send.offset(), (int) send.bytes())) {
            return false;
        }
        credit -= send.bytes() + OVERHEAD;
        send.complete(this, null);
        return true;
    }

    private boolean offerLong(final Send send) {
        final int id = offered.put(send);
        Frame.write(header, Frame.OFFER, send, id);
        if (link.trySend(header, Frame.HEADER, null, 0, 0)) {
            return true;
        }
        offered.remove(id);
        return false;
    }

    private boolean offer(final RendezvousSend b) {
        final int segment = (int) Math.min(b.left, link.maxFrame() - Frame.HEADER);
        Frame.write(header, Frame.DATA, 0, 0, 0, b.position, segment, b.slot);
        if (!link.trySend(header, Frame.HEADER, b.send.data(), b.send.offset() + b.position, segment)) {
            return false;
        }
        b.position += segment;
        b.left -= segment;
        return true;
    }

    /** Sends a LEAVE frame and closes the link, once everything queued has been sent. */
    void leave() {
        submit(new Step() {
            @Override
            void step() {
                leaving = true;
            }
        });
    }

    /** Fails everything queued or pending and all later sends, because the link is closed. */
    void gone(final String reason, final boolean expected) {
        submit(new Step() {
            @Override
            void step() {
                if (gone == null) {
                    gone = reason;
                    failAll();
                    if (!expected) {
                        lost.accept(node, reason);
                    }
                }
            }
        });
    }

    private void failAll() {
        for (final WorkItem item : ordered) {
            if (item instanceof Send send) {
                fail(send);
            }
        }
        ordered.clear();
        for (final RendezvousSend b : bulk) {
            fail(b.send);
        }
        bulk.clear();
        offered.clear().forEach(this::fail);
        incoming.clear().forEach(in -> in.fail(failure()));
    }

    private void fail(final Send send) {
        send.complete(this, failure());
    }

    private MpiFailure failure() {
        return new MpiFailure(ErrorClass.OTHER, "node " + name + " is gone: " + gone);
    }

    /** The data transfer of a rendezvous message after its CTS. */
    private static final class RendezvousSend {
        private final Send send;
        private final long slot;
        private long position;
        private long left;

        RendezvousSend(final Send send, final long slot, final long bytes) {
            this.send = send;
            this.slot = slot;
            this.left = bytes;
        }
    }

    /** A work item that is rare enough to be allocated; frequent items are reused. */
    private abstract static class Step extends WorkItem {
        abstract void step();

        @Override
        protected void run(final SerialExecutor at) {
            step();
        }

        @Override
        protected void broke(final MpiFailure why) {
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
        protected void broke(final MpiFailure why) {
            throw why;
        }
    }
}
