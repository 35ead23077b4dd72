package mpi;

import java.util.Arrays;
import java.util.function.Function;
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
    private tutti.runtime.datatype.Datatype handle;
    private volatile boolean isCommitted;
    private String name;

    private Datatype(final tutti.runtime.datatype.Datatype handle, final String name, final boolean isPredefined) {
        this.handle = handle;
        this.name = name;
        this.isPredefined = isPredefined;
        this.isCommitted = isPredefined;
    }

    /** A type that the standard or the bindings define. */
    static Datatype predefined(final tutti.runtime.datatype.Datatype handle) {
        return new Datatype(handle, (handle.isNull() ? "MPI_DATATYPE_" : "MPI_") + handle.name(), true);
    }

    /** A type that a program made. */
    static Datatype derived(final tutti.runtime.datatype.Datatype handle) {
        return new Datatype(handle, "", false);
    }

    /** As {@link #derived}, ready for communication. */
    static Datatype committed(final tutti.runtime.datatype.Datatype handle) {
        final Datatype made = derived(handle);
        made.isCommitted = true;
        return made;
    }

    /**
     * What the runtime knows the type by, for communication. For one that is not ready that is a type which the runtime refuses with the
     * reason, unless the argument does not matter.
     */
    static tutti.runtime.datatype.Datatype of(final Datatype type) {
        return type == null ? NONE : type.isCommitted || type.handle.isNull() ? type.handle
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
            throw Errors.error(e);
        }
        return handle;
    }

    /** The lower bound. */
    public int getLb() throws MPIException {
        return inBase(checked(this).lowerBound());
    }

    /** The distance from element to element. */
    public int getExtent() throws MPIException {
        return inBase(checked(this).extent());
    }

    /** Where the first data lies. */
    public int getTrueLb() throws MPIException {
        return inBase(checked(this).trueLowerBound());
    }

    /** The distance from the first data to the end of the last. */
    public int getTrueExtent() throws MPIException {
        return inBase(checked(this).trueExtent());
    }

    /** The data of an element without the gaps. */
    public int getSize() throws MPIException {
        return inBase(checked(this).size());
    }

    /** {@code MPI.UNDEFINED} where an int cannot say it, as MPI wants it. */
    private int inBase(final long bytes) {
        final long n = Math.floorDiv(bytes, handle.baseSize());
        return n == (int) n ? (int) n : Constant.UNDEFINED;
    }

    /** Makes the type ready for communication. Types that are only part of others need not be. */
    public void commit() throws MPIException {
        checked(this);
        isCommitted = true;
    }

    /** Lets go of a derived type; communication that is under way with it goes on. */
    @Override
    public void free() throws MPIException {
        checked(this);
        if (isPredefined) {
            throw Errors.error(Constant.ERR_TYPE, "predefined datatype cannot be freed: type=" + name);
        }
        handle = tutti.runtime.datatype.Datatype.unusable("datatype was freed: type=" + this);
    }

    /** Whether the type was freed or is {@code MPI.DATATYPE_NULL}. */
    public boolean isNull() {
        return handle.isNull();
    }

    /** A copy; as {@link #dup}. */
    @Override
    public Datatype clone() {
        return copy(handle.isNull() ? handle : handle.dup());
    }

    /** A type of its own with the same layout. */
    public Datatype dup() throws MPIException {
        return copy(checked(this).dup());
    }

    private Datatype copy(final tutti.runtime.datatype.Datatype duplicate) {
        return isCommitted ? committed(duplicate) : derived(duplicate);
    }

    /** {@code count} elements one after the other. */
    public static Datatype createContiguous(final int count, final Datatype oldType) throws MPIException {
        try {
            return derived(tutti.runtime.datatype.Datatype.contiguous(count, layoutOf(oldType)));
        } catch (final MpiFailure e) {
            throw Errors.error(e);
        }
    }

    /** {@code count} blocks of {@code blockLength} elements; {@code stride} counts extents of the old type from block to block. */
    public static Datatype createVector(final int count, final int blockLength, final int stride, final Datatype oldType) throws MPIException {
        try {
            return derived(tutti.runtime.datatype.Datatype.vector(count, blockLength, stride, layoutOf(oldType)));
        } catch (final MpiFailure e) {
            throw Errors.error(e);
        }
    }

    /** As {@link #createVector}, with the stride in bytes. */
    public static Datatype createHVector(final int count, final int blockLength, final int stride, final Datatype oldType) throws MPIException {
        try {
            return derived(tutti.runtime.datatype.Datatype.hvector(count, blockLength, stride, layoutOf(oldType)));
        } catch (final MpiFailure e) {
            throw Errors.error(e);
        }
    }

    /** Block {@code i} has {@code blockLengths[i]} elements from {@code displacements[i]} extents of the old type on. */
    public static Datatype createIndexed(final int[] blockLengths, final int[] displacements, final Datatype oldType) throws MPIException {
        try {
            return derived(tutti.runtime.datatype.Datatype.indexed(widen(blockLengths), widen(displacements), layoutOf(oldType)));
        } catch (final MpiFailure e) {
            throw Errors.error(e);
        }
    }

    /** As {@link #createIndexed}, with the displacements in bytes. */
    public static Datatype createHIndexed(final int[] blockLengths, final int[] displacements, final Datatype oldType) throws MPIException {
        try {
            return derived(tutti.runtime.datatype.Datatype.hindexed(widen(blockLengths), widen(displacements), layoutOf(oldType)));
        } catch (final MpiFailure e) {
            throw Errors.error(e);
        }
    }

    /** Block {@code i} has {@code blockLengths[i]} elements of {@code types[i]} from byte {@code displacements[i]} on. */
    public static Datatype createStruct(final int[] blockLengths, final int[] displacements, final Datatype[] types) throws MPIException {
        try {
            return derived(tutti.runtime.datatype.Datatype.struct(widen(blockLengths), widen(displacements), map(types, Datatype::layoutOf)));
        } catch (final MpiFailure e) {
            throw Errors.error(e);
        }
    }

    /** The same data with another lower bound and extent. */
    public static Datatype createResized(final Datatype oldType, final int lb, final int extent) throws MPIException {
        final tutti.runtime.datatype.Datatype old = checked(oldType);
        try {
            return derived(tutti.runtime.datatype.Datatype.resized(old, lb * old.baseSize(), extent * old.baseSize()));
        } catch (final MpiFailure e) {
            throw Errors.error(e);
        }
    }

    private static long[] widen(final int[] values) {
        if (values == null) {
            return null;
        }
        final long[] wide = new long[values.length];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = values[i];
        }
        return wide;
    }

    /** Gives the type a name. */
    public void setName(final String name) throws MPIException {
        checked(this);
        this.name = Names.shorten(name);
    }

    /** The name; empty when nobody gave one. */
    public String getName() throws MPIException {
        checked(this);
        return name;
    }

    @Override
    public String toString() {
        return name.isEmpty() ? handle.name() : name;
    }
}
