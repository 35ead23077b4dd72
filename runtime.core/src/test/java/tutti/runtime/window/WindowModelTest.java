package tutti.runtime.window;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.Group;

/**
 * Runs random one-sided programs, and compares the memory of all ranks with a model that makes one access after the other. In an epoch an element is
 * written by one access, or combined by any number of accesses with one operation that is commutative, or read: so its value does not depend on the
 * order.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class WindowModelTest {
    private static final int PROGRAMS = Integer.getInteger("tutti.windows", 40);
    private static final int ELEMENTS = 3_000;
    private static final int ROUNDS = 4;
    private static final int ACCESSES = 12;
    private static final List<Op> OPS = List.of(Op.SUM, Op.MAX, Op.MIN, Op.BXOR, Op.BAND, Op.BOR);
    private static final Datatype PAIR = Datatype.resized(Datatype.contiguous(2, Datatype.INT), 0, 12);

    /** What an access does. */
    private enum Kind { PUT, GET, ACCUMULATE, FETCH }

    /** How the ranks synchronize in a round. */
    private enum Epoch { FENCE, GROUP, LOCK, LOCK_ALL }

    /** Elements of a layout: where each is, in elements from the first. */
    private record Layout(Datatype type, long count, int[] at) {
        /** Returns a random layout of elements. */
        static Layout of(final SplittableRandom random, final int elements) {
            return switch (random.nextInt(4)) {
                case 0 -> new Layout(Datatype.vector(elements, 1, 2, Datatype.INT), 1, IntStream.range(0, elements).map(i -> 2 * i).toArray());
                case 1 -> elements % 2 == 0
                    ? new Layout(PAIR, elements / 2, IntStream.range(0, elements).map(i -> i / 2 * 3 + i % 2).toArray()) : dense(elements);
                case 2 -> new Layout(Datatype.indexed(new long[] {1, elements - 1}, new long[] {0, 3}, Datatype.INT), 1,
                    IntStream.range(0, elements).map(i -> i == 0 ? 0 : 2 + i).toArray());
                default -> dense(elements);
            };
        }

        private static Layout dense(final int elements) {
            return new Layout(Datatype.INT, elements, IntStream.range(0, elements).toArray());
        }

        int length() {
            return at[at.length - 1] + 1;
        }
    }

    /** An access of a program, the same on all ranks. */
    private record Access(Kind kind, int origin, Layout from, int target, int disp, Layout to, Op op, int[] data) {}

    /** The memory of all ranks, and what accesses of a round do to each element. */
    private static final class Model {
        private final int[][] memory;
        private final @Nullable Object[][] use;

        Model(final int ranks) {
            memory = new int[ranks][ELEMENTS];
            use = new Object[ranks][ELEMENTS];
        }

        /** Adds an access to a round; returns false when its result would depend on the order. */
        boolean add(final Access a) {
            final Object own = switch (a.kind) {
                case PUT, FETCH -> a;
                case GET -> Kind.GET;
                case ACCUMULATE -> a.op;
            };
            for (final int i : a.to.at) {
                final Object other = use[a.target][a.disp + i];
                if (other != null && other != own) {
                    return false;
                }
            }
            for (final int i : a.to.at) {
                use[a.target][a.disp + i] = own;
            }
            return true;
        }

        /** Makes an access; returns what it reads. */
        int[] run(final Access a) {
            final int[] read = new int[a.to.at.length];
            for (int i = 0; i < read.length; i++) {
                final int at = a.disp + a.to.at[i];
                final int before = memory[a.target][at];
                read[i] = before;
                memory[a.target][at] = switch (a.kind) {
                    case GET -> before;
                    case PUT -> a.data[i];
                    case ACCUMULATE, FETCH -> combine(a.op, before, a.data[i]);
                };
            }
            return read;
        }

        private static int combine(final Op op, final int a, final int b) {
            return op == Op.SUM ? a + b : op == Op.MAX ? Math.max(a, b) : op == Op.MIN ? Math.min(a, b) : op == Op.BXOR ? a ^ b
                : op == Op.BAND ? a & b : a | b;
        }
    }

    private static List<Access> round(final SplittableRandom random, final Model model, final int ranks) {
        for (final Object[] use : model.use) {
            Arrays.fill(use, null);
        }
        final List<Access> all = new ArrayList<>();
        for (int i = 0; i < ACCESSES * ranks; i++) {
            final int elements = 1 + random.nextInt(random.nextInt(5) == 0 ? ELEMENTS / 3 : 20);
            final Layout to = Layout.of(random, Math.max(2, elements));
            final Layout from = Layout.of(random, to.at.length);
            final int room = ELEMENTS - to.length();
            final Access access = new Access(Kind.values()[random.nextInt(4)], random.nextInt(ranks), from, random.nextInt(ranks),
                room < 0 ? -1 : random.nextInt(room + 1), to, OPS.get(random.nextInt(OPS.size())),
                random.ints(to.at.length).toArray());
            if (access.disp >= 0 && model.add(access)) {
                all.add(access);
            }
        }
        return all;
    }

    /** An access of this rank, its buffer and what it must read. */
    private record Started(Access access, int[] buffer, int[] expected) {
        void check() {
            if (access.kind == Kind.GET || access.kind == Kind.FETCH) {
                final int[] got = IntStream.of(access.from.at).map(i -> buffer[i]).toArray();
                assertArrayEquals(expected, got, access::toString);
            }
        }
    }

    private static void start(final Window w, final Access a, final int[] buffer) {
        final Layout from = a.from;
        final Layout to = a.to;
        switch (a.kind) {
            case PUT -> w.put(scattered(a), from.count, from.type, a.target, a.disp, to.count, to.type);
            case GET -> w.get(buffer, from.count, from.type, a.target, a.disp, to.count, to.type);
            case ACCUMULATE -> w.accumulate(scattered(a), from.count, from.type, a.target, a.disp, to.count, to.type, a.op);
            case FETCH -> w.getAccumulate(a.data, a.data.length, Datatype.INT, buffer, from.count, from.type, a.target, a.disp, to.count, to.type,
                a.op);
        }
    }

    private static int[] scattered(final Access a) {
        final int[] data = new int[a.from.length()];
        for (int i = 0; i < a.data.length; i++) {
            data[a.from.at[i]] = a.data[i];
        }
        return data;
    }

    private static void run(final Communicator c, final Window w, final Epoch epoch, final List<Started> own, final boolean isExclusive) {
        final Group group = c.context().group();
        switch (epoch) {
            case FENCE -> {
                w.fence(Window.NOPRECEDE);
                own.forEach(s -> start(w, s.access, s.buffer));
                w.fence(Window.NOSUCCEED);
            }
            case GROUP -> {
                w.post(group, 0);
                w.start(group, 0);
                own.forEach(s -> start(w, s.access, s.buffer));
                w.complete();
                w.await();
            }
            case LOCK -> {
                for (int r = 0; r < c.size(); r++) {
                    final int target = r;
                    w.lock(isExclusive, target, 0);
                    own.stream().filter(s -> s.access.target == target).forEach(s -> start(w, s.access, s.buffer));
                    w.unlock(target);
                }
            }
            case LOCK_ALL -> {
                w.lockAll(0);
                own.forEach(s -> start(w, s.access, s.buffer));
                w.flushAll();
                own.forEach(Started::check);
                w.unlockAll();
            }
        }
        own.forEach(Started::check);
        c.engine().blocking().barrier();
    }

    private static void program(final Communicator c, final Window w, final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final Model model = new Model(c.size());
        w.memory().fill((byte) 0);
        c.engine().blocking().barrier();
        for (int round = 0; round < ROUNDS; round++) {
            final Epoch epoch = Epoch.values()[random.nextInt(4)];
            final boolean isExclusive = random.nextBoolean();
            final List<Started> own = new ArrayList<>();
            for (final Access a : round(random, model, c.size())) {
                final int[] read = model.run(a);
                if (a.origin == c.rank()) {
                    own.add(new Started(a, new int[a.from.length()], read));
                }
            }
            run(c, w, epoch, own, isExclusive);
            final int number = round;
            assertArrayEquals(model.memory[c.rank()], w.memory().toArray(ValueLayout.JAVA_INT),
                () -> "seed=" + seed + ", round=" + number + ", epoch=" + epoch);
            c.engine().blocking().barrier();
        }
    }

    /** Returns the window of a program: first one whose memory the ranks of a host map, then one of which they map the words alone. */
    private static Window window(final Communicator c, final int program) {
        return program == 0 ? Window.allocate(c, 4L * ELEMENTS, 4)
            : Window.create(c, () -> Arena.ofAuto().allocate(4L * ELEMENTS, Long.BYTES), 4);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"2, 1, NONE, 0", "3, 1, NONE, 0", "2, 2, NONE, 0", "3, 2, NONE, 1", "4, 3, AT_ONCE, 0", "5, 2, LATER, 0", "7, 3, NONE, 0",
        "3, 3, FAILING, 0", "4, 2, NONE, 1", "5, 4, AT_ONCE, 2"})
    void shouldDoWhatAModelDoes(final int ranks, final int nodes, final MemoryTransport.Reading reading, final int sharing) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(64 * 1024, reading, sharing)) {
            Ranks.run(ranks, nodes, transport, Ranks.job(ranks, Map.of(), List.of(new BasicModule())), rank -> {
                final Communicator c = rank.world();
                for (int i = 0; i < PROGRAMS;) {
                    final Window w = window(c, i);
                    for (int last = Math.min(PROGRAMS, i + 1 + PROGRAMS / 2); i < last; i++) {
                        program(c, w, 1_000_000L * ranks + 1_000L * nodes + i);
                    }
                    w.free();
                }
                assertEquals(ranks, c.size());
            });
        }
    }
}
