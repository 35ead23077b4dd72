package tutti.runtime.comm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tutti.runtime.datatype.Datatype;

/**
 * A datatype and, computed without it, the offset of each byte of an item. Items of a family have equal signatures in all layouts: they can be
 * sent as one type and received as another.
 *
 * @param type   datatype of the calls
 * @param each   elements of the type per item
 * @param bytes  offset of each packed byte of an item
 * @param extent bytes from item to item
 * @param ints   whether buffers may be arrays of ints, else they are bytes
 */
record ItemLayout(Datatype type, int each, int[] bytes, int extent, boolean ints) {
    /** Returns the layouts of a family whose items are six ints. */
    static final int INTS = 6;

    private static final Datatype INT = Datatype.INT;
    private static final List<ItemLayout> SIX_INTS = sixInts();
    private static final List<ItemLayout> MIXED = mixed();
    private static final Map<Datatype, ItemLayout> BY_TYPE = byType();

    /** Returns layouts of six ints whose data is located behind the start of the item. */
    static List<ItemLayout> sixIntsHere() {
        return SIX_INTS.subList(0, SIX_INTS.size() - 1);
    }

    /** Returns layouts of six ints; the last one has data before the start of the item. */
    static List<ItemLayout> sixIntsAnywhere() {
        return SIX_INTS;
    }

    /** Returns layouts of structures of a double, two ints, a short, a char and three bytes. */
    static List<ItemLayout> mixedKinds() {
        return MIXED;
    }

    static ItemLayout of(final Datatype type) {
        return BY_TYPE.get(type);
    }

    private static List<ItemLayout> sixInts() {
        final Datatype pair = Datatype.contiguous(2, INT);
        final Datatype spread = Datatype.hvector(3, 1, 20, Datatype.vector(2, 1, 2, INT));
        return List.of(
            ints(Datatype.contiguous(INTS, INT), 1, INTS, 0, 1, 2, 3, 4, 5),
            ints(INT, INTS, INTS, 0, 1, 2, 3, 4, 5),
            ints(Datatype.vector(3, 2, 4, INT), 1, 10, 0, 1, 4, 5, 8, 9),
            ints(Datatype.resized(Datatype.vector(2, 3, 5, INT), -4, 44), 1, 11, 0, 1, 2, 5, 6, 7),
            ints(Datatype.indexed(new long[] {2, 0, 1, 3}, new long[] {8, 99, 0, 3}, INT), 1, 10, 8, 9, 0, 3, 4, 5),
            // backwards from the last pair
            ints(Datatype.hindexed(new long[] {1}, new long[] {24}, Datatype.vector(3, 1, -1, Datatype.resized(pair, 0, 12))), 1, 9,
                6, 7, 3, 4, 0, 1),
            // three deep
            ints(Datatype.resized(Datatype.contiguous(1, spread), 0, 60), 1, 15, 0, 2, 5, 7, 10, 12),
            ints(Datatype.resized(Datatype.struct(new long[] {1, 2}, new long[] {4, 20}, pair, Datatype.resized(pair, 0, 12)), 0, 40).dup(), 1, 10,
                1, 2, 5, 6, 8, 9),
            ints(Datatype.resized(Datatype.hindexed(new long[] {2, 4}, new long[] {-8, 4}, INT), -8, 32), 1, 8, -2, -1, 1, 2, 3, 4));
    }

    private static ItemLayout ints(final Datatype type, final int each, final int extent, final int... places) {
        return new ItemLayout(type, each, Arrays.stream(places).flatMap(i -> IntStream.range(4 * i, 4 * i + 4)).toArray(), 4 * extent, true);
    }

    private static List<ItemLayout> mixed() {
        final Datatype[] kinds = {Datatype.DOUBLE, INT, Datatype.SHORT, Datatype.CHAR, Datatype.BYTE};
        final long[] lengths = {1, 2, 1, 1, 3};
        final Datatype dense = Datatype.struct(lengths, new long[] {0, 8, 16, 18, 20}, kinds);
        final Datatype head = Datatype.struct(new long[] {1, 1}, new long[] {0, 12}, Datatype.DOUBLE, INT);
        final Datatype tail = Datatype.struct(new long[] {1, 1, 1, 1, 2}, new long[] {0, 6, 4, 9, 11}, INT, Datatype.SHORT, Datatype.CHAR,
            Datatype.BYTE, Datatype.BYTE);
        return List.of(
            bytes(Datatype.resized(dense, 0, 23), 23, 0, 8, 8, 8, 16, 2, 18, 2, 20, 3),
            bytes(Datatype.struct(lengths, new long[] {8, 0, 18, 24, 28}, kinds), 32, 8, 8, 0, 8, 18, 2, 24, 2, 28, 3),
            bytes(Datatype.resized(Datatype.struct(lengths, new long[] {3, 13, 22, 24, 29}, kinds), -5, 41), 41, 3, 8, 13, 8, 22, 2, 24, 2, 29, 3),
            bytes(Datatype.resized(Datatype.struct(new long[] {1, 1}, new long[] {1, 17}, head, tail), 0, 37), 37,
                1, 8, 13, 4, 17, 4, 23, 2, 21, 2, 26, 1, 28, 2));
    }

    /** Returns a layout of blocks, which are given as offset and length. */
    private static ItemLayout bytes(final Datatype type, final int extent, final int... runs) {
        final List<Integer> places = new ArrayList<>();
        for (int i = 0; i < runs.length; i += 2) {
            for (int k = 0; k < runs[i + 1]; k++) {
                places.add(runs[i] + k);
            }
        }
        return new ItemLayout(type, 1, places.stream().mapToInt(i -> i).toArray(), extent, false);
    }

    private static Map<Datatype, ItemLayout> byType() {
        final Map<Datatype, ItemLayout> all = new HashMap<>();
        SIX_INTS.forEach(l -> all.put(l.type, l));
        MIXED.forEach(l -> all.put(l.type, l));
        return all;
    }

    /** Returns the number of packed bytes of an item. */
    int size() {
        return bytes.length;
    }

    /** Returns the bytes of a buffer of {@code items} items, if the first begins where its data does or before. */
    int span(final int items) {
        return items == 0 ? 0 : (items - 1) * extent + Arrays.stream(bytes).max().orElseThrow() + 1;
    }

    @Override
    public String toString() {
        return type.name() + (each == 1 ? "" : " x " + each);
    }
}
