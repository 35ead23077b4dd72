package mpi;

import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

/** Lookup of the runtime's predefined datatypes and operations by name. */
final class Predefined {
    private static final Datatype[] TYPES = {Datatype.NULL, Datatype.BYTE, Datatype.CHAR, Datatype.SHORT, Datatype.BOOLEAN, Datatype.INT,
        Datatype.LONG, Datatype.FLOAT, Datatype.DOUBLE, Datatype.PACKED, Datatype.FLOAT_COMPLEX, Datatype.DOUBLE_COMPLEX};
    private static final Op[] OPS = {Op.MAX, Op.MIN, Op.SUM, Op.PROD, Op.LAND, Op.BAND, Op.LOR, Op.BOR, Op.LXOR, Op.BXOR,
        Op.MINLOC, Op.MAXLOC, Op.REPLACE, Op.NO_OP};

    private Predefined() {}

    static Datatype datatype(final String name) {
        for (final Datatype type : TYPES) {
            if (type.name().equals(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException("no such type: name=" + name);
    }

    static Op op(final String name) {
        for (final Op op : OPS) {
            if (op.name().equals(name)) {
                return op;
            }
        }
        throw new IllegalArgumentException("no such operation: name=" + name);
    }
}
