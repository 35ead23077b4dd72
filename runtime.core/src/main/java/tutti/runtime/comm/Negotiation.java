package tutti.runtime.comm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollGroup;
import tutti.coll.Plan;
import tutti.coll.Span;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.Channel;
import tutti.runtime.schedule.PlanBuilder;
import tutti.runtime.schedule.Run;
import tutti.runtime.select.Setup;

/**
 * What the ranks of a communicator tell each other before any module serves it, in contexts of their own. A step that all take is a
 * schedule like any collective, planned here.
 */
final class Negotiation implements Setup {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);
    private static final long POLL = TimeUnit.MICROSECONDS.toNanos(100);

    private final Communicator comm;
    private final Channel channel;
    private final int messages;
    private int steps;

    /**
     * For a communicator that is being made.
     *
     * @param channel  where the steps that all take go
     * @param messages context of what modules send each other
     */
    Negotiation(final Communicator comm, final Channel channel, final int messages) {
        this.comm = comm;
        this.channel = channel;
        this.messages = messages;
    }

    @Override
    public String name() {
        return comm.name();
    }

    @Override
    public int rank() {
        return comm.rank();
    }

    @Override
    public int size() {
        return comm.size();
    }

    @Override
    public boolean isInter() {
        return comm.isInter();
    }

    @Override
    public int remoteSize() {
        return comm.remoteSize();
    }

    @Override
    public int nodeOf(final int rank) {
        return comm.owner().job().nodeOf(comm.worldRank(rank));
    }

    @Override
    public void combine(final long[] values, final Op op) {
        final Call.Allreduce call = new Call.Allreduce(op.bind(Datatype.LONG), values.length, true);
        final PlanBuilder plan = new PlanBuilder(call, rank(), size(), false, size(), PlanBuilder.Nesting.NONE);
        upAndDown(call, plan);
        final Run run = new Run(plan.freeze(), channel, comm.owner().life());
        run.start(null, MemorySegment.ofArray(values), steps++, null);
        run.await();
    }

    /** Up a binomial tree to rank 0, and down again. */
    private static void upAndDown(final Call.Allreduce call, final Plan plan) {
        final Span data = Buffer.RECV.at(0, call.bytes());
        int bit = 1;
        int last = plan.fence();
        while (bit < plan.size() && (plan.rank() & bit) == 0) {
            final int child = plan.rank() + bit;
            if (child < plan.size()) {
                final Span theirs = plan.scratch(call.bytes());
                last = plan.reduce(call.reduction(), theirs, data, plan.recv(theirs, child), last);
            }
            bit <<= 1;
        }
        if (bit < plan.size()) {
            final int parent = plan.rank() - bit;
            last = plan.recv(data, parent, plan.send(data, parent, last));
        }
        for (bit >>= 1; bit > 0; bit >>= 1) {
            if (plan.rank() + bit < plan.size()) {
                plan.send(data, plan.rank() + bit, last);
            }
        }
    }

    @Override
    public void send(final byte[] data, final int peer, final int tag) {
        final SendRequest request = new SendRequest(comm.owner().life());
        request.prepare(comm, messages, SendMode.STANDARD, Side.of(data.clone(), data.length, Datatype.BYTE), peer, tag);
        request.startFirst();
    }

    @Override
    public void recv(final byte[] into, final int peer, final int tag) {
        final ReceiveRequest request = new ReceiveRequest(comm.owner().life());
        request.prepare(comm, messages, Side.into(into, into.length, Datatype.BYTE), peer, tag);
        request.startFirst();
        final long end = System.nanoTime() + PATIENCE;
        while (!request.test()) {
            if (System.nanoTime() > end) {
                request.cancel();
                request.await();
                break;
            }
            LockSupport.parkNanos(POLL);
        }
        final Status status = request.status();
        if (status.cancelled()) {
            throw new IllegalStateException("nothing came: from=" + peer + ", waited=" + TimeUnit.NANOSECONDS.toSeconds(PATIENCE) + " s");
        }
        if (status.bytes() != into.length) {
            throw new IllegalStateException("message of another length: from=" + peer + ", bytes=" + status.bytes() + ", expected="
                + into.length);
        }
    }

    @Override
    public CollGroup split(final int color, final int key) {
        final long[] all = new long[2 * size()];
        all[2 * rank()] = Math.max(-1, color) + 1L;
        all[2 * rank() + 1] = key;
        combine(all, Op.SUM);
        final int context = comm.owner().contexts().agree(this);
        if (color < 0) {
            comm.owner().contexts().free(context);
            return null;
        }
        final List<Integer> members = new ArrayList<>();
        for (int r = 0; r < size(); r++) {
            if (all[2 * r] == color + 1L) {
                members.add(r);
            }
        }
        members.sort(Comparator.comparingLong((Integer r) -> all[2 * r + 1]).thenComparingInt(r -> r));
        return comm.sub(color, context, members.stream().mapToInt(Integer::intValue).toArray());
    }

    @Override
    public CollGroup local() {
        throw new IllegalStateException("not an intercommunicator: name=" + comm.name());
    }
}
