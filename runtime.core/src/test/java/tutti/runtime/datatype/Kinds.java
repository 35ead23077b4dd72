package tutti.runtime.datatype;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;

/** Predefined types and memory of every kind for the tests. */
final class Kinds {
    static final List<Datatype> BASIC = List.of(Datatype.BYTE, Datatype.CHAR, Datatype.SHORT, Datatype.BOOLEAN, Datatype.INT, Datatype.LONG,
        Datatype.FLOAT, Datatype.DOUBLE, Datatype.FLOAT_COMPLEX, Datatype.DOUBLE_COMPLEX, Datatype.INT2, Datatype.SHORT_INT,
        Datatype.LONG_INT, Datatype.FLOAT_INT, Datatype.DOUBLE_INT);
    static final List<Op> OPS = List.of(Op.MAX, Op.MIN, Op.SUM, Op.PROD, Op.LAND, Op.BAND, Op.LOR, Op.BOR, Op.LXOR, Op.BXOR,
        Op.MINLOC, Op.MAXLOC, Op.REPLACE, Op.NO_OP);

    private Kinds() {
    }

    /** Returns at least {@code bytes} bytes of every kind of memory. */
    static List<MemorySegment> memories(final int bytes) {
        final int n = bytes / 8 + 1;
        return List.of(MemorySegment.ofArray(new byte[8 * n]), MemorySegment.ofArray(new char[4 * n]), MemorySegment.ofArray(new short[4 * n]),
            MemorySegment.ofArray(new int[2 * n]), MemorySegment.ofArray(new long[n]), MemorySegment.ofArray(new float[2 * n]),
            MemorySegment.ofArray(new double[n]), Arena.ofAuto().allocate(8L * n));
    }

    static byte[] random(final int bytes, final long seed) {
        final byte[] result = new byte[bytes];
        new Random(seed).nextBytes(result);
        return result;
    }
}
