package tutti.coll.smp;

import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.Dependencies;

/**
 * Plans one rank's part of {@link HierarchicalAlltoall} for short blocks. Each rank exposes its blocks, in place a copy of them. Scratch memory holds
 * first that copy, then the messages that arrive, in the order of nodes, then the messages that are sent.
 *
 * <p>For one plan.
 */
final class PackedAlltoall {
    private final Call.Alltoall call;
    private final Plan plan;
    private final NodeGroups nodes;
    private final NodePairs pairs;
    private final long block;
    private final int rank;
    private final int node;
    private final List<Integer> members;
    private final int ownIndex;
    private final long copyBytes;
    private final int[] copied;
    private final int[] posted;
    private final Dependencies read = new Dependencies();

    PackedAlltoall(final Call.Alltoall call, final Plan plan, final NodeGroups nodes) {
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
        final List<Integer> others = pairs.peerNodes(rank);
        final long arriving = pairs.bytesBefore(rank, others.size());
        final BufferRange scratch = copyBytes + arriving > 0 ? plan.scratch(copyBytes + 2 * arriving) : null;
        this.copied = call.inPlace() && scratch != null ? Dependencies.of(plan.copy(Buffer.RECV.at(0, copyBytes), scratch.slice(0, copyBytes)))
            : Dependencies.NONE;
        this.posted = new int[members.size()];
    }

    void plan() {
        if (members.size() > 1) {
            plan.post(copied);
        }
        for (int i = 0; i < posted.length; i++) {
            posted[i] = i == ownIndex ? -1 : plan.await(members.get(i), 0);
        }
        final int[] arrived = exchange();
        exchangeWithinNode();
        for (int i = 1; i < nodes.count(); i++) {
            unpack((node + i) % nodes.count(), arrived);
        }
        if (members.size() > 1) {
            plan.post(read.all());
        }
        for (int i = 1; i < members.size(); i++) {
            final int member = members.get((ownIndex + i) % members.size());
            plan.await(member, 1 + pairs.peerNodes(member).size());
        }
    }

    /** Plans the exchange of messages. Returns, for each node that this rank exchanges with, the task after which its message has arrived. */
    private int[] exchange() {
        final List<Integer> others = pairs.peerNodes(rank);
        final long arriving = pairs.bytesBefore(rank, others.size());
        final int[] arrived = new int[others.size()];
        for (int turn = 0; turn < arrived.length; turn++) {
            final int other = others.get(turn);
            final int agent = pairs.agent(other, node);
            final BufferRange into = Buffer.SCRATCH.at(copyBytes + pairs.bytesBefore(rank, turn), pairs.bytes(node, other));
            final BufferRange from = Buffer.SCRATCH.at(into.offset() + arriving, into.bytes());
            arrived[turn] = plan.recv(into, agent);
            plan.send(from, agent, pack(nodes.members().get(other), from));
            if (members.size() > 1) {
                plan.post(arrived[turn]);
            }
        }
        return arrived;
    }

    /** Packs the blocks of this node for another node: rank by rank the blocks of each rank here for all ranks there. */
    private int[] pack(final List<Integer> targets, final BufferRange into) {
        final Dependencies packed = new Dependencies();
        final long all = targets.size() * block;
        for (int i = 0; i < members.size(); i++) {
            final BufferRange row = into.slice(i * all, all);
            if (NodeGroups.areNeighbours(targets)) {
                packed.add(pack(i, targets.getFirst() * block, row));
            } else {
                for (int j = 0; j < targets.size(); j++) {
                    packed.add(pack(i, targets.get(j) * block, row.slice(j * block, block)));
                }
            }
        }
        return packed.all();
    }

    private int pack(final int member, final long offset, final BufferRange into) {
        if (member == ownIndex) {
            return plan.copy(exposed(offset, into.bytes()), into, copied);
        }
        final int got = plan.get(members.get(member), exposed(offset, into.bytes()), into, posted[member]);
        read.add(got);
        return got;
    }

    /** Returns the range in which a rank exposes its blocks. */
    private BufferRange exposed(final long offset, final long bytes) {
        return (call.inPlace() ? Buffer.SCRATCH : Buffer.SEND).at(offset, bytes);
    }

    private void exchangeWithinNode() {
        for (int i = 1; i < members.size(); i++) {
            final int index = (ownIndex + i) % members.size();
            final int peer = members.get(index);
            read.add(plan.get(peer, exposed(rank * block, block), call.recv().in(Buffer.RECV, peer),
                new Dependencies().add(posted[index]).add(copied).all()));
        }
        if (!call.inPlace()) {
            plan.copy(exposed(rank * block, block), call.recv().in(Buffer.RECV, rank));
        }
    }

    /** Plans the copies of this rank's blocks from the message of another node. */
    private void unpack(final int other, final int... arrived) {
        final int agent = pairs.agent(node, other);
        final int turn = pairs.turnOf(agent, other);
        final long message = copyBytes + pairs.bytesBefore(agent, turn);
        final int[] after = new Dependencies().add(agent == rank ? arrived[turn] : plan.await(agent, 1 + turn)).add(copied).all();
        final List<Integer> sources = nodes.members().get(other);
        for (int i = 0; i < sources.size(); i++) {
            final BufferRange from = Buffer.SCRATCH.at(message + (i * members.size() + ownIndex) * block, block);
            final BufferRange into = call.recv().in(Buffer.RECV, sources.get(i));
            if (agent == rank) {
                plan.copy(from, into, after);
            } else {
                read.add(plan.get(agent, from, into, after));
            }
        }
    }
}
