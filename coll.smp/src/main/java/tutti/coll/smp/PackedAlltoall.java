package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Plans one rank's part of {@link HierarchicalAlltoall} for short blocks. Each rank exposes its blocks, in place a copy of them. Scratch memory holds
 * first that copy, then the messages that arrive, in the order of nodes, then the messages that are sent.
 *
 * <p>For one plan.
 */
final class PackedAlltoall {
    private final Call.Alltoall call;
    private final AdvancedPlan plan;
    private final NodeGroups nodes;
    private final NodePairs pairs;
    private final long block;
    private final int rank;
    private final int node;
    private final List<Integer> members;
    private final int ownIndex;
    private final long copyBytes;
    private final Task[] posted;
    private final List<Task> read = new ArrayList<>();

    PackedAlltoall(final Call.Alltoall call, final AdvancedPlan plan, final NodeGroups nodes) {
        this.call = call;
        this.plan = plan;
        this.nodes = nodes;
        this.block = call.recv().bytes(0);
        this.pairs = new NodePairs(nodes, block);
        this.rank = plan.rank();
        this.node = nodes.nodeOf().get(rank);
        this.members = nodes.nodeMembers(rank);
        this.ownIndex = members.indexOf(rank);
        this.copyBytes = call.inPlace() ? call.recv().total() : 0;
        this.posted = new Task[members.size()];
    }

    void plan() {
        final BufferRange scratch = plan.scratch(copyBytes + 2 * pairs.bytesBefore(rank, pairs.peerNodes(rank).size()));
        final Task[] exposed = call.inPlace() ? new Task[] {plan.copy(Buffer.RECV.at(0, copyBytes), scratch.slice(0, copyBytes))} : new Task[0];
        if (members.size() > 1) {
            plan.post(exposed);
        }
        for (int i = 0; i < posted.length; i++) {
            if (i != ownIndex) {
                posted[i] = plan.await(members.get(i), 0);
            }
        }
        exchange();
        exchangeWithinNode();
        for (int i = 1; i < nodes.count(); i++) {
            unpack((node + i) % nodes.count());
        }
        if (members.size() > 1) {
            plan.post(read);
        }
        for (int i = 1; i < members.size(); i++) {
            final int member = members.get((ownIndex + i) % members.size());
            plan.await(member, 1 + pairs.peerNodes(member).size());
        }
    }

    /** Plans the exchange of messages with the nodes that this rank takes. */
    private void exchange() {
        final List<Integer> others = pairs.peerNodes(rank);
        final long arriving = pairs.bytesBefore(rank, others.size());
        for (int turn = 0; turn < others.size(); turn++) {
            final int other = others.get(turn);
            final int agent = pairs.agent(other, node);
            final BufferRange into = Buffer.SCRATCH.at(copyBytes + pairs.bytesBefore(rank, turn), pairs.bytes(node, other));
            final BufferRange from = Buffer.SCRATCH.at(into.offset() + arriving, into.bytes());
            final Task arrived = plan.recv(into, agent);
            pack(nodes.members().get(other), from);
            plan.send(from, agent);
            if (members.size() > 1) {
                plan.post(arrived);
            }
        }
    }

    /** Packs the blocks of this node for another node: rank by rank the blocks of each rank here for all ranks there. */
    private void pack(final List<Integer> targets, final BufferRange into) {
        final long all = targets.size() * block;
        for (int i = 0; i < members.size(); i++) {
            final BufferRange row = into.slice(i * all, all);
            if (NodeGroups.areNeighbours(targets)) {
                pack(i, targets.getFirst() * block, row);
            } else {
                for (int j = 0; j < targets.size(); j++) {
                    pack(i, targets.get(j) * block, row.slice(j * block, block));
                }
            }
        }
    }

    private void pack(final int member, final long offset, final BufferRange into) {
        final BufferRange from = exposed(offset, into.bytes());
        if (member == ownIndex) {
            plan.copy(from, into);
        } else {
            read.add(plan.get(members.get(member), from, into, posted[member]));
        }
    }

    /** Returns the range in which a rank exposes its blocks. */
    private BufferRange exposed(final long offset, final long bytes) {
        return (call.inPlace() ? Buffer.SCRATCH : Buffer.SEND).at(offset, bytes);
    }

    private void exchangeWithinNode() {
        for (int i = 1; i < members.size(); i++) {
            final int index = (ownIndex + i) % members.size();
            final int peer = members.get(index);
            read.add(plan.get(peer, exposed(rank * block, block), call.recv().in(Buffer.RECV, peer), posted[index]));
        }
        if (!call.inPlace()) {
            plan.copy(exposed(rank * block, block), call.recv().in(Buffer.RECV, rank));
        }
    }

    /** Plans the copies of this rank's blocks from the message of another node. */
    private void unpack(final int other) {
        final int agent = pairs.agent(node, other);
        final int turn = pairs.turnOf(agent, other);
        final long message = copyBytes + pairs.bytesBefore(agent, turn);
        final Task[] arrived = agent == rank ? new Task[0] : new Task[] {plan.await(agent, 1 + turn)};
        final List<Integer> sources = nodes.members().get(other);
        for (int i = 0; i < sources.size(); i++) {
            final BufferRange from = Buffer.SCRATCH.at(message + (i * members.size() + ownIndex) * block, block);
            final BufferRange into = call.recv().in(Buffer.RECV, sources.get(i));
            if (agent == rank) {
                plan.copy(from, into);
            } else {
                read.add(plan.get(agent, from, into, arrived));
            }
        }
    }
}
