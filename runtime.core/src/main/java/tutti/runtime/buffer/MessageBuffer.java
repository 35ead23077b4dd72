package tutti.runtime.buffer;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.UserMemory;
import tutti.runtime.match.DataLayout;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The send or receive buffer of a call: the caller's memory as packed bytes, the only form that messages and schedules use.
 *
 * <p>Memory whose layout is already packed is used as it is. Other memory (types with gaps, {@code boolean[]}) is staged: {@link #load} packs it
 * into a separate buffer, and {@link #store} unpacks that buffer into it. Blocks are loaded on the receiving side, too, so that storing all of
 * them changes only what was received. Elements of one type with gaps need not be staged: {@link #layout} packs and unpacks them in pieces.
 */
public final class MessageBuffer implements DataLayout {
    /** Maximum length of a byte array: some JVMs reserve a few entries. */
    private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

    private final @Nullable Object buffer;
    private final MemorySegment user;
    /** Whether the caller's memory is used as it is. */
    private final boolean isDirect;
    /** Packed data; null where the caller's memory is used as it is, and before it is needed. */
    private @Nullable MemorySegment packed;
    /** Layout of the blocks; null where the caller's memory is one packed block, or staged as a whole. */
    private final @Nullable BlockLayout layout;
    private final long bytes;
    private final boolean written;

    /** The layout of the blocks: types, counts and offsets in the caller's memory, and their packed form. */
    private record BlockLayout(Datatype[] types, long[] counts, long[] offsets, Blocks blocks) {
        int count() {
            return types.length;
        }

        long bytes(final int block) {
            return counts[block] * types[block].size();
        }

        /** Returns the offset of the first byte of a block that has data. */
        long first(final int block) {
            return offsets[block] + types[block].first(counts[block]);
        }
    }

    private MessageBuffer(final @Nullable Object buffer, final MemorySegment user, final boolean isDirect, final @Nullable MemorySegment packed,
        final @Nullable BlockLayout layout, final long bytes, final boolean written) {
        this.buffer = buffer;
        this.user = user;
        this.isDirect = isDirect;
        this.packed = packed;
        this.layout = layout;
        this.bytes = bytes;
        this.written = written;
    }

    /** Returns a buffer of {@code count} elements that is read. */
    static MessageBuffer of(final @Nullable Object buffer, final long count, final Datatype type, final BooleanSupplier checksKinds) {
        return one(buffer, memory(buffer, count, type, checksKinds), count, type, false);
    }

    /** Returns a buffer of {@code count} elements that is written. */
    static MessageBuffer into(final @Nullable Object buffer, final long count, final Datatype type, final BooleanSupplier checksKinds) {
        return one(buffer, memory(buffer, count, type, checksKinds), count, type, true);
    }

    private static MemorySegment memory(final @Nullable Object buffer, final long count, final Datatype type, final BooleanSupplier checksKinds) {
        Datatype.checkType(type);
        UserMemory.checkKind(buffer, type, checksKinds);
        return buffer == null && count == 0 ? MemorySegment.ofArray(new byte[0]) : UserMemory.of(buffer);
    }

    private static MessageBuffer one(final @Nullable Object buffer, final MemorySegment own, final long count, final Datatype type,
        final boolean written) {
        final MemorySegment memory = type.isContiguous() || count <= 0 ? own : UserMemory.from(type.first(count), buffer, own);
        final long start = UserMemory.startIn(memory, own);
        UserMemory.check(memory, start, count, type);
        if (written) {
            UserMemory.checkWritable(memory, count, type);
        }
        final long bytes = count * type.size();
        if (type.isContiguous()) {
            return new MessageBuffer(buffer, memory, !UserMemory.isStaged(buffer), UserMemory.isStaged(buffer) ? memory : null, null, bytes, written);
        }
        final BlockLayout all = new BlockLayout(new Datatype[] {type}, new long[] {count}, new long[] {start}, Blocks.uniform(1, bytes));
        return new MessageBuffer(buffer, memory, false, null, all, bytes, written);
    }

    /**
     * Returns a buffer with a block per rank.
     *
     * @param displacements displacements of the blocks, in extents of {@code type}
     * @param written       whether blocks are received
     */
    static MessageBuffer blocks(final @Nullable Object buffer, final long @Nullable [] counts, final long @Nullable [] displacements,
        final Datatype type, final int ranks, final boolean written, final BooleanSupplier checksKinds) {
        Datatype.checkType(type);
        final long[] lengths = counts(counts, ranks);
        final long[] starts = displacements(displacements, ranks);
        final Datatype[] types = new Datatype[ranks];
        final long[] offsets = new long[ranks];
        for (int i = 0; i < ranks; i++) {
            types[i] = type;
            offsets[i] = offset(starts[i], type.extent(), i);
        }
        return blocks(buffer, lengths, offsets, types, written, checksKinds);
    }

    /** Returns a buffer with a block per rank, each with its own type; displacements are in bytes. */
    static MessageBuffer blocks(final @Nullable Object buffer, final long @Nullable [] counts, final long @Nullable [] displacements,
        final Datatype @Nullable [] types, final int ranks, final boolean written, final BooleanSupplier checksKinds) {
        final long[] lengths = counts(counts, ranks);
        final long[] starts = displacements(displacements, ranks);
        if (types == null || types.length < ranks) {
            // Cause: the array has another length than the group has ranks. Remedy: one datatype for each rank.
            throw new MpiFailure(ErrorClass.TYPE, "a datatype per rank is needed: types=" + (types == null ? "null" : types.length)
                + ", ranks=" + ranks);
        }
        for (int i = 0; i < ranks; i++) {
            Datatype.checkType(types[i]);
            if (lengths[i] > 0) {
                UserMemory.checkKind(buffer, types[i], checksKinds);
            }
        }
        return blocks(buffer, lengths, Arrays.copyOf(starts, ranks), types, written, checksKinds);
    }

    private static MessageBuffer blocks(final @Nullable Object buffer, final long[] counts, final long[] offsets, final Datatype[] types,
        final boolean written, final BooleanSupplier checksKinds) {
        final int ranks = offsets.length;
        final long[] lengths = new long[ranks];
        boolean direct = !UserMemory.isStaged(buffer);
        boolean empty = true;
        long first = 0;
        for (int i = 0; i < ranks; i++) {
            lengths[i] = counts[i] * types[i].size();
            direct &= types[i].isContiguous();
            empty &= counts[i] == 0;
            first = counts[i] > 0 && types[i].size() > 0 ? Math.min(first, offsets[i] + types[i].first(counts[i])) : first;
        }
        final MemorySegment own = memory(buffer, empty ? 0 : 1, ranks == 0 ? Datatype.BYTE : types[0], checksKinds);
        final MemorySegment user = UserMemory.from(first, buffer, own);
        final long start = UserMemory.startIn(user, own);
        for (int i = 0; i < ranks; i++) {
            offsets[i] += start;
            check(user, counts[i], types[i], offsets[i], i, written);
            if (lengths[i] == 0) {
                offsets[i] = 0;
            }
        }
        final Blocks blocks = direct ? Blocks.of(lengths, offsets) : Blocks.packed(lengths);
        final BlockLayout layout = new BlockLayout(types.clone(), Arrays.copyOf(counts, ranks), offsets, blocks);
        return new MessageBuffer(buffer, user, direct, direct ? null : allocate(blocks.end()), layout, blocks.total(), written);
    }

    private static long offset(final long displacement, final long extent, final int block) {
        try {
            return Math.multiplyExact(displacement, extent);
        } catch (final ArithmeticException e) {
            // Cause: a block begins before the buffer or ends behind it. Remedy: displacements are [extents of the
            // datatype](../package-mpi.md#units), those of `allToAllw` bytes.
            throw new MpiFailure(ErrorClass.ARG, "displacement out of range: block=" + block + ", displacement=" + displacement, e);
        }
    }

    private static void check(final MemorySegment user, final long count, final Datatype type, final long offset, final int block,
        final boolean written) {
        if (count < 0) {
            throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + count + ", block=" + block);
        }
        if (count == 0) {
            return;
        }
        // the offset of an element may be outside of the buffer: its data may be located before it, or far behind it
        if (type.size() > 0 && (offset + type.first(count) < 0 || offset > user.byteSize())) {
            throw new MpiFailure(ErrorClass.ARG, "displacement out of range: block=" + block + ", at=" + offset + " bytes, have="
                + user.byteSize());
        }
        UserMemory.check(user, offset, count, type);
        if (written) {
            UserMemory.checkWritable(user, count, type);
        }
    }

    private static long[] counts(final long @Nullable [] counts, final int ranks) {
        if (counts == null || counts.length < ranks) {
            // Cause: the array has another length than the group has ranks. Remedy: one count for each rank.
            throw new MpiFailure(ErrorClass.COUNT, "a count per rank is needed: counts=" + (counts == null ? "null" : counts.length)
                + ", ranks=" + ranks);
        }
        return counts;
    }

    private static long[] displacements(final long @Nullable [] displacements, final int ranks) {
        if (displacements == null || displacements.length < ranks) {
            // Cause: the array is shorter than the group. Remedy: one displacement for each rank.
            throw new MpiFailure(ErrorClass.ARG, "a displacement per rank is needed: displacements="
                + (displacements == null ? "null" : displacements.length) + ", ranks=" + ranks);
        }
        return displacements;
    }

    private static MemorySegment allocate(final long bytes) {
        // an array of longs where one of bytes would be too long
        return bytes <= MAX_ARRAY_BYTES ? MemorySegment.ofArray(new byte[(int) bytes])
            : MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES))]);
    }

    /** Returns whether the caller's memory is used as it is. Such a buffer has no state, and may serve several calls concurrently. */
    public boolean isDirect() {
        return isDirect;
    }

    /** Returns this buffer as data that is packed and unpacked in pieces; null where it is in one piece, or is staged. */
    public @Nullable DataLayout layout() {
        return !isDirect && layout != null && layout.count() == 1 && !UserMemory.isStaged(buffer) ? this : null;
    }

    @Override
    public void pack(final long first, final long length, final MemorySegment to, final long toOffset) {
        final BlockLayout one = Objects.requireNonNull(layout, "elements of one type with gaps");
        one.types[0].packRange(user, one.offsets[0], first, length, to, toOffset);
    }

    @Override
    public void unpack(final MemorySegment from, final long fromOffset, final long first, final long length) {
        final BlockLayout one = Objects.requireNonNull(layout, "elements of one type with gaps");
        one.types[0].unpackRange(from, fromOffset, first, length, user, one.offsets[0]);
    }

    /** Returns whether it was created for the given user buffer object. */
    boolean isOf(final @Nullable Object other) {
        return buffer == other;
    }

    /** Returns the packed bytes. */
    public MemorySegment memory() {
        return isDirect ? user : staged();
    }

    private MemorySegment staged() {
        MemorySegment staged = packed;
        if (staged == null) {
            staged = allocate(bytes);
            packed = staged;
        }
        return staged;
    }

    /** Returns the number of packed bytes. */
    public long bytes() {
        return bytes;
    }

    /** Returns the blocks in {@link #memory}; only for a buffer that was created with blocks. */
    public Blocks blocks() {
        return Objects.requireNonNull(layout, "a buffer with blocks").blocks;
    }

    /** Loads like {@link #load}, for another use of the same memory, which the caller may have changed. */
    public void reload() {
        reread();
        load();
    }

    /** Copies the caller's memory again where the caller's data was copied, for another use. */
    public void reread() {
        UserMemory.restage(buffer, user);
    }

    /** Packs the caller's data. */
    public void load() {
        if (!isDirect && layout != null) {
            final MemorySegment to = staged();
            for (int i = 0; i < layout.count(); i++) {
                layout.types[i].pack(user, layout.offsets[i], layout.counts[i], to, layout.blocks.offset(i));
            }
        }
    }

    /** Unpacks all data into the caller's memory. */
    public void store() {
        store(bytes);
    }

    /** Unpacks the first {@code received} bytes into the caller's memory; a buffer with blocks is always stored as a whole. */
    public void store(final long received) {
        if (isDirect || !written) {
            return;
        }
        final MemorySegment from = staged();
        if (layout == null) {
            UserMemory.writeBack(buffer, user, 0, received);
        } else if (received < bytes) {
            layout.types[0].unpackRange(from, 0, 0, received, user, layout.offsets[0]);
            UserMemory.writeBack(buffer, user, layout.types[0], received, layout.offsets[0]);
        } else {
            for (int i = 0; i < layout.count(); i++) {
                layout.types[i].unpack(from, layout.blocks.offset(i), layout.counts[i], user, layout.offsets[i]);
                UserMemory.writeBack(buffer, user, layout.types[i], layout.blocks.bytes(i), layout.offsets[i]);
            }
        }
    }

    /**
     * Refuses memory that is both sent and received in one call.
     *
     * @param instead what to do instead, for the message
     */
    public static void checkApart(final @Nullable MessageBuffer send, final @Nullable MessageBuffer recv, final String instead) {
        if (send != null && recv != null && send.bytes > 0 && recv.bytes > 0 && mayShare(send.buffer, recv.buffer) && send.shares(recv)) {
            // Cause: the call would read what it writes. Remedy: two arrays, or the form with one buffer.
            throw new MpiFailure(ErrorClass.BUFFER, "send and receive buffer overlap: " + instead);
        }
    }

    /** Returns whether two user buffers may have memory in common: different arrays never have. */
    private static boolean mayShare(final @Nullable Object a, final @Nullable Object b) {
        return a == b || a != null && b != null && !(a.getClass().isArray() && b.getClass().isArray());
    }

    private boolean shares(final MessageBuffer other) {
        if (!user.heapBase().equals(other.user.heapBase())) {
            return false;
        }
        for (int i = 0; i < count(); i++) {
            for (int k = 0; k < other.count(); k++) {
                // of data with gaps, only the first byte is certain to be part of it
                if (holds(i, other.first(k)) || other.holds(k, first(i))) {
                    return true;
                }
            }
        }
        return false;
    }

    private int count() {
        return layout == null ? 1 : layout.count();
    }

    /** Returns the address of the first byte of a block; negative for one without data. */
    private long first(final int block) {
        if (layout == null) {
            return user.address();
        }
        return layout.bytes(block) == 0 ? -1 : user.address() + layout.first(block);
    }

    /** Returns whether the byte at an address is certainly part of the data of a block. */
    private boolean holds(final int block, final long address) {
        final long first = first(block);
        final long sure = layout == null ? bytes : layout.types[block].isContiguous() ? layout.bytes(block) : 1;
        return first >= 0 && address >= first && address < first + sure;
    }
}
