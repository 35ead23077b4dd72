package tutti.runtime.checkpoint.memory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongFunction;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;

/**
 * The state of a rank as bytes: how long its description is, the description, and the items one after the other.
 *
 * @param ranks   number of ranks of the job
 * @param point   number of the point
 * @param items   lengths of the items, by name
 * @param offsets where they begin, by name
 * @param bytes   all bytes
 */
record StateBytes(int ranks, long point, Map<String, Long> items, Map<String, Long> offsets, MemorySegment bytes) implements StoredRank {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** Writes a state to memory of as many bytes as needed. */
    static MemorySegment write(final SavedRank state, final LongFunction<MemorySegment> allocate) throws IOException {
        final ByteArrayOutputStream description = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(description)) {
            out.writeInt(state.ranks());
            out.writeLong(state.point());
            out.writeInt(state.items().size());
            for (final SavedRank.Item item : state.items()) {
                out.writeUTF(item.name());
                out.writeLong(item.data().byteSize());
            }
        }
        final MemorySegment head = MemorySegment.ofArray(description.toByteArray());
        final MemorySegment bytes = allocate.apply(Integer.BYTES + head.byteSize() + state.bytes());
        bytes.set(INT, 0, (int) head.byteSize());
        long at = Integer.BYTES;
        MemorySegment.copy(head, 0, bytes, at, head.byteSize());
        at += head.byteSize();
        for (final SavedRank.Item item : state.items()) {
            MemorySegment.copy(item.data(), 0, bytes, at, item.data().byteSize());
            at += item.data().byteSize();
        }
        return bytes;
    }

    /** Reads a state that was written. */
    static StateBytes read(final MemorySegment bytes) throws IOException {
        final int head = bytes.get(INT, 0);
        final Map<String, Long> items = new LinkedHashMap<>();
        final Map<String, Long> offsets = new LinkedHashMap<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(
            bytes.asSlice(Integer.BYTES, head).toArray(ValueLayout.JAVA_BYTE)))) {
            final int ranks = in.readInt();
            final long point = in.readLong();
            long at = (long) Integer.BYTES + head;
            for (int left = in.readInt(); left > 0; left--) {
                final String name = in.readUTF();
                final long length = in.readLong();
                items.put(name, length);
                offsets.put(name, at);
                at += length;
            }
            return new StateBytes(ranks, point, Collections.unmodifiableMap(items), offsets, bytes);
        }
    }

    @Override
    public void read(final String name, final MemorySegment into) {
        MemorySegment.copy(bytes, Objects.requireNonNull(offsets.get(name), name), into, 0, Objects.requireNonNull(items.get(name), name));
    }
}
