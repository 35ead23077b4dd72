package tutti.runtime.match;

import org.jspecify.annotations.Nullable;
import tutti.runtime.serial.SerialExecutor;

/** A probe for an unexpected message, once or until one arrives. The message stays in the queue; a matched probe takes it out for one receive. */
public final class Probe extends MessageOperation {
    final long context;
    final int source;
    final long tag;
    final boolean once;
    final boolean matching;
    @Nullable
    Probe following;

    /** Returns the context of the messages that it looks for. */
    public long context() {
        return context;
    }

    /** Returns the source of the messages that it looks for. */
    public int source() {
        return source;
    }

    /** Returns the tag of the messages that it looks for. */
    public long tag() {
        return tag;
    }

    private boolean found;
    private int fromSource;
    private long withTag;
    private long length;
    private @Nullable IncomingMessage message;

    /** Creates a probe with the criteria of a {@link Receive}; with {@code once} it completes whether or not there is a message. */
    public Probe(final long context, final int source, final long tag, final boolean once) {
        this(context, source, tag, once, false);
    }

    /** Creates a probe that, with {@code matching}, removes the message from the queue so that no other receive or probe matches it. */
    public Probe(final long context, final int source, final long tag, final boolean once, final boolean matching) {
        this.context = context;
        this.source = source;
        this.tag = tag;
        this.once = once;
        this.matching = matching;
    }

    void found(final IncomingMessage incoming) {
        found = true;
        fromSource = incoming.source;
        withTag = incoming.tag;
        length = incoming.bytes;
        message = matching ? incoming : null;
    }

    /** Returns the message that a matched probe took, for {@link Receive#want(IncomingMessage)}; null if it took none. */
    public @Nullable IncomingMessage message() {
        return message;
    }

    /** Returns whether a message was found. */
    public boolean isFound() {
        return found;
    }

    /** Returns the source rank of the message. */
    public int fromSource() {
        return fromSource;
    }

    /** Returns the tag of the message. */
    public long withTag() {
        return withTag;
    }

    /** Returns the length of the message in bytes. */
    public long length() {
        return length;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        ((Mailbox) at).probe(this);
    }
}
