package tutti.runtime.match;

/** A message at the mailbox of its receiver, wherever its data is. */
public abstract class IncomingMessage extends MessageOperation {
    /** With the number of a collective call: the sender's part in it failed, and the data means nothing. */
    public static final long SPOILED = Long.MIN_VALUE;

    int context;
    int source;
    long tag;
    long bytes;
    /** Which collective call it belongs to; 0 for none. */
    long call;
    IncomingMessage older;
    IncomingMessage newer;
    /** Whether it is in the mailbox's queue of messages that nobody waits for. */
    boolean queued;
    /** Whether a probe took it out of that queue, and no receive has had it yet. */
    boolean taken;

    /**
     * Says what the message is.
     *
     * @param inContext  of the communicator; point-to-point and collective traffic have their own
     * @param fromSource the sender's rank in the communicator
     * @param withTag    the tag; of collective traffic any long
     * @param length     packed bytes
     */
    public final void envelope(final int inContext, final int fromSource, final long withTag, final long length) {
        context = inContext;
        source = fromSource;
        tag = withTag;
        bytes = length;
    }

    /** Says which collective call the message belongs to, in a number above 0 that is equal on all ranks; stays until it is said again. */
    public final void ofCall(final long which) {
        call = which;
    }

    /** Which collective call it belongs to; 0 for none. */
    public final long call() {
        return call;
    }

    /** The context. */
    public final int context() {
        return context;
    }

    /** The sender's rank in the communicator. */
    public final int source() {
        return source;
    }

    /** The tag. */
    public final long tag() {
        return tag;
    }

    /** Packed bytes. */
    public final long bytes() {
        return bytes;
    }

    final boolean matches(final int wantContext, final int wantSource, final long wantTag) {
        return context == wantContext && (wantSource == source || wantSource == Receive.ANY) && (wantTag == tag || wantTag == Receive.ANY);
    }

    /** Brings the data to a receive that matches; the calling thread owns {@code at}, the receiver's mailbox. */
    protected abstract void deliver(Mailbox at, Receive receive);

    /** Nobody waits for it yet: what is to be kept in the queue, this message or a copy. */
    protected abstract IncomingMessage keep(Mailbox at);
}
