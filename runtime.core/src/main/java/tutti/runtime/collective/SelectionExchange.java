package tutti.runtime.collective;

import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.plan.SplitNames;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.CommExchanges;
import tutti.runtime.context.CommSplitExchange;
import tutti.runtime.context.ContextIds;
import tutti.runtime.context.JobEnvironment;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.locality.RankLevels;
import tutti.runtime.module.ModuleId;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.schedule.CallSignature;
import tutti.runtime.select.CommHints;
import tutti.runtime.select.CommShape;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.RankNodes;
import tutti.runtime.select.SelectionContext;

/** The exchange between the ranks of a communicator that selects its modules, before any module serves it. It uses context ids of its own. */
final class SelectionExchange implements SelectionContext {
    private final CommContext comm;
    private final CollTable table;
    private final JobModules modules;
    private final CommExchanges exchanges;
    private final PointToPoint messages;

    private SelectionExchange(final CommContext comm, final CollTable table, final JobModules modules, final CommExchanges exchanges,
        final int messages) {
        this.comm = comm;
        this.table = table;
        this.modules = modules;
        this.exchanges = exchanges;
        this.messages = PointToPoint.internal(comm, messages);
    }

    /** Returns the exchange for a communicator that is being created, or whose hints are; modules may add hidden communicators to the table. */
    static SelectionExchange ofCreation(final CommContext comm, final CollTable table, final JobModules modules) {
        return new SelectionExchange(comm, table, modules, comm.exchanges(), ContextIds.MODULES);
    }

    /** Returns the exchange for a communicator whose modules change while the program calls it. */
    static SelectionExchange ofChange(final CommContext comm, final CollTable table, final JobModules modules) {
        return new SelectionExchange(comm, table, modules, comm.liveExchanges(), ContextIds.LIVE_MODULES);
    }

    @Override
    public CommShape shape() {
        final int size = comm.size();
        final IntUnaryOperator worldRank = r -> r < size ? comm.group().worldRank(r) : comm.members().peers().worldRank(r - size);
        final int all = comm.isInter() ? size + comm.remoteSize() : size;
        final RankNodes nodes = nodes(all, worldRank);
        final JobEnvironment job = comm.owner().job();
        final RankLevels levels = new RankLevels(size, r -> job.placeOf(worldRank.applyAsInt(r)), nodes::nodeOf);
        final RankLevels ofAll = comm.isInter() ? new RankLevels(all, r -> job.placeOf(worldRank.applyAsInt(r)), nodes::nodeOf) : levels;
        // each node numbers those of other jobs in its own way
        return new CommShape(comm.name(), comm.origin(), comm.parent(), comm.rank(), size, levels, ofAll.level(),
            comm.spansJobs() ? nodes.numberedByRank() : nodes);
    }

    /** Returns the nodes of ranks, which a function tells as ranks of COMM_WORLD. */
    private RankNodes nodes(final int ranks, final IntUnaryOperator worldRank) {
        final JobEnvironment job = comm.owner().job();
        return RankNodes.of(ranks, r -> job.nodeOf(worldRank.applyAsInt(r)));
    }

    @Override
    public SortedSet<Integer> nodes() {
        return nodes(comm.all().size(), comm.all()::worldRank).distinct();
    }

    @Override
    public int index() {
        return comm.members().index();
    }

    @Override
    public int totalSize() {
        return comm.all().size();
    }

    @Override
    public String nameOf(final int voter) {
        return comm.isInter() ? "rank " + comm.all().worldRank(voter) + " of COMM_WORLD" : "rank " + voter;
    }

    @Override
    public void combine(final long[] values, final Op op) {
        exchanges.combine(values, op);
    }

    @Override
    public void send(final byte[] data, final int peer, final int tag) {
        // an empty one says that there is none
        isend(Arrays.copyOf(data, data.length + 1), peer, tag);
    }

    @Override
    public void fail(final int peer, final int tag) {
        isend(new byte[0], peer, tag);
    }

    private void isend(final byte[] message, final int peer, final int tag) {
        messages.isend(SendMode.STANDARD, message, message.length, Datatype.BYTE, peer, tag);
    }

    @Override
    public void recv(final byte[] into, final int peer, final int tag) {
        final byte[] message = new byte[into.length + 1];
        final long bytes = messages.irecv(message, message.length, Datatype.BYTE, peer, tag).waitFor().bytes();
        if (bytes == 0) {
            throw new IllegalStateException("the module has failed on the rank of which it wants a message: from=" + peer);
        }
        if (bytes != message.length) {
            throw new IllegalStateException("message has an unexpected length: from=" + peer + ", bytes=" + (bytes - 1) + ", expected="
                + into.length);
        }
        System.arraycopy(message, 0, into, 0, into.length);
    }

    @Override
    public CommHints hints() {
        return comm.hints();
    }

    @Override
    public List<String> preferred() {
        return table.preferred();
    }

    @Override
    public @Nullable CollSubComm split(final String name, final int color, final int key, final List<String> names) {
        final CommSplitExchange exchange = new CommSplitExchange(comm, exchanges, Math.max(-1, color), key, 0, CallSignature.Creation.SPLIT);
        final int split = table.countSplit();
        return color < 0 ? null
            : table.sub(SplitNames.of(name, color, exchange.hasOneColor()), split, exchange.context(), exchange.local(), this.modules, names);
    }

    @Override
    public boolean isFlat() {
        return table.isFlat();
    }

    @Override
    public boolean isTuned() {
        return OnlineTuning.isWanted(comm, table.depth());
    }

    @Override
    public @Nullable String quarantined(final ModuleId module) {
        // a candidate is in quarantine while it is tried
        return comm.isShadow() ? null : comm.owner().job().prover().quarantined(module);
    }

    @Override
    public CollSubComm local() {
        return table.local();
    }
}
