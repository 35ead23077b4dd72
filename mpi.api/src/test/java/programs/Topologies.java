package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import mpi.CartComm;
import mpi.CartParms;
import mpi.Datatype;
import mpi.DistGraphNeighbors;
import mpi.GraphComm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.ShiftParms;
import org.junit.jupiter.api.function.Executable;

/** Grids and graphs: their queries, and neighbour collectives on them. */
public final class Topologies {
    private static final Intracomm WORLD = MPI.COMM_WORLD;
    private static final Datatype INT = MPI.INT;
    private static int p;
    private static int me;

    private Topologies() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        p = WORLD.getSize();
        me = WORLD.getRank();
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final int[] balanced = new int[2];
        CartComm.createDims(p, balanced);
        for (int periodic = 0; periodic < 4; periodic++) {
            grid(new int[] {p}, periodic);
            grid(balanced, periodic);
            grid(new int[] {1, balanced[0], balanced[1]}, periodic + 4);
        }
        pointAndRest();
        subGrids(balanced);
        graph();
        distributedGraph();
        graphOfOneRank();
        adjacentGraph();
        errors();
    }

    private static boolean[] periods(final int[] dims, final int periodic) {
        final boolean[] periods = new boolean[dims.length];
        for (int i = 0; i < dims.length; i++) {
            periods[i] = (periodic >> i & 1) == 1;
        }
        return periods;
    }

    private static void grid(final int[] dims, final int periodic) throws MPIException {
        final boolean[] periods = periods(dims, periodic);
        final CartComm cart = WORLD.createCart(dims, periods, true);
        final CartParms parms = cart.getTopo();
        assertEquals(MPI.CART, cart.getTopology());
        assertEquals(p, cart.getSize());
        assertEquals(me, cart.getRank(cart.getCoords(me)));
        assertEquals(dims.length, parms.getDimCount());
        assertArrayEquals(cart.getCoords(me), IntStream.range(0, dims.length).map(parms::getCoord).toArray());
        final int[] expected = new int[2 * dims.length];
        for (int d = 0; d < dims.length; d++) {
            assertEquals(periods[d], parms.getPeriod(d));
            assertEquals(dims[d], parms.getDim(d));
            // the neighbour below sent it in its block for the neighbour above
            final ShiftParms shift = cart.shift(d, 1);
            expected[2 * d] = NeighborForms.value(shift.getRankSource(), 2 * d + 1);
            expected[2 * d + 1] = NeighborForms.value(shift.getRankDest(), 2 * d);
        }
        new NeighborForms(cart, expected.length, expected).check();
        final CartComm same = cart.dup();
        cart.free();
        assertTrue(cart.isNull());
        new NeighborForms(same, expected.length, expected).check();
        same.free();
    }

    /** A grid without dimensions has one rank; the other ranks get the null communicator. */
    private static void pointAndRest() throws MPIException {
        final CartComm point = WORLD.createCart(new int[0], new boolean[0], false);
        assertEquals(me != 0, point.isNull());
        if (me == 0) {
            assertEquals(1, point.getSize());
            assertEquals(0, point.getRank(new int[0]));
            point.neighborAllToAll(new int[0], 1, INT, new int[0], 1, INT);
            point.neighborAllGatherv(null, 0, INT, null, (int[]) null, null, INT);
            point.neighborAllToAllw(null, (int[]) null, null, null, null, null, null, null);
            point.free();
        }
        final int nodes = Math.max(1, p - 1);
        final CartComm smaller = WORLD.createCart(new int[] {nodes}, new boolean[] {true}, false);
        assertEquals(me >= nodes, smaller.isNull());
        if (me < nodes) {
            assertEquals(nodes, smaller.getSize());
            assertEquals(me, smaller.map(new int[] {nodes}, new boolean[1]));
            assertEquals(me == 0 ? 0 : MPI.UNDEFINED, smaller.map(new int[] {1}, new boolean[1]));
            smaller.free();
        } else {
            refused(MPI.ERR_COMM, "communicator is null", smaller::getTopo);
        }
    }

    private static void subGrids(final int[] dims) throws MPIException {
        final CartComm cart = WORLD.createCart(dims, new boolean[] {true, false}, false);
        final CartComm row = cart.sub(new boolean[] {false, true});
        assertEquals(dims[1], row.getSize());
        assertEquals(cart.getCoords(me)[1], row.getRank());
        assertEquals(1, row.getTopo().getDimCount());
        assertFalse(row.getTopo().getPeriod(0));
        final int[] members = new int[dims[1]];
        row.allGather(new int[] {me}, 1, INT, members, 1, INT);
        assertArrayEquals(IntStream.range(0, dims[1]).map(i -> me / dims[1] * dims[1] + i).toArray(), members);
        final CartComm column = cart.sub(new boolean[] {true, false});
        assertEquals(dims[0], column.getSize());
        assertTrue(column.getTopo().getPeriod(0));
        final CartComm single = cart.sub(new boolean[2]);
        assertEquals(1, single.getSize());
        assertEquals(0, single.getTopo().getDimCount());
        single.free();
        column.free();
        row.free();
        cart.free();
    }

    /** A star around rank 0 with double edges, and a loop at every node. */
    private static void graph() throws MPIException {
        final int[] index = new int[p];
        final int[] edges = new int[2 * (p - 1) + 1 + 3 * (p - 1)];
        int n = 0;
        for (int r = 0; r < p; r++) {
            edges[n++] = r;
            for (int k = 0; k < 2 * (r == 0 ? p - 1 : 1); k++) {
                edges[n++] = r == 0 ? 1 + k / 2 : 0;
            }
            index[r] = n;
        }
        final GraphComm graph = WORLD.createGraph(index, edges, false);
        assertEquals(MPI.GRAPH, graph.getTopology());
        assertEquals(p, graph.getDims().getIndexCount());
        assertEquals(n, graph.getDims().getEdgeCount());
        assertArrayEquals(p == 1 ? new int[1] : new int[] {p - 1, 0, 0}, graph.getNeighbors(p - 1));
        final int[] neighbors = graph.getNeighbors(me);
        final int[] expected = new int[neighbors.length];
        expected[0] = NeighborForms.value(me, 0);
        for (int i = 1; i < neighbors.length; i++) {
            // rank 0 has the edges to rank r in its blocks 2r-1 and 2r, the others those to rank 0 in blocks 1 and 2
            expected[i] = NeighborForms.value(neighbors[i], me == 0 ? 2 - i % 2 : 2 * me - 2 + i);
        }
        new NeighborForms(graph, neighbors.length, expected).check();
        refused(MPI.ERR_TOPOLOGY, "graph is not distributed: use getNeighbors", graph::getDistGraphNeighbors);
        assertEquals(me, graph.map(index, edges));
        final GraphComm same = graph.iDup();
        same.getRequest().waitFor();
        new NeighborForms(same, neighbors.length, expected).check();
        assertArrayEquals(neighbors, same.getNeighbors(me));
        same.free();
        graph.free();
    }

    /**
     * Edges from r to r+1, twice, and to itself, all specified by rank r-1; weights identify the edges and the order in which they were
     * specified.
     */
    private static void distributedGraph() throws MPIException {
        final int from = (me + 1) % p;
        final int to = (from + 1) % p;
        final GraphComm graph = WORLD.createDistGraph(new int[] {from, from}, new int[] {2, 1}, new int[] {to, from, to},
            new int[] {me, 1050, 1060}, MPI.INFO_NULL, false);
        assertEquals(MPI.DIST_GRAPH, graph.getTopology());
        final DistGraphNeighbors mine = graph.getDistGraphNeighbors();
        final int left = (me + p - 1) % p;
        assertTrue(mine.isWeighted());
        assertEquals(3, mine.getInDegree());
        assertEquals(3, mine.getOutDegree());
        assertArrayEquals(new int[] {from, me, from}, IntStream.range(0, 3).map(mine::getDestination).toArray());
        assertArrayEquals(new int[] {left, 1050, 1060}, IntStream.range(0, 3).map(mine::getDestinationWeight).toArray());
        final int[] expected = new int[3];
        for (int i = 0; i < 3; i++) {
            // an edge has one weight at both ends, so the weight identifies the block in which the data was sent
            final int weight = mine.getSourceWeight(i);
            final int block = weight == 1050 ? 1 : weight == 1060 ? 2 : 0;
            assertEquals(block == 1 ? me : left, mine.getSource(i));
            assertTrue(block != 0 || weight == (left + p - 1) % p);
            expected[i] = NeighborForms.value(mine.getSource(i), block);
        }
        assertEquals(3, Arrays.stream(expected).distinct().count());
        new NeighborForms(graph, 3, expected).check();
        refused(MPI.ERR_TOPOLOGY, "graph is distributed: use getDistGraphNeighbors", graph::getDims);
        refused(MPI.ERR_TOPOLOGY, "graph is distributed: use getDistGraphNeighbors", () -> graph.getNeighbors(0));
        graph.free();
    }

    /** Rank 0 specifies all edges of a ring, the other ranks none. */
    private static void graphOfOneRank() throws MPIException {
        final int[] all = me == 0 ? IntStream.range(0, p).toArray() : new int[0];
        final int[] next = Arrays.stream(all).map(r -> (r + 1) % p).toArray();
        final GraphComm ring = WORLD.createDistGraph(all, NeighborForms.ones(all.length), next, null, false);
        final int left = (me + p - 1) % p;
        assertFalse(ring.getDistGraphNeighbors().isWeighted());
        assertEquals(left, ring.getDistGraphNeighbors().getSource(0));
        new NeighborForms(ring, 1, new int[] {NeighborForms.value(left, 0)}).check();
        ring.free();
    }

    /** All ranks send to rank 0, which sends only to itself. */
    private static void adjacentGraph() throws MPIException {
        final int[] sources = me == 0 ? IntStream.range(0, p).map(i -> p - 1 - i).toArray() : new int[0];
        final GraphComm star = WORLD.createDistGraphAdjacent(sources, new int[1], MPI.INFO_NULL, true);
        assertEquals(me == 0 ? p : 0, star.getDistGraphNeighbors().getInDegree());
        new NeighborForms(star, 1, Arrays.stream(sources).map(r -> NeighborForms.value(r, 0)).toArray()).check();
        star.free();
        final GraphComm weighted = WORLD.createDistGraphAdjacent(sources, sources, new int[1], new int[] {me}, null, true);
        final GraphComm same = weighted.clone();
        weighted.free();
        assertEquals(MPI.DIST_GRAPH, same.getTopology());
        assertTrue(same.getDistGraphNeighbors().isWeighted());
        assertEquals(me, same.getDistGraphNeighbors().getDestinationWeight(0));
        same.free();
    }

    private static void errors() throws MPIException {
        refused(MPI.ERR_TOPOLOGY, "communicator has no topology: comm=MPI_COMM_WORLD",
            () -> WORLD.neighborAllToAll(new int[1], 1, INT, new int[1], 1, INT));
        assertEquals(MPI.UNDEFINED, WORLD.getTopology());
        refused(MPI.ERR_DIMS, "grid is larger than the communicator: dims=[" + (p + 1) + "], ranks=" + p,
            () -> WORLD.createCart(new int[] {p + 1}, new boolean[1], false));
        refused(MPI.ERR_ARG, "numbers of dimensions and periods differ: dims=1, periods=2",
            () -> WORLD.createCart(new int[] {1}, new boolean[2], false));
        refused(MPI.ERR_DIMS, "ranks do not fill the dimensions: ranks=7, dims=[2, 0]", () -> CartComm.createDims(7, new int[] {2, 0}));
        refused(MPI.ERR_RANK, "edge target out of range: edge=0, target=1, nodes=1", () -> WORLD.createGraph(new int[] {1}, new int[] {1}, false));
        refused(MPI.ERR_ARG, "a degree per source is needed: degrees=0, sources=1",
            () -> WORLD.createDistGraph(new int[1], new int[0], new int[1], null, false));
        refused(MPI.ERR_ARG, "degree is negative: source=0, degree=-1",
            () -> WORLD.createDistGraph(new int[1], new int[] {-1}, new int[1], null, false));
        refused(MPI.ERR_ARG, "a destination per edge is needed: destinations=1, edges=2",
            () -> WORLD.createDistGraph(new int[1], new int[] {2}, new int[1], null, false));
        refused(MPI.ERR_ARG, "a weight per edge is needed: weights=null, edges=1",
            () -> WORLD.createDistGraph(new int[1], new int[] {1}, new int[1], null, null, false));
        refused(MPI.ERR_RANK, "destination out of range: edge=0, rank=" + p + ", size=" + p,
            () -> WORLD.createDistGraphAdjacent(new int[0], new int[] {p}, null, false));
        final CartComm cart = WORLD.createCart(new int[] {p}, new boolean[1], false);
        refused(MPI.ERR_DIMS, "dimension out of range: dimension=1, dimensions=1", () -> cart.shift(1, 1));
        refused(MPI.ERR_RANK, "rank out of range: rank=" + p + ", size=" + p, () -> cart.getCoords(p));
        refused(MPI.ERR_ARG, "coordinate out of range: dimension=0, coordinate=" + p + ", length=" + p, () -> cart.getRank(new int[] {p}));
        refused(MPI.ERR_ARG, "a flag per dimension is needed: flags=0, dimensions=1", () -> cart.sub(new boolean[0]));
        cart.free();
    }

    private static void refused(final int errorClass, final String message, final Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertTrue(e.getMessage().startsWith(message), e.getMessage());
        assertEquals(errorClass, e.getErrorClass());
    }
}
