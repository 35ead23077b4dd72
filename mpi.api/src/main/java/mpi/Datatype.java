package mpi;

import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Supplier;
import tutti.runtime.error.MpiFailure;

/**
 * The type of the elements of a buffer. Safe for several threads, but for its name.
 *
 * <p>Every type has a base type, the Java type of the arrays that hold its elements; of pairs and structs it is the byte. Sizes, extents and
 * strides count elements of the base type; {@link #createHVector}, {@link #createHIndexed} and {@link #createStruct} take bytes.
 */
public final class Datatype implements Freeable, Cloneable {
    private static final tutti.runtime.datatype.Datatype NONE = tutti.runtime.datatype.Datatype.unusable("datatype is null");

    private final boolean isPredefined;
    private final Attributes<Datatype> attributes = new Attributes<>(this);
    private tutti.runtime.datatype.Datatype handle;
    private String name;
    private volatile boolean committed;

    private Datatype(final tutti.runtime.datatype.Datatype handle, final String name, final boolean isPredefined) {
        this.handle = handle;
        this.name = name;
        this.isPredefined = isPredefined;
        this.committed = isPredefined;
    }

    /** A type that the standard or the bindings define. */
    static Datatype predefined(final tutti.runtime.datatype.Datatype handle) {
        return new Datatype(handle, (handle.isNull() ? "MPI_DATATYPE_" : "MPI_") + handle.name(), true);
    }

    /** A type that a program made. */
    static Datatype derived(final tutti.runtime.datatype.Datatype handle) {
        return new Datatype(handle, "", false);
    }

    /** A type that is ready for communication without the program's doing. */
    static Datatype ready(final tutti.runtime.datatype.Datatype handle) {
        final Datatype type = derived(handle);
        type.committed = true;
        return type;
    }

    /**
     * What the runtime knows the type by, for communication. For one that is not ready that is a type which the runtime refuses with the
     * reason, unless the argument does not matter.
     */
    static tutti.runtime.datatype.Datatype of(final Datatype type) {
        return type == null ? NONE : type.committed || type.handle.isNull() ? type.handle
            : tutti.runtime.datatype.Datatype.unusable("datatype is not committed: type=" + type + ", call commit() before communication");
    }

    /** What the runtime knows the type by, for making other types of it. */
    static tutti.runtime.datatype.Datatype layoutOf(final Datatype type) {
        return type == null ? NONE : type.handle;
    }

    static tutti.runtime.datatype.Datatype[] of(final Datatype[] types) {
        return map(types, Datatype::of);
    }

    private static tutti.runtime.datatype.Datatype[] map(final Datatype[] types, final Function<Datatype, tutti.runtime.datatype.Datatype> each) {
        return types == null ? null : Arrays.stream(types).map(each).toArray(tutti.runtime.datatype.Datatype[]::new);
    }

    /** As {@link #of(Datatype)}; refuses null types. */
    static tutti.runtime.datatype.Datatype checked(final Datatype type) throws MPIException {
        final tutti.runtime.datatype.Datatype handle = layoutOf(type);
        try {
            tutti.runtime.datatype.Datatype.checkType(handle);
        } catch (final MpiFailure e) {
            throw ErrorHandling.error(e);
        }
        return handle;
    }

    /** The lower bound. */
    public int getLb() throws MPIException {
        return narrow(getLbX());
    }

    /** As {@link #getLb}, up to 64 bits. Not in Open MPI's bindings, like the other methods here that return a {@link Count}. */
    public Count getLbX() throws MPIException {
        return inBase(checked(this).lowerBound());
    }

    /** The distance from element to element. */
    public int getExtent() throws MPIException {
        return narrow(getExtentX());
    }

    /** As {@link #getExtent}, up to 64 bits. */
    public Count getExtentX() throws MPIException {
        return inBase(checked(this).extent());
    }

    /** Where the first data lies. */
    public int getTrueLb() throws MPIException {
        return narrow(getTrueLbX());
    }

    /** As {@link #getTrueLb}, up to 64 bits. */
    public Count getTrueLbX() throws MPIException {
        return inBase(checked(this).trueLowerBound());
    }

    /** The distance from the first data to the end of the last. */
    public int getTrueExtent() throws MPIException {
        return narrow(getTrueExtentX());
    }

    /** As {@link #getTrueExtent}, up to 64 bits. */
    public Count getTrueExtentX() throws MPIException {
        return inBase(checked(this).trueExtent());
    }

    /** The data of an element without the gaps. */
    public int getSize() throws MPIException {
        return narrow(getSizeX());
    }

    /** As {@link #getSize}, up to 64 bits. */
    public Count getSizeX() throws MPIException {
        return inBase(checked(this).size());
    }

    private Count inBase(final long bytes) {
        return new Count(Math.floorDiv(bytes, handle.baseSize()));
    }

    /** {@code MPI.UNDEFINED} where an int cannot say it, as MPI wants it. */
    private static int narrow(final Count count) {
        final long n = count.getCount();
        return n == (int) n ? (int) n : Constants.UNDEFINED;
    }

    /** Makes the type ready for communication; again does nothing. */
    public void commit() throws MPIException {
        checked(this);
        committed = true;
    }

    /** Whether it may be used in communication: predefined types and those of structures are as they come. */
    boolean isCommitted() {
        return committed;
    }

    /** Lets go of a derived type and of its attributes; communication that is under way with it goes on, and so do types made of it. */
    @Override
    public void free() throws MPIException {
        checked(this);
        if (isPredefined) {
            throw ErrorHandling.error(Constants.ERR_TYPE, "predefined datatype cannot be freed: type=" + name);
        }
        attributes.clear();
        handle = tutti.runtime.datatype.Datatype.unusable("datatype was freed: type=" + this);
    }

    /** Whether the type was freed or is {@code MPI.DATATYPE_NULL}. */
    public boolean isNull() {
        return handle.isNull();
    }

    /** A copy; as {@link #dup}, but for the null type, which stays what it is. */
    @Override
    public Datatype clone() {
        try {
            return handle.isNull() ? derived(handle) : dup();
        } catch (final MPIException e) {
            throw new IllegalStateException("cannot copy the attributes of a datatype: type=" + this, e);
        }
    }

    /**
     * A type of its own with the same layout, committed if this one is, and known to the same operations. It has the attributes that their
     * keys let it have, and no name.
     */
    public Datatype dup() throws MPIException {
        final Datatype copy = derived(checked(this).dup());
        copy.committed = committed;
        attributes.copyTo(copy.attributes);
        return copy;
    }

    /** {@code count} elements one after the other. */
    public static Datatype createContiguous(final int count, final Datatype oldType) throws MPIException {
        return createContiguous((long) count, oldType);
    }

    /** As {@link #createContiguous(int, Datatype)}. Not in Open MPI's bindings, like all methods here that take longs. */
    public static Datatype createContiguous(final long count, final Datatype oldType) throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.contiguous(count, layoutOf(oldType)));
    }

    /** {@code count} blocks of {@code blockLength} elements; {@code stride} counts extents of the old type from block to block. */
    public static Datatype createVector(final int count, final int blockLength, final int stride, final Datatype oldType) throws MPIException {
        return createVector((long) count, blockLength, stride, oldType);
    }

    /** As {@link #createVector(int, int, int, Datatype)}. */
    public static Datatype createVector(final long count, final long blockLength, final long stride, final Datatype oldType)
            throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.vector(count, blockLength, stride, layoutOf(oldType)));
    }

    /** As {@link #createVector(int, int, int, Datatype)}, with the stride in bytes. */
    public static Datatype createHVector(final int count, final int blockLength, final int stride, final Datatype oldType) throws MPIException {
        return createHVector((long) count, blockLength, stride, oldType);
    }

    /** As {@link #createHVector(int, int, int, Datatype)}. */
    public static Datatype createHVector(final long count, final long blockLength, final long stride, final Datatype oldType)
            throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.hvector(count, blockLength, stride, layoutOf(oldType)));
    }

    /** Block {@code i} has {@code blockLengths[i]} elements from {@code displacements[i]} extents of the old type on. */
    public static Datatype createIndexed(final int[] blockLengths, final int[] displacements, final Datatype oldType) throws MPIException {
        return createIndexed(widen(blockLengths), widen(displacements), oldType);
    }

    /** As {@link #createIndexed(int[], int[], Datatype)}. */
    public static Datatype createIndexed(final long[] blockLengths, final long[] displacements, final Datatype oldType) throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.indexed(blockLengths, displacements, layoutOf(oldType)));
    }

    /** As {@link #createIndexed(int[], int[], Datatype)}, with the displacements in bytes. */
    public static Datatype createHIndexed(final int[] blockLengths, final int[] displacements, final Datatype oldType) throws MPIException {
        return createHIndexed(widen(blockLengths), widen(displacements), oldType);
    }

    /** As {@link #createHIndexed(int[], int[], Datatype)}. */
    public static Datatype createHIndexed(final long[] blockLengths, final long[] displacements, final Datatype oldType) throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.hindexed(blockLengths, displacements, layoutOf(oldType)));
    }

    /** Block {@code i} has {@code blockLengths[i]} elements of {@code types[i]} from byte {@code displacements[i]} on. */
    public static Datatype createStruct(final int[] blockLengths, final int[] displacements, final Datatype[] types) throws MPIException {
        return createStruct(widen(blockLengths), widen(displacements), types);
    }

    /** As {@link #createStruct(int[], int[], Datatype[])}. */
    public static Datatype createStruct(final long[] blockLengths, final long[] displacements, final Datatype[] types) throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.struct(blockLengths, displacements, map(types, Datatype::layoutOf)));
    }

    /** The same data with another lower bound and extent. */
    public static Datatype createResized(final Datatype oldType, final int lb, final int extent) throws MPIException {
        return createResized(oldType, (long) lb, extent);
    }

    /** As {@link #createResized(Datatype, int, int)}. */
    public static Datatype createResized(final Datatype oldType, final long lb, final long extent) throws MPIException {
        final tutti.runtime.datatype.Datatype old = checked(oldType);
        final long base = old.baseSize();
        if (Math.multiplyHigh(lb, base) != lb * base >> 63 || Math.multiplyHigh(extent, base) != extent * base >> 63) {
            throw ErrorHandling.error(Constants.ERR_ARG, "type is larger than 63 bits can say: lb=" + lb + ", extent=" + extent);
        }
        return make(() -> tutti.runtime.datatype.Datatype.resized(old, lb * base, extent * base));
    }

    private static Datatype make(final Supplier<tutti.runtime.datatype.Datatype> type) throws MPIException {
        try {
            return derived(type.get());
        } catch (final MpiFailure e) {
            throw ErrorHandling.error(e);
        }
    }

    private static long[] widen(final int[] values) {
        return values == null ? null : Arrays.stream(values).asLongStream().toArray();
    }

    /** Gives the type a name. */
    public void setName(final String name) throws MPIException {
        checked(this);
        this.name = ObjectNames.shorten(name);
    }

    /** The name; empty when nobody gave one. */
    public String getName() throws MPIException {
        checked(this);
        return name;
    }

    /** Makes a key for attributes of types; duplicates get them as they are. */
    public static int createKeyval() throws MPIException {
        return createKeyval(null, null);
    }

    /**
     * Makes a key for attributes of types. Not in Open MPI's bindings.
     *
     * @param copy   says what duplicates get; null for the same value
     * @param delete hears of attributes that go, or null
     */
    public static int createKeyval(final AttributeCopy<? super Datatype> copy, final AttributeDelete<? super Datatype> delete)
            throws MPIException {
        return Keyvals.ofCaller().create(Datatype.class, copy, delete);
    }

    /** Lets go of a key; types keep the attributes that they have by it. */
    public static void freeKeyval(final int keyval) throws MPIException {
        Keyvals.ofCaller().free(Datatype.class, keyval);
    }

    /** Gives the type an attribute. */
    public void setAttr(final int keyval, final Object value) throws MPIException {
        checked(this);
        attributes.set(keyval(keyval), value);
    }

    /** The value of an attribute; null when the type has none of that key. */
    public Object getAttr(final int keyval) throws MPIException {
        checked(this);
        return attributes.get(keyval(keyval));
    }

    /** Takes an attribute away. */
    public void deleteAttr(final int keyval) throws MPIException {
        checked(this);
        attributes.delete(keyval(keyval));
    }

    private static Keyvals.Keyval keyval(final int number) throws MPIException {
        return Keyvals.ofCaller().get(Datatype.class, number);
    }

    @Override
    public String toString() {
        return name.isEmpty() ? handle.name() : name;
    }
}
