package tutti.runtime.buffer;

import java.lang.ref.WeakReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.Datatype;

/**
 * Creates and caches the message buffers of the calls on one communicator. A program that uses the same user buffers repeatedly allocates
 * nothing, and arguments that were checked are not checked again.
 *
 * <p>Message buffers are weakly referenced. So the cache keeps no memory of the program alive, and a message buffer is created again after a
 * garbage collection. Only those that use the caller's memory as it is are cached. Threads may share the cache without a lock; at worst they
 * create a message buffer twice.
 *
 * <p><b>Threads.</b> Entries are immutable but for their weak reference, and are written and read without order: a thread that sees none, or an old
 * one, creates a buffer.
 */
public final class MessageBufferCache {
    private static final int ENTRIES = 8;

    private final BooleanSupplier checksKinds;
    private final @Nullable Entry[] entries = new Entry[ENTRIES];
    private int next;

    /** A cached message buffer of {@code count} elements of a type. */
    private static final class Entry extends WeakReference<MessageBuffer> {
        private final Datatype type;
        private final long count;
        private final boolean written;

        Entry(final MessageBuffer messageBuffer, final Datatype type, final long count, final boolean written) {
            super(messageBuffer);
            this.type = type;
            this.count = count;
            this.written = written;
        }

        /** Returns the message buffer when it matches the call, else null. */
        @Nullable
        MessageBuffer find(final @Nullable Object buffer, final long wantCount, final Datatype wantType, final boolean wantWritten) {
            if (type != wantType || count != wantCount || written != wantWritten) {
                return null;
            }
            final MessageBuffer messageBuffer = get();
            return messageBuffer != null && messageBuffer.isOf(buffer) ? messageBuffer : null;
        }
    }

    /**
     * Creates an empty cache.
     *
     * @param checksKinds returns whether user buffers of another primitive kind than the datatype are refused
     */
    public MessageBufferCache(final BooleanSupplier checksKinds) {
        this.checksKinds = checksKinds;
    }

    /** Returns a buffer like {@link MessageBuffer#of}. */
    public MessageBuffer of(final @Nullable Object buffer, final long count, final Datatype type) {
        final MessageBuffer known = find(buffer, count, type, false);
        return known != null ? known : remember(MessageBuffer.of(buffer, count, type, checksKinds), count, type, false);
    }

    /** Returns a buffer like {@link MessageBuffer#into}. */
    public MessageBuffer into(final @Nullable Object buffer, final long count, final Datatype type) {
        final MessageBuffer known = find(buffer, count, type, true);
        return known != null ? known : remember(MessageBuffer.into(buffer, count, type, checksKinds), count, type, true);
    }

    /**
     * Returns a buffer with a block per rank; it is not cached.
     *
     * @param displacements displacements of the blocks, in extents of {@code type}
     * @param written       whether blocks are received
     */
    public MessageBuffer blocks(final @Nullable Object buffer, final long @Nullable [] counts, final long @Nullable [] displacements,
        final Datatype type, final int ranks, final boolean written) {
        return MessageBuffer.blocks(buffer, counts, displacements, type, ranks, written, checksKinds);
    }

    /** Returns a buffer with a block per rank, each with its own type; it is not cached. Displacements are in bytes. */
    public MessageBuffer blocks(final @Nullable Object buffer, final long @Nullable [] counts, final long @Nullable [] displacements,
        final Datatype @Nullable [] types, final int ranks, final boolean written) {
        return MessageBuffer.blocks(buffer, counts, displacements, types, ranks, written, checksKinds);
    }

    private @Nullable MessageBuffer find(final @Nullable Object buffer, final long count, final Datatype type, final boolean written) {
        for (final Entry entry : entries) {
            final MessageBuffer messageBuffer = entry == null ? null : entry.find(buffer, count, type, written);
            if (messageBuffer != null) {
                return messageBuffer;
            }
        }
        return null;
    }

    private MessageBuffer remember(final MessageBuffer messageBuffer, final long count, final Datatype type, final boolean written) {
        if (messageBuffer.isDirect()) {
            final int index = next;
            entries[index] = new Entry(messageBuffer, type, count, written);
            next = (index + 1) % ENTRIES;
        }
        return messageBuffer;
    }
}
