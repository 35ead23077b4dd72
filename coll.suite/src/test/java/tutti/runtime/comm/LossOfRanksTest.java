package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.recexch.RecexchModule;
import tutti.coll.ring.RingModule;
import tutti.coll.smp.SmpModule;
import tutti.coll.tree.TreeModule;
import tutti.runtime.FaultyRanks;
import tutti.runtime.collective.Collectives;
import tutti.runtime.context.CommFaults;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Ranks and nodes fail at random in all collectives of all modules, while the others go on without them. */
@Timeout(600)
class LossOfRanksTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new DissemModule(), new RecexchModule(), new RingModule(),
        new SmpModule(), new TreeModule());
    private static final int STEPS = 60;
    private static final int[] COUNTS = {1, 3, 100, 5_000, 40_000};

    /** A run that a number determines, but for the times. */
    private static final class Run implements FaultyRanks.Body {
        private final long seed;
        private final int ranks;
        /** The ranks that fail, and the steps in which they do. */
        private final Map<Integer, Integer> deaths = new ConcurrentHashMap<>();
        private final Map<Integer, Boolean> withNode = new ConcurrentHashMap<>();

        Run(final long seed, final int ranks, final int spares, final int deathCount) {
            this.seed = seed;
            this.ranks = ranks;
            final Random random = new Random(seed);
            for (int d = 0; d < deathCount; d++) {
                final int victim = random.nextInt(ranks + spares);
                deaths.put(victim, random.nextInt(STEPS));
                withNode.put(victim, random.nextBoolean());
            }
        }

        @Override
        public void run(final Rank rank, final FaultyRanks job) {
            Communicator c = rank.world();
            int step = 0;
            if (rank.incarnation() > 0) {
                final int[] first = {STEPS};
                c = restart(c, first, true);
                step = first[0];
            }
            while (true) {
                boolean isWhole = false;
                try {
                    for (; step < STEPS; step++) {
                        die(rank.worldRank(), step, job);
                        call(c, step);
                    }
                    isWhole = true;
                } catch (final MpiFailure e) {
                    checkClass(e);
                    c.revoke();
                }
                final AgreementRequest agreed = c.agree(isWhole ? 1 : 0);
                try {
                    agreed.await();
                    if (agreed.flag() == 1) {
                        return;
                    }
                } catch (final MpiFailure e) {
                    checkClass(e);
                }
                final int[] first = {step};
                c = restart(c, first, false);
                step = first[0];
            }
        }

        private static void checkClass(final MpiFailure e) {
            if (e.errorClass() != ErrorClass.PROC_FAILED && e.errorClass() != ErrorClass.REVOKED) {
                throw new AssertionError("a call failed otherwise", e);
            }
        }

        /**
         * Returns a communicator of those who live, and of spare ranks if there are enough, which agree on the step to go on with. That of a rank
         * which replaces another one is the world.
         */
        private static Communicator restart(final Communicator from, final int[] step, final boolean replaces) {
            Communicator c = replaces ? from : replaceOrShrink(from);
            while (true) {
                final int[] least = step.clone();
                boolean isDone = false;
                try {
                    c.engine().blocking().allreduce(Reserved.IN_PLACE, least, 1, Datatype.INT, Op.MIN);
                    isDone = true;
                } catch (final MpiFailure e) {
                    checkClass(e);
                    c.revoke();
                }
                final AgreementRequest agreed =
                    AgreementRequest.startOfAny(c.context(), CommFaults.PROGRAM, isDone ? 1 : 0, PendingWait.Kind.AGREEMENT);
                agreed.await();
                if (agreed.flag() == 1) {
                    step[0] = least[0];
                    return c;
                }
                final Communicator left = replaceOrShrink(c);
                if (c != from) {
                    c.free();
                }
                c = left;
            }
        }

        private static Communicator replaceOrShrink(final Communicator c) {
            try {
                return c.replace();
            } catch (final MpiFailure e) {
                if (e.errorClass() != ErrorClass.SPAWN) {
                    throw e;
                }
                return c.shrink();
            }
        }

        private void die(final int self, final int step, final FaultyRanks job) {
            if (deaths.getOrDefault(self, -1) == step) {
                if (withNode.get(self)) {
                    job.killNodeOf(self);
                }
                throw new FaultyRanks.Died();
            }
        }

        private void call(final Communicator c, final int step) {
            final Random random = new Random(seed * 1_000 + step);
            final int kind = random.nextInt(15);
            final int n = COUNTS[random.nextInt(COUNTS.length)];
            final int root = random.nextInt(ranks) % c.size();
            final int form = random.nextInt(3);
            if (kind == 14) {
                final Communicator copy = step % 2 == 0 ? c.dup() : c.split(c.rank() / 2, -c.rank());
                ring(copy, n, step);
                copy.free();
            } else if (kind == 13) {
                ring(c, n, step);
            } else if (form == 0) {
                collective(c.engine().blocking(), c, kind, n, root, step);
            } else if (form == 1) {
                collective(c.engine().nonblocking(), c, kind, n, root, step);
            } else {
                collective(c.engine().persistent(), c, kind, n, root, step);
            }
        }

        private static void end(final Request request) {
            if (request instanceof final PersistentRequest p) {
                try {
                    for (int i = 0; i < 3; i++) {
                        p.start();
                        p.await();
                    }
                } finally {
                    p.free();
                }
            } else {
                request.await();
            }
        }

        private static int[] ints(final int count, final int seed) {
            return IntStream.range(0, count).map(i -> seed * 31 + i).toArray();
        }

        private static <R extends Request> void collective(final Collectives<R> on, final Communicator c, final int kind, final int n, final int root,
            final int step) {
            final int size = c.size();
            final int self = c.rank();
            final int ranksSum = size * (size - 1) / 2;
            final int block = Math.max(1, n / size);
            switch (kind) {
                case 0 -> end(on.barrier());
                case 1, 12 -> {
                    final int[] data = self == root ? ints(n, step) : new int[n];
                    end(on.bcast(data, n, Datatype.INT, root));
                    assertArrayEquals(ints(n, step), data);
                }
                case 2 -> {
                    final int[] sum = new int[n];
                    end(on.reduce(ints(n, self), sum, n, Datatype.INT, Op.SUM, root));
                    if (self == root) {
                        assertArrayEquals(IntStream.range(0, n).map(i -> 31 * ranksSum + size * i).toArray(), sum);
                    }
                }
                case 3, 11 -> {
                    final int[] sum = new int[n];
                    end(on.allreduce(ints(n, self), sum, n, Datatype.INT, Op.SUM));
                    assertArrayEquals(IntStream.range(0, n).map(i -> 31 * ranksSum + size * i).toArray(), sum);
                }
                case 4 -> {
                    final int[] all = new int[block * size];
                    end(on.gather(ints(block, self), block, Datatype.INT, all, block, Datatype.INT, root));
                    if (self == root) {
                        assertArrayEquals(blocks(size, block), all);
                    }
                }
                case 5 -> {
                    final int[] own = new int[block];
                    end(on.scatter(blocks(size, block), block, Datatype.INT, own, block, Datatype.INT, root));
                    assertArrayEquals(ints(block, self), own);
                }
                case 6 -> {
                    final int[] all = new int[block * size];
                    end(on.allgather(ints(block, self), block, Datatype.INT, all, block, Datatype.INT));
                    assertArrayEquals(blocks(size, block), all);
                }
                case 7 -> {
                    final int[] all = new int[block * size];
                    final int[] sent = new int[block * size];
                    for (int r = 0; r < size; r++) {
                        System.arraycopy(ints(block, self + r), 0, sent, r * block, block);
                    }
                    end(on.alltoall(sent, block, Datatype.INT, all, block, Datatype.INT));
                    assertArrayEquals(sent, all);
                }
                case 8 -> {
                    final int[] sum = new int[n];
                    end(on.scan(ints(n, self), sum, n, Datatype.INT, Op.SUM));
                    assertArrayEquals(IntStream.range(0, n).map(i -> 31 * self * (self + 1) / 2 + (self + 1) * i).toArray(), sum);
                }
                case 9 -> {
                    final int[] sum = new int[n];
                    end(on.exscan(ints(n, self), sum, n, Datatype.INT, Op.SUM));
                    if (self > 0) {
                        assertArrayEquals(IntStream.range(0, n).map(i -> 31 * self * (self - 1) / 2 + self * i).toArray(), sum);
                    }
                }
                default -> {
                    final int[] sum = new int[block];
                    end(on.reduceScatterBlock(ints(block * size, self), sum, block, Datatype.INT, Op.SUM));
                    assertArrayEquals(IntStream.range(0, block).map(i -> 31 * ranksSum + size * (self * block + i)).toArray(), sum);
                }
            }
        }

        private static int[] blocks(final int size, final int block) {
            return IntStream.range(0, size).flatMap(r -> Arrays.stream(ints(block, r))).toArray();
        }

        private static void ring(final Communicator c, final int n, final int step) {
            final int size = c.size();
            final int[] got = new int[n];
            final int before = (c.rank() + size - 1) % size;
            final Request receiving = c.messages().irecv(got, n, Datatype.INT, before, step);
            c.messages().send(SendMode.STANDARD, ints(n, c.rank()), n, Datatype.INT, (c.rank() + 1) % size, step);
            receiving.await();
            assertArrayEquals(ints(n, before), got);
        }
    }

    private static void run(final long seed, final List<CollModule> modules) throws Exception {
        final Random random = new Random(seed);
        final int ranks = 2 + random.nextInt(8);
        final int nodes = 1 + random.nextInt(Math.min(ranks, 4));
        final int deaths = random.nextInt(ranks);
        final int spares = Math.max(0, random.nextInt(8) - 3);
        try {
            FaultyRanks.run(ranks, nodes, spares, Map.of(), modules, new Run(seed, ranks, spares, deaths));
        } catch (final AssertionError e) {
            throw new AssertionError("seed " + seed + ", ranks=" + ranks + ", nodes=" + nodes + ", spares=" + spares, e);
        }
    }

    static Stream<List<CollModule>> modules() {
        return Stream.concat(Stream.of(BASIC, MODULES), MODULES.stream().skip(1).map(m -> List.of(m, new BasicModule())));
    }

    @ParameterizedTest
    @MethodSource("modules")
    void shouldGoOnWithoutRanksThatFail(final List<CollModule> modules) throws Exception {
        for (int i = 0; i < 8; i++) {
            run(modules().toList().indexOf(modules) * 1_000L + i, modules);
        }
    }

    @Test
    void shouldLoseNothingWithoutFailures() throws Exception {
        FaultyRanks.run(5, 2, Map.of(), MODULES, new Run(1, 5, 0, 0));
    }

    /** Runs for some seconds, from a seed on: arguments are both. */
    public static void main(final String[] args) throws Exception {
        final long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000;
        final List<List<CollModule>> all = modules().toList();
        long seed = Long.parseLong(args[1]);
        int runs = 0;
        while (System.nanoTime() < end) {
            run(seed, all.get((int) (seed % all.size())));
            seed += args.length > 2 ? 0 : 1;
            runs++;
        }
        System.out.println(runs + " runs, last seed " + (seed - 1));
    }
}
