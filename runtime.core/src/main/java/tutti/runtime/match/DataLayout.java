package tutti.runtime.match;

import java.lang.foreign.MemorySegment;

/**
 * Data of a message that is not in one piece in the caller's memory: elements with gaps. It is packed and unpacked in pieces, while others are on
 * their way. Positions are in packed bytes; a piece may begin and end inside an element.
 */
public interface DataLayout {
    /** Packs {@code bytes} bytes from position {@code first} on. */
    void pack(long first, long bytes, MemorySegment to, long toOffset);

    /** Unpacks {@code bytes} bytes to position {@code first} on. */
    void unpack(MemorySegment from, long fromOffset, long first, long bytes);
}
