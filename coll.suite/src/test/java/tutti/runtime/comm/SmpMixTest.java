package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.smp.SmpModule;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests many calls of all forms that are pending at the same time. Every rank waits for them in its own order and way. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SmpMixTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new SmpModule());

    @ParameterizedTest
    @CsvSource({"2, 1, 3000", "3, 1, 1000", "8, 1, 300", "5, 2, 300", "9, 3, 60"})
    void shouldServeAnyMixOfCallsWhateverTheOrderInWhichRanksWait(final int ranks, final int nodes, final int rounds) throws Exception {
        Ranks.run(ranks, nodes, MODULES, rank -> {
            final Mix mix = new Mix(rank.world());
            for (int i = 0; i < rounds; i++) {
                mix.round();
            }
            mix.again.free();
        });
    }

    /** The calls of one rank. */
    private static final class Mix {
        private final Communicator c;
        private final int p;
        /** Draws the same numbers on all ranks. */
        private final Random common = new Random(42);
        private final Random own;
        private final long[] in = new long[8];
        private final long[] out = new long[8];
        private final PersistentRequest again;

        Mix(final Communicator c) {
            this.c = c;
            this.p = c.size();
            this.own = new Random(c.rank());
            this.again = c.engine().persistent().allreduce(in, out, in.length, Datatype.LONG, Op.SUM);
        }

        void round() {
            final Map<Request, Runnable> calls = new LinkedHashMap<>();
            for (int k = 1 + common.nextInt(6); k > 0; k--) {
                start(common.nextInt(5), 1 + common.nextInt(common.nextInt(8) == 0 ? 20_000 : 30), calls);
            }
            final List<Request> order = new ArrayList<>(calls.keySet());
            Collections.shuffle(order, own);
            for (final Request r : order) {
                while (own.nextBoolean() && !r.test()) {
                    Thread.yield();
                }
                r.await();
                calls.get(r).run();
            }
        }

        private void start(final int kind, final int count, final Map<Request, Runnable> calls) {
            final int root = common.nextInt(p);
            final long seed = common.nextInt(1000);
            final long[] data = new long[count];
            final long[] result = new long[count];
            Arrays.fill(data, seed + c.rank());
            final long sum = p * seed + p * (p - 1) / 2;
            switch (kind) {
                case 0 -> calls.put(c.engine().nonblocking().allreduce(data, result, count, Datatype.LONG, Op.SUM),
                    () -> assertEquals(sum, result[count - 1]));
                case 1 ->
                    calls.put(c.engine().nonblocking().bcast(data, count, Datatype.LONG, root), () -> assertEquals(seed + root, data[count - 1]));
                case 2 -> calls.put(c.engine().nonblocking().barrier(), () -> {});
                case 3 -> {
                    c.engine().blocking().reduce(data, result, count, Datatype.LONG, Op.SUM, root);
                    assertEquals(c.rank() == root ? sum : 0, result[count - 1]);
                }
                default -> {
                    if (!calls.containsKey(again)) {
                        Arrays.fill(in, seed + c.rank());
                        again.start();
                        calls.put(again, () -> assertEquals(sum, out[out.length - 1]));
                    }
                }
            }
        }
    }
}
