package tutti.coll.tck;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.ReductionOrder;
import tutti.coll.plan.Assignment;

/**
 * A collective that a device carries out: the tasks of all ranks of a communicator that belong to it, by rank there. Immutable.
 *
 * <p>Its results are those that the operation demands of the calls. A rank's part is complete when all ranks have started theirs, so that no plan
 * relies on a device that does without some of them. What is known when a part is complete is less: that those ranks have started whose data it has.
 */
final class OffloadedCollective {
    private final List<TaskMatching.TaskRef> parts;
    private final List<Assignment.Offloaded> assignments;
    private final CallContract contract;
    private final List<BitSet> contributors = new ArrayList<>();

    OffloadedCollective(final List<TaskMatching.TaskRef> parts, final List<Assignment.Offloaded> assignments) {
        this.parts = List.copyOf(parts);
        this.assignments = List.copyOf(assignments);
        this.contract = new CallContract(assignments.getFirst().operation(), assignments.stream().map(Assignment.Offloaded::call).toList(),
            CommGroups.intra(parts.size()), ReductionOrder.RANKS);
    }

    /** Returns the tasks by rank. */
    List<TaskMatching.TaskRef> parts() {
        return parts;
    }

    CallContract contract() {
        return contract;
    }

    Call call(final int rank) {
        return assignments.get(rank).call();
    }

    /** Returns how the parts differ where they must agree; empty if they agree. */
    Optional<String> disagreement() {
        for (int rank = 0; rank < assignments.size(); rank++) {
            final Assignment.Offloaded here = assignments.get(rank);
            final Assignment.Offloaded there = assignments.get(reference());
            if (!here.description().equals(there.description()) || !agrees(rank, here.call(), there.call())) {
                return Optional.of("offloaded collectives of the ranks differ: rank " + rank + ": " + text(here) + ", rank " + reference() + ": "
                    + text(there));
            }
        }
        return Optional.empty();
    }

    private static String text(final Assignment.Offloaded a) {
        return a.description() + " " + a.call();
    }

    /** Returns the rank whose arguments are known to hold for all: the root, or rank 0. */
    private int reference() {
        return call(0) instanceof final Call.Rooted rooted ? rooted.root() : 0;
    }

    private boolean agrees(final int rank, final Call call, final Call reference) {
        return switch (call) {
            case Call.Barrier c -> true;
            case Call.Bcast c -> c.equals(reference);
            case Call.Allreduce c -> c.equals(reference);
            case Call.Scan c -> c.equals(reference);
            case Call.ReduceScatter c -> c.equals(reference) && hasAll(c.blocks());
            case Call.Reduce c -> reference instanceof final Call.Reduce o && c.root() == o.root() && c.count() == o.count()
                && Objects.equals(c.reduction(), o.reduction());
            case Call.Allgather c -> reference instanceof final Call.Allgather o && c.recv().equals(o.recv()) && c.inPlace() == o.inPlace()
                && hasBlock(c.recv(), rank, c.sendBytes());
            case Call.Gather c -> reference instanceof final Call.Gather o && c.root() == o.root() && (c.inPlace()
                ? hasAll(o.recv()) : hasBlock(o.recv(), rank, c.sendBytes()));
            case Call.Scatter c -> reference instanceof final Call.Scatter o && c.root() == o.root() && (c.inPlace()
                ? hasAll(o.send()) : hasBlock(o.send(), rank, c.recvBytes()));
            case Call.Alltoall c -> hasAll(c.send()) && hasAll(c.recv()) && IntStream.range(0, parts.size()).allMatch(peer -> call(
                peer) instanceof final Call.Alltoall o && o.inPlace() == c.inPlace() && hasAll(o.recv())
                && c.send().bytes(peer) == o.recv().bytes(rank));
            case Call.NeighborAllgather c -> false;
            case Call.NeighborAlltoall c -> false;
        };
    }

    private boolean hasAll(final @Nullable Blocks blocks) {
        return blocks != null && blocks.count() == parts.size();
    }

    private boolean hasBlock(final @Nullable Blocks blocks, final int rank, final long bytes) {
        return blocks != null && hasAll(blocks) && blocks.bytes(rank) == bytes;
    }

    /** Returns the ranks that are known to have started their part when that of a rank is complete, itself included. */
    BitSet contributors(final int rank) {
        if (contributors.isEmpty()) {
            for (int r = 0; r < parts.size(); r++) {
                contributors.add(findContributors(r));
            }
        }
        return contributors.get(rank);
    }

    private BitSet findContributors(final int rank) {
        final BitSet ranks = new BitSet();
        ranks.set(rank);
        if (contract.synchronises()) {
            ranks.set(0, parts.size());
        }
        for (final CallContract.Expected want : contract.after(rank)) {
            if (want.first() >= 0 && want.range().bytes() > 0) {
                ranks.set(want.first(), want.last() + 1);
            }
        }
        return ranks;
    }

    /** Returns where a rank's contribution is from a position on, in its memory. */
    BufferRange contribution(final int rank, final RecordedTask task, final long position, final long bytes) {
        final BufferRange local = contract.contribution(rank, position, bytes);
        final BufferRange whole = task.from() == null ? task.target() : task.source();
        return whole.buffer().at(whole.offset() + local.offset(), bytes);
    }

    /** Returns the largest number of bytes that a rank sends or receives in it. */
    long bytes() {
        return IntStream.range(0, parts.size()).mapToLong(r -> Math.max(call(r).sendBytes(r), call(r).recvBytes(r))).max().orElse(0);
    }
}
