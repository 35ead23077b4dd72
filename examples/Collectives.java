import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.LongBinaryOperator;
import java.util.stream.IntStream;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.UserFunction;

/**
 * Checks every collective operation on intracommunicators, but for the neighbourhood collectives, against values computed without MPI. It covers
 * calls in place and not, arrays and direct buffers, all datatypes, several counts and roots, and several reductions, including a user-defined
 * one that does not commute.
 *
 * <p>Run it with {@code ./tutti run -n 4 examples/Collectives.java}, on any number of ranks. Rank 0 prints a line per operation. Ranks that
 * find a difference print it. All ranks exit with status 0 if all results are right, else with 1.
 */
public final class Collectives {
    private static final Intracomm WORLD = MPI.COMM_WORLD;
    /** The product of the largest count and the number of ranks, because checking takes longer on more ranks. */
    private static final int LARGE = 40_009;
    /** The value of buffer elements that were not received. */
    private static final long EMPTY = -1;
    private static final int MOST_LINES = 5;
    private static final int ENTERING = 1;
    private static final int LEFT = 2;

    private static int me;
    private static int p;
    private static String running;
    /** True if blocks of the operation differ in length and have gaps between them. */
    private static boolean uneven;
    private static int failures;

    private Collectives() {}

    /** A check that calls an operation and compares its results. */
    private interface Check {
        void run(Case c) throws MPIException;
    }

    /** Runs the program, without arguments. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        me = WORLD.getRank();
        p = WORLD.getSize();
        boolean good = test("allGather", cases(false, true, false), Collectives::allGather);
        good &= test("allGatherv", cases(false, true, false), Collectives::allGatherv);
        good &= test("allReduce", cases(false, true, true), Collectives::allReduce);
        good &= test("allToAll", cases(false, false, false), Collectives::allToAll);
        good &= test("allToAllv", cases(false, false, false), Collectives::allToAllv);
        good &= test("allToAllw", cases(false, false, false), Collectives::allToAllw);
        good &= test("barrier", cases(true, false, false).subList(0, 12), Collectives::barrier);
        good &= test("bcast", cases(true, false, false), Collectives::bcast);
        good &= test("exScan", cases(false, true, true), Collectives::exScan);
        good &= test("gather", cases(true, true, false), Collectives::gather);
        good &= test("gatherv", cases(true, true, false), Collectives::gatherv);
        good &= test("reduce", cases(true, true, true), Collectives::reduce);
        good &= test("reduceScatter", cases(false, true, true), Collectives::reduceScatter);
        good &= test("reduceScatterBlock", cases(false, true, true), Collectives::reduceScatterBlock);
        good &= test("scan", cases(false, true, true), Collectives::scan);
        good &= test("scatter", cases(true, true, false), Collectives::scatter);
        good &= test("scatterv", cases(true, true, false), Collectives::scatterv);
        MPI.Finalize();
        System.exit(good ? 0 : 1);
    }

    private static boolean test(final String name, final List<Case> cases, final Check check) throws MPIException {
        failures = 0;
        running = name;
        uneven = name.endsWith("v") || name.equals("reduceScatter");
        for (final Case c : cases) {
            check.run(c);
        }
        // not a reduction, since reductions may be wrong
        final int[] all = new int[p];
        WORLD.allGather(new int[] {failures}, 1, MPI.INT, all, 1, MPI.INT);
        final int total = Arrays.stream(all).sum();
        if (me == 0) {
            System.out.printf("%-18s  %s  (%d checks)%n", name, total == 0 ? "ok" : "WRONG " + total + " times", cases.size());
        }
        return total == 0;
    }

    private static List<Case> cases(final boolean isRooted, final boolean canBeInPlace, final boolean reduces) {
        final int[] small = {0, 1, 7};
        final int[] withLarge = {0, 1, 7, LARGE / p};
        final int[] roots = isRooted ? IntStream.of(0, p / 2, p - 1).distinct().toArray() : new int[1];
        final List<Case> cases = new ArrayList<>();
        for (final Kind kind : Kind.values()) {
            for (final int count : kind == Kind.INT || kind == Kind.DOUBLE ? withLarge : small) {
                for (final Folding folding : reduces ? kind.foldings() : List.of(Folding.NONE)) {
                    for (final int root : roots) {
                        for (int form = 0; form < (canBeInPlace ? 4 : 2); form++) {
                            cases.add(new Case(kind, count, form % 2 == 1, form >= 2, root, folding));
                        }
                    }
                }
            }
        }
        return cases;
    }

    /** A call with one buffer. */
    private interface InPlace {
        void call(Object buf) throws MPIException;
    }

    /** A call with two buffers. */
    private interface Apart {
        void call(Object send, Object recv) throws MPIException;
    }

    private static void allGather(final Case c) throws MPIException {
        gathering(c, true, buf -> WORLD.allGather(buf, c.count, c.type()),
            (send, recv) -> WORLD.allGather(send, c.count, c.type(), recv, c.count, c.type()));
    }

    private static void allGatherv(final Case c) throws MPIException {
        gathering(c, true, buf -> WORLD.allGatherv(buf, c.lengths(), c.starts(), c.type()),
            (send, recv) -> WORLD.allGatherv(send, c.length(me), c.type(), recv, c.lengths(), c.starts(), c.type()));
    }

    private static void gather(final Case c) throws MPIException {
        gathering(c, me == c.root, buf -> WORLD.gather(buf, c.count, c.type(), c.root),
            (send, recv) -> WORLD.gather(send, c.count, c.type(), recv, c.count, c.type(), c.root));
    }

    private static void gatherv(final Case c) throws MPIException {
        final InPlace root = buf -> WORLD.gatherv(buf, c.lengths(), c.starts(), c.type(), c.root);
        final InPlace other = buf -> WORLD.gatherv(buf, c.length(me), c.type(), c.root);
        gathering(c, me == c.root, me == c.root ? root : other,
            (send, recv) -> WORLD.gatherv(send, c.length(me), c.type(), recv, c.lengths(), c.starts(), c.type(), c.root));
    }

    private static void gathering(final Case c, final boolean gets, final InPlace inPlace, final Apart apart) throws MPIException {
        final Object mine = c.own(c.length(me));
        final Object all = gets ? c.data(p * c.stride(), i -> c.inPlace && i / c.stride() == me ? c.block(i) : EMPTY) : null;
        if (c.inPlace) {
            inPlace.call(gets ? all : mine);
        } else {
            apart.call(mine, all);
        }
        c.expect(all, gets ? p * c.stride() : 0, c::block);
    }

    private static void scatter(final Case c) throws MPIException {
        scattering(c, buf -> WORLD.scatter(buf, c.count, c.type(), c.root),
            (send, recv) -> WORLD.scatter(send, c.count, c.type(), recv, c.count, c.type(), c.root));
    }

    private static void scatterv(final Case c) throws MPIException {
        final InPlace root = buf -> WORLD.scatterv(buf, c.lengths(), c.starts(), c.type(), c.root);
        final InPlace other = buf -> WORLD.scatterv(buf, c.length(me), c.type(), c.root);
        scattering(c, me == c.root ? root : other,
            (send, recv) -> WORLD.scatterv(send, c.lengths(), c.starts(), c.type(), recv, c.length(me), c.type(), c.root));
    }

    private static void scattering(final Case c, final InPlace inPlace, final Apart apart) throws MPIException {
        final boolean isRoot = me == c.root;
        final Object all = isRoot ? c.data(p * c.stride(), c::block) : null;
        final Object mine = c.data(c.length(me), i -> EMPTY);
        if (c.inPlace) {
            inPlace.call(isRoot ? all : mine);
        } else {
            apart.call(all, mine);
        }
        c.expect(all, isRoot ? p * c.stride() : 0, c::block);
        c.expect(mine, c.length(me), i -> isRoot && c.inPlace ? EMPTY : c.value(me, i));
    }

    private static void bcast(final Case c) throws MPIException {
        final Object data = c.data(c.count, i -> me == c.root ? c.value(me, i) : EMPTY);
        WORLD.bcast(data, c.count, c.type(), c.root);
        c.expect(data, c.count, i -> c.value(c.root, i));
    }

    private static void allToAll(final Case c) throws MPIException {
        final int n = c.count;
        final Object got = c.data(p * n, i -> EMPTY);
        WORLD.allToAll(c.own(p * n), n, c.type(), got, n, c.type());
        c.expect(got, p * n, i -> c.value(i / n, me * n + i % n));
    }

    private static void allToAllv(final Case c) throws MPIException {
        final int n = c.stride();
        final Object got = c.data(p * n, i -> EMPTY);
        final int[] lengths = IntStream.range(0, p).map(r -> c.length(me + r)).toArray();
        WORLD.allToAllv(c.own(p * n), lengths, c.starts(), c.type(), got, lengths, c.starts(), c.type());
        c.expect(got, p * n, i -> i % n < c.length(me + i / n) ? c.value(i / n, me * n + i % n) : EMPTY);
    }

    /** Blocks are sent as single elements, and received as one element of a contiguous datatype. */
    private static void allToAllw(final Case c) throws MPIException {
        final int n = c.count;
        final Object got = c.data(p * n, i -> EMPTY);
        final Datatype block = Datatype.createContiguous(n, c.type());
        final Datatype[] elements = Collections.nCopies(p, c.type()).toArray(new Datatype[p]);
        final Datatype[] blocks = Collections.nCopies(p, block).toArray(new Datatype[p]);
        final int[] many = IntStream.range(0, p).map(r -> n).toArray();
        final int[] one = IntStream.range(0, p).map(r -> 1).toArray();
        final int[] starts = IntStream.range(0, p).map(r -> r * n * c.kind.bytes).toArray();
        block.commit();
        WORLD.allToAllw(c.own(p * n), many, starts, elements, got, one, starts, blocks);
        block.free();
        c.expect(got, p * n, i -> c.value(i / n, me * n + i % n));
    }

    /** The root enters last: no rank may report that it has left before the root has entered. */
    private static void barrier(final Case c) throws MPIException {
        final byte[] nothing = new byte[0];
        if (me != c.root) {
            WORLD.send(nothing, 0, MPI.BYTE, c.root, ENTERING);
            WORLD.barrier();
            WORLD.send(nothing, 0, MPI.BYTE, c.root, LEFT);
            return;
        }
        for (int r = 0; r < p - 1; r++) {
            WORLD.recv(nothing, 0, MPI.BYTE, MPI.ANY_SOURCE, ENTERING);
        }
        if (WORLD.iProbe(MPI.ANY_SOURCE, LEFT) != null) {
            differ("a rank left before rank " + c.root + " entered");
        }
        WORLD.barrier();
        for (int r = 0; r < p - 1; r++) {
            WORLD.recv(nothing, 0, MPI.BYTE, MPI.ANY_SOURCE, LEFT);
        }
    }

    private static void allReduce(final Case c) throws MPIException {
        reduction(c, c.count, c.count, i -> c.fold(p, i), buf -> WORLD.allReduce(buf, c.count, c.type(), c.op()),
            (send, recv) -> WORLD.allReduce(send, recv, c.count, c.type(), c.op()));
    }

    private static void scan(final Case c) throws MPIException {
        reduction(c, c.count, c.count, i -> c.fold(me + 1, i), buf -> WORLD.scan(buf, c.count, c.type(), c.op()),
            (send, recv) -> WORLD.scan(send, recv, c.count, c.type(), c.op()));
    }

    private static void exScan(final Case c) throws MPIException {
        // the result of rank 0 is undefined, so it is not compared
        reduction(c, c.count, me == 0 ? 0 : c.count, i -> c.fold(me, i), buf -> WORLD.exScan(buf, c.count, c.type(), c.op()),
            (send, recv) -> WORLD.exScan(send, recv, c.count, c.type(), c.op()));
    }

    private static void reduceScatter(final Case c) throws MPIException {
        final int[] lengths = c.lengths();
        final int from = IntStream.of(lengths).limit(me).sum();
        reduction(c, IntStream.of(lengths).sum(), lengths[me], i -> c.fold(p, from + i),
            buf -> WORLD.reduceScatter(buf, lengths, c.type(), c.op()), (send, recv) -> WORLD.reduceScatter(send, recv, lengths, c.type(), c.op()));
    }

    private static void reduceScatterBlock(final Case c) throws MPIException {
        reduction(c, p * c.count, c.count, i -> c.fold(p, me * c.count + i),
            buf -> WORLD.reduceScatterBlock(buf, c.count, c.type(), c.op()),
            (send, recv) -> WORLD.reduceScatterBlock(send, recv, c.count, c.type(), c.op()));
    }

    /** Reduces {@code sends} elements of this rank, in place or not, and compares {@code gets} elements of the result. */
    private static void reduction(final Case c, final int sends, final int gets, final IntToLongFunction expected, final InPlace inPlace,
        final Apart apart) throws MPIException {
        final Object result = c.data(sends, i -> c.inPlace ? c.value(me, i) : EMPTY);
        if (c.inPlace) {
            inPlace.call(result);
        } else {
            apart.call(c.own(sends), result);
        }
        c.expect(result, gets, expected);
    }

    private static void reduce(final Case c) throws MPIException {
        final boolean isRoot = me == c.root;
        final Object result = isRoot ? c.data(c.count, i -> c.inPlace ? c.value(me, i) : EMPTY) : null;
        if (c.inPlace) {
            WORLD.reduce(isRoot ? result : c.own(c.count), c.count, c.type(), c.op(), c.root);
        } else {
            WORLD.reduce(c.own(c.count), result, c.count, c.type(), c.op(), c.root);
        }
        c.expect(result, isRoot ? c.count : 0, i -> c.fold(p, i));
    }

    private static void differ(final String text) {
        failures++;
        if (failures <= MOST_LINES) {
            System.err.println("rank " + me + ": " + running + ": " + text);
        }
    }

    /** A call: elements per block, form of the buffers, root, and reduction. */
    private record Case(Kind kind, int count, boolean isDirect, boolean inPlace, int root, Folding folding) {

        Datatype type() {
            return kind.type;
        }

        Op op() {
            return folding.op;
        }

        /** Returns element {@code i} of the data of a rank. */
        long value(final int rank, final int i) {
            return kind.value(rank, i);
        }

        /** Returns element {@code i} of the reduction over the first {@code ranks} ranks. */
        long fold(final int ranks, final int i) {
            long result = value(0, i);
            for (int r = 1; r < ranks; r++) {
                result = folding.combine.applyAsLong(result, value(r, i));
            }
            return result;
        }

        int length(final int rank) {
            return uneven ? count + rank % 2 : count;
        }

        int stride() {
            return uneven ? count + 2 : count;
        }

        int[] lengths() {
            return IntStream.range(0, p).map(this::length).toArray();
        }

        int[] starts() {
            return IntStream.range(0, p).map(r -> r * stride()).toArray();
        }

        /** Returns element {@code i} of a buffer with the blocks of all ranks. */
        long block(final int i) {
            return i % stride() < length(i / stride()) ? value(i / stride(), i % stride()) : EMPTY;
        }

        /** Returns a buffer with {@code n} elements of the given values. */
        Object data(final int n, final IntToLongFunction value) {
            final Object buffer = isDirect ? MPI.newByteBuffer(n * kind.bytes) : kind.array(n);
            final MemorySegment memory = Kind.memory(buffer);
            for (int i = 0; i < n; i++) {
                kind.put(memory, i, value.applyAsLong(i));
            }
            return buffer;
        }

        /** Returns a buffer with the first {@code n} elements of this rank's data. */
        Object own(final int n) {
            return data(n, i -> value(me, i));
        }

        /** Compares the first {@code n} elements of a buffer, which may be null if {@code n} is 0. */
        void expect(final Object buffer, final int n, final IntToLongFunction expected) {
            if (n > 0) {
                final MemorySegment want = Kind.memory(data(n, expected));
                final long at = Kind.memory(buffer).asSlice(0, want.byteSize()).mismatch(want);
                if (at >= 0) {
                    differ("element " + at / kind.bytes + " differs: " + this);
                }
            }
        }
    }

    /** A reduction operation of MPI, and the same function without MPI. */
    private record Folding(Op op, LongBinaryOperator combine) {
        static final Folding NONE = new Folding(null, null);
        private static final int MODULUS = 7;

        /** Composes two maps x -> a x + b modulo 7, each encoded as the number 7 a + b. Composition does not commute. */
        static long chain(final long f, final long g) {
            final long a = f / MODULUS * (g / MODULUS) % MODULUS;
            final long b = (g / MODULUS * (f % MODULUS) + g % MODULUS) % MODULUS;
            return MODULUS * a + b;
        }

        static final Op CHAIN = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype type) {
                final int[] f = (int[]) in;
                final int[] g = (int[]) inOut;
                for (int i = 0; i < count; i++) {
                    g[i] = (int) chain(f[i], g[i]);
                }
            }
        }, false);
    }

    /** The datatypes of elements. Values are small integers, so that results are exact in every datatype. */
    private enum Kind {
        BYTE(MPI.BYTE, 1), SHORT(MPI.SHORT, 2), INT(MPI.INT, 4), LONG(MPI.LONG, 8), FLOAT(MPI.FLOAT, 4), DOUBLE(MPI.DOUBLE, 8),
        /** A value and an index; encoded as a long with the value in the upper half. */
        PAIR(MPI.INT2, 8);

        private final Datatype type;
        private final int bytes;

        Kind(final Datatype type, final int bytes) {
            this.type = type;
            this.bytes = bytes;
        }

        long value(final int rank, final int i) {
            final long v = (rank * 31L + i * 7L) % 97;
            return this == PAIR ? v % 5 << 32 | rank : v;
        }

        List<Folding> foldings() {
            if (this == PAIR) {
                return List.of(new Folding(MPI.MINLOC, Math::min), new Folding(MPI.MAXLOC, (a, b) -> b >> 32 > a >> 32 ? b : a));
            }
            final List<Folding> foldings = new ArrayList<>(List.of(
                new Folding(MPI.SUM, Long::sum), new Folding(MPI.MAX, Math::max), new Folding(MPI.MIN, Math::min)));
            if (this != FLOAT && this != DOUBLE) {
                foldings.add(new Folding(MPI.PROD, (a, b) -> a * b));
                foldings.add(new Folding(MPI.BXOR, (a, b) -> a ^ b));
            }
            if (this == INT) {
                foldings.add(new Folding(Folding.CHAIN, Folding::chain));
            }
            return foldings;
        }

        Object array(final int n) {
            return switch (this) {
                case BYTE -> new byte[n];
                case SHORT -> new short[n];
                case INT -> new int[n];
                case LONG -> new long[n];
                case FLOAT -> new float[n];
                case DOUBLE -> new double[n];
                case PAIR -> new int[2 * n];
            };
        }

        static MemorySegment memory(final Object buffer) {
            return switch (buffer) {
                case byte[] a -> MemorySegment.ofArray(a);
                case short[] a -> MemorySegment.ofArray(a);
                case int[] a -> MemorySegment.ofArray(a);
                case long[] a -> MemorySegment.ofArray(a);
                case float[] a -> MemorySegment.ofArray(a);
                case double[] a -> MemorySegment.ofArray(a);
                default -> MemorySegment.ofBuffer((ByteBuffer) buffer);
            };
        }

        void put(final MemorySegment memory, final int i, final long v) {
            switch (this) {
                case BYTE -> memory.set(ValueLayout.JAVA_BYTE, i, (byte) v);
                case SHORT -> memory.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) v);
                case INT -> memory.setAtIndex(ValueLayout.JAVA_INT, i, (int) v);
                case LONG -> memory.setAtIndex(ValueLayout.JAVA_LONG, i, v);
                case FLOAT -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, v);
                case DOUBLE -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, v);
                case PAIR -> {
                    memory.setAtIndex(ValueLayout.JAVA_INT, 2L * i, (int) (v >> 32));
                    memory.setAtIndex(ValueLayout.JAVA_INT, 2L * i + 1, (int) v);
                }
            }
        }
    }
}
