package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * A datatype: the layout of an element in user memory, and how it is packed.
 *
 * <p>Packed data has no gaps: it is the blocks of the type map one after the other, in the byte order of the machine. All numbers here are
 * bytes; {@link #baseSize()} converts to base elements. Immutable, for any thread; two types are equal when they are the same object. Errors are
 * {@link MpiFailure}s of class COUNT, ARG or TYPE.
 */
public final class Datatype {
    /** The null datatype, rejected wherever a datatype is needed. */
    public static final Datatype NULL =
        new Datatype("NULL", ElementKind.NONE, ElementKind.NONE, null, TypeMap.natural(new TypeBlock[0], 1), "datatype is NULL");
    /** 8 bits; operations treat it as an unsigned integer. */
    public static final Datatype BYTE = primitive(ElementKind.BYTE);
    /** Java's char. */
    public static final Datatype CHAR = primitive(ElementKind.CHAR);
    /** Java's short. */
    public static final Datatype SHORT = primitive(ElementKind.SHORT);
    /** Java's boolean, one byte. */
    public static final Datatype BOOLEAN = primitive(ElementKind.BOOLEAN);
    /** Java's int. */
    public static final Datatype INT = primitive(ElementKind.INT);
    /** Java's long. */
    public static final Datatype LONG = primitive(ElementKind.LONG);
    /** Java's float. */
    public static final Datatype FLOAT = primitive(ElementKind.FLOAT);
    /** Java's double. */
    public static final Datatype DOUBLE = primitive(ElementKind.DOUBLE);
    /** Bytes that were packed before; no predefined operation except {@link Op#REPLACE} and {@link Op#NO_OP} is defined on them. */
    public static final Datatype PACKED = new Datatype("PACKED", ElementKind.NONE, null, BYTE.layout);
    /** Two floats; counted in floats. */
    public static final Datatype FLOAT_COMPLEX = basic(ElementKind.FLOAT_COMPLEX, FLOAT, block(0, 8, ElementKind.FLOAT_COMPLEX));
    /** Two doubles; counted in doubles. */
    public static final Datatype DOUBLE_COMPLEX = basic(ElementKind.DOUBLE_COMPLEX, DOUBLE, block(0, 16, ElementKind.DOUBLE_COMPLEX));
    /** An int and an int: 8 bytes, extent 8. */
    public static final Datatype INT2 = basic(ElementKind.INT2, BYTE, block(0, 8, ElementKind.INT));
    /** A short, and an int from byte 4: 6 bytes, extent 8. */
    public static final Datatype SHORT_INT = basic(ElementKind.SHORT_INT, BYTE, block(0, 2, ElementKind.SHORT), block(4, 4, ElementKind.INT));
    /** A long and an int: 12 bytes, extent 16. */
    public static final Datatype LONG_INT = basic(ElementKind.LONG_INT, BYTE, block(0, 8, ElementKind.LONG), block(8, 4, ElementKind.INT));
    /** A float and an int: 8 bytes, extent 8. */
    public static final Datatype FLOAT_INT = basic(ElementKind.FLOAT_INT, BYTE, block(0, 4, ElementKind.FLOAT), block(4, 4, ElementKind.INT));
    /** A double and an int: 12 bytes, extent 16. */
    public static final Datatype DOUBLE_INT = basic(ElementKind.DOUBLE_INT, BYTE, block(0, 8, ElementKind.DOUBLE), block(8, 4, ElementKind.INT));

    private final String name;
    private final ElementKind kind;
    /** The kind of the pairs of which all data consists; {@link ElementKind#NONE} for other data. */
    private final ElementKind pairs;
    private final Datatype base;
    private final TypeMap layout;
    private final Packer packer;
    /** Why the type cannot be used; null when it can. */
    private final @Nullable String problem;

    /** Creates a datatype; {@code base} is null for one that is its own base type. */
    private Datatype(final String name, final ElementKind kind, final @Nullable Datatype base, final TypeMap layout) {
        this(name, kind, kind.isPair() ? kind : ElementKind.NONE, base, layout, null);
    }

    private Datatype(final String name, final ElementKind kind, final ElementKind pairs, final @Nullable Datatype base, final TypeMap layout,
        final @Nullable String problem) {
        this.name = name;
        this.kind = kind;
        this.pairs = pairs;
        this.base = base == null ? this : base;
        this.layout = layout;
        this.packer = new Packer(layout);
        this.problem = problem;
    }

    /** Returns a text that is equal for types of equal layout that were made in the same way. */
    public String description() {
        return name + " size=" + size() + " extent=" + lowerBound() + "+" + extent() + " data=" + trueLowerBound() + "+" + trueExtent();
    }

    /** Returns a datatype that is rejected like {@link #NULL} wherever a datatype is needed, with that message. */
    public static Datatype unusable(final String why) {
        return new Datatype("NULL", ElementKind.NONE, ElementKind.NONE, null, NULL.layout, why);
    }

    private static Datatype primitive(final ElementKind kind) {
        return basic(kind, null, block(0, kind.bytes(), kind));
    }

    private static Datatype basic(final ElementKind kind, final @Nullable Datatype base, final TypeBlock... blocks) {
        return new Datatype(kind.name(), kind, base, TypeMap.natural(blocks, kind.alignment()));
    }

    private static TypeBlock block(final long offset, final long length, final ElementKind kind) {
        return TypeBlock.of(offset, length, 0, 1, kind);
    }

    /** Returns {@code count} elements one after the other. */
    public static Datatype contiguous(final long count, final Datatype old) {
        checkCount(count);
        return derived("contiguous(" + count, old, () -> new TypeMapBuilder().add(old.layout, 0, count).build());
    }

    /** Returns {@code count} blocks of {@code blockLength} elements, {@code stride} extents of the old type from block to block. */
    public static Datatype vector(final long count, final long blockLength, final long stride, final Datatype old) {
        checkCount(count);
        checkBlock(0, blockLength);
        return derived("vector(" + count + "," + blockLength + "," + stride, old,
            () -> blocks(old.layout, count, blockLength, Math.multiplyExact(stride, old.extent())));
    }

    /** Returns {@code count} blocks of {@code blockLength} elements, {@code stride} bytes from block to block. */
    public static Datatype hvector(final long count, final long blockLength, final long stride, final Datatype old) {
        checkCount(count);
        checkBlock(0, blockLength);
        return derived("hvector(" + count + "," + blockLength + "," + stride, old, () -> blocks(old.layout, count, blockLength, stride));
    }

    private static TypeMap blocks(final TypeMap old, final long count, final long blockLength, final long stride) {
        return new TypeMapBuilder().add(new TypeMapBuilder().add(old, 0, blockLength).build(), 0, count, stride).build();
    }

    /** Returns a type whose block {@code i} has {@code blockLengths[i]} elements, from {@code displacements[i]} extents of the old type on. */
    public static Datatype indexed(final long[] blockLengths, final long[] displacements, final Datatype old) {
        return indexed("indexed(", blockLengths, displacements, old, old == null ? 0 : old.extent());
    }

    /** Returns a type whose block {@code i} has {@code blockLengths[i]} elements, from byte {@code displacements[i]} on. */
    public static Datatype hindexed(final long[] blockLengths, final long[] displacements, final Datatype old) {
        return indexed("hindexed(", blockLengths, displacements, old, 1);
    }

    private static Datatype indexed(final String what, final long[] blockLengths, final long[] displacements, final Datatype old, final long unit) {
        checkBlocks(blockLengths, displacements);
        return derived(what + blockLengths.length, old, () -> {
            final TypeMapBuilder builder = new TypeMapBuilder();
            for (int i = 0; i < blockLengths.length; i++) {
                builder.add(old.layout, Math.multiplyExact(displacements[i], unit), blockLengths[i]);
            }
            return builder.build();
        });
    }

    /**
     * Returns a type whose block {@code i} has {@code blockLengths[i]} elements of {@code types[i]}, from byte {@code displacements[i]} on. Its
     * base type is {@link #BYTE}.
     */
    public static Datatype struct(final long[] blockLengths, final long[] displacements, final Datatype @Nullable... types) {
        checkBlocks(blockLengths, displacements);
        if (types == null || types.length != blockLengths.length) {
            // Cause: arrays of different lengths, or null. Remedy: as many of both.
            throw new MpiFailure(ErrorClass.ARG, "number of types differs from number of blocks: types=" + (types == null ? null : types.length)
                + ", blocks=" + blockLengths.length);
        }
        for (final Datatype type : types) {
            checkType(type);
        }
        return make("struct(" + blockLengths.length + ")", pairs(types), BYTE, () -> {
            final TypeMapBuilder builder = new TypeMapBuilder();
            for (int i = 0; i < blockLengths.length; i++) {
                builder.add(types[i].layout, displacements[i], blockLengths[i]);
            }
            return builder.build();
        });
    }

    /** Returns a type with the same data and the given lower bound and extent in bytes. */
    public static Datatype resized(final Datatype old, final long lowerBound, final long extent) {
        return derived("resized(" + lowerBound + "," + extent, old, () -> old.layout.resized(lowerBound, extent));
    }

    /** Returns a new type with the same name and layout, for which the same operations are defined. */
    public Datatype dup() {
        checkType(this);
        return new Datatype(name, kind, pairs, base, layout, null);
    }

    private static Datatype derived(final String what, final Datatype old, final Supplier<TypeMap> layout) {
        checkType(old);
        return make(what + "," + old.name + ")", old.pairs, old.base, layout);
    }

    /** Returns the kind of the pairs of which elements of all types consist. */
    private static ElementKind pairs(final Datatype[] types) {
        for (final Datatype type : types) {
            if (type.pairs != types[0].pairs) {
                return ElementKind.NONE;
            }
        }
        return types.length == 0 ? ElementKind.NONE : types[0].pairs;
    }

    private static Datatype make(final String name, final ElementKind pairs, final Datatype base, final Supplier<TypeMap> layout) {
        try {
            return new Datatype(name, ElementKind.NONE, pairs, base, layout.get(), null);
        } catch (final ArithmeticException e) {
            // Cause: counts, strides, lengths or bounds of the datatype are too large. Remedy: smaller ones.
            throw new MpiFailure(ErrorClass.ARG, "type exceeds 63 bits: type=" + name, e);
        }
    }

    /** Returns the name of a predefined type without {@code MPI_}, or a derived type's constructor call. */
    public String name() {
        return name;
    }

    /** Returns whether this is {@link #NULL} or another type that cannot be used. */
    public boolean isNull() {
        return problem != null;
    }

    /** Returns the packed bytes of an element. */
    public long size() {
        return layout.size();
    }

    /** Returns the bytes from element to element in user memory. */
    public long extent() {
        return layout.extent();
    }

    /** Returns the largest alignment of the primitive elements in C, in bytes: structures are padded to it. */
    public int alignment() {
        return layout.alignment();
    }

    /** Returns the lower bound of an element in bytes. */
    public long lowerBound() {
        return layout.lowerBound();
    }

    /** Returns the offset of the first byte of data of an element. */
    public long trueLowerBound() {
        return layout.trueLow();
    }

    /** Returns the bytes from the first byte of data to the last one. */
    public long trueExtent() {
        return layout.trueHigh() - layout.trueLow();
    }

    /** Returns the type of the entries of Java arrays that hold elements of this type: {@link #BYTE} for pairs and structures. */
    public Datatype baseType() {
        return base;
    }

    /** Returns the bytes of the base type; 0 for {@link #NULL}. */
    public long baseSize() {
        return base.size();
    }

    /** Returns whether elements have the same layout in user memory as when packed. */
    public boolean isContiguous() {
        return packer.isContiguous();
    }

    /** Receives blocks of data: {@code repeat} of them, {@code stride} bytes from one to the next. */
    @FunctionalInterface
    public interface Blocks {
        /** Takes blocks, the first of which is at an offset. */
        void add(long offset, long length, long stride, long repeat);
    }

    /** Tells where the data of elements is, in the order of packing, by offsets from element 0; blocks that touch are one block. */
    public void blocks(final long count, final Blocks to) {
        final TypeBlockList element = new TypeBlockList();
        for (final TypeBlock b : layout.blocks()) {
            element.add(new TypeBlock(b.offset(), b.length(), b.stride(), b.repeat(), ElementKind.NONE));
        }
        final TypeBlockList all = new TypeBlockList();
        all.addCopies(element.toArray(), 0, count, extent());
        for (final TypeBlock b : all.toArray()) {
            to.add(b.offset(), b.length(), b.stride(), b.repeat());
        }
    }

    /** Copies blocks of {@code length} bytes from memory to packed memory, or the other way. */
    public static void copyBlocks(final boolean packs, final MemorySegment memory, final long offset, final long stride, final MemorySegment packed,
        final long at, final long length, final long repeat) {
        Packer.blocks(packs, memory, offset, stride, packed, at, length, length, repeat);
    }

    /** Reverses the bytes of each primitive element of {@code count} packed elements. */
    public void reverseBytes(final MemorySegment packed, final long count) {
        ByteReversal.apply(layout.blocks(), packed, count);
    }

    /** Returns the kind of all primitive elements, of a derived type too; {@link ElementKind#NONE} where they differ or there are none. */
    public ElementKind commonKind() {
        final TypeBlock[] blocks = layout.blocks();
        for (final TypeBlock block : blocks) {
            if (block.kind() != blocks[0].kind()) {
                return ElementKind.NONE;
            }
        }
        return blocks.length == 0 ? ElementKind.NONE : blocks[0].kind();
    }

    /**
     * Returns the kind of the elements of which all data consists, of a derived type too, as predefined operations combine them: pairs where {@link
     * #commonKind} has numbers. Packed data is elements of this kind one after the other.
     */
    public ElementKind reducedKind() {
        return size() == 0 || pairs == ElementKind.NONE ? commonKind() : pairs;
    }

    /** Returns the kind of an element for predefined operations. */
    public ElementKind elementKind() {
        return kind;
    }

    /** Returns the offset of the first byte that {@code count} elements touch, relative to element 0; negative when data is located before it. */
    public long first(final long count) {
        return size() == 0 || count == 0 ? 0 : layout.trueLow() + Math.min(0, (count - 1) * extent());
    }

    /**
     * Returns the bytes of user memory that {@code count} elements need: from element 0, or from {@link #first} if that is lower, to the last
     * byte of data.
     *
     * @throws ArithmeticException if the result exceeds 63 bits
     */
    public long span(final long count) {
        if (size() == 0 || count == 0) {
            return 0;
        }
        final long last = Math.multiplyExact(count - 1, extent());
        return Math.addExact(layout.trueHigh(), Math.max(0, last)) - Math.min(0, layout.trueLow() + Math.min(0, last));
    }

    /** Copies {@code count} elements from user memory, with element 0 at {@code fromOffset}, to packed memory. */
    public void pack(final MemorySegment from, final long fromOffset, final long count, final MemorySegment to, final long toOffset) {
        packer.elements(true, from, fromOffset, to, toOffset, count);
    }

    /** Copies {@code count} elements from packed memory to user memory; gaps stay as they are. */
    public void unpack(final MemorySegment from, final long fromOffset, final long count, final MemorySegment to, final long toOffset) {
        packer.elements(false, to, toOffset, from, fromOffset, count);
    }

    /**
     * Copies {@code bytes} packed bytes, from packed byte {@code first} on, to packed memory. The range may begin and end inside an element.
     * Element 0 is at {@code fromOffset}.
     */
    public void packRange(final MemorySegment from, final long fromOffset, final long first, final long bytes,
        final MemorySegment to, final long toOffset) {
        packer.range(true, from, fromOffset, first, bytes, to, toOffset);
    }

    /**
     * Copies {@code bytes} bytes at {@code fromOffset} to the packed bytes from {@code first} on, in user memory; the inverse of {@link
     * #packRange}. Element 0 is at {@code toOffset}.
     */
    public void unpackRange(final MemorySegment from, final long fromOffset, final long first, final long bytes,
        final MemorySegment to, final long toOffset) {
        packer.range(false, to, toOffset, first, bytes, from, fromOffset);
    }

    /** Returns the number of basic elements in the first {@code bytes} packed bytes of consecutive elements; -1 when the last one is incomplete. */
    public long elements(final long bytes) {
        if (size() == 0) {
            return bytes == 0 ? 0 : -1;
        }
        long elements = bytes / size() * elementsOfOne();
        long rest = bytes % size();
        for (final TypeBlock block : layout.blocks()) {
            final long part = Math.min(rest, block.bytes());
            if (part % block.kind().bytes() != 0) {
                return -1;
            }
            elements += part / block.kind().bytes();
            rest -= part;
        }
        return elements;
    }

    /** Returns the packed bytes of the first {@code elements} basic elements; the inverse of {@link #elements}. */
    public long elementBytes(final long elements) {
        final long each = elementsOfOne();
        if (each == 0) {
            return 0;
        }
        long bytes = Math.multiplyExact(elements / each, size());
        long rest = elements % each;
        for (final TypeBlock block : layout.blocks()) {
            final long part = Math.min(rest, block.bytes() / block.kind().bytes());
            bytes += part * block.kind().bytes();
            rest -= part;
        }
        return bytes;
    }

    private long elementsOfOne() {
        long elements = 0;
        for (final TypeBlock block : layout.blocks()) {
            elements += block.bytes() / block.kind().bytes();
        }
        return elements;
    }

    /** Returns the blocks of the type map in the order of packing. */
    TypeBlock[] typeBlocks() {
        return layout.blocks().clone();
    }

    @Override
    public String toString() {
        return name;
    }

    /** Rejects null and types that cannot be used. */
    public static void checkType(final Datatype type) {
        if (type == null) {
            throw new MpiFailure(ErrorClass.TYPE, "datatype is null");
        }
        if (type.problem != null) {
            throw new MpiFailure(ErrorClass.TYPE, type.problem);
        }
    }

    static void checkCount(final long count) {
        if (count < 0) {
            throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + count);
        }
    }

    private static void checkBlock(final int block, final long length) {
        if (length < 0) {
            // Cause: a length of a derived datatype is below 0. Remedy: 0 or more.
            throw new MpiFailure(ErrorClass.ARG, "block length is negative: block=" + block + ", length=" + length);
        }
    }

    private static void checkBlocks(final long[] lengths, final long[] displacements) {
        if (lengths == null || displacements == null || lengths.length != displacements.length) {
            // Cause: arrays of different lengths, or null. Remedy: as many of both.
            throw new MpiFailure(ErrorClass.ARG, "number of displacements differs from number of block lengths: displacements="
                + (displacements == null ? null : displacements.length) + ", blocks=" + (lengths == null ? null : lengths.length));
        }
        for (int i = 0; i < lengths.length; i++) {
            checkBlock(i, lengths[i]);
        }
    }
}
