package tutti.coll.tck;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.coll.Span;

/**
 * What MPI demands of a collective call on an intracommunicator: what the buffers hold before and must hold after.
 *
 * <p>Byte i of a rank's contribution has position i in its send buffer, or where the call is in place, in the block that stands for it.
 */
final class Contract {

    /**
     * What a range of the receive buffer must hold in the end: the reduction over the ranks first to last, or their one contribution.
     *
     * @param where    in the receive buffer
     * @param first    first rank; -1 when it may hold anything
     * @param last     last rank
     * @param position which byte of the contributions comes first
     */
    record Want(Span where, int first, int last, long position) { }

    private final Operation<?> operation;
    private final List<? extends Call> calls;

    Contract(final Operation<?> operation, final List<? extends Call> calls) {
        this.operation = operation;
        this.calls = calls;
    }

    /** Where in the receive buffer {@code rank}'s contribution lies before the call: of calls in place and broadcast. */
    private List<Span> contributionsInRecv(final int rank) {
        return switch (calls.get(rank)) {
            case Call.Bcast c -> c.root() == rank ? List.of(Buffer.RECV.at(0, c.bytes())) : List.of();
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

    SymbolicMemory sendBefore(final int rank, final Term.Pool terms) {
        return new SymbolicMemory(calls.get(rank).sendBytes(rank), terms.input(rank));
    }

    SymbolicMemory recvBefore(final int rank, final Term.Pool terms) {
        final SymbolicMemory memory = new SymbolicMemory(calls.get(rank).recvBytes(rank), terms.old());
        for (final Span s : contributionsInRecv(rank)) {
            final long position = calls.get(rank) instanceof Call.Alltoall ? s.offset() : 0;
            memory.write(new SymbolicMemory.Piece(s.offset(), s.bytes(), terms.input(rank), position));
        }
        return memory;
    }

    /** What the receive buffer of {@code rank} must hold after the call; what is not named must be as before. */
    List<Want> after(final int rank) {
        return switch (calls.get(rank)) {
            case Call.Barrier c -> List.of();
            case Call.Bcast c -> moved(Buffer.RECV.at(0, c.bytes()), c.root(), 0);
            case Call.Gather c -> rank == c.root() ? gathered(c.recv()) : List.of();
            case Call.Allgather c -> gathered(c.recv());
            case Call.Scatter c -> c.inPlace() ? List.of() : moved(Buffer.RECV.at(0, c.recvBytes()), c.root(), atRoot(c.root()).offset(rank));
            case Call.Alltoall c -> exchanged(rank, c.recv());
            case Call.Reduce c -> rank == c.root() ? all(c.bytes(), 0) : List.of();
            case Call.Allreduce c -> all(c.bytes(), 0);
            case Call.Scan c -> scanned(rank, Buffer.RECV.at(0, c.bytes()));
            case Call.ReduceScatter c -> scattered(rank, c);
            case Call.NeighborAllgather c -> fromNeighbors(rank, c.neighbors(), c.recv());
            case Call.NeighborAlltoall c -> fromNeighbors(rank, c.neighbors(), c.recv());
        };
    }

    private List<Want> fromNeighbors(final int rank, final Neighbors neighbors, final Blocks recv) {
        final List<Want> wants = new ArrayList<>();
        final int[] met = new int[calls.size()];
        for (int i = 0; i < neighbors.sources(); i++) {
            final int source = neighbors.source(i);
            if (source != Call.PROC_NULL) {
                wants.add(new Want(recv.in(Buffer.RECV, i), source, source, sentBy(source, rank, met[source]++)));
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

    /** Whether the result must have the same bits on all ranks. */
    boolean isReplicated() {
        return operation == Operation.ALLREDUCE;
    }

    /** Whether no rank may be done before every rank has begun. */
    boolean synchronises() {
        return operation == Operation.BARRIER;
    }

    boolean isCommutative() {
        final Reduction reduction = switch (calls.getFirst()) {
            case Call.Reduce c -> c.reduction();
            case Call.Allreduce c -> c.reduction();
            case Call.Scan c -> c.reduction();
            case Call.ReduceScatter c -> c.reduction();
            default -> null;
        };
        return reduction != null && reduction.isCommutative();
    }

    private Blocks atRoot(final int root) {
        return ((Call.Scatter) calls.get(root)).send();
    }

    private static List<Want> moved(final Span where, final int rank, final long position) {
        return List.of(new Want(where, rank, rank, position));
    }

    private List<Want> all(final long bytes, final long position) {
        return List.of(new Want(Buffer.RECV.at(0, bytes), 0, calls.size() - 1, position));
    }

    private static List<Want> gathered(final Blocks blocks) {
        final List<Want> wants = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
            wants.add(new Want(blocks.in(Buffer.RECV, i), i, i, 0));
        }
        return wants;
    }

    private List<Want> exchanged(final int rank, final Blocks blocks) {
        final List<Want> wants = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
            wants.add(new Want(blocks.in(Buffer.RECV, i), i, i, ((Call.Alltoall) calls.get(i)).send().offset(rank)));
        }
        return wants;
    }

    private List<Want> scanned(final int rank, final Span where) {
        final int last = operation == Operation.EXSCAN ? rank - 1 : rank;
        return last < 0 ? List.of() : List.of(new Want(where, 0, last, 0));
    }

    private List<Want> scattered(final int rank, final Call.ReduceScatter call) {
        final long own = call.blocks().bytes(rank);
        final List<Want> wants = new ArrayList<>(all(own, call.blocks().offset(rank)));
        if (call.inPlace() && own < call.blocks().total()) {
            // MPI does not say what becomes of the rest of the contribution
            wants.add(new Want(Buffer.RECV.at(own, call.blocks().total() - own), -1, -1, 0));
        }
        return wants;
    }

    private static List<Span> blocks(final Blocks blocks) {
        final List<Span> spans = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
            spans.add(blocks.in(Buffer.RECV, i));
        }
        return spans;
    }
}
