package tutti.runtime.match;

import tutti.runtime.model.MpiFailure;

/** A message at its receiver's mailbox: in the sender's memory, in a link's buffer, in a copy, or still on another node. */
public abstract class IncomingMessage extends MatchEntry {
    /** Flag in the number of a collective call: the sender's part in the call failed, and the data is invalid. */
    public static final long INVALID = Long.MIN_VALUE;

    /** Flag besides {@link #INVALID}: the sender's part failed because a rank is lost. */
    public static final long LOSS = 1L << 62;
    /** Number of a message that comes without a receive, and is not of a call. */
    public static final long CONTROL = LOSS;
    /** Both flags. */
    static final long FLAGS = INVALID | LOSS;

    /** Lower half of the tag of a notice that the sender takes no part in a collective call: no message of a plan has it. */
    private static final long NOTICE = 0xffff_ffffL;

    long bytes;
    /** Number of the collective call that the message belongs to; 0 for none. */
    long call;
    /** Set while the message is out of the queue because a matched probe took it, and no receive has matched it yet. */
    boolean matchedByProbe;

    /**
     * Sets the envelope.
     *
     * @param inContext  the context id; point-to-point and collective traffic have separate ones
     * @param fromSource the sender's rank in the communicator
     * @param withTag    the tag; any long for collective traffic
     * @param length     the packed length in bytes
     */
    public final void envelope(final long inContext, final int fromSource, final long withTag, final long length) {
        context = inContext;
        source = fromSource;
        tag = withTag;
        bytes = length;
    }

    /**
     * Makes the message a notice that the sender has failed in a collective call before it sent anything: all its messages in that call count as
     * received with invalid data.
     *
     * @param number number of the call: the upper half of its tags
     * @param flags  {@link #INVALID}, perhaps with {@link #LOSS}
     */
    public final void noticeOfFailure(final long inContext, final int fromSource, final long number, final long flags) {
        envelope(inContext, fromSource, noticeTag(number << Integer.SIZE), 0);
        ofCall(flags);
    }

    /** Returns the tag of a notice about the call of a message with that tag. */
    static long noticeTag(final long tag) {
        return tag | NOTICE;
    }

    /** Returns whether this is a notice that the sender has failed in a collective call. */
    final boolean isNoticeOfFailure() {
        return (call & ~LOSS) == INVALID && tag == noticeTag(tag);
    }

    /** Sets the collective call that the message belongs to: a number above 0 that is equal on all ranks. It stays until it is set again. */
    public final void ofCall(final long which) {
        call = which;
    }

    /** Returns the collective call that the message belongs to; 0 for none. */
    public final long call() {
        return call;
    }

    /** Returns whether the message comes without a receive. */
    public final boolean isControl() {
        return call == CONTROL;
    }

    /** Returns the context id. */
    public final long context() {
        return context;
    }

    /** Returns the sender's rank in the communicator. */
    public final int source() {
        return source;
    }

    /** Returns the tag. */
    public final long tag() {
        return tag;
    }

    /** Returns the packed length in bytes. */
    public final long bytes() {
        return bytes;
    }

    final boolean matches(final long wantContext, final int wantSource, final long wantTag) {
        return context == wantContext && isWanted(wantSource, source) && isWanted(wantTag, tag);
    }

    /** Transfers the data to a matching receive; the calling thread owns {@code at}, the receiver's mailbox. */
    protected abstract void deliver(Mailbox at, Receive receive);

    /** Drops the message, which nobody may receive: a send that waits for a receive fails. The calling thread owns {@code at}. */
    protected void reject(final Mailbox at, final MpiFailure why) {
        deliver(at, Receive.discarding());
    }

    /** Returns what is put in the unexpected message queue when no receive matches: this message or a copy. */
    protected abstract IncomingMessage asUnexpected(Mailbox at);

    /** Called when a copy of the message is in the unexpected message queue. */
    protected void copied(final Mailbox at) {
        // nobody waits for most messages
    }
}
