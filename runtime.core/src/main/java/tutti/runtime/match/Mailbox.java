package tutti.runtime.match;

import java.lang.foreign.MemorySegment;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;

/**
 * The matching engine of one rank: a posted receive queue and an unexpected message queue, matched by context, source and tag.
 *
 * <p>Both are searched by {@link MatchQueue}. The oldest entry of a queue that matches is taken, so messages of one sender in one context never
 * overtake each other. A small message of this node without a posted receive is copied as long as the copies stay under a limit, else it stays in
 * the sender's memory. An eager message of another node is always copied, within that node's credit. A rendezvous message stays on its node.
 *
 * <p>A mailbox is a {@link SerialExecutor}: its state is only touched by the thread that owns it at the moment.
 */
public final class Mailbox extends SendTarget {
    /** Takes messages that come without a receive. Called by the owner of the mailbox. */
    @FunctionalInterface
    public interface Control {
        /** Takes a message by {@link Mailbox#take}; returns whether it did. The others wait as unexpected messages. */
        boolean accept(IncomingMessage message);
    }

    private static final long UNEXPECTED_LIMIT = 4L << 20;

    private final MatchQueue posted = new MatchQueue();
    private final MessageCounter received = new MessageCounter();
    private final MatchQueue unexpected = new MatchQueue();
    private @Nullable IncomingMessage newestMatched;
    private @Nullable Probe probes;
    private @Nullable ContextPurge purges;
    private @Nullable AbandonedCall abandonedCalls;
    /** Set when a notice was queued that a rank has failed in a collective call: receives that are posted look for such notices from then on. */
    private boolean hasNotices;
    private @Nullable PeerLoss losses;
    private Control control = message -> false;
    /** Set when the messages of some context, or all, are dropped. */
    private boolean drops;
    /** Why the rank, which has failed, receives nothing any more; null while it does. */
    private @Nullable MpiFailure endReason;
    private long unexpectedBytes;
    private final UnexpectedMessagePool pool = new UnexpectedMessagePool();
    private final @Nullable IncomingQueues queues;

    /**
     * A collective call that this rank abandoned before its end; messages that arrive for it are dropped.
     *
     * @param call number of the call: the upper half of its tags
     */
    private record AbandonedCall(long context, long call, @Nullable AbandonedCall following) {
        boolean covers(final IncomingMessage message) {
            return context == message.context && call == message.tag >>> Integer.SIZE;
        }
    }

    /** Creates the mailbox of a rank to which all messages are submitted. */
    public Mailbox() {
        this(false);
    }

    /**
     * Creates the mailbox of a rank.
     *
     * @param hasQueues whether ranks of this node may leave short messages in queues, which the rank then must poll while it waits
     */
    public Mailbox(final boolean hasQueues) {
        queues = hasQueues ? new IncomingQueues() : null;
    }

    /** Sets what takes messages that come without a receive; before the first message arrives. */
    public void setControl(final Control taking) {
        control = taking;
    }

    /** Returns the number of messages that have arrived. */
    public MessageCounter received() {
        return received;
    }

    /** Returns the queues of short messages to the rank; null if it has none. */
    @Nullable
    IncomingQueues queues() {
        return queues;
    }

    /**
     * Matches the next message of each queue, unless another thread owns the mailbox. For threads of the rank that wait or test.
     *
     * @return whether there were any
     */
    public boolean pollQueues() {
        return queues != null && queues.needPoll() && tryRun(queues.poll());
    }

    /** Records that a thread of the rank is about to park, and does not look for messages until it calls {@link #unparked}. */
    public void parking() {
        if (queues != null) {
            queues.parking();
            if (queues.haveMessages()) {
                submit(queues.drainItem());
            }
        }
    }

    /** Records that a thread of the rank does not park any more. */
    public void unparked() {
        if (queues != null) {
            queues.unparked();
        }
    }

    /** Matches all messages in the queues. */
    void drainQueues() {
        if (queues != null) {
            queues.drain();
        }
    }

    @Override
    protected void handleSend(final Send send) {
        final QueueWriter bypassed = send.bypassed();
        if (bypassed != null) {
            arrivedPast(bypassed);
        }
        arrived(send);
    }

    private static void arrivedPast(final QueueWriter queue) {
        final QueueReader reader = queue.reader();
        if (reader != null) {
            reader.drain();
        }
        queue.arrivedPast();
    }

    /** Delivers a message to the oldest posted receive that matches, or queues it as unexpected. Called by the owner. */
    public void arrived(final IncomingMessage message) {
        received.add(1, message.bytes);
        final Receive receive = (Receive) posted.receiveFor(message.context, message.source, message.tag);
        if (receive != null) {
            unlink(receive);
            message.deliver(this, receive);
            return;
        }
        final Receive mismatched = message.call == 0 ? null : findMismatch(message);
        if (message.isNoticeOfFailure()) {
            notice(message);
        } else if (mismatched != null) {
            unlink(mismatched);
            failMismatch(mismatched, message);
        } else if (abandonedCalls != null && isAbandoned(message)) {
            message.deliver(this, Receive.discarding());
        } else if (drops && dropReason(message) instanceof final MpiFailure why) {
            message.reject(this, why);
        } else if (!message.isControl() || !control.accept(message)) {
            queue(message);
        }
    }

    /** Delivers a message that comes without a receive. Called by the owner. */
    public void take(final IncomingMessage message, final Receive receive) {
        message.deliver(this, receive);
    }

    /** Completes the posted receives of a call that the sender of the notice takes no part in, and keeps the notice for others. */
    private void notice(final IncomingMessage message) {
        if (isAbandoned(message)) {
            message.deliver(this, Receive.discarding());
            return;
        }
        hasNotices = true;
        // before it completes receives: their call may post further ones at once
        queue(message);
        MatchEntry r = posted.oldest();
        while (r != null) {
            if (((Receive) r).isAbout(message)) {
                unlink((Receive) r);
                fail((Receive) r, message);
                // the call has gone on, and may have changed the queue
                r = posted.oldest();
            } else {
                r = r.newer;
            }
        }
    }

    private void fail(final Receive receive, final IncomingMessage notice) {
        receive.recordFailureOfSender(notice);
        receive.complete(this, null);
    }

    /** Returns a posted receive of a rank that is in another collective call than the sender, or null. */
    private @Nullable Receive findMismatch(final IncomingMessage message) {
        for (MatchEntry r = posted.oldest(); r != null; r = r.newer) {
            if (((Receive) r).mismatches(message)) {
                return (Receive) r;
            }
        }
        return null;
    }

    private void queue(final IncomingMessage message) {
        final IncomingMessage queued = message.asUnexpected(this);
        link(queued);
        if (queued != message) {
            message.copied(this);
        }
    }

    /** Matches a receive with the oldest unexpected message, or adds it to the posted receive queue. Called by the owner. */
    public void post(final Receive receive) {
        final IncomingMessage message = find(receive.context, receive.source, receive.tag);
        if (message != null) {
            unexpected.remove(message);
            message.deliver(this, receive);
            return;
        }
        final IncomingMessage notice = hasNotices ? find(receive.context, receive.source, IncomingMessage.noticeTag(receive.tag)) : null;
        if (notice != null) {
            fail(receive, notice);
            return;
        }
        final IncomingMessage other = receive.isOfCall() ? findMismatch(receive) : null;
        if (other != null) {
            unexpected.remove(other);
            failMismatch(receive, other);
            return;
        }
        final MpiFailure loss = losses == null && endReason == null ? null : lossOf(receive.context, receive.source);
        if (loss != null) {
            receive.complete(this, loss);
        } else {
            link(receive);
        }
    }

    /** Returns why no message can come from a source any more; null if one can. */
    private @Nullable MpiFailure lossOf(final long context, final int source) {
        MpiFailure why = endReason;
        for (PeerLoss loss = losses; why == null && loss != null; loss = loss.following) {
            why = loss.failure(context, source);
        }
        return why;
    }

    /** Returns why a message is dropped; null if it is not. */
    private @Nullable MpiFailure dropReason(final IncomingMessage message) {
        MpiFailure why = endReason;
        for (PeerLoss loss = losses; why == null && loss != null; loss = loss.following) {
            why = loss.dropReason(message.context);
        }
        return why;
    }

    /** Drops the unexpected messages that may not be received any more. */
    private void rejectUnexpected() {
        drainQueues();
        MatchEntry m = unexpected.oldest();
        while (m != null) {
            final MatchEntry newer = m.newer;
            final IncomingMessage message = (IncomingMessage) m;
            final MpiFailure why = dropReason(message);
            if (why != null) {
                unexpected.remove(message);
                message.reject(this, why);
            }
            m = newer;
        }
    }

    /** Fails the posted receives, and drops all messages from now on, since the rank has failed: so no send to it waits. */
    void end(final MpiFailure why) {
        endReason = why;
        drops = true;
        rejectUnexpected();
        discardMatched();
        for (MatchEntry r = posted.oldest(); r != null; r = posted.oldest()) {
            unlink((Receive) r);
            r.complete(this, why);
        }
    }

    /** Keeps the losses of which a condition does not hold. */
    private void dropLosses(final Predicate<PeerLoss> which) {
        PeerLoss kept = null;
        PeerLoss loss = losses;
        while (loss != null) {
            final PeerLoss following = loss.following;
            if (!which.test(loss)) {
                loss.following = kept;
                kept = loss;
            }
            loss = following;
        }
        losses = kept;
    }

    /** Fails the receives and probes that wait for a lost sender, from now on. */
    void lose(final PeerLoss loss) {
        for (PeerLoss l = losses; l != null; l = l.following) {
            if (l.replaces(loss)) {
                return;
            }
        }
        dropLosses(loss::replaces);
        loss.following = losses;
        losses = loss;
        if (loss.dropsAny()) {
            drops = true;
            rejectUnexpected();
        } else {
            // they came before the loss
            drainQueues();
        }
        MatchEntry r = posted.oldest();
        while (r != null) {
            final MpiFailure why = loss.failure(r.context, r.source);
            if (why != null) {
                unlink((Receive) r);
                r.complete(this, why);
                // a completion handler may have changed the queue
                r = posted.oldest();
            } else {
                r = r.newer;
            }
        }
        Probe waiting = probes;
        probes = null;
        while (waiting != null) {
            final Probe following = waiting.following;
            final MpiFailure why = loss.failure(waiting.context, waiting.source);
            if (why != null) {
                waiting.complete(this, why);
            } else {
                waiting.following = probes;
                probes = waiting;
            }
            waiting = following;
        }
    }

    /** Returns an unexpected message from a rank that is in another collective call, or null. */
    private @Nullable IncomingMessage findMismatch(final Receive receive) {
        for (MatchEntry m = unexpected.oldest(); m != null; m = m.newer) {
            if (receive.mismatches((IncomingMessage) m)) {
                return (IncomingMessage) m;
            }
        }
        return null;
    }

    /** Completes a receive whose sender is in another collective call, and discards the message so that its send completes. */
    private void failMismatch(final Receive receive, final IncomingMessage message) {
        receive.recordMismatch(message);
        message.deliver(this, Receive.discarding());
        receive.complete(this, null);
    }

    void probe(final Probe probe) {
        drainQueues();
        final IncomingMessage message = find(probe.context, probe.source, probe.tag);
        if (message != null) {
            found(probe, message);
        }
        final MpiFailure loss = message == null && losses != null ? lossOf(probe.context, probe.source) : null;
        if (loss != null) {
            probe.complete(this, loss);
        } else if (message != null || probe.once) {
            probe.complete(this, null);
        } else {
            probe.following = probes;
            probes = probe;
        }
    }

    private void found(final Probe probe, final IncomingMessage message) {
        if (probe.matching) {
            unexpected.remove(message);
            message.matchedByProbe = true;
            message.older = newestMatched;
            if (newestMatched != null) {
                newestMatched.newer = message;
            }
            newestMatched = message;
        }
        probe.found(message);
    }

    /** Delivers a message that a matched probe took to its receive. */
    void deliver(final IncomingMessage message, final Receive receive) {
        if (!message.matchedByProbe) {
            throw new IllegalStateException("message was already received, or discarded at Finalize");
        }
        message.matchedByProbe = false;
        if (message.older != null) {
            message.older.newer = message.newer;
        }
        if (message.newer == null) {
            newestMatched = (IncomingMessage) message.older;
        } else {
            message.newer.older = message.older;
        }
        message.older = null;
        message.newer = null;
        message.deliver(this, receive);
    }

    /** Discards the messages that matched probes took and nobody received, so that their sends complete. Called by the owner. */
    public void discardMatched() {
        for (IncomingMessage message = newestMatched; message != null; message = newestMatched) {
            deliver(message, Receive.discarding());
        }
    }

    @Override
    protected void cancel(final Send send) {
        if (send.queued) {
            unexpected.remove(send);
            send.cancelled(this);
        }
    }

    /** Removes the oldest unexpected message of which that holds, and returns it; null if there is none. Called by the owner. */
    public @Nullable IncomingMessage remove(final Predicate<IncomingMessage> which) {
        for (MatchEntry m = unexpected.oldest(); m != null; m = m.newer) {
            final IncomingMessage message = (IncomingMessage) m;
            if (which.test(message)) {
                unexpected.remove(message);
                return message;
            }
        }
        return null;
    }

    /** Cancels and completes a receive that is still posted; has no effect on others. Called by the owner. */
    public void cancel(final Receive receive) {
        if (receive.queued) {
            unlink(receive);
            receive.cancelled();
            receive.complete(this, null);
        }
    }

    /**
     * Abandons a collective call: its unexpected messages, and those that arrive later, are discarded so that their sends complete. This holds
     * until the context is purged. Called by the owner.
     *
     * @param call number of the call: the upper half of its tags
     */
    public void abandon(final long context, final long call) {
        abandonedCalls = new AbandonedCall(context, call, abandonedCalls);
        dropUnexpected(abandonedCalls::covers);
    }

    private boolean isAbandoned(final IncomingMessage message) {
        for (AbandonedCall call = abandonedCalls; call != null; call = call.following) {
            if (call.covers(message)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the oldest message that nobody has received; null if there is none. */
    @Nullable
    MatchEntry oldestUnexpected() {
        return unexpected.oldest();
    }

    /** Returns whether matched probes took messages that nobody has received. */
    boolean hasMatched() {
        return newestMatched != null;
    }

    /** Returns the age of the message that was queued last. */
    long newestUnexpected() {
        drainQueues();
        return unexpected.newestAge();
    }

    void dropUnexpected(final Predicate<IncomingMessage> which) {
        drainQueues();
        MatchEntry m = unexpected.oldest();
        while (m != null) {
            final MatchEntry newer = m.newer;
            final IncomingMessage message = (IncomingMessage) m;
            if (which.test(message)) {
                unexpected.remove(message);
                message.deliver(this, Receive.discarding());
            }
            m = newer;
        }
    }

    void purge(final ContextPurge purge) {
        dropUnexpected(a -> purge.covers(a.context));
        AbandonedCall left = null;
        for (AbandonedCall call = abandonedCalls; call != null; call = call.following) {
            left = purge.covers(call.context) ? left : new AbandonedCall(call.context, call.call, left);
        }
        abandonedCalls = left;
        if (losses != null) {
            dropLosses(loss -> loss.isWithin(purge));
        }
        if (purge.hasCallback()) {
            for (MatchEntry r = posted.oldest(); r != null; r = r.newer) {
                purge.posted += purge.covers(r.context) ? 1 : 0;
            }
            if (purge.posted == 0) {
                purge.done();
            } else {
                purge.following = purges;
                purges = purge;
            }
        }
    }

    /** Counts a receive of a context that is posted (1) or not any more (-1), for the purges that wait until none is left. */
    private void countForPurges(final long context, final int change) {
        ContextPurge waiting = purges;
        purges = null;
        while (waiting != null) {
            final ContextPurge following = waiting.following;
            if (waiting.covers(context)) {
                waiting.posted += change;
            }
            if (waiting.posted > 0) {
                waiting.following = purges;
                purges = waiting;
            } else {
                waiting.done();
            }
            waiting = following;
        }
    }

    /** Returns a copy of a message from this node, or null when the copies would exceed the limit. */
    @Nullable
    UnexpectedMessage store(final IncomingMessage message, final MemorySegment data, final long offset) {
        return unexpectedBytes + message.bytes > UNEXPECTED_LIMIT ? null : copy(message, data, offset, null);
    }

    /**
     * Returns a copy of a message from another node, or from a queue. Called by the owner.
     *
     * @param origin the node to whose credit it is charged; null for a message of this node
     */
    public UnexpectedMessage copy(final IncomingMessage message, final MemorySegment data, final long offset,
        final UnexpectedMessage.@Nullable ReleaseListener origin) {
        final UnexpectedMessage copy = pool.take(message.bytes);
        copy.copyOf(message, data, offset, origin);
        charge(copy);
        return copy;
    }

    void charge(final UnexpectedMessage copy) {
        unexpectedBytes += copy.bytes;
        updateQueues();
    }

    void recycle(final UnexpectedMessage copy) {
        unexpectedBytes -= copy.bytes;
        updateQueues();
        pool.put(copy);
    }

    private void updateQueues() {
        if (queues != null) {
            queues.setCrowded(unexpectedBytes > UNEXPECTED_LIMIT / 2);
        }
    }

    private @Nullable IncomingMessage find(final long context, final int source, final long tag) {
        return (IncomingMessage) unexpected.messageFor(context, source, tag);
    }

    private void link(final Receive receive) {
        posted.add(receive);
        if (purges != null) {
            countForPurges(receive.context, 1);
        }
    }

    private void unlink(final Receive receive) {
        posted.remove(receive);
        if (purges != null) {
            countForPurges(receive.context, -1);
        }
    }

    private void link(final IncomingMessage message) {
        unexpected.add(message);
        if (probes != null) {
            notifyProbes(message);
        }
    }

    private void notifyProbes(final IncomingMessage message) {
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
