package tutti.runtime.collective;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.coll.CollSubComm;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.CommSplitExchange;
import tutti.runtime.context.ContextIds;
import tutti.runtime.context.JobEnvironment;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.Status;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;
import tutti.runtime.select.CommShape;
import tutti.runtime.select.SelectionContext;

/** The exchange between the ranks of a communicator that selects its modules, before any module serves it. It uses context ids of its own. */
final class SelectionExchange implements SelectionContext {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final CommContext comm;
    private final CollTable table;
    private final PointToPoint messages;

    /** Creates the exchange for a communicator that is being created; modules may add hidden communicators to its table. */
    SelectionExchange(final CommContext comm, final CollTable table) {
        this.comm = comm;
        this.table = table;
        this.messages = PointToPoint.internal(comm, ContextIds.MODULES);
    }

    @Override
    public CommShape shape() {
        final JobEnvironment job = comm.owner().job();
        int[] nodes = job.worldNodes();
        if (comm.group() != job.world()) {
            nodes = new int[comm.size()];
            Arrays.setAll(nodes, r -> job.nodeOf(comm.group().worldRank(r)));
            if (comm.spansJobs()) {
                nodes = numbered(nodes);
            }
        }
        return new CommShape(comm.name(), comm.rank(), comm.isInter() ? comm.remoteSize() : -1, nodes);
    }

    /** Returns the nodes numbered in the order of the ranks, equal on all ranks; each node numbers those of other jobs in its own way. */
    private static int[] numbered(final int[] nodes) {
        final Map<Integer, Integer> numbers = new HashMap<>();
        return Arrays.stream(nodes).map(n -> numbers.computeIfAbsent(n, k -> numbers.size())).toArray();
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
        comm.combine(values, op);
    }

    @Override
    public void send(final byte[] data, final int peer, final int tag) {
        messages.isend(SendMode.STANDARD, data.clone(), data.length, Datatype.BYTE, peer, tag);
    }

    @Override
    public void recv(final byte[] into, final int peer, final int tag) {
        final Request request = messages.irecv(into, into.length, Datatype.BYTE, peer, tag);
        if (!request.awaitDone(TIMEOUT)) {
            request.cancel();
        }
        request.await();
        final Status status = request.status();
        if (status.cancelled()) {
            throw new IllegalStateException("no message arrived: from=" + peer + ", waited=" + TIMEOUT.toSeconds() + " s");
        }
        if (status.bytes() != into.length) {
            throw new IllegalStateException("message has an unexpected length: from=" + peer + ", bytes=" + status.bytes() + ", expected="
                + into.length);
        }
    }

    @Override
    public @Nullable CollSubComm split(final int color, final int key) {
        final CommSplitExchange exchange = new CommSplitExchange(comm, Math.max(-1, color), key, 0);
        final int split = table.countSplit();
        return color < 0 ? null : table.sub(Integer.toString(color), split, exchange.context(), exchange.local());
    }

    @Override
    public boolean isFlat() {
        return table.isFlat();
    }

    @Override
    public CollSubComm local() {
        return table.local();
    }
}
