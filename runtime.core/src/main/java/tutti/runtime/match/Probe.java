package tutti.runtime.match;

/** Looks for a message: once, or until there is one. It stays where it is, or is kept for the one receive that is told of it. */
public final class Probe extends MessageOperation {
    final int context;
    final int source;
    final long tag;
    final boolean once;
    final boolean takes;
    Probe following;

    private boolean found;
    private int fromSource;
    private long withTag;
    private long length;
    private IncomingMessage message;

    /** For a message as a {@link Receive} would want it; {@code once} completes it either way. */
    public Probe(final int context, final int source, final long tag, final boolean once) {
        this(context, source, tag, once, false);
    }

    /** As the other one; {@code takes} takes the message away from other receives and probes. */
    public Probe(final int context, final int source, final long tag, final boolean once, final boolean takes) {
        this.context = context;
        this.source = source;
        this.tag = tag;
        this.once = once;
        this.takes = takes;
    }

    void found(final IncomingMessage arrival) {
        found = true;
        fromSource = arrival.source;
        withTag = arrival.tag;
        length = arrival.bytes;
        message = takes ? arrival : null;
    }

    /** The message that it took, for {@link Receive#want(IncomingMessage)}. */
    public IncomingMessage message() {
        return message;
    }

    /** Whether there is such a message. */
    public boolean isFound() {
        return found;
    }

    /** Where it came from. */
    public int fromSource() {
        return fromSource;
    }

    /** With which tag. */
    public long withTag() {
        return withTag;
    }

    /** Its length in bytes. */
    public long length() {
        return length;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        ((Mailbox) at).probe(this);
    }
}
