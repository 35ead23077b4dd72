package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.IntStream;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

/** The hidden communicator of the local group of an intercommunicator, for tests. */
public final class LocalGroup {
    private LocalGroup() {}

    /** Asserts that it has the given ranks of COMM_WORLD and that its collectives work. */
    public static void assertWorks(final Communicator inter, final int... worldRanks) {
        final CollectiveEngine local = inter.engine().table().local().engine();
        assertArrayEquals(worldRanks, local.comm().group().worldRanks());
        final int[] sum = new int[1];
        local.blocking().allreduce(new int[] {inter.owner().worldRank()}, sum, 1, Datatype.INT, Op.SUM);
        assertEquals(IntStream.of(worldRanks).sum(), sum[0]);
    }
}
