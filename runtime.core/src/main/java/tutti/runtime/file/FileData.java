package tutti.runtime.file;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.match.DataLayout;

/**
 * The data of an access as it is in the file: packed, in the file's representation. It is the caller's memory where that is so already. Elements
 * with gaps are packed and unpacked in pieces; data that is converted is in memory of its own.
 */
final class FileData {
    private final MessageBuffer buffer;
    private final Datatype type;
    private final DataRepresentation representation;
    /** Memory of converted data; null when none is converted. */
    private final @Nullable MemorySegment converted;
    private final @Nullable DataLayout layout;

    /** Creates the data of a buffer of elements. */
    FileData(final MessageBuffer buffer, final Datatype type, final DataRepresentation representation) {
        this.buffer = buffer;
        this.type = type;
        this.representation = representation;
        this.converted = representation.isAsInMemory() || buffer.bytes() == 0 ? null : Scratch.allocate(buffer.bytes());
        this.layout = converted == null ? buffer.layout() : null;
    }

    /** Returns its length. */
    long bytes() {
        return buffer.bytes();
    }

    /** Returns whether it is in one piece in memory. */
    boolean isInOnePiece() {
        return layout == null;
    }

    /** Returns the memory of data in one piece. */
    MemorySegment memory() {
        return converted != null ? converted : buffer.memory();
    }

    /** Packs some of it. */
    void pack(final long position, final long length, final MemorySegment to, final long at) {
        if (layout == null) {
            MemorySegment.copy(memory(), position, to, at, length);
        } else {
            layout.pack(position, length, to, at);
        }
    }

    /** Unpacks some of it. */
    void unpack(final MemorySegment from, final long at, final long position, final long length) {
        if (layout == null) {
            MemorySegment.copy(from, at, memory(), position, length);
        } else {
            layout.unpack(from, at, position, length);
        }
    }

    /** Prepares data that is written. */
    void load() {
        if (layout != null) {
            return;
        }
        buffer.reload();
        if (converted != null) {
            pack(buffer, converted, buffer.bytes());
            representation.convert(converted, type, buffer.bytes() / type.size());
        }
    }

    private static void pack(final MessageBuffer from, final MemorySegment to, final long bytes) {
        final DataLayout gaps = from.layout();
        if (gaps == null) {
            MemorySegment.copy(from.memory(), 0, to, 0, bytes);
        } else {
            gaps.pack(0, bytes, to, 0);
        }
    }

    /** Stores the first bytes of data that was read in the caller's memory. */
    void store(final long received) {
        if (layout != null || received == 0) {
            return;
        }
        if (converted == null) {
            buffer.store(received);
            return;
        }
        representation.convert(Objects.requireNonNull(converted, "converted data"), type, received / type.size());
        final DataLayout gaps = buffer.layout();
        if (gaps == null) {
            MemorySegment.copy(converted, 0, buffer.memory(), 0, received);
            buffer.store(received);
        } else {
            gaps.unpack(converted, 0, 0, received);
        }
    }
}
