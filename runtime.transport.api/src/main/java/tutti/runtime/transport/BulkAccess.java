package tutti.runtime.transport;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Access to the memory of a link's peer in which none of the peer's threads takes part: {@linkplain PeerMemory#get get},
 * {@linkplain PeerMemory#put put} and, where the wire has them, atomic operations. A link whose transport has it returns it by {@link Link#bulk}.
 *
 * <p><b>Use.</b> The owner of memory {@linkplain #expose exposes} it, and sends the key to the peer in a frame. The peer
 * {@linkplain #open opens} the memory by the key, reads and writes it, closes it, and says so in a frame; then the owner ends the exposure.
 * Memory that is no longer exposed must not be accessed: what such an access reads or writes is undefined, and it may fail.
 *
 * <p><b>Order.</b> Accesses are not ordered among each other, nor with frames. A frame that is sent after the {@linkplain Completion completion} of
 * an access arrives after the access has taken effect.
 *
 * <p><b>End of the link.</b> Each access is completed exactly once. Those that are under way when the link closes, because its peer has died for
 * example, are completed with a failure before {@link LinkHandler#closed}; those that begin later fail at once. Part of the bytes may have been
 * transferred.
 *
 * <p><b>Threads.</b> Callers must ensure that one thread at a time exposes, opens, accesses or closes memory of a link, or sends on it. No call
 * blocks for the peer; one that copies by itself takes the time of the copy.
 */
@ConsumerType
public interface BulkAccess {
    /** Maximum length of a key in bytes. */
    int MAX_KEY = 512;

    /**
     * Exposes memory to the peer, until the result is closed.
     *
     * @param memory native memory, of at least one byte, which must be alive until the result is closed
     * @throws IllegalArgumentException when the memory is on the heap, or empty
     */
    ExposedMemory expose(MemorySegment memory);

    /**
     * Opens memory that the peer has exposed, until the result is closed.
     *
     * @param memory holds the key from {@code offset} on, {@code bytes} long
     * @throws IllegalArgumentException when it is not a key of this link's peer, as far as that can be seen
     */
    PeerMemory open(MemorySegment memory, long offset, int bytes);

    /**
     * Returns whether {@link PeerMemory} has atomic operations on values of a number of bytes, 4 or 8. They are atomic among each other, and not with
     * what the processors of the owner's host do with the values.
     */
    default boolean hasAtomics(final int bytes) {
        return false;
    }

    /**
     * Returns whether the calling thread copies the bytes itself, as opposed to hardware or another thread. Frames may then be faster for messages,
     * as long as the host has a core for each busy thread, since sender and receiver copy at the same time: the runtime measures which is.
     */
    default boolean isCopyByCaller() {
        return false;
    }

    /** Memory of this process that the peer may access. */
    @ConsumerType
    interface ExposedMemory extends AutoCloseable {
        /** Returns the key by which the peer opens the memory: 1 to {@link #MAX_KEY} bytes. The array belongs to this object. */
        byte[] key();

        /** Ends the exposure. Idempotent; does not fail. */
        @Override
        void close();
    }

    /** Is told of the end of an access: by the thread that began it, before the call returns, or by one that {@linkplain Link#poll polls}. */
    @ConsumerType
    @FunctionalInterface
    interface Completion {
        /**
         * Notifies that the access has ended. Must not block.
         *
         * @param value   the value before an atomic operation, 4 bytes of which are in the lower half; 0 for other accesses
         * @param failure why the access failed; null when it did not
         */
        void completed(long value, @Nullable IOException failure);
    }

    /** Memory of the peer, which this process may access. */
    @ConsumerType
    interface PeerMemory extends AutoCloseable {
        /** Returns the length of the memory. */
        long bytes();

        /**
         * Reads from the peer's memory.
         *
         * @param from     offset in the peer's memory
         * @param to       receives the bytes, native or on the heap; must not be used before the completion
         * @param toOffset offset of the first byte in {@code to}
         * @param bytes    number of bytes, at least 1
         * @throws IndexOutOfBoundsException when the bytes are not within both memories
         */
        void get(long from, MemorySegment to, long toOffset, long bytes, Completion end);

        /**
         * Writes to the peer's memory.
         *
         * @param to         offset in the peer's memory
         * @param from       holds the bytes, native or on the heap; must not change before the completion
         * @param fromOffset offset of the first byte in {@code from}
         * @param bytes      number of bytes, at least 1
         * @throws IndexOutOfBoundsException when the bytes are not within both memories
         */
        void put(long to, MemorySegment from, long fromOffset, long bytes, Completion end);

        /**
         * Adds to an integer of the peer's memory atomically. The completion tells its value before.
         *
         * @param at    offset in the peer's memory, a multiple of {@code bytes}
         * @param bytes length of the integer, 4 or 8
         * @throws UnsupportedOperationException when {@link #hasAtomics} is false
         */
        default void add(final long at, final int bytes, final long operand, final Completion end) {
            throw new UnsupportedOperationException("this transport has no atomic operations: class=" + getClass().getName());
        }

        /** Replaces an integer of the peer's memory atomically, as {@link #add}. */
        default void swap(final long at, final int bytes, final long operand, final Completion end) {
            throw new UnsupportedOperationException("this transport has no atomic operations: class=" + getClass().getName());
        }

        /** Replaces an integer of the peer's memory atomically if it has the expected value, as {@link #add}. */
        default void compareAndSwap(final long at, final int bytes, final long expected, final long operand, final Completion end) {
            throw new UnsupportedOperationException("this transport has no atomic operations: class=" + getClass().getName());
        }

        /** Ends the use of the memory; no access may be under way. Idempotent; does not fail. */
        @Override
        void close();
    }
}
