package tutti.runtime.match;

/** Looks for a message without taking it: once, or until there is one. */
public final class Probe extends Op {
    final int context;
    final int source;
    final long tag;
    final boolean once;
    Probe following;

    private boolean found;
    private int fromSource;
    private long withTag;
    private long length;

    /** For a message as a {@link Receive} would want it; {@code once} completes it either way. */
    public Probe(final int context, final int source, final long tag, final boolean once) {
        this.context = context;
        this.source = source;
        this.tag = tag;
        this.once = once;
    }

    void found(final Arrival message) {
        found = true;
        fromSource = message.source;
        withTag = message.tag;
        length = message.bytes;
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
    protected void begin(final Serial at) {
        ((Mailbox) at).probe(this);
    }
}
