package tutti.runtime.datatype;

import java.util.Set;

/**
 * The kind of an element for reductions: a number, a boolean, a complex number, or a value with an index.
 *
 * <p>The blocks of a derived type are of the first eight kinds or complex; a derived type as a whole is {@link #NONE}.
 */
public enum ElementKind {
    /** An unsigned 8-bit integer. */
    BYTE(1, 1, Legal.INTEGER),
    /** An unsigned 16-bit integer. */
    CHAR(2, 2, Legal.INTEGER),
    /** A signed 16-bit integer. */
    SHORT(2, 2, Legal.INTEGER),
    /** A boolean in one byte, 0 or 1. */
    BOOLEAN(1, 1, Legal.LOGICAL),
    /** A signed 32-bit integer. */
    INT(4, 4, Legal.INTEGER),
    /** A signed 64-bit integer. */
    LONG(8, 8, Legal.INTEGER),
    /** A floating point number of 32 bits. */
    FLOAT(4, 4, Legal.FLOATING),
    /** A floating point number of 64 bits. */
    DOUBLE(8, 8, Legal.FLOATING),
    /** Two floats: real and imaginary part. */
    FLOAT_COMPLEX(8, 4, Legal.COMPLEX),
    /** Two doubles: real and imaginary part. */
    DOUBLE_COMPLEX(16, 8, Legal.COMPLEX),
    /** An int and its index. */
    INT2(8, 4, Legal.PAIR),
    /** A short and its index. */
    SHORT_INT(6, 4, Legal.PAIR),
    /** A long and its index. */
    LONG_INT(12, 8, Legal.PAIR),
    /** A float and its index. */
    FLOAT_INT(8, 4, Legal.PAIR),
    /** A double and its index. */
    DOUBLE_INT(12, 8, Legal.PAIR),
    /** No kind for predefined operations: packed data and derived types. */
    NONE(0, 1, Set.of());

    private final int bytes;
    private final int alignment;
    private final Set<OpCode> legal;

    ElementKind(final int bytes, final int alignment, final Set<OpCode> legal) {
        this.bytes = bytes;
        this.alignment = alignment;
        this.legal = legal;
    }

    /** Returns the packed bytes of one element; 0 for {@link #NONE}. */
    public int bytes() {
        return bytes;
    }

    /** Returns the alignment in C, in bytes; it determines the padding at the end of structures. */
    int alignment() {
        return alignment;
    }

    /** Returns whether an element is a value with an index. */
    boolean isPair() {
        return legal == Legal.PAIR;
    }

    /** Returns whether the MPI standard defines the operation on elements of this kind. */
    boolean allows(final OpCode op) {
        return legal.contains(op);
    }

    /** The groups of types in the MPI standard's table of predefined operations. */
    private static final class Legal {
        static final Set<OpCode> INTEGER = Set.of(OpCode.MAX, OpCode.MIN, OpCode.SUM, OpCode.PROD,
            OpCode.LAND, OpCode.LOR, OpCode.LXOR, OpCode.BAND, OpCode.BOR, OpCode.BXOR);
        static final Set<OpCode> FLOATING = Set.of(OpCode.MAX, OpCode.MIN, OpCode.SUM, OpCode.PROD);
        static final Set<OpCode> COMPLEX = Set.of(OpCode.SUM, OpCode.PROD);
        static final Set<OpCode> LOGICAL = Set.of(OpCode.LAND, OpCode.LOR, OpCode.LXOR);
        static final Set<OpCode> PAIR = Set.of(OpCode.MINLOC, OpCode.MAXLOC);

        private Legal() {
        }
    }
}
