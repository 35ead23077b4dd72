package tutti.runtime.datatype;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * A reduction operation, predefined or user-defined. Immutable, for any thread; equal only to itself.
 *
 * <p>Bytes and chars are unsigned integers. MAX and MIN of floating point numbers follow {@link Math#max(double, double)}: NaN wins. Logical
 * operations return 0 or 1.
 */
public final class Op {
    /** Maximum. */
    public static final Op MAX = new Op(OpCode.MAX);
    /** Minimum. */
    public static final Op MIN = new Op(OpCode.MIN);
    /** Sum. */
    public static final Op SUM = new Op(OpCode.SUM);
    /** Product. */
    public static final Op PROD = new Op(OpCode.PROD);
    /** Logical and. */
    public static final Op LAND = new Op(OpCode.LAND);
    /** Bitwise and. */
    public static final Op BAND = new Op(OpCode.BAND);
    /** Logical or. */
    public static final Op LOR = new Op(OpCode.LOR);
    /** Bitwise or. */
    public static final Op BOR = new Op(OpCode.BOR);
    /** Logical exclusive or. */
    public static final Op LXOR = new Op(OpCode.LXOR);
    /** Bitwise exclusive or. */
    public static final Op BXOR = new Op(OpCode.BXOR);
    /** Minimum and its index; of equal values the lower index. */
    public static final Op MINLOC = new Op(OpCode.MINLOC);
    /** Maximum and its index; of equal values the lower index. */
    public static final Op MAXLOC = new Op(OpCode.MAXLOC);
    /** The first operand replaces the second one; defined on any type. */
    public static final Op REPLACE = new Op(OpCode.REPLACE);
    /** The second operand is unchanged; defined on any type. */
    public static final Op NO_OP = new Op(OpCode.NO_OP);

    private static final Op[] PREDEFINED = {MAX, MIN, SUM, PROD, LAND, BAND, LOR, BOR, LXOR, BXOR, MINLOC, MAXLOC, REPLACE, NO_OP};
    private static final Datatype[] BASIC = {Datatype.BYTE, Datatype.CHAR, Datatype.SHORT, Datatype.BOOLEAN, Datatype.INT, Datatype.LONG,
        Datatype.FLOAT, Datatype.DOUBLE, Datatype.FLOAT_COMPLEX, Datatype.DOUBLE_COMPLEX, Datatype.INT2, Datatype.SHORT_INT,
        Datatype.LONG_INT, Datatype.FLOAT_INT, Datatype.DOUBLE_INT};

    private final String name;
    private final boolean commutative;
    /** Null for a user-defined operation. */
    private final @Nullable OpCode code;
    /** Null for a predefined operation. */
    private final @Nullable UserReduction function;
    /** Cached reductions: by kind for predefined types, the last one for others. A race costs a second object that is equal. */
    private final @Nullable BoundReduction[] bound = new BoundReduction[ElementKind.values().length];

    private Op(final OpCode code) {
        this.name = code.name();
        this.code = code;
        this.commutative = !isForWindows();
        this.function = null;
    }

    private Op(final String name, final boolean commutative, final UserReduction function) {
        this.name = Objects.requireNonNull(name, "name");
        this.commutative = commutative;
        this.code = null;
        this.function = Objects.requireNonNull(function, "function");
    }

    /**
     * Creates a user-defined operation; it must be associative.
     *
     * @param name tells operations apart that ranks use in one call: equal on all ranks for the same operation
     */
    public static Op user(final String name, final boolean commutative, final UserReduction function) {
        return new Op(name, commutative, function);
    }

    /** Returns the predefined datatype of a kind. */
    public static Datatype basic(final ElementKind kind) {
        return BASIC[kind.ordinal()];
    }

    /** Returns a predefined operation by its {@link #code}; null when there is none. */
    public static @Nullable Op ofCode(final int code) {
        return code >= 0 && code < PREDEFINED.length ? PREDEFINED[code] : null;
    }

    /** Returns the number of a predefined operation, the same on all nodes; -1 for a user-defined one. */
    public int code() {
        return code == null ? -1 : code.ordinal();
    }

    /** Returns the name: without {@code MPI_} for a predefined operation, or as the program gave it. */
    public String name() {
        return name;
    }

    /** Returns whether the operation is commutative. */
    public boolean isCommutative() {
        return commutative;
    }

    /** Returns whether the operation is for one-sided communication only: {@link #REPLACE} and {@link #NO_OP}. */
    public boolean isForWindows() {
        return code == OpCode.REPLACE || code == OpCode.NO_OP;
    }

    /** Returns whether the operation is user-defined. */
    public boolean isUser() {
        return function != null;
    }

    /** Returns a number that differs between user-defined operations, and is equal on all ranks for the same one; 0 for a predefined operation. */
    public int userCode() {
        return function == null ? 0 : 31 * name.hashCode() + Boolean.hashCode(commutative);
    }

    /**
     * Returns this operation on elements of a type; allocates nothing when they were bound before.
     *
     * @throws MpiFailure of class OP if the MPI standard does not define it, of class TYPE for {@link Datatype#NULL}
     */
    public BoundReduction bind(final Datatype type) {
        Datatype.checkType(type);
        final int slot = type.elementKind().ordinal();
        final BoundReduction before = bound[slot];
        if (before != null && (before.type() == type || function == null && type.elementKind() != ElementKind.NONE)) {
            return before;
        }
        final BoundReduction made = function != null ? new BoundUserReduction(this, function, type)
            : predefined(Objects.requireNonNull(code, "operation has neither a function nor a code"), type);
        bound[slot] = made;
        return made;
    }

    private BoundReduction predefined(final OpCode opCode, final Datatype type) {
        final ElementKind kind = type.elementKind();
        if (!isForWindows() && !kind.allows(opCode)) {
            throw new MpiFailure(ErrorClass.OP, kind == ElementKind.NONE && type != Datatype.PACKED
                ? "predefined operation on a derived type: op=" + name + ", type=" + type.name() + ", use a user-defined operation"
                // Cause: for example `MPI.BAND` on `MPI.DOUBLE`. Remedy: another operation or datatype.
                : "operation not defined on type: op=" + name + ", type=" + type.name());
        }
        return new PredefinedReduction(this, opCode, kind == ElementKind.NONE ? type : BASIC[kind.ordinal()]);
    }

    @Override
    public String toString() {
        return name;
    }
}
