package tutti.runtime.comm;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import tutti.coll.Blocks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.UserMemory;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/**
 * One side of a call, sending or receiving: the caller's memory as packed bytes, which is all that messages and schedules see.
 *
 * <p>Memory whose layout is packed already is used as it is. Other memory (types with gaps, {@code boolean[]}) is staged: packed into
 * memory of its own by {@link #load}, and brought back by {@link #store}. Blocks are loaded on the receiving side, too, so that storing all
 * of them changes only what was received.
 */
final class MessageBuffer {
    /** Of an array: some JVMs keep a few entries for themselves. */
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    private final Object buffer;
    private final MemorySegment user;
    private final MemorySegment packed;
    /** Null where the caller's memory is one part that is packed, or staged as a whole. */
    private final Parts parts;
    private final long bytes;
    private final boolean written;

    /** Elements of a type each: where they lie in the caller's memory, and where they are packed. */
    private record Parts(Datatype[] types, long[] counts, long[] places, Blocks blocks) {
        int count() {
            return types.length;
        }

        long bytes(final int part) {
            return counts[part] * types[part].size();
        }

        /** The offset of the first byte of a part that has data. */
        long first(final int part) {
            return places[part] + types[part].first(counts[part]);
        }
    }

    private MessageBuffer(final Object buffer, final MemorySegment user, final MemorySegment packed, final Parts parts, final long bytes,
                          final boolean written) {
        this.buffer = buffer;
        this.user = user;
        this.packed = packed;
        this.parts = parts;
        this.bytes = bytes;
        this.written = written;
    }

    /** {@code count} elements that are read. */
    static MessageBuffer of(final Object buffer, final long count, final Datatype type) {
        final MemorySegment memory = memory(buffer, count, type);
        UserMemory.check(memory, count, type);
        return one(buffer, memory, count, type, false);
    }

    /** {@code count} elements that are written. */
    static MessageBuffer into(final Object buffer, final long count, final Datatype type) {
        final MemorySegment memory = memory(buffer, count, type);
        UserMemory.checkReceive(memory, count, type);
        return one(buffer, memory, count, type, true);
    }

    private static MemorySegment memory(final Object buffer, final long count, final Datatype type) {
        Datatype.checkType(type);
        UserMemory.checkKind(buffer, type);
        return buffer == null && count == 0 ? MemorySegment.ofArray(new byte[0]) : UserMemory.of(buffer);
    }

    private static MessageBuffer one(final Object buffer, final MemorySegment memory, final long count, final Datatype type, final boolean written) {
        final long bytes = count * type.size();
        if (type.isContiguous()) {
            return new MessageBuffer(buffer, memory, UserMemory.isStaged(buffer) ? memory : null, null, bytes, written);
        }
        final Parts all = new Parts(new Datatype[] {type}, new long[] {count}, new long[1], Blocks.uniform(1, bytes));
        return new MessageBuffer(buffer, memory, allocate(bytes), all, bytes, written);
    }

    /**
     * A block per rank.
     *
     * @param displacements of the blocks, in extents of {@code type}
     * @param written       whether blocks are received
     */
    static MessageBuffer blocks(final Object buffer, final long[] counts, final long[] displacements, final Datatype type, final int ranks,
                                final boolean written) {
        Datatype.checkType(type);
        checkLengths(counts, displacements, ranks);
        final Datatype[] types = new Datatype[ranks];
        final long[] places = new long[ranks];
        for (int i = 0; i < ranks; i++) {
            types[i] = type;
            places[i] = place(displacements[i], type.extent(), i);
        }
        return blocks(buffer, counts, places, types, written);
    }

    /** A block per rank, each with a type of its own; displacements in bytes. */
    static MessageBuffer blocks(final Object buffer, final long[] counts, final long[] displacements, final Datatype[] types, final int ranks,
                                final boolean written) {
        checkLengths(counts, displacements, ranks);
        if (types == null || types.length < ranks) {
            throw new MpiFailure(ErrorClass.TYPE, "a datatype per rank is needed: types=" + (types == null ? "null" : types.length)
                + ", ranks=" + ranks);
        }
        final long[] places = new long[ranks];
        for (int i = 0; i < ranks; i++) {
            Datatype.checkType(types[i]);
            if (counts[i] > 0) {
                UserMemory.checkKind(buffer, types[i]);
            }
            places[i] = displacements[i];
        }
        return blocks(buffer, counts, places, types, written);
    }

    private static MessageBuffer blocks(final Object buffer, final long[] counts, final long[] places, final Datatype[] types,
        final boolean written) {
        final int ranks = places.length;
        final long[] lengths = new long[ranks];
        boolean direct = !UserMemory.isStaged(buffer);
        boolean empty = true;
        for (int i = 0; i < ranks; i++) {
            lengths[i] = counts[i] * types[i].size();
            direct &= types[i].isContiguous();
            empty &= counts[i] == 0;
        }
        final MemorySegment user = memory(buffer, empty ? 0 : 1, ranks == 0 ? Datatype.BYTE : types[0]);
        for (int i = 0; i < ranks; i++) {
            check(user, counts[i], types[i], places[i], i, written);
            if (lengths[i] == 0) {
                places[i] = 0;
            }
        }
        final Blocks blocks = direct ? Blocks.of(lengths, places) : Blocks.packed(lengths);
        final Parts parts = new Parts(types.clone(), Arrays.copyOf(counts, ranks), places, blocks);
        return new MessageBuffer(buffer, user, direct ? null : allocate(blocks.end()), parts, blocks.total(), written);
    }

    private static long place(final long displacement, final long extent, final int block) {
        try {
            return Math.multiplyExact(displacement, extent);
        } catch (final ArithmeticException e) {
            throw new MpiFailure(ErrorClass.ARG, "displacement out of range: block=" + block + ", displacement=" + displacement, e);
        }
    }

    private static void check(final MemorySegment user, final long count, final Datatype type, final long place, final int block,
                              final boolean written) {
        if (count < 0) {
            throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + count + ", block=" + block);
        }
        if (count == 0) {
            return;
        }
        // where an element lies matters little: its data may lie before that, or so far behind that the element itself is out of the buffer
        if (type.size() > 0 && (place + type.first(count) < 0 || place > user.byteSize())) {
            throw new MpiFailure(ErrorClass.ARG, "displacement out of range: block=" + block + ", at=" + place + " bytes, have="
                + user.byteSize());
        }
        UserMemory.check(user, place, count, type);
        if (written) {
            UserMemory.checkWritable(user, count, type);
        }
    }

    private static void checkLengths(final long[] counts, final long[] displacements, final int ranks) {
        if (counts == null || counts.length < ranks) {
            throw new MpiFailure(ErrorClass.COUNT, "a count per rank is needed: counts=" + (counts == null ? "null" : counts.length)
                + ", ranks=" + ranks);
        }
        if (displacements == null || displacements.length < ranks) {
            throw new MpiFailure(ErrorClass.ARG, "a displacement per rank is needed: displacements="
                + (displacements == null ? "null" : displacements.length) + ", ranks=" + ranks);
        }
    }

    private static MemorySegment allocate(final long bytes) {
        // longs where bytes cannot say it
        return bytes <= MOST_BYTES ? MemorySegment.ofArray(new byte[(int) bytes])
            : MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES))]);
    }

    /** Whether the caller's memory is used as it is. Such a side has no state, and may serve several calls at once. */
    boolean isDirect() {
        return packed == null;
    }

    /** Whether it is of that very buffer. */
    boolean isOf(final Object other) {
        return buffer == other;
    }

    /** The packed bytes. */
    MemorySegment memory() {
        return packed == null ? user : packed;
    }

    /** How many packed bytes there are. */
    long bytes() {
        return bytes;
    }

    /** Where the blocks lie in {@link #memory}; only of a side that was made with blocks. */
    Blocks blocks() {
        return parts.blocks;
    }

    /** As {@link #load}, for another use of the same memory: the caller may have changed it since. */
    void reload() {
        reread();
        load();
    }

    /** Brings what was copied of the caller's memory up to date, for another use of it. */
    void reread() {
        UserMemory.readAgain(buffer, user);
    }

    /** Packs the caller's data. */
    void load() {
        if (packed != null && parts != null) {
            for (int i = 0; i < parts.count(); i++) {
                parts.types[i].pack(user, parts.places[i], parts.counts[i], packed, parts.blocks.offset(i));
            }
        }
    }

    /** Brings packed data back to the caller's memory: all of it. */
    void store() {
        store(bytes);
    }

    /** Brings the first {@code received} packed bytes back; only whole sides have blocks. */
    void store(final long received) {
        if (packed == null || !written) {
            return;
        }
        if (parts == null) {
            UserMemory.writeBack(buffer, user, 0, received);
        } else if (received < bytes) {
            parts.types[0].unpackRange(packed, 0, 0, received, user, parts.places[0]);
            UserMemory.writeBack(buffer, user, parts.types[0], received, parts.places[0]);
        } else {
            for (int i = 0; i < parts.count(); i++) {
                parts.types[i].unpack(packed, parts.blocks.offset(i), parts.counts[i], user, parts.places[i]);
                UserMemory.writeBack(buffer, user, parts.types[i], parts.blocks.bytes(i), parts.places[i]);
            }
        }
    }

    /**
     * Refuses memory that is sent and received in one call.
     *
     * @param instead what to do instead, in words
     */
    static void checkApart(final MessageBuffer send, final MessageBuffer recv, final String instead) {
        if (send != null && recv != null && send.bytes > 0 && recv.bytes > 0 && mayShare(send.buffer, recv.buffer) && send.shares(recv)) {
            throw new MpiFailure(ErrorClass.BUFFER, "send and receive buffer overlap: " + instead);
        }
    }

    /** Whether two buffers may have memory in common: different arrays never have. */
    private static boolean mayShare(final Object a, final Object b) {
        return a == b || a != null && b != null && !(a.getClass().isArray() && b.getClass().isArray());
    }

    private boolean shares(final MessageBuffer other) {
        if (!user.heapBase().equals(other.user.heapBase())) {
            return false;
        }
        for (int i = 0; i < count(); i++) {
            for (int k = 0; k < other.count(); k++) {
                // of data with gaps, only its first byte is known to be there
                if (holds(i, other.first(k)) || other.holds(k, first(i))) {
                    return true;
                }
            }
        }
        return false;
    }

    private int count() {
        return parts == null ? 1 : parts.count();
    }

    /** The address of the first byte of a part; negative for one without data. */
    private long first(final int part) {
        if (parts == null) {
            return user.address();
        }
        return parts.bytes(part) == 0 ? -1 : user.address() + parts.first(part);
    }

    /** Whether the byte at that address is surely part of the data. */
    private boolean holds(final int part, final long address) {
        final long first = first(part);
        final long sure = parts == null ? bytes : parts.types[part].isContiguous() ? parts.bytes(part) : 1;
        return first >= 0 && address >= first && address < first + sure;
    }
}
