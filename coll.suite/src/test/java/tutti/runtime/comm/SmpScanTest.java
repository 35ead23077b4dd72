package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.smp.SmpModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.Reserved;
import tutti.runtime.request.PersistentRequest;

/** Tests scan and exscan over nodes with consecutive ranks, which the module serves, in many segments and with an operation that does not commute. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SmpScanTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new SmpModule());
    /** Composition of maps x to a*x+b. An element has a in its upper half and b in its lower half. */
    private static final Op COMPOSE = Op.user("compose", false, (in, inout, count, type) -> {
        for (long i = 0; i < count; i++) {
            inout.set(ValueLayout.JAVA_LONG_UNALIGNED, 8 * i,
                composed(in.get(ValueLayout.JAVA_LONG_UNALIGNED, 8 * i), inout.get(ValueLayout.JAVA_LONG_UNALIGNED, 8 * i)));
        }
    });

    private static long composed(final long first, final long second) {
        return map((int) (first >>> 32) * (int) (second >>> 32), (int) (first >>> 32) * (int) second + (int) first);
    }

    private static long map(final int a, final int b) {
        return (long) a << 32 | b & 0xffffffffL;
    }

    private static long[] given(final int rank, final int count) {
        final long[] given = new long[count];
        Arrays.setAll(given, i -> map(2 * rank + 3, 5 * i + rank + 1));
        return given;
    }

    /** Returns the reduction over the first ranks. */
    private static long[] prefix(final int ranks, final int count) {
        final long[] all = given(0, count);
        for (int r = 1; r < ranks; r++) {
            final long[] next = given(r, count);
            Arrays.setAll(all, i -> composed(all[i], next[i]));
        }
        return all;
    }

    static Stream<List<Integer>> nodes() {
        return Stream.of(List.of(0, 0, 1), List.of(0, 1, 1, 2, 2, 2, 2), List.of(0, 0, 0, 1, 1, 1, 2, 2, 3));
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldGiveEachRankThePrefixOfItsRank(final List<Integer> nodes) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(nodes, transport, Ranks.job(nodes.size(), Map.of("coll.smp.segment", "64"), MODULES), rank -> {
                final Communicator c = rank.world();
                assertEquals(2,
                    c.engine().explain().stream().filter(e -> e.operation().endsWith("scan") && e.module().equals("SmpModule 1.0.0")).count());
                for (final int count : new int[] {1, 8, 9, 1000}) {
                    check(c, count);
                }
            });
        }
    }

    private static void check(final Communicator c, final int count) {
        final int me = c.rank();
        final long[] old = new long[count];
        final long[] input = given(me, count);
        final long[] inclusive = prefix(me + 1, count);
        final long[] exclusive = me == 0 ? old : prefix(me, count);
        final long[] into = new long[count];
        c.engine().blocking().exscan(input, into, count, Datatype.LONG, COMPOSE);
        assertArrayEquals(exclusive, into);
        c.engine().blocking().scan(input, into, count, Datatype.LONG, COMPOSE);
        assertArrayEquals(inclusive, into);
        final long[] both = input.clone();
        final PersistentRequest scan = c.engine().persistent().scan(Reserved.IN_PLACE, both, count, Datatype.LONG, COMPOSE);
        final PersistentRequest exscan = c.engine().persistent().exscan(Reserved.IN_PLACE, both, count, Datatype.LONG, COMPOSE);
        for (int turn = 0; turn < 3; turn++) {
            scan.start();
            scan.await();
            assertArrayEquals(inclusive, both);
            System.arraycopy(input, 0, both, 0, count);
            exscan.start();
            exscan.await();
            assertArrayEquals(me == 0 ? input : exclusive, both);
            System.arraycopy(input, 0, both, 0, count);
        }
        scan.free();
        exscan.free();
    }
}
