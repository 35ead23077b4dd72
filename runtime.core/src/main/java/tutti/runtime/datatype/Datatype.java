package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/**
 * An element type: where the data of an element lies in user memory, and how it is packed.
 *
 * <p>Packed data has no gaps: the runs of the type map one after the other, in the byte order of the machine. All numbers here are
 * bytes; {@link #baseSize()} helps those who count in base elements. Immutable, for any thread; two types are equal when they are the
 * same object. Errors are {@link MpiFailure}s of class COUNT, ARG or TYPE.
 */
public final class Datatype {
    /** No type: refused wherever a type is needed. */
    public static final Datatype NULL = new Datatype("NULL", ElementKind.NONE, null, TypeMap.natural(new TypeBlock[0], 1), "datatype is NULL");
    /** 8 bits, an integer without sign to operations. */
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
    /** Bytes that were packed before; no operation is defined on them. */
    public static final Datatype PACKED = new Datatype("PACKED", ElementKind.NONE, null, BYTE.layout);
    /** Two floats; counted in floats. */
    public static final Datatype FLOAT_COMPLEX = basic(ElementKind.FLOAT_COMPLEX, FLOAT, run(0, 8, ElementKind.FLOAT_COMPLEX));
    /** Two doubles; counted in doubles. */
    public static final Datatype DOUBLE_COMPLEX = basic(ElementKind.DOUBLE_COMPLEX, DOUBLE, run(0, 16, ElementKind.DOUBLE_COMPLEX));
    /** An int and an int: 8 bytes, extent 8. */
    public static final Datatype INT2 = basic(ElementKind.INT2, BYTE, run(0, 8, ElementKind.INT));
    /** A short, and an int from byte 4: 6 bytes, extent 8. */
    public static final Datatype SHORT_INT = basic(ElementKind.SHORT_INT, BYTE, run(0, 2, ElementKind.SHORT), run(4, 4, ElementKind.INT));
    /** A long and an int: 12 bytes, extent 16. */
    public static final Datatype LONG_INT = basic(ElementKind.LONG_INT, BYTE, run(0, 8, ElementKind.LONG), run(8, 4, ElementKind.INT));
    /** A float and an int: 8 bytes, extent 8. */
    public static final Datatype FLOAT_INT = basic(ElementKind.FLOAT_INT, BYTE, run(0, 4, ElementKind.FLOAT), run(4, 4, ElementKind.INT));
    /** A double and an int: 12 bytes, extent 16. */
    public static final Datatype DOUBLE_INT = basic(ElementKind.DOUBLE_INT, BYTE, run(0, 8, ElementKind.DOUBLE), run(8, 4, ElementKind.INT));

    private final String name;
    private final ElementKind kind;
    private final Datatype base;
    private final TypeMap layout;
    private final Packer packer;
    /** Why it cannot be used; null when it can. */
    private final String problem;

    private Datatype(final String name, final ElementKind kind, final Datatype base, final TypeMap layout) {
        this(name, kind, base, layout, null);
    }

    private Datatype(final String name, final ElementKind kind, final Datatype base, final TypeMap layout, final String problem) {
        this.name = name;
        this.kind = kind;
        this.base = base == null ? this : base;
        this.layout = layout;
        this.packer = new Packer(layout);
        this.problem = problem;
    }

    /** Stands for a type that cannot be used: refused like {@link #NULL} wherever a type is needed, for that reason. */
    public static Datatype unusable(final String why) {
        return new Datatype("NULL", ElementKind.NONE, null, NULL.layout, why);
    }

    private static Datatype primitive(final ElementKind kind) {
        return basic(kind, null, run(0, kind.bytes(), kind));
    }

    private static Datatype basic(final ElementKind kind, final Datatype base, final TypeBlock... runs) {
        return new Datatype(kind.name(), kind, base, TypeMap.natural(runs, kind.alignment()));
    }

    private static TypeBlock run(final long offset, final long length, final ElementKind kind) {
        return TypeBlock.of(offset, length, 0, 1, kind);
    }

    /** {@code count} elements one after the other. */
    public static Datatype contiguous(final long count, final Datatype old) {
        checkCount(count);
        return derived("contiguous(" + count, old, () -> new TypeMapBuilder().add(old.layout, 0, count).build());
    }

    /** {@code count} blocks of {@code blockLength} elements, {@code stride} extents of the old type from block to block. */
    public static Datatype vector(final long count, final long blockLength, final long stride, final Datatype old) {
        checkCount(count);
        checkBlock(0, blockLength);
        return derived("vector(" + count + "," + blockLength + "," + stride, old,
            () -> blocks(old.layout, count, blockLength, Math.multiplyExact(stride, old.extent())));
    }

    /** {@code count} blocks of {@code blockLength} elements, {@code stride} bytes from block to block. */
    public static Datatype hvector(final long count, final long blockLength, final long stride, final Datatype old) {
        checkCount(count);
        checkBlock(0, blockLength);
        return derived("hvector(" + count + "," + blockLength + "," + stride, old, () -> blocks(old.layout, count, blockLength, stride));
    }

    private static TypeMap blocks(final TypeMap old, final long count, final long blockLength, final long stride) {
        return new TypeMapBuilder().add(new TypeMapBuilder().add(old, 0, blockLength).build(), 0, count, stride).build();
    }

    /** Block {@code i} has {@code blockLengths[i]} elements from {@code displacements[i]} extents of the old type on. */
    public static Datatype indexed(final long[] blockLengths, final long[] displacements, final Datatype old) {
        return indexed("indexed(", blockLengths, displacements, old, old == null ? 0 : old.extent());
    }

    /** Block {@code i} has {@code blockLengths[i]} elements from byte {@code displacements[i]} on. */
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

    /** Block {@code i} has {@code blockLengths[i]} elements of {@code types[i]} from byte {@code displacements[i]} on; counted in bytes. */
    public static Datatype struct(final long[] blockLengths, final long[] displacements, final Datatype... types) {
        checkBlocks(blockLengths, displacements);
        if (types == null || types.length != blockLengths.length) {
            throw new MpiFailure(ErrorClass.ARG, "as many types as blocks: types=" + (types == null ? null : types.length)
                + ", blocks=" + blockLengths.length);
        }
        for (final Datatype type : types) {
            checkType(type);
        }
        return make("struct(" + blockLengths.length + ")", ElementKind.NONE, BYTE, () -> {
            final TypeMapBuilder builder = new TypeMapBuilder();
            for (int i = 0; i < blockLengths.length; i++) {
                builder.add(types[i].layout, displacements[i], blockLengths[i]);
            }
            return builder.build();
        });
    }

    /** The same data with the given lower bound and extent, in bytes. */
    public static Datatype resized(final Datatype old, final long lowerBound, final long extent) {
        return derived("resized(" + lowerBound + "," + extent, old, () -> old.layout.resized(lowerBound, extent));
    }

    /** A type of its own with the same name and layout, and known to the same operations. */
    public Datatype dup() {
        checkType(this);
        return new Datatype(name, kind, base, layout);
    }

    private static Datatype derived(final String what, final Datatype old, final Supplier<TypeMap> layout) {
        checkType(old);
        return make(what + "," + old.name + ")", ElementKind.NONE, old.base, layout);
    }

    private static Datatype make(final String name, final ElementKind kind, final Datatype base, final Supplier<TypeMap> layout) {
        try {
            return new Datatype(name, kind, base, layout.get());
        } catch (final ArithmeticException e) {
            throw new MpiFailure(ErrorClass.ARG, "type is larger than 63 bits can say: type=" + name, e);
        }
    }

    /** The name of a predefined type without {@code MPI_}; of a derived type how it was made. */
    public String name() {
        return name;
    }

    /** Whether this is {@link #NULL} or another that cannot be used. */
    public boolean isNull() {
        return problem != null;
    }

    /** Packed bytes of an element. */
    public long size() {
        return layout.size();
    }

    /** Bytes from element to element in user memory. */
    public long extent() {
        return layout.extent();
    }

    /** Where an element begins by its bounds, in bytes. */
    public long lowerBound() {
        return layout.lowerBound();
    }

    /** The first byte of data of an element. */
    public long trueLowerBound() {
        return layout.trueLow();
    }

    /** Bytes from the first byte of data to the last one. */
    public long trueExtent() {
        return layout.trueHigh() - layout.trueLow();
    }

    /** The type that arrays of this type's elements are made of in Java: {@link #BYTE} for pairs and structures. */
    public Datatype baseType() {
        return base;
    }

    /** Bytes of the base type; 0 for {@link #NULL}. */
    public long baseSize() {
        return base.size();
    }

    /** Whether elements lie in user memory as they do when packed. */
    public boolean isContiguous() {
        return packer.isContiguous();
    }

    /** What an element is to predefined operations. */
    public ElementKind elementKind() {
        return kind;
    }

    /** The first byte that {@code count} elements touch, from where element 0 lies; negative when data lies before that. */
    public long first(final long count) {
        return size() == 0 || count == 0 ? 0 : layout.trueLow() + Math.min(0, (count - 1) * extent());
    }

    /**
     * Bytes of user memory that {@code count} elements need: from where element 0 lies, or from {@link #first} if that is before, to the
     * last byte of data.
     *
     * @throws ArithmeticException when that is more than 63 bits can say
     */
    public long span(final long count) {
        if (size() == 0 || count == 0) {
            return 0;
        }
        final long last = Math.multiplyExact(count - 1, extent());
        return Math.addExact(layout.trueHigh(), Math.max(0, last)) - Math.min(0, layout.trueLow() + Math.min(0, last));
    }

    /** Copies {@code count} elements from user memory, where element 0 lies at {@code fromOffset}, to packed memory. */
    public void pack(final MemorySegment from, final long fromOffset, final long count, final MemorySegment to, final long toOffset) {
        packer.elements(true, from, fromOffset, to, toOffset, count);
    }

    /** Copies {@code count} elements from packed memory to user memory; gaps stay as they are. */
    public void unpack(final MemorySegment from, final long fromOffset, final long count, final MemorySegment to, final long toOffset) {
        packer.elements(false, to, toOffset, from, fromOffset, count);
    }

    /** Copies {@code bytes} packed bytes from packed byte {@code first} on, which may cut elements; element 0 lies at {@code fromOffset}. */
    public void packRange(final MemorySegment from, final long fromOffset, final long first, final long bytes,
            final MemorySegment to, final long toOffset) {
        packer.range(true, from, fromOffset, first, bytes, to, toOffset);
    }

    /** The way back: what lies at {@code fromOffset} becomes the packed bytes from {@code first} on; element 0 lies at {@code toOffset}. */
    public void unpackRange(final MemorySegment from, final long fromOffset, final long first, final long bytes,
            final MemorySegment to, final long toOffset) {
        packer.range(false, to, toOffset, first, bytes, from, fromOffset);
    }

    /** Basic elements in the first {@code bytes} packed bytes of elements one after the other; -1 when the last one is cut. */
    public long elements(final long bytes) {
        if (size() == 0) {
            return bytes == 0 ? 0 : -1;
        }
        long elements = bytes / size() * elementsOfOne();
        long rest = bytes % size();
        for (final TypeBlock run : layout.runs()) {
            final long part = Math.min(rest, run.bytes());
            if (part % run.kind().bytes() != 0) {
                return -1;
            }
            elements += part / run.kind().bytes();
            rest -= part;
        }
        return elements;
    }

    /** Packed bytes of the first {@code elements} basic elements: the way back from {@link #elements}. */
    public long elementBytes(final long elements) {
        final long each = elementsOfOne();
        if (each == 0) {
            return 0;
        }
        long bytes = Math.multiplyExact(elements / each, size());
        long rest = elements % each;
        for (final TypeBlock run : layout.runs()) {
            final long part = Math.min(rest, run.bytes() / run.kind().bytes());
            bytes += part * run.kind().bytes();
            rest -= part;
        }
        return bytes;
    }

    private long elementsOfOne() {
        long elements = 0;
        for (final TypeBlock run : layout.runs()) {
            elements += run.bytes() / run.kind().bytes();
        }
        return elements;
    }

    /** The type map: runs in the order of packing. */
    TypeBlock[] runs() {
        return layout.runs().clone();
    }

    @Override
    public String toString() {
        return name;
    }

    /** Refuses what is no type, or none that can be used. */
    public static void checkType(final Datatype type) {
        if (type == null || type.problem != null) {
            throw new MpiFailure(ErrorClass.TYPE, type == null ? "datatype is null" : type.problem);
        }
    }

    static void checkCount(final long count) {
        if (count < 0) {
            throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + count);
        }
    }

    private static void checkBlock(final int block, final long length) {
        if (length < 0) {
            throw new MpiFailure(ErrorClass.ARG, "block length is negative: block=" + block + ", length=" + length);
        }
    }

    private static void checkBlocks(final long[] lengths, final long[] displacements) {
        if (lengths == null || displacements == null || lengths.length != displacements.length) {
            throw new MpiFailure(ErrorClass.ARG, "as many displacements as block lengths: displacements="
                + (displacements == null ? null : displacements.length) + ", blocks=" + (lengths == null ? null : lengths.length));
        }
        for (int i = 0; i < lengths.length; i++) {
            checkBlock(i, lengths[i]);
        }
    }
}
