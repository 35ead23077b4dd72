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
 * Another node of the job: what is to go there, in which order and how much of it.
 *
 * <p><b>Overview.</b> Messages leave in the order in which they were submitted, each as an EAGER frame or as an OFFER. EAGER frames spend
 * credit, the room that the other node sets aside for messages nobody waits for there; it gives credit back as messages are taken. Without
 * credit messages are offered, which costs the other node a few words each, so a slow receiver costs nobody's heap. Data of granted
 * messages goes in pieces, the messages in turn, behind everything that is in order; a small message never waits for a large one.
 *
 * <p>What does not fit on the link stays here, as the sender's request and not as bytes, until the link says that there is room.
 */
final class PeerNode extends SerialExecutor implements UnexpectedMessage.Origin {
    /** Messages up to so many bytes may go eagerly. */
    static final int EAGER = 32 * 1024;
    /** What the receiving node sets aside for messages of one other node. */
    static final long WINDOW = 4L << 20;
    /** What an eager message costs on top of its bytes. */
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
     * A node that is not linked yet.
     *
     * @param lost told the node and the reason when the link is lost
     */
    PeerNode(final int node, final String name, final BiConsumer<Integer, String> lost) {
        this.node = node;
        this.name = name;
        this.lost = lost;
    }

    String name() {
        return name;
    }

    /** The link to the node stands. */
    void attach(final Link to) {
        submit(new Step() {
            @Override
            void step() {
                link = to;
            }
        });
    }

    /** There may be something to do: room on the link, credit to give. Cheap, and never twice in the inbox. */
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

    /** Something other than a message that must leave; for the owner. */
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

    /** The other node has so much room again. */
    void earn(final long bytes) {
        earned.addAndGet(bytes);
        kick();
    }

    /** An offer was granted: {@code wanted} bytes may go to that slot of the other side. */
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
        final ClearToSend grant = (ClearToSend) item;
        Frame.write(header, Frame.GRANT, 0, 0, 0, grant.slot(), grant.wanted(), grant.id());
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
        final int piece = (int) Math.min(b.left, link.maxFrame() - Frame.HEADER);
        Frame.write(header, Frame.DATA, 0, 0, 0, b.position, piece, b.slot);
        if (!link.trySend(header, Frame.HEADER, b.send.data(), b.send.offset() + b.position, piece)) {
            return false;
        }
        b.position += piece;
        b.left -= piece;
        return true;
    }

    /** Everything of the job is done here: says so to the node and closes the link, once all that is in order has left. */
    void leave() {
        submit(new Step() {
            @Override
            void step() {
                leaving = true;
            }
        });
    }

    /** The node is gone: nothing goes there any more and nothing comes. */
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

    /** A granted message on its way. */
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

    /** A rare step; the hot ones are kept and used again. */
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

    /** Nothing but a reason to settle. */
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
