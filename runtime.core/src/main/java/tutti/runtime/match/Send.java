package tutti.runtime.match;

import java.lang.foreign.MemorySegment;

/** A message of this node's rank, with its data in the sender's memory until it is complete. */
public final class Send extends IncomingMessage {
    /** Messages up to so many bytes are copied when nobody waits for them, so that the sender can go on. */
    static final int EAGER = 8 * 1024;

    private MemorySegment data;
    private long offset;
    private boolean synchronous;
    private boolean cancelled;
    private int destination;

    /**
     * Says what is sent where.
     *
     * @param memory      holds the data, {@link #bytes()} bytes
     * @param from        first byte
     * @param toWorldRank receiver in COMM_WORLD
     * @param mustMatch   whether it completes only when a receive took it
     */
    public void message(final MemorySegment memory, final long from, final int toWorldRank, final boolean mustMatch) {
        data = memory;
        offset = from;
        destination = toWorldRank;
        synchronous = mustMatch;
        cancelled = false;
    }

    /** The memory that holds the data. */
    public MemorySegment data() {
        return data;
    }

    /** The first byte of the data. */
    public long offset() {
        return offset;
    }

    /** The receiver in COMM_WORLD. */
    public int destination() {
        return destination;
    }

    /** Whether it completes only when a receive took it. */
    public boolean isSynchronous() {
        return synchronous;
    }

    void cancelled() {
        cancelled = true;
    }

    /** Whether it was cancelled before anybody took it. */
    public boolean isCancelled() {
        return cancelled;
    }

    /** Forgets the caller's memory, so that an idle object pins nothing. */
    public void release() {
        data = null;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        at.take(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        receive.take(data, offset, this);
        receive.complete(at, receive.verdict());
        complete(at, null);
    }

    @Override
    protected IncomingMessage keep(final Mailbox at) {
        if (synchronous || bytes > EAGER) {
            return this;
        }
        final UnexpectedMessage stored = at.store(this, data, offset);
        if (stored == null) {
            return this;
        }
        complete(at, null);
        return stored;
    }
}
