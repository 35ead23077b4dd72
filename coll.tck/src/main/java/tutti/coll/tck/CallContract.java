package tutti.coll.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.coll.ReductionOrder;

/**
 * What MPI demands of a collective call: what the buffers hold before and must hold after. Ranks are meant by their places.
 *
 * <p>Byte i of a rank's contribution has position i in its send buffer, or where the call is in place, in the block that stands for it.
 */
final class CallContract {

    /**
     * What a range of the receive buffer must hold in the end: the reduction over the ranks first to last, or their one contribution.
     *
     * @param where    in the receive buffer
     * @param first    first rank; -1 when it may hold anything
     * @param last     last rank
     * @param position which byte of the contributions comes first
     */
    record Expected(BufferRange where, int first, int last, long position) { }

    private final Operation<?> operation;
    private final List<? extends Call> calls;
    private final CommGroups groups;
    private final ReductionOrder order;
    private final boolean commutative;

    CallContract(final Operation<?> operation, final List<? extends Call> calls, final CommGroups groups, final ReductionOrder order) {
        this.order = order;
        this.operation = operation;
        this.calls = calls;
        this.groups = groups;
        this.commutative = calls.stream().map(Call::reduction).filter(Objects::nonNull).allMatch(Reduction::isCommutative);
    }

    /** Where in the receive buffer a rank's contribution lies before the call: of calls in place and broadcast. */
    private List<BufferRange> contributionsInRecv(final int place) {
        final int rank = groups.rank(place);
        return switch (calls.get(place)) {
            case Call.Bcast c -> isRoot(c, place) ? List.of(Buffer.RECV.at(0, c.bytes())) : List.of();
            case Call.Gather c -> c.inPlace() ? List.of(c.input(rank)) : List.of();
            case Call.Allgather c -> c.inPlace() ? List.of(c.input(rank)) : List.of();
            case Call.Reduce c -> c.inPlace() ? List.of(c.input()) : List.of();
            case Call.Allreduce c -> c.inPlace() ? List.of(c.input()) : List.of();
            case Call.Scan c -> c.inPlace() ? List.of(c.input()) : List.of();
            case Call.ReduceScatter c -> c.inPlace() ? List.of(c.input()) : List.of();
            case Call.Alltoall c -> c.inPlace() ? blocks(c.recv()) : List.of();
            case Call.Scatter c -> List.of();
            case Call.Barrier c -> List.of();
            case Call.NeighborAllgather c -> List.of();
            case Call.NeighborAlltoall c -> List.of();
        };
    }

    private boolean isRoot(final Call.Rooted call, final int place) {
        return groups.isInter() ? call.root() == Call.ROOT : call.root() == groups.rank(place);
    }

    /** Whether data goes from the root of a call to this rank, or stays at the root of an intracommunicator. */
    private static boolean isServed(final Call.Rooted call) {
        return call.root() >= 0;
    }

    SymbolicMemory sendBefore(final int place, final Term.Pool terms) {
        return new SymbolicMemory(calls.get(place).sendBytes(groups.rank(place), groups.isInter()), terms.input(place));
    }

    SymbolicMemory recvBefore(final int place, final Term.Pool terms) {
        final SymbolicMemory memory = new SymbolicMemory(calls.get(place).recvBytes(groups.rank(place), groups.isInter()), terms.old());
        for (final BufferRange s : contributionsInRecv(place)) {
            final long position = calls.get(place) instanceof Call.Alltoall ? s.offset() : 0;
            memory.write(new SymbolicMemory.Piece(s.offset(), s.bytes(), terms.input(place), position));
        }
        return memory;
    }

    /** What the receive buffer of a rank must hold after the call; what is not named must be as before. */
    List<Expected> after(final int place) {
        final int rank = groups.rank(place);
        final int remote = groups.remoteBase(place);
        return switch (calls.get(place)) {
            case Call.Barrier c -> List.of();
            case Call.Bcast c -> isServed(c) ? moved(Buffer.RECV.at(0, c.bytes()), remote + c.root(), 0) : List.of();
            case Call.Gather c -> isRoot(c, place) ? gathered(c.recv(), remote) : List.of();
            case Call.Allgather c -> gathered(c.recv(), remote);
            case Call.Scatter c -> c.inPlace() || !isServed(c) ? List.of()
                : moved(Buffer.RECV.at(0, c.recvBytes()), remote + c.root(), ((Call.Scatter) calls.get(remote + c.root())).send().offset(rank));
            case Call.Alltoall c -> exchanged(rank, c.recv(), remote);
            case Call.Reduce c -> isRoot(c, place) ? all(place, c.bytes(), 0) : List.of();
            case Call.Allreduce c -> all(place, c.bytes(), 0);
            case Call.Scan c -> scanned(rank, Buffer.RECV.at(0, c.bytes()));
            case Call.ReduceScatter c -> scattered(place, c);
            case Call.NeighborAllgather c -> fromNeighbors(rank, c.neighbors(), c.recv());
            case Call.NeighborAlltoall c -> fromNeighbors(rank, c.neighbors(), c.recv());
        };
    }

    private List<Expected> fromNeighbors(final int rank, final Neighbors neighbors, final Blocks recv) {
        final List<Expected> wants = new ArrayList<>();
        final int[] met = new int[calls.size()];
        for (int i = 0; i < neighbors.sources(); i++) {
            final int source = neighbors.source(i);
            if (source != Call.PROC_NULL) {
                wants.add(new Expected(recv.in(Buffer.RECV, i), source, source, sentBy(source, rank, met[source]++)));
            }
        }
        return wants;
    }

    /** Where the data lies that a rank sends the k-th time to another. */
    private long sentBy(final int source, final int rank, final int k) {
        if (!(calls.get(source) instanceof Call.NeighborAlltoall c)) {
            return 0;
        }
        int place = -1;
        for (int met = -1; met < k;) {
            met += c.neighbors().destination(++place) == rank ? 1 : 0;
        }
        return c.send().offset(place);
    }

    /** Whether a term is what is wanted: each contribution once, in the order that the operation and the algorithm's promise demand. */
    boolean isMet(final Expected want, final Term term) {
        return order == ReductionOrder.CANONICAL ? term.isCanonical(want.first(), want.last(), isCommutative())
            : term.covers(want.first(), want.last(), isCommutative());
    }

    /** Whether the result must have the same bits on all ranks. */
    boolean isReplicated() {
        return operation == Operation.ALLREDUCE;
    }

    /** Whether no rank may be done before every rank has begun. */
    boolean synchronises() {
        return operation == Operation.BARRIER;
    }

    boolean isCommutative() {
        return commutative;
    }

    private static List<Expected> moved(final BufferRange where, final int rank, final long position) {
        return List.of(new Expected(where, rank, rank, position));
    }

    private List<Expected> all(final int place, final long bytes, final long position) {
        final int remote = groups.remoteBase(place);
        return List.of(new Expected(Buffer.RECV.at(0, bytes), remote, remote + groups.remoteMembers(place) - 1, position));
    }

    private static List<Expected> gathered(final Blocks blocks, final int remote) {
        final List<Expected> wants = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
            wants.add(new Expected(blocks.in(Buffer.RECV, i), remote + i, remote + i, 0));
        }
        return wants;
    }

    private List<Expected> exchanged(final int rank, final Blocks blocks, final int remote) {
        final List<Expected> wants = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
            final long position = ((Call.Alltoall) calls.get(remote + i)).send().offset(rank);
            wants.add(new Expected(blocks.in(Buffer.RECV, i), remote + i, remote + i, position));
        }
        return wants;
    }

    private List<Expected> scanned(final int rank, final BufferRange where) {
        final int last = operation == Operation.EXSCAN ? rank - 1 : rank;
        return last < 0 ? List.of() : List.of(new Expected(where, 0, last, 0));
    }

    private List<Expected> scattered(final int place, final Call.ReduceScatter call) {
        final long own = call.blocks().bytes(groups.rank(place));
        final List<Expected> wants = new ArrayList<>(all(place, own, call.blocks().offset(groups.rank(place))));
        if (call.inPlace() && own < call.blocks().total()) {
            // MPI does not say what becomes of the rest of the contribution
            wants.add(new Expected(Buffer.RECV.at(own, call.blocks().total() - own), -1, -1, 0));
        }
        return wants;
    }

    private static List<BufferRange> blocks(final Blocks blocks) {
        final List<BufferRange> spans = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
            spans.add(blocks.in(Buffer.RECV, i));
        }
        return spans;
    }
}
