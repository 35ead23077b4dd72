package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.Ranks;
import tutti.runtime.collective.AllToAllCollectives;
import tutti.runtime.collective.Collectives;
import tutti.runtime.collective.Neighborhood;
import tutti.runtime.collective.RepeatedStarts;
import tutti.runtime.comm.NeighborContract.Topology;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;

/** Tests the neighbourhood collectives over module basic: blocking, nonblocking and persistent. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NeighborCollectivesTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());

    static Stream<Shape> shapes() {
        return IntStream.of(1, 2, 3, 4, 5, 6, 7, 8, 16).boxed().flatMap(p -> IntStream.rangeClosed(1, Math.min(p, 2)).mapToObj(k -> new Shape(p, k)));
    }

    private static List<Topology> topologies(final int p) {
        final List<Topology> all = new ArrayList<>(List.of(NeighborContract.graph(p), NeighborContract.grid(new int[] {p}, 0),
            NeighborContract.grid(new int[] {p}, 1), NeighborContract.grid(new int[] {1, p}, 1), NeighborContract.grid(new int[] {p, 1, 1}, 6)));
        if (p % 2 == 0) {
            all.add(NeighborContract.grid(new int[] {2, p / 2}, 3));
            all.add(NeighborContract.grid(new int[] {p / 2, 2}, 2));
            all.add(NeighborContract.grid(new int[] {2, 1, p / 2}, 5));
        }
        if (p % 4 == 0) {
            all.add(NeighborContract.grid(new int[] {2, 2, p / 4}, 7));
            all.add(NeighborContract.grid(new int[] {2, p / 4, 2}, 0));
        }
        if (p % 3 == 0) {
            all.add(NeighborContract.grid(new int[] {3, p / 3}, 1));
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldTransferEachBlockAlongItsEdge(final Shape shape) throws Exception {
        Ranks.run(shape.ranks(), shape.nodes(), BASIC, rank -> {
            final Communicator c = rank.world();
            for (final Topology topology : topologies(c.size())) {
                final Neighborhood mine = NeighborContract.neighborhood(topology, c.rank());
                for (final int n : new int[] {0, 1, 5}) {
                    new NeighborContract(topology, c, c.engine().blocking().among(mine), "blocking").check(n);
                    new NeighborContract(topology, c, c.engine().nonblocking().among(mine), "requests").check(n);
                    new NeighborContract(topology, c, RepeatedStarts.on(c).among(mine), "persistent").check(n);
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldTransferLargeBlocks(final Shape shape) throws Exception {
        Ranks.run(shape.ranks(), shape.nodes(), BASIC, rank -> {
            final Communicator c = rank.world();
            final Topology ring = NeighborContract.grid(new int[] {c.size()}, 1);
            final Neighborhood mine = NeighborContract.neighborhood(ring, c.rank());
            final int n = 20_000;
            final long[] send = new long[2 * n];
            final long[] recv = new long[2 * n];
            for (int i = 0; i < 2 * n; i++) {
                send[i] = c.rank() * 1_000_000L + i;
            }
            c.engine().nonblocking().among(mine).alltoall(send, n, Datatype.LONG, recv, n, Datatype.LONG).await();
            final long[] expected = new long[2 * n];
            for (int i = 0; i < n; i++) {
                expected[i] = (c.rank() + c.size() - 1) % c.size() * 1_000_000L + n + i;
                expected[n + i] = (c.rank() + 1) % c.size() * 1_000_000L + i;
            }
            assertArrayEquals(expected, recv);
        });
    }

    @Test
    void shouldPlanOncePerNeighborhoodAndSize() throws Exception {
        Ranks.run(3, BASIC, rank -> {
            final Communicator c = rank.world();
            for (int i = 0; i < 10; i++) {
                final Neighborhood mine = Neighborhood.opposite(new int[] {(c.rank() + 2) % 3, (c.rank() + 1) % 3});
                c.engine().blocking().among(mine).alltoall(new int[2], 1, Datatype.INT, new int[2], 1, Datatype.INT);
            }
            assertEquals(1, c.engine().blocking().planned());
        });
    }

    @Test
    void shouldNeedNoArgumentsWithoutNeighbours() throws Exception {
        Ranks.run(2, BASIC, rank -> {
            final AllToAllCollectives<?> alone = rank.world().engine().blocking().among(Neighborhood.of(new int[0], new int[0]));
            alone.alltoall(null, 1, Datatype.INT, null, 1, Datatype.INT);
            alone.alltoallv(null, null, null, null, null, null, null, null);
            alone.alltoallw(null, null, null, null, null, null, null, null);
            alone.allgatherv(new int[1], 1, Datatype.INT, null, null, null, null);
        });
    }

    @Test
    void shouldRefuseBadArguments() throws Exception {
        Ranks.run(1, BASIC, rank -> {
            final Collectives<?> c = rank.world().engine().blocking();
            refused(ErrorClass.RANK, "source out of range: rank=1, size=1", () -> c.among(Neighborhood.of(new int[] {1}, new int[0])));
            refused(ErrorClass.RANK, "destination out of range: rank=4, size=1", () -> c.among(Neighborhood.of(new int[0], new int[] {4})));
            refused(ErrorClass.TOPOLOGY, "edges of a rank to itself differ in number: out=1, in=2, rank=0",
                () -> c.among(Neighborhood.of(new int[] {0, 0}, new int[] {0})));
            final AllToAllCollectives<?> ring = c.among(Neighborhood.opposite(new int[] {0, 0}));
            refused(ErrorClass.COUNT, "count is negative: count=-1",
                () -> ring.alltoall(new int[2], -1, Datatype.INT, new int[2], 1, Datatype.INT));
            refused(ErrorClass.COUNT, "count out of range: count=" + Long.MAX_VALUE + ", blocks=2",
                () -> ring.allgather(new int[2], 1, Datatype.INT, new int[2], Long.MAX_VALUE, Datatype.INT));
            refused(ErrorClass.BUFFER, "IN_PLACE is not allowed in neighbourhood collectives: rank=0",
                () -> ring.alltoall(Reserved.IN_PLACE, 1, Datatype.INT, new int[2], 1, Datatype.INT));
            refused(ErrorClass.BUFFER, "buffer too small: need=8, have=4 bytes (count=2, type=INT)",
                () -> ring.alltoall(new int[2], 1, Datatype.INT, new int[1], 1, Datatype.INT));
            refused(ErrorClass.TRUNCATE, "own block differs in length between send and receive buffer: sent=8, received=4 bytes",
                () -> ring.allgather(new int[2], 2, Datatype.INT, new int[2], 1, Datatype.INT));
            refused(ErrorClass.COUNT, "own block differs in length between send and receive buffer: sent=4, received=8 bytes",
                () -> ring.alltoallv(new int[4], new long[] {1, 1}, new long[2], Datatype.INT, new int[4], new long[] {1, 2}, new long[2],
                    Datatype.INT));
            refused(ErrorClass.COUNT, "a count per rank is needed: counts=1, ranks=2",
                () -> ring.alltoallv(new int[4], new long[1], new long[2], Datatype.INT, new int[4], new long[2], new long[2], Datatype.INT));
        });
    }

    private static void refused(final ErrorClass errorClass, final String message, final Executable call) {
        final MpiFailure e = assertThrows(MpiFailure.class, call);
        assertEquals(message, e.getMessage());
        assertEquals(errorClass, e.errorClass());
    }
}
