package mpi;

import java.nio.Buffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.coll.Level;
import tutti.runtime.comm.Communicator;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;

/** A communicator of one group, {@code MPI.COMM_WORLD} for example. Threads may call as the rank's thread level allows. */
public class Intracomm extends Comm {
    private static final String RESOURCE_TYPE = "mpi_hw_resource_type";

    Intracomm(final Communicator handle, final String name) {
        super(handle, name);
    }

    @Override
    Intracomm wrap(final Communicator other) {
        return new Intracomm(other, "");
    }

    /** Duplicates this communicator as {@link #dup} does. */
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

    @Override
    public final Intracomm shrink() throws MPIException {
        return (Intracomm) super.shrink();
    }

    @Override
    public final Intracomm replace() throws MPIException {
        return (Intracomm) super.replace();
    }

    @Override
    final Intracomm shrunk(final Communicator made) {
        return new Intracomm(made, "");
    }

    /**
     * Partitions the communicator: creates one for each colour. All ranks must call it.
     *
     * @param color colour from 0, or {@code MPI.UNDEFINED} to take no part
     * @param key   determines the order of ranks; equal keys keep the present order
     * @return the new communicator; one for which {@link #isNull} returns true if this rank takes no part
     */
    public final Intracomm split(final int color, final int key) throws MPIException {
        checkUsable();
        try {
            return wrapOrNull(handle.split(color, key));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Partitions the communicator by split type. All ranks must call it.
     *
     * @param splitType {@link #TYPE_SHARED} for one communicator per node, {@link #TYPE_HW_GUIDED}, {@link #TYPE_HW_UNGUIDED}, or {@code
     *                  MPI.UNDEFINED} to take no part
     * @param key       determines the order of ranks; equal keys keep the present order
     * @param hints     for {@link #TYPE_HW_GUIDED} with the name of the level; else ignored, and may be null
     * @return the communicator of this rank's domain; one for which {@link #isNull} returns true where this rank is in no domain of the level, or no
     *         level divides the communicator
     */
    public final Intracomm splitType(final int splitType, final int key, final @Nullable Info hints) throws MPIException {
        checkUsable();
        final String level = splitType == TYPE_HW_GUIDED ? guide(hints) : "";
        try {
            return wrapOrNull(switch (splitType) {
                case TYPE_SHARED -> handle.splitByNode(key);
                case TYPE_HW_GUIDED -> handle.splitByLevel(level, key);
                case TYPE_HW_UNGUIDED -> handle.splitByLevel(dividing(), key);
                case MPI.UNDEFINED -> handle.split(splitType, key);
                // Remedy: one of these.
                default -> throw raise(MPI.ERR_ARG, "no such split type: type=" + splitType
                    + ", known=Comm.TYPE_SHARED, Comm.TYPE_HW_GUIDED, Comm.TYPE_HW_UNGUIDED, MPI.UNDEFINED");
            });
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns the name of the level by which the hints say to split. */
    private String guide(final @Nullable Info hints) throws MPIException {
        final String level = hints == null || hints.isNull() ? null : hints.get(RESOURCE_TYPE);
        if (level == null || !Level.isName(level)) {
            // Cause: `splitType` by hardware needs the name of a level. Remedy: one of these.
            throw raise(MPI.ERR_INFO, "no level of locality in hint " + RESOURCE_TYPE + ": value=" + level
                + ", known=hwthread, core, cache, numa, socket, jvm, host, switch, switch2 and so on");
        }
        return level;
    }

    /** Returns the name of the outermost level that divides this communicator; that of none if no level does. */
    private String dividing() {
        return handle.levels().reversed().stream().filter(level -> level.domains() > 1).map(Level::name).findFirst().orElse(Level.CLUSTER);
    }

    /**
     * Creates a communicator of a group. All ranks of this communicator must call it, with groups that are the same or disjoint.
     *
     * @return the new communicator; one for which {@link #isNull} returns true if this rank is not in its group
     */
    public final Intracomm create(final Group group) throws MPIException {
        checkUsable();
        final tutti.runtime.model.Group members = Group.of(group);
        try {
            return wrapOrNull(handle.create(members));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Creates a communicator of a group. Only the ranks of the group call it.
     *
     * @param group the members
     * @param tag   distinguishes concurrent calls by several threads
     */
    public final Intracomm createGroup(final Group group, final int tag) throws MPIException {
        checkUsable();
        final tutti.runtime.model.Group members = Group.of(group);
        try {
            return wrapOrNull(handle.createGroup(members, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Opens a port on this rank's node, at which {@link #accept} waits for other groups. It is open until it is closed or the job ends. */
    public static String openPort() throws MPIException {
        return openPort(null);
    }

    /**
     * Opens a port as {@link #openPort()} does.
     *
     * @param info ignored; may be null
     */
    public static String openPort(final @Nullable Info info) throws MPIException {
        return Ports.call(rank -> rank.ports().open());
    }

    /** Closes a port that this rank, or another one of this job on its node, has opened. */
    public static void closePort(final String name) throws MPIException {
        Ports.run(rank -> rank.ports().close(name));
    }

    /** Accepts as {@link #accept(String, Info, int)} does, without a time limit. */
    public final Intercomm accept(final @Nullable String port, final int root) throws MPIException {
        return accept(port, null, root);
    }

    /**
     * Waits until another group connects to a port, and creates an intercommunicator with it. All ranks must call it.
     *
     * @param port name of a port that the root has opened; significant at the root only
     * @param info may have {@code timeout}, a time limit in seconds; significant at the root only; may be null
     * @param root rank of the root
     */
    public final Intercomm accept(final @Nullable String port, final @Nullable Info info, final int root) throws MPIException {
        checkUsable();
        final Duration limit = Ports.timeout(this, info);
        try {
            return inheritErrhandler(new Intercomm(handle.accept(port, root, limit), ""));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Connects as {@link #connect(String, Info, int)} does, within a minute. */
    public final Intercomm connect(final @Nullable String port, final int root) throws MPIException {
        return connect(port, null, root);
    }

    /**
     * Connects to a port at which another group accepts, and creates an intercommunicator with it. All ranks must call it.
     *
     * @param port name of the port; significant at the root only
     * @param info may have {@code timeout}, a time limit in seconds, by default 60; significant at the root only; may be null
     * @param root rank of the root
     */
    public final Intercomm connect(final @Nullable String port, final @Nullable Info info, final int root) throws MPIException {
        checkUsable();
        final Duration given = Ports.timeout(this, info);
        final Duration limit = given == null ? Ports.CONNECT_LIMIT : given;
        try {
            return inheritErrhandler(new Intercomm(handle.connect(port, root, limit), ""));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Starts processes that run a program, and creates an intercommunicator with them. All ranks must call it; all arguments but the root are
     * significant at the root only.
     *
     * @param command  a class of this program, a jar with a Main-Class, or a source file
     * @param argv     arguments of the program; null for none
     * @param maxprocs number of processes, or the largest one where the info has {@code soft}
     * @param info     may have {@code host} (names of nodes, separated by commas), {@code wdir} and {@code path} (where jars and source files are),
     *                 {@code soft} (the numbers of processes that are acceptable: {@code 1:4}, {@code 2,8}, {@code 0:16:4}); may be null
     * @param root     rank of the root
     * @param errcodes receives an error code per process, {@code MPI.SUCCESS} or {@code MPI.ERR_SPAWN}; may be null
     */
    public final Intercomm spawn(final String command, final String @Nullable [] argv, final int maxprocs, final @Nullable Info info, final int root,
        final int @Nullable [] errcodes) throws MPIException {
        return spawnMultiple(new String[] {command}, argv == null ? null : new String[][] {argv}, new int[] {maxprocs},
            info == null ? null : new Info[] {info}, root, errcodes);
    }

    /**
     * Starts processes that run several programs, in one job whose ranks are in the order of the programs, as {@link #spawn} does.
     *
     * @param commands the programs
     * @param argv     arguments of each program; null for none
     * @param maxprocs number of processes of each program
     * @param infos    hints for each program; null for none
     */
    public final Intercomm spawnMultiple(final String[] commands, final String @Nullable [][] argv, final int[] maxprocs,
        final Info @Nullable [] infos, final int root, final int @Nullable [] errcodes) throws MPIException {
        checkUsable();
        SpawnArguments.fill(errcodes, new BitSet());
        try {
            return inheritErrhandler(new Intercomm(handle.spawn(() -> SpawnArguments.commands(commands, argv, maxprocs, infos), root,
                started -> SpawnArguments.fill(errcodes, started)), ""));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Publishes a port under a name as {@link #publishName(String, Info, String)} does. */
    public static void publishName(final String service, final String port) throws MPIException {
        publishName(service, null, port);
    }

    /**
     * Publishes a port under a name in the cluster. The name is removed by {@link #unpublishName} or at the end of the job.
     *
     * @param info ignored; may be null
     */
    public static void publishName(final String service, final @Nullable Info info, final String port) throws MPIException {
        Ports.run(rank -> rank.ports().publish(service, port));
    }

    /** Removes a name as {@link #unpublishName(String, Info, String)} does. */
    public static void unpublishName(final String service, final String port) throws MPIException {
        unpublishName(service, null, port);
    }

    /**
     * Removes a name that this rank, or another one of this job on its node, has published.
     *
     * @param info ignored; may be null
     * @param port ignored
     */
    public static void unpublishName(final String service, final @Nullable Info info, final String port) throws MPIException {
        Ports.run(rank -> rank.ports().unpublish(service));
    }

    /** Returns the port that is published under a name in the cluster. */
    public static String lookupName(final String service) throws MPIException {
        return lookupName(service, null);
    }

    /**
     * Returns the port that is published under a name in the cluster.
     *
     * @param info ignored; may be null
     */
    public static String lookupName(final String service, final @Nullable Info info) throws MPIException {
        return Ports.call(rank -> rank.ports().lookup(service));
    }

    /** Wraps a communicator that was created from this one; null becomes the null communicator. */
    private Intracomm wrapOrNull(final @Nullable Communicator other) {
        return inheritErrhandler(new Intracomm(orNull(other), ""));
    }

    private Communicator orNull(final @Nullable Communicator made) {
        return made == null ? handle.owner().nullCommunicator() : made;
    }

    /**
     * Creates a communicator with a Cartesian topology, in row-major order. All ranks must call it.
     *
     * @param dims    length of each dimension
     * @param periods whether each dimension is periodic
     * @param reorder ignored: ranks keep their order
     * @return the new communicator; the null communicator on ranks that the grid does not need
     */
    public final CartComm createCart(final int[] dims, final boolean[] periods, final boolean reorder) throws MPIException {
        checkUsable();
        try {
            final CartTopology grid = CartTopology.of(dims, periods, handle.size());
            return inheritErrhandler(new CartComm(firstRanks(grid.size()), "", grid));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Creates a communicator with a graph topology. All ranks must call it, with the whole graph.
     *
     * @param index   for each node, the number of edges of the nodes up to it
     * @param edges   the node to which each edge leads, node by node
     * @param reorder ignored: ranks keep their order
     * @return the new communicator; the null communicator on ranks that the graph does not need
     */
    public final GraphComm createGraph(final int[] index, final int[] edges, final boolean reorder) throws MPIException {
        checkUsable();
        try {
            final GraphTopology graph = GraphTopology.of(index, edges, handle.size());
            return inheritErrhandler(new GraphComm(firstRanks(graph.size()), "", graph));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns a communicator of the first ranks; on the other ranks the null communicator. */
    private Communicator firstRanks(final int ranks) {
        return orNull(handle.split(handle.rank() < ranks ? 0 : MPI.UNDEFINED, handle.rank()));
    }

    /**
     * Creates a communicator with a distributed graph topology; each rank may specify any edges. All ranks must call it.
     *
     * @param sources      sources of the edges that this rank specifies
     * @param degrees      number of edges of each source
     * @param destinations destinations of the edges, those of the first source first
     * @param weights      weights of the edges
     * @param info         hints of the new communicator; null for none
     * @param reorder      ignored: ranks keep their order
     */
    public final GraphComm createDistGraph(final int[] sources, final int[] degrees, final int[] destinations, final int[] weights,
        final @Nullable Info info, final boolean reorder) throws MPIException {
        return createDistGraph(sources, degrees, destinations, weights, true, info);
    }

    /** Creates a communicator as {@link #createDistGraph(int[], int[], int[], int[], Info, boolean)} does, for a graph without weights. */
    public final GraphComm createDistGraph(final int[] sources, final int[] degrees, final int[] destinations, final @Nullable Info info,
        final boolean reorder) throws MPIException {
        return createDistGraph(sources, degrees, destinations, null, false, info);
    }

    private GraphComm createDistGraph(final int[] sources, final int[] degrees, final int[] destinations, final int @Nullable [] weights,
        final boolean isWeighted, final @Nullable Info info) throws MPIException {
        checkUsable();
        try {
            return createWithAdjacency(DistGraphBuilder.gather(handle, sources, degrees, destinations, weights, isWeighted), info);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Creates a communicator with a distributed graph topology; each rank specifies its own edges. All ranks must call it.
     *
     * @param sources       sources of the rank's incoming edges
     * @param sourceWeights weights of the incoming edges
     * @param destinations  destinations of the rank's outgoing edges
     * @param destWeights   weights of the outgoing edges
     * @param info          hints of the new communicator; null for none
     * @param reorder       ignored: ranks keep their order
     */
    public final GraphComm createDistGraphAdjacent(final int[] sources, final int[] sourceWeights, final int[] destinations,
        final int[] destWeights, final @Nullable Info info, final boolean reorder) throws MPIException {
        return createAdjacent(sources, sourceWeights, destinations, destWeights, true, info);
    }

    /** Creates a communicator as {@link #createDistGraphAdjacent(int[], int[], int[], int[], Info, boolean)} does, for a graph without weights. */
    public final GraphComm createDistGraphAdjacent(final int[] sources, final int[] destinations, final @Nullable Info info,
        final boolean reorder) throws MPIException {
        return createAdjacent(sources, null, destinations, null, false, info);
    }

    private GraphComm createAdjacent(final int[] sources, final int @Nullable [] sourceWeights, final int[] destinations,
        final int @Nullable [] destWeights, final boolean isWeighted, final @Nullable Info info) throws MPIException {
        checkUsable();
        try {
            return createWithAdjacency(Adjacency.of(sources, sourceWeights, destinations, destWeights, isWeighted, handle.size()), info);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private GraphComm createWithAdjacency(final Adjacency adjacency, final @Nullable Info info) throws MPIException {
        final GraphComm made = inheritErrhandler(new GraphComm(handle.dup(info == null ? Map.of() : info.toMap()), "", adjacency));
        made.keep(info == null ? Info.NULL : info);
        return made;
    }

    /**
     * Computes an inclusive prefix reduction: rank i gets the reduction of the data of ranks 0 to i.
     *
     * @param sendBuf data of the calling rank
     * @param recvBuf receives the result
     * @param count   number of elements
     * @param type    datatype of the elements
     * @param op      reduction operation
     */
    public final void scan(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final int count, final Datatype type, final Op op)
        throws MPIException {
        blocking.scan(sendBuf, recvBuf, count, type, op);
    }

    /** Performs {@link #scan(Object, Object, int, Datatype, Op)} with {@code long} counts. */
    public final void scan(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type, final Op op)
        throws MPIException {
        blocking.scan(sendBuf, recvBuf, count, type, op);
    }

    /**
     * Computes an inclusive prefix reduction in place.
     *
     * @param buf   the data of the calling rank and the result
     * @param count number of elements
     * @param type  datatype of the elements
     * @param op    reduction operation
     */
    public final void scan(final @Nullable Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.scan(Reserved.IN_PLACE, buf, count, type, op);
    }

    /** Performs {@link #scan(Object, int, Datatype, Op)} with {@code long} counts. */
    public final void scan(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.scan(Reserved.IN_PLACE, buf, count, type, op);
    }

    /**
     * Computes an exclusive prefix reduction: rank i gets the reduction of the data of ranks 0 to i-1; the receive buffer of rank 0 does not
     * change.
     *
     * @param sendBuf data of the calling rank
     * @param recvBuf receives the result
     * @param count   number of elements
     * @param type    datatype of the elements
     * @param op      reduction operation
     */
    public final void exScan(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final int count, final Datatype type, final Op op)
        throws MPIException {
        blocking.exScan(sendBuf, recvBuf, count, type, op);
    }

    /** Performs {@link #exScan(Object, Object, int, Datatype, Op)} with {@code long} counts. */
    public final void exScan(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type, final Op op)
        throws MPIException {
        blocking.exScan(sendBuf, recvBuf, count, type, op);
    }

    /**
     * Computes an exclusive prefix reduction in place.
     *
     * @param buf   the data of the calling rank and the result
     * @param count number of elements
     * @param type  datatype of the elements
     * @param op    reduction operation
     */
    public final void exScan(final @Nullable Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.exScan(Reserved.IN_PLACE, buf, count, type, op);
    }

    /** Performs {@link #exScan(Object, int, Datatype, Op)} with {@code long} counts. */
    public final void exScan(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.exScan(Reserved.IN_PLACE, buf, count, type, op);
    }

    /** Starts {@link #scan(Object, Object, int, Datatype, Op)}. */
    public final Request iScan(final @Nullable Buffer sendBuf, final @Nullable Buffer recvBuf, final int count, final Datatype type, final Op op)
        throws MPIException {
        return request(nonblocking.scan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #scan(Object, Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iScan(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type, final Op op)
        throws MPIException {
        return request(nonblocking.scan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #scan(Object, int, Datatype, Op)}. */
    public final Request iScan(final @Nullable Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.scan(Reserved.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #scan(Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iScan(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.scan(Reserved.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #exScan(Object, Object, int, Datatype, Op)}. */
    public final Request iExScan(final @Nullable Buffer sendBuf, final @Nullable Buffer recvBuf, final int count, final Datatype type, final Op op)
        throws MPIException {
        return request(nonblocking.exScan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #exScan(Object, Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iExScan(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type, final Op op)
        throws MPIException {
        return request(nonblocking.exScan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #exScan(Object, int, Datatype, Op)}. */
    public final Request iExScan(final @Nullable Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.exScan(Reserved.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #exScan(Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iExScan(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.exScan(Reserved.IN_PLACE, buf, count, type, op));
    }

    /** Creates a persistent request for {@link #scan(Object, Object, int, Datatype, Op)}. */
    public final Prequest scanInit(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type, final Op op)
        throws MPIException {
        return persistent(persistent.scan(sendBuf, recvBuf, count, type, op));
    }

    /** Creates a persistent request for {@link #scan(Object, int, Datatype, Op)}. */
    public final Prequest scanInit(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.scan(Reserved.IN_PLACE, buf, count, type, op));
    }

    /** Creates a persistent request for {@link #exScan(Object, Object, int, Datatype, Op)}. */
    public final Prequest exScanInit(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type,
        final Op op) throws MPIException {
        return persistent(persistent.exScan(sendBuf, recvBuf, count, type, op));
    }

    /** Creates a persistent request for {@link #exScan(Object, int, Datatype, Op)}. */
    public final Prequest exScanInit(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.exScan(Reserved.IN_PLACE, buf, count, type, op));
    }
}
