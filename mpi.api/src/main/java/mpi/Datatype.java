package mpi;

import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;

/**
 * The datatype of the elements of a buffer. Safe for use by several threads, except for its name.
 *
 * <p>Every datatype has a base type, the Java type of the arrays that contain its elements; the base type of pairs and structures is byte, that of
 * complex numbers float or double. The units are those of Open MPI's bindings:
 * <ul>
 * <li>Sizes, extents and bounds that methods return count elements of the base type. What is no whole number of them is cut off towards 0.
 * <li>{@link #createHVector}, {@link #createHIndexed}, {@link #createStruct} and {@link #createResized} take strides, displacements and bounds in
 * bytes.
 * <li>{@link #createVector} and {@link #createIndexed} take strides and displacements in extents of the old datatype.
 * </ul>
 */
public final class Datatype implements Freeable, Cloneable {
    // Cause: no datatype, or `MPI.DATATYPE_NULL`. Remedy: give it.
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

    /** Creates a datatype that the standard or the bindings define. */
    static Datatype predefined(final tutti.runtime.datatype.Datatype handle) {
        return new Datatype(handle, (handle.isNull() ? "MPI_DATATYPE_" : "MPI_") + handle.name(), true);
    }

    /** Creates a datatype that a program derived; it is not committed. */
    static Datatype derived(final tutti.runtime.datatype.Datatype handle) {
        return new Datatype(handle, "", false);
    }

    /** Creates a datatype that is committed without a call of the program. */
    static Datatype ready(final tutti.runtime.datatype.Datatype handle) {
        final Datatype type = derived(handle);
        type.committed = true;
        return type;
    }

    /**
     * Returns the runtime's datatype, for communication. For a datatype that is not committed this is one that the runtime refuses with the
     * reason if the argument is significant.
     */
    static tutti.runtime.datatype.Datatype of(final @Nullable Datatype type) {
        return type == null ? NONE : type.committed || type.handle.isNull() ? type.handle
            : tutti.runtime.datatype.Datatype.unusable("datatype is not committed: type=" + type + ", call commit() before communication");
    }

    /** Returns the runtime's datatype, for the construction of other datatypes. */
    static tutti.runtime.datatype.Datatype layoutOf(final Datatype type) {
        return type == null ? NONE : type.handle;
    }

    /** Returns the runtime's datatypes, for communication; null for null. */
    static tutti.runtime.datatype.Datatype @Nullable [] of(final Datatype @Nullable [] types) {
        return map(types, Datatype::of);
    }

    private static tutti.runtime.datatype.Datatype @Nullable [] map(final Datatype @Nullable [] types,
        final Function<Datatype, tutti.runtime.datatype.Datatype> function) {
        return types == null ? null : Arrays.stream(types).map(function).toArray(tutti.runtime.datatype.Datatype[]::new);
    }

    /** Returns the runtime's datatype; throws for null datatypes. */
    static tutti.runtime.datatype.Datatype checked(final Datatype type) throws MPIException {
        final tutti.runtime.datatype.Datatype handle = layoutOf(type);
        try {
            tutti.runtime.datatype.Datatype.checkType(handle);
        } catch (final MpiFailure e) {
            throw ErrorHandling.error(e);
        }
        return handle;
    }

    /** Returns the lower bound, in elements of the base type. */
    public int getLb() throws MPIException {
        return narrow(getLbX());
    }

    /** Returns the lower bound as a count of 64 bits. Not in Open MPI's bindings, like the other methods here that return a {@link Count}. */
    public Count getLbX() throws MPIException {
        return inBase(checked(this).lowerBound());
    }

    /** Returns the extent: the distance from element to element, in elements of the base type. */
    public int getExtent() throws MPIException {
        return narrow(getExtentX());
    }

    /** Returns the same as {@link #getExtent}, as a count of 64 bits. */
    public Count getExtentX() throws MPIException {
        return inBase(checked(this).extent());
    }

    /** Returns the true lower bound: the position of the first data, in elements of the base type. */
    public int getTrueLb() throws MPIException {
        return narrow(getTrueLbX());
    }

    /** Returns the same as {@link #getTrueLb}, as a count of 64 bits. */
    public Count getTrueLbX() throws MPIException {
        return inBase(checked(this).trueLowerBound());
    }

    /** Returns the true extent: the distance from the first data to the end of the last, in elements of the base type. */
    public int getTrueExtent() throws MPIException {
        return narrow(getTrueExtentX());
    }

    /** Returns the same as {@link #getTrueExtent}, as a count of 64 bits. */
    public Count getTrueExtentX() throws MPIException {
        return inBase(checked(this).trueExtent());
    }

    /** Returns the size: the data of an element without the gaps, in elements of the base type. */
    public int getSize() throws MPIException {
        return narrow(getSizeX());
    }

    /** Returns the same as {@link #getSize}, as a count of 64 bits. */
    public Count getSizeX() throws MPIException {
        return inBase(checked(this).size());
    }

    private Count inBase(final long bytes) {
        return new Count(bytes / handle.baseSize());
    }

    /** Returns the value as an int; {@code MPI.UNDEFINED} if an int cannot represent it, as the standard requires. */
    private static int narrow(final Count count) {
        final long n = count.getCount();
        return n == (int) n ? (int) n : MPI.UNDEFINED;
    }

    /** Commits the datatype for use in communication. Does nothing if it is committed. */
    public void commit() throws MPIException {
        checked(this);
        committed = true;
    }

    /** Returns whether the datatype may be used in communication; predefined datatypes and those of structures are always committed. */
    boolean isCommitted() {
        return committed;
    }

    /**
     * Frees a derived datatype and its attributes. Pending communication with it completes, and datatypes that are derived from it stay valid.
     */
    @Override
    public void free() throws MPIException {
        checked(this);
        if (isPredefined) {
            // Cause: `MPI.INT` and its like belong to the library. Remedy: do not free it.
            throw ErrorHandling.error(MPI.ERR_TYPE, "predefined datatype cannot be freed: type=" + name);
        }
        attributes.clear();
        // Remedy: free it after its last use.
        handle = tutti.runtime.datatype.Datatype.unusable("datatype was freed: type=" + this);
    }

    /** Returns whether the datatype was freed or is {@code MPI.DATATYPE_NULL}. */
    public boolean isNull() {
        return handle.isNull();
    }

    /** Duplicates the datatype as {@link #dup} does; the copy of the null datatype is null. */
    @Override
    public Datatype clone() {
        try {
            return handle.isNull() ? derived(handle) : dup();
        } catch (final MPIException e) {
            throw new IllegalStateException("cannot copy the attributes of a datatype: type=" + this, e);
        }
    }

    /**
     * Duplicates the datatype: the new one has the same layout, is committed if this one is, and is valid for the same operations. It has the
     * attributes that are copied, and no name.
     */
    public Datatype dup() throws MPIException {
        final Datatype copy = derived(checked(this).dup());
        copy.committed = committed;
        attributes.copyTo(copy.attributes);
        return copy;
    }

    /** Creates a datatype of {@code count} contiguous elements. */
    public static Datatype createContiguous(final int count, final Datatype oldType) throws MPIException {
        return createContiguous((long) count, oldType);
    }

    /**
     * Creates a datatype as {@link #createContiguous(int, Datatype)} does, with a {@code long} count. Not in Open MPI's bindings, like all methods
     * here that take longs.
     */
    public static Datatype createContiguous(final long count, final Datatype oldType) throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.contiguous(count, layoutOf(oldType)));
    }

    /**
     * Creates a datatype of equally spaced blocks.
     *
     * @param count       number of blocks
     * @param blockLength number of elements in each block
     * @param stride      distance from block to block, in extents of the old datatype
     * @param oldType     datatype of the elements
     */
    public static Datatype createVector(final int count, final int blockLength, final int stride, final Datatype oldType) throws MPIException {
        return createVector((long) count, blockLength, stride, oldType);
    }

    /** Creates a datatype as {@link #createVector(int, int, int, Datatype)} does, with {@code long} arguments. */
    public static Datatype createVector(final long count, final long blockLength, final long stride, final Datatype oldType)
        throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.vector(count, blockLength, stride, layoutOf(oldType)));
    }

    /** Creates a datatype as {@link #createVector(int, int, int, Datatype)} does, with the stride in bytes. */
    public static Datatype createHVector(final int count, final int blockLength, final int stride, final Datatype oldType) throws MPIException {
        return createHVector((long) count, blockLength, stride, oldType);
    }

    /** Creates a datatype as {@link #createHVector(int, int, int, Datatype)} does, with {@code long} arguments. */
    public static Datatype createHVector(final long count, final long blockLength, final long stride, final Datatype oldType)
        throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.hvector(count, blockLength, stride, layoutOf(oldType)));
    }

    /**
     * Creates a datatype of blocks at given displacements.
     *
     * @param blockLengths  number of elements in each block
     * @param displacements position of each block, in extents of the old datatype
     * @param oldType       datatype of the elements
     */
    public static Datatype createIndexed(final int[] blockLengths, final int[] displacements, final Datatype oldType) throws MPIException {
        return createIndexed(Counts.given("block lengths", blockLengths), Counts.given("displacements", displacements), oldType);
    }

    /** Creates a datatype as {@link #createIndexed(int[], int[], Datatype)} does, with {@code long} arguments. */
    public static Datatype createIndexed(final long[] blockLengths, final long[] displacements, final Datatype oldType) throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.indexed(blockLengths, displacements, layoutOf(oldType)));
    }

    /** Creates a datatype as {@link #createIndexed(int[], int[], Datatype)} does, with the displacements in bytes. */
    public static Datatype createHIndexed(final int[] blockLengths, final int[] displacements, final Datatype oldType) throws MPIException {
        return createHIndexed(Counts.given("block lengths", blockLengths), Counts.given("displacements", displacements), oldType);
    }

    /** Creates a datatype as {@link #createHIndexed(int[], int[], Datatype)} does, with {@code long} arguments. */
    public static Datatype createHIndexed(final long[] blockLengths, final long[] displacements, final Datatype oldType) throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.hindexed(blockLengths, displacements, layoutOf(oldType)));
    }

    /**
     * Creates a datatype of blocks of different datatypes.
     *
     * @param blockLengths  number of elements in each block
     * @param displacements position of each block, in bytes
     * @param types         datatype of the elements of each block
     */
    public static Datatype createStruct(final int[] blockLengths, final int[] displacements, final Datatype[] types) throws MPIException {
        return createStruct(Counts.given("block lengths", blockLengths), Counts.given("displacements", displacements), types);
    }

    /** Creates a datatype as {@link #createStruct(int[], int[], Datatype[])} does, with {@code long} arguments. */
    public static Datatype createStruct(final long[] blockLengths, final long[] displacements, final Datatype[] types) throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.struct(blockLengths, displacements, map(types, Datatype::layoutOf)));
    }

    /**
     * Creates a datatype of the same data with another lower bound and extent: a column of a matrix of doubles, for example, after which the next
     * column follows, by {@code createResized(createVector(rows, 1, columns, MPI.DOUBLE), 0, 8)}.
     *
     * @param oldType datatype with the data
     * @param lb      lower bound in bytes
     * @param extent  extent in bytes
     */
    public static Datatype createResized(final Datatype oldType, final int lb, final int extent) throws MPIException {
        return createResized(oldType, (long) lb, extent);
    }

    /** Creates a datatype as {@link #createResized(Datatype, int, int)} does, with {@code long} arguments. */
    public static Datatype createResized(final Datatype oldType, final long lb, final long extent) throws MPIException {
        return make(() -> tutti.runtime.datatype.Datatype.resized(layoutOf(oldType), lb, extent));
    }

    private static Datatype make(final Supplier<tutti.runtime.datatype.Datatype> type) throws MPIException {
        try {
            return derived(type.get());
        } catch (final MpiFailure e) {
            throw ErrorHandling.error(e);
        }
    }

    /** Sets the name of the datatype. */
    public void setName(final String name) throws MPIException {
        checked(this);
        this.name = ObjectNames.shorten(name);
    }

    /** Returns the name; empty if none was set, and that of {@code MPI.DATATYPE_NULL} if the datatype is null. */
    public String getName() throws MPIException {
        return isNull() ? "MPI_DATATYPE_NULL" : name;
    }

    /** Creates an attribute key for datatypes. Duplicates do not get the values. */
    public static int createKeyval() throws MPIException {
        return createKeyval(null, null);
    }

    /**
     * Creates an attribute key for datatypes, with callbacks. Not in Open MPI's bindings.
     *
     * @param copy   computes the value that a duplicate gets, {@code (type, key, value) -> value} to copy it unchanged; null to copy nothing
     * @param delete runs before an attribute is removed; null for no callback
     */
    public static int createKeyval(final @Nullable AttributeCopy<? super Datatype> copy,
        final @Nullable AttributeDelete<? super Datatype> delete) throws MPIException {
        return Keyvals.ofCaller().create(Datatype.class, copy, delete);
    }

    /** Frees an attribute key. Attributes that have it stay: they can be read and deleted, and callbacks run, but no more can be set. */
    public static void freeKeyval(final int keyval) throws MPIException {
        Keyvals.ofCaller().free(Datatype.class, keyval);
    }

    /** Sets an attribute, whose value may be null; an existing value of the key is deleted first. */
    public void setAttr(final int keyval, final @Nullable Object value) throws MPIException {
        checked(this);
        final Keyvals keyvals = Keyvals.ofCaller();
        attributes.set(checked(keyvals, keyvals.findUsable(Datatype.class, keyval), keyval), value);
    }

    /** Returns the value of an attribute; null if the datatype has none of that key. */
    public @Nullable Object getAttr(final int keyval) throws MPIException {
        checked(this);
        return attributes.get(keyval(keyval));
    }

    /** Deletes an attribute, if there is one. */
    public void deleteAttr(final int keyval) throws MPIException {
        checked(this);
        attributes.delete(keyval(keyval));
    }

    private static Keyvals.Keyval keyval(final int number) throws MPIException {
        final Keyvals keyvals = Keyvals.ofCaller();
        return checked(keyvals, keyvals.find(Datatype.class, number), number);
    }

    private static Keyvals.Keyval checked(final Keyvals keyvals, final Keyvals.@Nullable Keyval found, final int number) throws MPIException {
        if (found == null) {
            throw ErrorHandling.error(MPI.ERR_KEYVAL, keyvals.problem(Datatype.class, number));
        }
        return found;
    }

    @Override
    public String toString() {
        return name.isEmpty() ? handle.name() : name;
    }
}
