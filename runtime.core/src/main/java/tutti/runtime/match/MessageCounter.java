package tutti.runtime.match;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import tutti.runtime.serial.SerialExecutor;

/**
 * Counts messages and their bytes, with two plain stores a message.
 *
 * <p><b>Threads.</b> One thread at a time adds, the owner of a {@link SerialExecutor}. Any thread may read at any time, and then sees numbers that
 * were right a moment before.
 */
public final class MessageCounter {
    private static final VarHandle MESSAGES;
    private static final VarHandle BYTES;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            MESSAGES = lookup.findVarHandle(MessageCounter.class, "messages", long.class);
            BYTES = lookup.findVarHandle(MessageCounter.class, "bytes", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long messages;
    private long bytes;

    /** Adds messages and bytes. */
    public void add(final long count, final long length) {
        MESSAGES.setOpaque(this, messages + count);
        BYTES.setOpaque(this, bytes + length);
    }

    /** Returns the number of messages. */
    public long messages() {
        return (long) MESSAGES.getOpaque(this);
    }

    /** Returns the number of their bytes. */
    public long bytes() {
        return (long) BYTES.getOpaque(this);
    }
}
