package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import tutti.runtime.collective.Collectives;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.Reserved;

/**
 * The contract of every collective with types that have gaps, bounds of their own and mixed kinds. Both sides use the same type or different
 * matching ones, in buffers of all kinds, in place and not; reductions use user-defined operations, commutative and not. The answers are exact;
 * gaps and send buffers stay unchanged.
 *
 * <p>A variant picks layouts, kinds of buffers, a count and a root, so that a dozen of them test all pairs of neighbouring choices. For the
 * thread of a rank; all ranks check the same variants.
 */
public final class DerivedTypesContract {
    /** Number of variants that differ. */
    public static final int VARIANTS = 18;

    private static final Object IN_PLACE = Reserved.IN_PLACE;
    private static final int[] COUNTS = {3, 1, 40, 0, 2};

    /** The exclusive or of all bytes. */
    private static final Op XOR = Op.user("xor", true, (in, inout, count, type) -> {
        final ItemLayout laid = ItemLayout.of(type);
        for (int i = 0; i < count; i++) {
            for (final int b : laid.bytes()) {
                final long at = item(laid, i, count) + b;
                inout.set(ValueLayout.JAVA_BYTE, at, (byte) (in.get(ValueLayout.JAVA_BYTE, at) ^ inout.get(ValueLayout.JAVA_BYTE, at)));
            }
        }
    });
    /** Composition of items of three maps x to a*x+b; an integer overflow does not matter. */
    private static final Op COMPOSE = Op.user("compose", false, (in, inout, count, type) -> {
        final ItemLayout laid = ItemLayout.of(type);
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < 2 * Integer.BYTES * 3; k += 2 * Integer.BYTES) {
                final long a = item(laid, i, count) + laid.bytes()[k];
                final long b = item(laid, i, count) + laid.bytes()[k + Integer.BYTES];
                final int factor = get(in, a);
                final int term = get(in, b) + factor * get(inout, b);
                inout.set(ValueLayout.JAVA_INT_UNALIGNED, a, factor * get(inout, a));
                inout.set(ValueLayout.JAVA_INT_UNALIGNED, b, term);
            }
        }
    });

    private final Collectives<?> c;
    private final int p;
    private final int me;
    private final int variant;
    private final int n;
    private final int root;
    private int turn;

    /** Creates the contract for a communicator; {@code c} determines the form of the calls. */
    public DerivedTypesContract(final Communicator comm, final Collectives<?> c, final int variant) {
        this.c = c;
        this.p = comm.size();
        this.me = comm.rank();
        this.variant = variant;
        this.n = COUNTS[variant % COUNTS.length];
        this.root = variant * 5 % p;
    }

    /**
     * Checks every operation.
     *
     * @throws AssertionError when an answer differs; it names the operation and the layout
     */
    public void check() {
        final boolean mixed = variant % 3 == 2;
        final List<ItemLayout> here = mixed ? ItemLayout.mixedKinds() : ItemLayout.sixIntsHere();
        final ItemLayout from = pick(here, 0);
        final ItemLayout to = pick(here, 1 + variant / here.size());
        moves(from, to);
        final List<ItemLayout> anywhere = mixed ? ItemLayout.mixedKinds() : ItemLayout.sixIntsAnywhere();
        blocks(pick(anywhere, 0), pick(anywhere, 2 + variant / anywhere.size()));
        alltoallw(anywhere);
        // items must be elements
        final ItemLayout one = pick(here.stream().filter(l -> l.each() == 1).toList(), 0);
        reductions(one, XOR);
        if (!mixed) {
            reductions(one, COMPOSE);
        }
        c.barrier().await();
    }

    private <T> T pick(final List<T> of, final int shift) {
        return of.get((variant + shift) % of.size());
    }

    /** Returns a buffer of the next kind. */
    private TestBuffer box(final ItemLayout laid, final int items) {
        final TestBuffer.Kind[] kinds = TestBuffer.Kind.values();
        return new TestBuffer(laid, kinds[(variant + variant / kinds.length + turn++) % kinds.length], items);
    }

    /** Returns the offset of an item for an operation. */
    private static long item(final ItemLayout laid, final int i, final long count) {
        return (long) i * laid.extent() - Math.min(0, laid.type().first(count));
    }

    private static int get(final MemorySegment memory, final long at) {
        return memory.get(ValueLayout.JAVA_INT_UNALIGNED, at);
    }

    /** Returns the data that {@code from} has for {@code to}, packed. */
    private static byte[] data(final ItemLayout laid, final int from, final int to, final int items) {
        final byte[] data = new byte[items * laid.size()];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (from * 71 + to * 29 + i * 13 + (i >> 5));
        }
        return data;
    }

    private void moves(final ItemLayout s, final ItemLayout r) {
        final TestBuffer bcast = me == root ? box(s, n).fill(0, data(s, root, 0, n)) : box(r, n).expect(0, data(r, root, 0, n));
        c.bcast(bcast.buffer(), (long) n * bcast.laid.each(), bcast.laid.type(), root).await();
        bcast.verify("bcast");
        gather(s, r);
        scatter(s, r);
        allgather(s, r);
        alltoall(s, r);
    }

    private void gather(final ItemLayout s, final ItemLayout r) {
        final long sending = (long) n * s.each();
        final long receiving = (long) n * r.each();
        final TestBuffer from = box(s, n).fill(0, data(s, me, 0, n));
        for (final boolean inPlace : new boolean[] {false, true}) {
            final TestBuffer into = me == root ? gathered(r, inPlace) : null;
            c.gather(inPlace && me == root ? IN_PLACE : from.buffer(), sending, s.type(), into == null ? null : into.buffer(), receiving, r.type(),
                root).await();
            from.verify("gather sent");
            if (into != null) {
                into.verify(inPlace ? "gather in place" : "gather");
            }
        }
    }

    /** Returns a buffer to gather into; in place, only the own block is set. */
    private TestBuffer gathered(final ItemLayout r, final boolean inPlace) {
        final TestBuffer into = box(r, n * p);
        if (inPlace) {
            into.fill(me * n, data(r, me, 0, n));
        }
        for (int i = 0; i < p; i++) {
            into.expect(i * n, data(r, i, 0, n));
        }
        return into;
    }

    private void scatter(final ItemLayout s, final ItemLayout r) {
        final TestBuffer from = me == root ? box(s, n * p) : null;
        for (int i = 0; i < p && from != null; i++) {
            from.fill(i * n, data(s, root, i, n));
        }
        for (final boolean inPlace : new boolean[] {false, true}) {
            final TestBuffer into = box(r, n);
            if (!inPlace || me != root) {
                into.expect(0, data(r, root, me, n));
            }
            c.scatter(from == null ? null : from.buffer(), (long) n * s.each(), s.type(), inPlace && me == root ? IN_PLACE : into.buffer(),
                (long) n * r.each(), r.type(), root).await();
            into.verify(inPlace ? "scatter in place" : "scatter");
            if (from != null) {
                from.verify("scatter sent");
            }
        }
    }

    private void allgather(final ItemLayout s, final ItemLayout r) {
        final TestBuffer from = box(s, n).fill(0, data(s, me, 0, n));
        for (final boolean inPlace : new boolean[] {false, true}) {
            final TestBuffer into = gathered(r, inPlace);
            c.allgather(inPlace ? IN_PLACE : from.buffer(), (long) n * s.each(), s.type(), into.buffer(), (long) n * r.each(), r.type()).await();
            into.verify(inPlace ? "allgather in place" : "allgather");
            from.verify("allgather sent");
        }
    }

    private void alltoall(final ItemLayout s, final ItemLayout r) {
        final TestBuffer from = box(s, n * p);
        final TestBuffer into = box(r, n * p);
        final TestBuffer place = box(r, n * p);
        for (int i = 0; i < p; i++) {
            from.fill(i * n, data(s, me, i, n));
            place.fill(i * n, data(r, me, i, n));
        }
        for (int i = 0; i < p; i++) {
            into.expect(i * n, data(r, i, me, n));
            place.expect(i * n, data(r, i, me, n));
        }
        c.alltoall(from.buffer(), (long) n * s.each(), s.type(), into.buffer(), (long) n * r.each(), r.type()).await();
        into.verify("alltoall");
        from.verify("alltoall sent");
        c.alltoall(IN_PLACE, 0, r.type(), place.buffer(), (long) n * r.each(), r.type()).await();
        place.verify("alltoall in place");
    }

    /** Returns the items per block; some blocks are empty. */
    private int length(final int a, final int b) {
        return (a + b + variant) % 4 == 0 ? 0 : Math.min(n, 5) + (a + b) % 3;
    }

    private static int end(final int[] lengths, final int[] places) {
        int end = 0;
        for (int i = 0; i < lengths.length; i++) {
            end = Math.max(end, places[i] + lengths[i]);
        }
        return end + 1;
    }

    /** Returns displacements of blocks in falling order, with one unused item before and between them. */
    private static int[] places(final int[] lengths) {
        final int[] places = new int[lengths.length];
        int next = 1;
        for (int i = lengths.length - 1; i >= 0; i--) {
            places[i] = next;
            next += lengths[i] + 1;
        }
        return places;
    }

    private int[] lengths(final int salt) {
        final int[] lengths = new int[p];
        Arrays.setAll(lengths, i -> length(i, salt));
        return lengths;
    }

    private static long[] times(final int[] items, final int each) {
        final long[] counts = new long[items.length];
        Arrays.setAll(counts, i -> (long) items[i] * each);
        return counts;
    }

    /** Returns a buffer with a block per rank. */
    private TestBuffer box(final ItemLayout laid, final int[] lengths, final int[] places, final IntFunction<byte[]> filled,
        final IntFunction<byte[]> expected) {
        final TestBuffer box = box(laid, end(lengths, places));
        for (int i = 0; i < p; i++) {
            final byte[] data = filled.apply(i);
            if (data != null) {
                box.fill(places[i], data);
            }
        }
        for (int i = 0; i < p; i++) {
            box.expect(places[i], expected.apply(i));
        }
        return box;
    }

    private void blocks(final ItemLayout s, final ItemLayout r) {
        final int[] lengths = lengths(0);
        final int[] places = places(lengths);
        final long[] counts = times(lengths, r.each());
        final long[] displs = times(places, r.each());
        final ItemLayout own = s.bytes()[0] < 0 ? ItemLayout.sixIntsHere().getLast() : s;
        final TestBuffer mine = box(own, lengths[me]).fill(0, data(own, me, 0, lengths[me]));
        final long sending = (long) lengths[me] * own.each();
        for (final boolean inPlace : new boolean[] {false, true}) {
            final IntFunction<byte[]> before = i -> inPlace && i == me ? data(r, i, 0, lengths[i]) : null;
            final TestBuffer all = box(r, lengths, places, before, i -> data(r, i, 0, lengths[i]));
            c.allgatherv(inPlace ? IN_PLACE : mine.buffer(), sending, own.type(), all.buffer(), counts, displs, r.type()).await();
            all.verify(inPlace ? "allgatherv in place" : "allgatherv");
            final TestBuffer atRoot = box(r, lengths, places, before, i -> data(r, i, 0, lengths[i]));
            c.gatherv(inPlace && me == root ? IN_PLACE : mine.buffer(), sending, own.type(), me == root ? atRoot.buffer() : null, counts, displs,
                r.type(), root).await();
            if (me == root) {
                atRoot.verify(inPlace ? "gatherv in place" : "gatherv");
            }
            mine.verify("gatherv sent");
            final TestBuffer from = box(r, lengths, places, i -> data(r, root, i, lengths[i]), i -> data(r, root, i, lengths[i]));
            final TestBuffer into = box(own, lengths[me]);
            if (!inPlace || me != root) {
                into.expect(0, data(own, root, me, lengths[me]));
            }
            c.scatterv(me == root ? from.buffer() : null, counts, displs, r.type(), inPlace && me == root ? IN_PLACE : into.buffer(), sending,
                own.type(), root).await();
            into.verify(inPlace ? "scatterv in place" : "scatterv");
            from.verify("scatterv sent");
        }
        alltoallv(s, r);
    }

    private void alltoallv(final ItemLayout s, final ItemLayout r) {
        final int[] lengths = lengths(me);
        final int[] places = places(lengths);
        final TestBuffer from = box(s, lengths, places, i -> data(s, me, i, lengths[i]), i -> data(s, me, i, lengths[i]));
        final TestBuffer into = box(r, lengths, places, i -> null, i -> data(r, i, me, lengths[i]));
        c.alltoallv(from.buffer(), times(lengths, s.each()), times(places, s.each()), s.type(), into.buffer(), times(lengths, r.each()),
            times(places, r.each()), r.type()).await();
        into.verify("alltoallv");
        from.verify("alltoallv sent");
        final TestBuffer place = box(r, lengths, places, i -> data(r, me, i, lengths[i]), i -> data(r, i, me, lengths[i]));
        c.alltoallv(IN_PLACE, null, null, null, place.buffer(), times(lengths, r.each()), times(places, r.each()), r.type()).await();
        place.verify("alltoallv in place");
    }

    /** Checks a type per peer. All blocks are in one buffer, at a distance that the widest type needs. */
    private void alltoallw(final List<ItemLayout> all) {
        final int[] lengths = lengths(me);
        final Peers from = new Peers(all, lengths, i -> me + 2 * i);
        final Peers into = new Peers(all, lengths, i -> 3 * i + me);
        for (int i = 0; i < p; i++) {
            from.fill(i, data(from.laid[i], me, i, lengths[i]));
        }
        c.alltoallw(from.bytes, from.counts, from.places, from.types, into.bytes, into.counts, into.places, into.types).await();
        for (int i = 0; i < p; i++) {
            into.expect(i, data(into.laid[i], i, me, lengths[i]));
        }
        into.verify("alltoallw");
        from.verify("alltoallw sent");
        // in place the peer must have the same type; otherwise types need only match
        final Peers place = new Peers(all, lengths, i -> i + me);
        for (int i = 0; i < p; i++) {
            place.fill(i, data(place.laid[i], me, i, lengths[i]));
        }
        c.alltoallw(IN_PLACE, null, null, null, place.bytes, place.counts, place.places, place.types).await();
        for (int i = 0; i < p; i++) {
            place.expect(i, data(place.laid[i], i, me, lengths[i]));
        }
        place.verify("alltoallw in place");
    }

    /** A buffer with a block of a different layout for each rank. */
    private final class Peers {
        private final ItemLayout[] laid = new ItemLayout[p];
        private final Datatype[] types = new Datatype[p];
        private final long[] counts = new long[p];
        private final long[] places = new long[p];
        private final ByteBuffer bytes;
        private final byte[] expected;

        Peers(final List<ItemLayout> all, final int[] lengths, final IntFunction<Integer> which) {
            long next = 8;
            for (int i = 0; i < p; i++) {
                laid[i] = all.get((variant + which.apply(i)) % all.size());
                types[i] = laid[i].type();
                counts[i] = (long) lengths[i] * laid[i].each();
                places[i] = next;
                next += laid[i].span(lengths[i]) + 8;
            }
            bytes = ((turn++ & 1) == 0 ? ByteBuffer.allocateDirect((int) next) : ByteBuffer.allocate((int) next)).order(ByteOrder.nativeOrder());
            expected = new byte[(int) next];
            Arrays.fill(expected, (byte) 0x33);
            bytes.put(0, expected);
        }

        void fill(final int i, final byte[] packed) {
            expect(i, packed);
            bytes.put(0, expected);
        }

        void expect(final int i, final byte[] packed) {
            for (int k = 0; k < packed.length; k++) {
                expected[(int) places[i] + k / laid[i].size() * laid[i].extent() + laid[i].bytes()[k % laid[i].size()]] = packed[k];
            }
        }

        void verify(final String what) {
            final byte[] got = new byte[expected.length];
            bytes.get(0, got);
            assertArrayEquals(expected, got, () -> what + " of " + Arrays.toString(laid));
        }
    }

    /** Returns the contributions of the ranks from {@code first} to {@code last - 1}, in that order. */
    private static byte[] folded(final ItemLayout laid, final Op op, final int first, final int last, final int items) {
        final byte[] result = data(laid, last - 1, 0, items);
        for (int r = last - 2; r >= first; r--) {
            final byte[] left = data(laid, r, 0, items);
            if (op == XOR) {
                for (int i = 0; i < result.length; i++) {
                    result[i] ^= left[i];
                }
            } else {
                final MemorySegment a = MemorySegment.ofArray(left);
                final MemorySegment b = MemorySegment.ofArray(result);
                for (int i = 0; i < result.length; i += 8) {
                    b.set(ValueLayout.JAVA_INT_UNALIGNED, i + 4, get(a, i + 4) + get(a, i) * get(b, i + 4));
                    b.set(ValueLayout.JAVA_INT_UNALIGNED, i, get(a, i) * get(b, i));
                }
            }
        }
        return result;
    }

    private void reductions(final ItemLayout laid, final Op op) {
        final Datatype type = laid.type();
        final byte[] mine = data(laid, me, 0, n);
        final byte[] all = folded(laid, op, 0, p, n);
        for (final boolean inPlace : new boolean[] {false, true}) {
            final String how = " by " + op + (inPlace ? " in place" : "");
            final TestBuffer from = box(laid, n).fill(0, mine);
            final TestBuffer atRoot = ready(laid, inPlace, mine).expect(0, me == root || !inPlace ? all : mine);
            if (me == root) {
                c.reduce(inPlace ? IN_PLACE : from.buffer(), atRoot.buffer(), n, type, op, root).await();
                atRoot.verify("reduce" + how);
            } else {
                c.reduce(from.buffer(), null, n, type, op, root).await();
            }
            final TestBuffer everywhere = ready(laid, inPlace, mine).expect(0, all);
            c.allreduce(inPlace ? IN_PLACE : from.buffer(), everywhere.buffer(), n, type, op).await();
            everywhere.verify("allreduce" + how);
            final TestBuffer scan = ready(laid, inPlace, mine).expect(0, folded(laid, op, 0, me + 1, n));
            c.scan(inPlace ? IN_PLACE : from.buffer(), scan.buffer(), n, type, op).await();
            scan.verify("scan" + how);
            final TestBuffer exscan = ready(laid, inPlace, mine);
            c.exscan(inPlace ? IN_PLACE : from.buffer(), exscan.buffer(), n, type, op).await();
            if (me > 0) {
                exscan.expect(0, folded(laid, op, 0, me, n)).verify("exscan" + how);
            }
            from.verify("reductions sent" + how);
        }
        scattered(laid, op);
    }

    private TestBuffer ready(final ItemLayout laid, final boolean inPlace, final byte[] mine) {
        return inPlace ? box(laid, n).fill(0, mine) : box(laid, n);
    }

    private void scattered(final ItemLayout laid, final Op op) {
        final int size = laid.size();
        final TestBuffer from = box(laid, n * p).fill(0, data(laid, me, 0, n * p));
        final TestBuffer block = box(laid, n).expect(0, Arrays.copyOfRange(folded(laid, op, 0, p, n * p), me * n * size, (me + 1) * n * size));
        c.reduceScatterBlock(from.buffer(), block.buffer(), n, laid.type(), op).await();
        block.verify("reduce_scatter_block by " + op);
        from.verify("reduce_scatter_block sent");

        final int[] lengths = lengths(0);
        int first = 0;
        int total = 0;
        for (int i = 0; i < p; i++) {
            first += i < me ? lengths[i] : 0;
            total += lengths[i];
        }
        final byte[] own = Arrays.copyOfRange(folded(laid, op, 0, p, total), first * size, (first + lengths[me]) * size);
        final TestBuffer ragged = box(laid, total).fill(0, data(laid, me, 0, total));
        final TestBuffer into = box(laid, lengths[me]).expect(0, own);
        c.reduceScatter(ragged.buffer(), into.buffer(), times(lengths, 1), laid.type(), op).await();
        into.verify("reduce_scatter by " + op);
        ragged.verify("reduce_scatter sent");
    }
}
