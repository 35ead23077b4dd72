package mpi;

import tutti.runtime.comm.Communicator;
import tutti.runtime.error.MpiFailure;

/** A communicator of one group: {@code MPI.COMM_WORLD} for one. Threads as the rank's thread level says. */
public class Intracomm extends ScanCollectives {

    Intracomm(final Communicator handle, final String name) {
        super(handle, name);
    }

    @Override
    Intracomm like(final Communicator other) {
        return new Intracomm(other, "");
    }

    /** As {@link #dup}. */
    @Override
    public Intracomm clone() {
        return (Intracomm) super.clone();
    }

    @Override
    public Intracomm dup() throws MPIException {
        return (Intracomm) super.dup();
    }

    @Override
    public Intracomm iDup() throws MPIException {
        return (Intracomm) super.iDup();
    }

    @Override
    public Intracomm dupWithInfo(final Info hints) throws MPIException {
        return (Intracomm) super.dupWithInfo(hints);
    }

    /**
     * Makes a communicator for each colour, its ranks in the order of key, then of rank here. All ranks call it.
     *
     * @param color from 0, or {@code MPI.UNDEFINED} to take no part
     * @return one for which {@link #isNull} holds when this rank takes no part
     */
    public final Intracomm split(final int color, final int key) throws MPIException {
        checkUsable();
        try {
            return made(handle.split(color, key));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** As {@link #split}, with the nodes as colours for {@link #TYPE_SHARED}; {@code MPI.UNDEFINED} as type takes no part. */
    public final Intracomm splitType(final int splitType, final int key, final Info hints) throws MPIException {
        checkUsable();
        if (splitType != TYPE_SHARED && splitType != Constants.UNDEFINED) {
            throw raise(Constants.ERR_ARG, "no such split type: type=" + splitType + ", known=Comm.TYPE_SHARED, MPI.UNDEFINED");
        }
        try {
            return made(splitType == TYPE_SHARED ? handle.splitByNode(key) : handle.split(splitType, key));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Makes a communicator of a group. All ranks call it, with groups that are the same or do not overlap.
     *
     * @return one for which {@link #isNull} holds when this rank is not in its group
     */
    public final Intracomm create(final Group group) throws MPIException {
        checkUsable();
        final tutti.runtime.comm.Group members = Group.of(group);
        try {
            return made(handle.create(members));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** As {@link #create}, but only the ranks of the group call it; the tag tells it from calls of other threads at the same time. */
    public final Intracomm createGroup(final Group group, final int tag) throws MPIException {
        checkUsable();
        final tutti.runtime.comm.Group members = Group.of(group);
        try {
            return made(handle.createGroup(members, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** What programs see of a communicator that was made of this one; null for none. */
    private Intracomm made(final Communicator other) {
        return handedOn(new Intracomm(orNone(other), ""));
    }

    private Communicator orNone(final Communicator made) {
        return made == null ? handle.owner().noCommunicator() : made;
    }

    /**
     * Arranges ranks in a grid, in row-major order; together with all ranks. Ranks keep their order whatever {@code reorder} allows.
     *
     * @return the null communicator on ranks for which there is no place
     */
    public final CartComm createCart(final int[] dims, final boolean[] periods, final boolean reorder) throws MPIException {
        checkUsable();
        try {
            final CartTopology grid = CartTopology.of(dims, periods, handle.size());
            return handedOn(new CartComm(first(grid.size()), "", grid));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Makes ranks the nodes of a graph, which all of them give; together with all ranks. Ranks keep their order whatever {@code reorder} allows.
     *
     * @param index for each node, the number of edges of the nodes up to it
     * @param edges to which node they lead, node by node
     * @return the null communicator on ranks for which there is no node
     */
    public final GraphComm createGraph(final int[] index, final int[] edges, final boolean reorder) throws MPIException {
        checkUsable();
        try {
            final GraphTopology graph = GraphTopology.of(index, edges, handle.size());
            return handedOn(new GraphComm(first(graph.size()), "", graph));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** The communicator of the first ranks; that which stands for none on the others. */
    private Communicator first(final int ranks) {
        return orNone(handle.split(handle.rank() < ranks ? 0 : Constants.UNDEFINED, handle.rank()));
    }

    /**
     * Makes the ranks the nodes of a graph, of which each may give any edges; together with all ranks. Ranks keep their order whatever
     * {@code reorder} allows.
     *
     * @param sources      where edges begin
     * @param degrees      how many begin at each of the sources
     * @param destinations where they end, those of the first source first
     * @param weights      of the edges
     */
    public final GraphComm createDistGraph(final int[] sources, final int[] degrees, final int[] destinations, final int[] weights,
        final Info info, final boolean reorder) throws MPIException {
        return createDistGraph(sources, degrees, destinations, weights, true, info);
    }

    /** As {@link #createDistGraph(int[], int[], int[], int[], Info, boolean)} with edges that have no weights. */
    public final GraphComm createDistGraph(final int[] sources, final int[] degrees, final int[] destinations, final Info info,
        final boolean reorder) throws MPIException {
        return createDistGraph(sources, degrees, destinations, null, false, info);
    }

    private GraphComm createDistGraph(final int[] sources, final int[] degrees, final int[] destinations, final int[] weights,
        final boolean isWeighted, final Info info) throws MPIException {
        checkUsable();
        try {
            return distributed(DistGraphBuilder.gather(handle, sources, degrees, destinations, weights, isWeighted), info);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Makes the ranks the nodes of a graph, of which each gives its own edges; together with all ranks. Ranks keep their order whatever
     * {@code reorder} allows.
     *
     * @param sources      where the edges begin that come to this rank
     * @param destinations where the edges end that leave it
     */
    public final GraphComm createDistGraphAdjacent(final int[] sources, final int[] sourceWeights, final int[] destinations,
        final int[] destWeights, final Info info, final boolean reorder) throws MPIException {
        return createAdjacent(sources, sourceWeights, destinations, destWeights, true, info);
    }

    /** As {@link #createDistGraphAdjacent(int[], int[], int[], int[], Info, boolean)} with edges that have no weights. */
    public final GraphComm createDistGraphAdjacent(final int[] sources, final int[] destinations, final Info info,
        final boolean reorder) throws MPIException {
        return createAdjacent(sources, null, destinations, null, false, info);
    }

    private GraphComm createAdjacent(final int[] sources, final int[] sourceWeights, final int[] destinations, final int[] destWeights,
        final boolean isWeighted, final Info info) throws MPIException {
        checkUsable();
        try {
            return distributed(Adjacency.of(sources, sourceWeights, destinations, destWeights, isWeighted, handle.size()), info);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private GraphComm distributed(final Adjacency adjacency, final Info info) throws MPIException {
        final GraphComm made = handedOn(new GraphComm(handle.dup(), "", adjacency));
        if (info != null && !info.isNull()) {
            made.setInfo(info);
        }
        return made;
    }

    /** Gives a communicator that was made of this one what it begins with: the error handler. */
    final <C extends Comm> C handedOn(final C made) {
        made.errhandler = errhandler;
        return made;
    }
}
