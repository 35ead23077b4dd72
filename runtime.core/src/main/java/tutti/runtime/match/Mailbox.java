package tutti.runtime.match;

import java.lang.foreign.MemorySegment;
import java.util.function.Predicate;

/**
 * Where messages meet the receives of one rank: matched by context, source and tag, in the order of sending and of posting.
 *
 * <p>Messages of one sender in one context never overtake each other, as both queues are searched from the oldest on. Small messages that
 * nobody waits for are copied, as long as the copies stay under a bound; the others stay where they are.
 */
public final class Mailbox extends SerialExecutor {
    private static final long STORE_LIMIT = 4L << 20;
    private static final int POOLED = 64;

    private Receive oldestPosted;
    private Receive newestPosted;
    private IncomingMessage oldestUnexpected;
    private IncomingMessage newestUnexpected;
    private IncomingMessage newestTaken;
    private Probe probes;
    private ContextPurge clearings;
    private AbandonedCall givenUp;
    private long storedBytes;
    private final UnexpectedMessage[] pool = new UnexpectedMessage[POOLED];
    private int pooled;

    /**
     * A collective call that this rank has left before its end: what still comes for it is dropped.
     *
     * @param call number of the call, which is the upper half of its tags
     */
    private record AbandonedCall(int context, long call, AbandonedCall following) {
        boolean covers(final IncomingMessage message) {
            return context == message.context && call == message.tag >>> Integer.SIZE;
        }
    }

    @Override
    protected void take(final Send send) {
        arrived(send);
    }

    /** A message is here. For the owner. */
    public void arrived(final IncomingMessage message) {
        Receive disagreeing = null;
        for (Receive r = oldestPosted; r != null; r = r.newer) {
            if (message.matches(r.context, r.source, r.tag)) {
                unlink(r);
                message.deliver(this, r);
                return;
            }
            if (r.disagrees(message)) {
                disagreeing = r;
            }
        }
        if (disagreeing == null && givenUp != null && isGivenUp(message)) {
            message.deliver(this, ContextPurge.drain());
        } else if (disagreeing == null) {
            link(message.keep(this));
        } else {
            unlink(disagreeing);
            disagree(disagreeing, message);
        }
    }

    /** A receive is posted. For the owner. */
    public void post(final Receive receive) {
        final IncomingMessage message = find(receive.context, receive.source, receive.tag);
        if (message != null) {
            unlink(message);
            message.deliver(this, receive);
            return;
        }
        final IncomingMessage other = receive.isOfCall() ? disagreeing(receive) : null;
        if (other != null) {
            unlink(other);
            disagree(receive, other);
        } else {
            link(receive);
        }
    }

    /** A message from a rank that is in another call, or null. */
    private IncomingMessage disagreeing(final Receive receive) {
        for (IncomingMessage a = oldestUnexpected; a != null; a = a.newer) {
            if (receive.disagrees(a)) {
                return a;
            }
        }
        return null;
    }

    /** The message of another call will never be received: its sender need not wait. */
    private void disagree(final Receive receive, final IncomingMessage message) {
        receive.disagreed(message);
        message.deliver(this, ContextPurge.drain());
        receive.complete(this, null);
    }

    void probe(final Probe probe) {
        final IncomingMessage message = find(probe.context, probe.source, probe.tag);
        if (message != null) {
            found(probe, message);
        }
        if (message != null || probe.once) {
            probe.complete(this, null);
        } else {
            probe.following = probes;
            probes = probe;
        }
    }

    private void found(final Probe probe, final IncomingMessage message) {
        if (probe.takes) {
            unlink(message);
            message.taken = true;
            message.older = newestTaken;
            if (newestTaken != null) {
                newestTaken.newer = message;
            }
            newestTaken = message;
        }
        probe.found(message);
    }

    /** Brings a message that a probe took to its receive. */
    void deliver(final IncomingMessage message, final Receive receive) {
        if (!message.taken) {
            throw new IllegalStateException("message was received already or let go at Finalize");
        }
        message.taken = false;
        if (message.older != null) {
            message.older.newer = message.newer;
        }
        if (message.newer == null) {
            newestTaken = message.older;
        } else {
            message.newer.older = message.older;
        }
        message.older = null;
        message.newer = null;
        message.deliver(this, receive);
    }

    /** Lets go of the messages that probes took and nobody received, so that their senders need not wait. For the owner. */
    public void letGo() {
        while (newestTaken != null) {
            final Receive nowhere = new Receive();
            nowhere.into(MemorySegment.NULL, 0, 0);
            nowhere.arm(op -> { }, null, 0);
            deliver(newestTaken, nowhere);
        }
    }

    void cancel(final Send send) {
        if (send.queued) {
            unlink(send);
            send.cancelled();
            send.complete(this, null);
        }
    }

    /** Takes a receive back that no message matched, and completes it; does nothing to others. For the owner. */
    public void cancel(final Receive receive) {
        if (receive.posted) {
            unlink(receive);
            receive.cancelled();
            receive.complete(this, null);
        }
    }

    /**
     * This rank receives nothing more of a collective call: who sends, or has sent, a part of it need not wait. Until the context is cleared. For the
     * owner.
     *
     * @param call number of the call, which is the upper half of its tags
     */
    public void giveUp(final int context, final long call) {
        givenUp = new AbandonedCall(context, call, givenUp);
        dropUnexpected(givenUp::covers);
    }

    private boolean isGivenUp(final IncomingMessage message) {
        for (AbandonedCall g = givenUp; g != null; g = g.following) {
            if (g.covers(message)) {
                return true;
            }
        }
        return false;
    }

    private void dropUnexpected(final Predicate<IncomingMessage> which) {
        IncomingMessage a = oldestUnexpected;
        while (a != null) {
            final IncomingMessage newer = a.newer;
            if (which.test(a)) {
                unlink(a);
                a.deliver(this, ContextPurge.drain());
            }
            a = newer;
        }
    }

    void clear(final ContextPurge clearing) {
        dropUnexpected(a -> clearing.covers(a.context));
        AbandonedCall left = null;
        for (AbandonedCall g = givenUp; g != null; g = g.following) {
            left = clearing.covers(g.context) ? left : new AbandonedCall(g.context, g.call, left);
        }
        givenUp = left;
        if (clearing.isAwaited()) {
            clearing.following = clearings;
            clearings = clearing;
            settleClearings();
        }
    }

    private void settleClearings() {
        ContextPurge waiting = clearings;
        clearings = null;
        while (waiting != null) {
            final ContextPurge following = waiting.following;
            if (isAwaited(waiting)) {
                waiting.following = clearings;
                clearings = waiting;
            } else {
                waiting.done();
            }
            waiting = following;
        }
    }

    private boolean isAwaited(final ContextPurge clearing) {
        for (Receive r = oldestPosted; r != null; r = r.newer) {
            if (clearing.covers(r.context)) {
                return true;
            }
        }
        return false;
    }

    /** A copy of a message from this node, or null when the copies would be too much. */
    UnexpectedMessage store(final IncomingMessage message, final MemorySegment data, final long offset) {
        return storedBytes + message.bytes > STORE_LIMIT ? null : copy(message, data, offset, null);
    }

    /** A copy of a message from elsewhere, whose sender counts what is stored. For the owner. */
    public UnexpectedMessage store(final IncomingMessage message, final MemorySegment data, final long offset,
        final UnexpectedMessage.Origin origin) {
        return copy(message, data, offset, origin);
    }

    private UnexpectedMessage copy(final IncomingMessage message, final MemorySegment data, final long offset,
        final UnexpectedMessage.Origin origin) {
        final UnexpectedMessage stored = pooled(message.bytes);
        stored.copyOf(message, data, offset, origin);
        count(stored);
        return stored;
    }

    private UnexpectedMessage pooled(final long bytes) {
        for (int i = pooled - 1; i >= 0; i--) {
            if (pool[i].capacity() >= bytes) {
                final UnexpectedMessage stored = pool[i];
                pool[i] = pool[--pooled];
                pool[pooled] = null;
                return stored;
            }
        }
        return new UnexpectedMessage(Math.max(64, Integer.highestOneBit((int) Math.max(1, bytes - 1)) << 1));
    }

    void count(final UnexpectedMessage stored) {
        storedBytes += stored.bytes;
    }

    void recycle(final UnexpectedMessage stored) {
        storedBytes -= stored.bytes;
        if (pooled < POOLED && stored.capacity() <= Send.EAGER) {
            pool[pooled++] = stored;
        }
    }

    private IncomingMessage find(final int context, final int source, final long tag) {
        for (IncomingMessage a = oldestUnexpected; a != null; a = a.newer) {
            if (a.matches(context, source, tag)) {
                return a;
            }
        }
        return null;
    }

    private void link(final Receive receive) {
        receive.posted = true;
        receive.older = newestPosted;
        receive.newer = null;
        if (newestPosted == null) {
            oldestPosted = receive;
        } else {
            newestPosted.newer = receive;
        }
        newestPosted = receive;
    }

    private void unlink(final Receive receive) {
        receive.posted = false;
        if (receive.older == null) {
            oldestPosted = receive.newer;
        } else {
            receive.older.newer = receive.newer;
        }
        if (receive.newer == null) {
            newestPosted = receive.older;
        } else {
            receive.newer.older = receive.older;
        }
        receive.older = null;
        receive.newer = null;
        if (clearings != null) {
            settleClearings();
        }
    }

    private void link(final IncomingMessage message) {
        message.queued = true;
        message.older = newestUnexpected;
        message.newer = null;
        if (newestUnexpected == null) {
            oldestUnexpected = message;
        } else {
            newestUnexpected.newer = message;
        }
        newestUnexpected = message;
        if (probes != null) {
            tellProbes(message);
        }
    }

    private void unlink(final IncomingMessage message) {
        message.queued = false;
        if (message.older == null) {
            oldestUnexpected = message.newer;
        } else {
            message.older.newer = message.newer;
        }
        if (message.newer == null) {
            newestUnexpected = message.older;
        } else {
            message.newer.older = message.older;
        }
        message.older = null;
        message.newer = null;
    }

    private void tellProbes(final IncomingMessage message) {
        Probe waiting = probes;
        probes = null;
        while (waiting != null) {
            final Probe following = waiting.following;
            if (message.queued && message.matches(waiting.context, waiting.source, waiting.tag)) {
                found(waiting, message);
                waiting.complete(this, null);
            } else {
                waiting.following = probes;
                probes = waiting;
            }
            waiting = following;
        }
    }
}
