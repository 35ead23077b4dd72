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
 * The contract of a collective call in MPI: what the buffers hold before the call, and must hold after it. Ranks are given by their index.
 *
 * <p>Byte i of a rank's contribution has position i in its send buffer; in place, position i in the block of the receive buffer that stands for it.
 */
final class CallContract {

    /**
     * The expected result in a range of the receive buffer: the reduction over the ranks first to last, or the contribution of one rank.
     *
     * @param range    the range in the receive buffer
     * @param first    index of the first rank; -1 if the range may hold anything
     * @param last     index of the last rank
     * @param position which byte of the contributions is first in the range
     */
    record Expected(BufferRange range, int first, int last, long position) {}

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

    /** Returns the ranges of the receive buffer that hold a rank's contribution before the call: of calls in place, and of a broadcast's root. */
    private List<BufferRange> contributionsInRecv(final int index) {
        final int rank = groups.rank(index);
        return switch (calls.get(index)) {
            case Call.Bcast c -> isRoot(c, index) ? List.of(Buffer.RECV.at(0, c.bytes())) : List.of();
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

    /** Returns where the bytes of a rank's contribution are before the call, from a position on: in its send buffer, or in its receive buffer. */
    BufferRange contribution(final int index, final long position, final long bytes) {
        final List<BufferRange> inRecv = contributionsInRecv(index);
        if (inRecv.isEmpty()) {
            return Buffer.SEND.at(position, bytes);
        }
        return Buffer.RECV.at((calls.get(index) instanceof Call.Alltoall ? 0 : inRecv.getFirst().offset()) + position, bytes);
    }

    private boolean isRoot(final Call.Rooted call, final int index) {
        return groups.isInter() ? call.root() == Call.ROOT : call.root() == groups.rank(index);
    }

    /** Returns whether this rank receives data from the root, or belongs to an intracommunicator. */
    private static boolean isServed(final Call.Rooted call) {
        return call.root() >= 0;
    }

    SymbolicMemory sendBefore(final int index, final Term.Pool terms) {
        return new SymbolicMemory(calls.get(index).sendBytes(groups.rank(index), groups.isInter()), terms.input(index));
    }

    SymbolicMemory recvBefore(final int index, final Term.Pool terms) {
        final SymbolicMemory memory = new SymbolicMemory(calls.get(index).recvBytes(groups.rank(index), groups.isInter()), terms.untouched());
        for (final BufferRange s : contributionsInRecv(index)) {
            final long position = calls.get(index) instanceof Call.Alltoall ? s.offset() : 0;
            memory.write(new SymbolicMemory.TermRange(s.offset(), s.bytes(), terms.input(index), position));
        }
        return memory;
    }

    /** Returns the expected contents of a rank's receive buffer after the call. All other ranges must be unchanged. */
    List<Expected> after(final int index) {
        final int rank = groups.rank(index);
        final int remote = groups.remoteBase(index);
        return switch (calls.get(index)) {
            case Call.Barrier c -> List.of();
            case Call.Bcast c -> isServed(c) ? moved(Buffer.RECV.at(0, c.bytes()), remote + c.root(), 0) : List.of();
            case Call.Gather c -> isRoot(c, index) ? gathered(Objects.requireNonNull(c.recv(), "root without blocks"), remote) : List.of();
            case Call.Allgather c -> gathered(c.recv(), remote);
            case Call.Scatter c -> c.inPlace() || !isServed(c) ? List.of()
                : moved(Buffer.RECV.at(0, c.recvBytes()), remote + c.root(), rootBlocks(remote + c.root()).offset(rank));
            case Call.Alltoall c -> exchanged(rank, c.recv(), remote);
            case Call.Reduce c -> isRoot(c, index) ? all(index, c.bytes(), 0) : List.of();
            case Call.Allreduce c -> all(index, c.bytes(), 0);
            case Call.Scan c -> scanned(rank, Buffer.RECV.at(0, c.bytes()));
            case Call.ReduceScatter c -> scattered(index, c);
            case Call.NeighborAllgather c -> fromNeighbors(rank, c.neighbors(), c.recv());
            case Call.NeighborAlltoall c -> fromNeighbors(rank, c.neighbors(), c.recv());
        };
    }

    private List<Expected> fromNeighbors(final int rank, final Neighbors neighbors, final Blocks recv) {
        final List<Expected> expected = new ArrayList<>();
        final int[] seen = new int[calls.size()];
        for (int i = 0; i < neighbors.sources(); i++) {
            final int source = neighbors.source(i);
            if (source != Call.PROC_NULL) {
                expected.add(new Expected(recv.in(Buffer.RECV, i), source, source, sentBy(source, rank, seen[source]++)));
            }
        }
        return expected;
    }

    /** Returns the offset of the data that a rank sends to another for the k-th time. */
    private long sentBy(final int source, final int rank, final int k) {
        if (!(calls.get(source) instanceof Call.NeighborAlltoall c)) {
            return 0;
        }
        int index = -1;
        for (int seen = -1; seen < k;) {
            seen += c.neighbors().destination(++index) == rank ? 1 : 0;
        }
        return c.send().offset(index);
    }

    /**
     * Returns whether a term is the expected result: each contribution once, in the order that the operation and the algorithm's declaration demand.
     */
    boolean isMet(final Expected expected, final Term term) {
        return order == ReductionOrder.CANONICAL ? term.isCanonical(expected.first(), expected.last(), isCommutative())
            : term.covers(expected.first(), expected.last(), isCommutative());
    }

    /** Returns whether the result must have the same bits on all ranks. */
    boolean isReplicated() {
        return operation == Operation.ALLREDUCE;
    }

    /** Returns whether no rank may complete before every rank has started. */
    boolean synchronises() {
        return operation == Operation.BARRIER;
    }

    boolean isCommutative() {
        return commutative;
    }

    /** Returns the blocks that the root of a scatter sends. */
    private Blocks rootBlocks(final int root) {
        return Objects.requireNonNull(((Call.Scatter) calls.get(root)).send(), "root without blocks");
    }

    private static List<Expected> moved(final BufferRange where, final int rank, final long position) {
        return List.of(new Expected(where, rank, rank, position));
    }

    private List<Expected> all(final int index, final long bytes, final long position) {
        final int remote = groups.remoteBase(index);
        return List.of(new Expected(Buffer.RECV.at(0, bytes), remote, remote + groups.remoteMembers(index) - 1, position));
    }

    private static List<Expected> gathered(final Blocks blocks, final int remote) {
        final List<Expected> expected = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
            expected.add(new Expected(blocks.in(Buffer.RECV, i), remote + i, remote + i, 0));
        }
        return expected;
    }

    private List<Expected> exchanged(final int rank, final Blocks blocks, final int remote) {
        final List<Expected> expected = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
            final long position = ((Call.Alltoall) calls.get(remote + i)).send().offset(rank);
            expected.add(new Expected(blocks.in(Buffer.RECV, i), remote + i, remote + i, position));
        }
        return expected;
    }

    private List<Expected> scanned(final int rank, final BufferRange where) {
        final int last = operation == Operation.EXSCAN ? rank - 1 : rank;
        return last < 0 ? List.of() : List.of(new Expected(where, 0, last, 0));
    }

    private List<Expected> scattered(final int index, final Call.ReduceScatter call) {
        final long own = call.blocks().bytes(groups.rank(index));
        final List<Expected> expected = new ArrayList<>(all(index, own, call.blocks().offset(groups.rank(index))));
        if (call.inPlace() && own < call.blocks().total()) {
            // MPI leaves the rest of the contribution undefined
            expected.add(new Expected(Buffer.RECV.at(own, call.blocks().total() - own), -1, -1, 0));
        }
        return expected;
    }

    private static List<BufferRange> blocks(final Blocks blocks) {
        final List<BufferRange> spans = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
            spans.add(blocks.in(Buffer.RECV, i));
        }
        return spans;
    }
}
