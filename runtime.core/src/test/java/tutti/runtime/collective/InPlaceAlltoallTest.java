package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;

/** Tests alltoall, alltoallv and alltoallw in place with derived types: blocks are exchanged, gaps stay unchanged. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class InPlaceAlltoallTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());
    private static final Object IN_PLACE = Reserved.IN_PLACE;
    /** Every other of six ints. */
    private static final Datatype HOLEY = Datatype.vector(3, 1, 2, Datatype.INT);
    private static final int EXTENT = (int) (HOLEY.extent() / 4);

    private static int value(final int from, final int to, final int i) {
        return 10_000 * from + 100 * to + i;
    }

    /** Returns the buffer of a rank: for each peer a number of elements of HOLEY from an offset on, and -1 elsewhere. */
    private static int[] data(final int ranks, final int length, final IntUnaryOperator count, final IntUnaryOperator place, final int me,
        final boolean before) {
        final int[] data = new int[length];
        Arrays.fill(data, -1);
        for (int r = 0; r < ranks; r++) {
            for (int e = 0; e < count.applyAsInt(r); e++) {
                for (int k = 0; k < 3; k++) {
                    data[place.applyAsInt(r) + e * EXTENT + 2 * k] = before ? value(me, r, 3 * e + k) : value(r, me, 3 * e + k);
                }
            }
        }
        return data;
    }

    private static long[] longs(final int ranks, final IntUnaryOperator value) {
        final long[] all = new long[ranks];
        Arrays.setAll(all, value::applyAsInt);
        return all;
    }

    @Test
    void shouldBeInPlaceBySendBufferOnly() throws Exception {
        Ranks.run(1, BASIC, rank -> assertEquals("IN_PLACE is allowed as send buffer only: rank=0", assertThrows(MpiFailure.class,
            () -> rank.world().engine().blocking().alltoall(new int[1], 1, Datatype.INT, IN_PLACE, 1, Datatype.INT)).getMessage()));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "4, 1", "5, 3", "8, 2", "16, 1"})
    void shouldSwapBlocksAndLeaveGapsAlone(final int ranks, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            for (final Collectives<?> form : List.of(c.engine().blocking(), c.engine().nonblocking(), RepeatedStarts.on(c))) {
                checkAll(form, ranks, c.rank());
            }
        });
    }

    private static void checkAll(final Collectives<?> c, final int p, final int me) {
        final int room = 4 * EXTENT + 3;
        // equal blocks, one after the other
        final int[] dense = data(p, 2 * p * EXTENT, r -> 2, r -> 2 * r * EXTENT, me, true);
        c.alltoall(IN_PLACE, 0, null, dense, 2, HOLEY).await();
        assertArrayEquals(data(p, 2 * p * EXTENT, r -> 2, r -> 2 * r * EXTENT, me, false), dense, "alltoall");
        // of other lengths for each pair, in falling order
        final IntUnaryOperator count = r -> (r + me) % 4;
        final IntUnaryOperator element = r -> 5 * (p - 1 - r);
        final int[] spread = data(p, 5 * p * EXTENT, count, r -> element.applyAsInt(r) * EXTENT, me, true);
        c.alltoallv(IN_PLACE, null, null, null, spread, longs(p, count), longs(p, element), HOLEY).await();
        assertArrayEquals(data(p, 5 * p * EXTENT, count, r -> element.applyAsInt(r) * EXTENT, me, false), spread, "alltoallv");
        // at bytes that are no multiple of the extent, and types that differ in kind but not in what they hold
        final IntUnaryOperator place = r -> r * room + 1;
        final Datatype[] types = new Datatype[p];
        Arrays.setAll(types, r -> r % 2 == 0 ? HOLEY : Datatype.contiguous(1, HOLEY));
        final int[] mixed = data(p, p * room + 1, count, place, me, true);
        c.alltoallw(IN_PLACE, null, null, null, mixed, longs(p, count), longs(p, r -> 4 * place.applyAsInt(r)), types).await();
        assertArrayEquals(data(p, p * room + 1, count, place, me, false), mixed, "alltoallw");
    }
}
