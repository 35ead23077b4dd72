package tutti.runtime.match;

import java.lang.ref.SoftReference;
import org.jspecify.annotations.Nullable;

/**
 * Copies of messages whose memory is free, to be used again, so that a rank that receives more slowly than another one sends produces no garbage.
 * There is a stack for each power of two. The collector may take all copies when memory is short.
 *
 * <p><b>Threads.</b> For the owner of a mailbox.
 */
final class UnexpectedMessagePool {
    /** Largest number of bytes that a pool keeps: as much as a mailbox copies for ranks of its node, or for another node. */
    static final long LIMIT = 4L << 20;
    /** Memory of a copy besides its data, about. */
    private static final int OVERHEAD = 192;
    private static final int SMALLEST = 6;

    private SoftReference<Stacks> free = new SoftReference<>(null);

    /** The newest free copy of each size, linked by their fields {@code older}. */
    private static final class Stacks {
        private final @Nullable UnexpectedMessage[] newest = new UnexpectedMessage[Integer.SIZE];
        private long bytes;
    }

    /** Returns the exponent of the power of two that holds so many bytes. */
    static int sizeClass(final long bytes) {
        return Math.max(SMALLEST, Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, bytes) - 1));
    }

    /** Returns a copy with memory for at least {@code length} bytes. */
    UnexpectedMessage take(final long length) {
        final Stacks stacks = free.get();
        final int size = sizeClass(length);
        if (stacks == null) {
            return new UnexpectedMessage(length);
        }
        final UnexpectedMessage copy = stacks.newest[size];
        if (copy == null) {
            return new UnexpectedMessage(length);
        }
        stacks.newest[size] = (UnexpectedMessage) copy.older;
        stacks.bytes -= copy.capacity() + OVERHEAD;
        copy.older = null;
        return copy;
    }

    /** Keeps a copy that is in no queue, if the limit allows it. */
    void put(final UnexpectedMessage copy) {
        Stacks stacks = free.get();
        if (stacks == null) {
            stacks = new Stacks();
            free = new SoftReference<>(stacks);
        }
        if (stacks.bytes + copy.capacity() + OVERHEAD <= LIMIT) {
            final int size = sizeClass(copy.capacity());
            copy.older = stacks.newest[size];
            stacks.newest[size] = copy;
            stacks.bytes += copy.capacity() + OVERHEAD;
        }
    }
}
