package tutti.runtime.comm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

/** Maps x to a*x+b, whose composition is associative and not commutative: reductions that are not in rank order give a different result. */
final class LinearMaps {
    /** An element: the pair (a, b). */
    static final Datatype MAP = Datatype.contiguous(2, Datatype.LONG);
    /** Applies the second after the first. Uses arrays, since rarely run code is slow on memory segments. */
    static final Op COMPOSE = Op.user("compose", false, (in, inout, count, type) -> {
        final long[] first = in.asSlice(0, count * MAP.size()).toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        final long[] second = inout.asSlice(0, count * MAP.size()).toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        compose(first, second, second);
        MemorySegment.copy(second, 0, inout, ValueLayout.JAVA_LONG_UNALIGNED, 0, second.length);
    });

    private LinearMaps() {}

    private static void compose(final long[] first, final long[] second, final long[] into) {
        for (int i = 0; i < first.length; i += 2) {
            into[i + 1] = first[i] * second[i + 1] + first[i + 1];
            into[i] = first[i] * second[i];
        }
    }

    /** Returns the maps of a rank, from {@code first} on. */
    static long[] of(final int rank, final int first, final int count) {
        final long[] maps = new long[2 * count];
        for (int i = 0; i < count; i++) {
            maps[2 * i] = 2L * rank + 3;
            maps[2 * i + 1] = rank + first + i + 1;
        }
        return maps;
    }

    /** Returns the composition of the maps of the ranks from {@code from} up to, not including, {@code to}, from {@code first} on. */
    static long[] composed(final int from, final int to, final int first, final int count) {
        final long[] maps = of(from, first, count);
        for (int r = from + 1; r < to; r++) {
            compose(maps, of(r, first, count), maps);
        }
        return maps;
    }
}
