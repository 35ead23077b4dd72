package tutti.runtime.comm;

import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.Reduction;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedPlan;

/** A module for tests: a few operations by shared memory only, for ranks of one node. Every rank reads every rank. */
class Flat implements CollModule {

    @Override
    public QueryResult query(final CollComm comm) {
        return comm.isInter() || !isOneNode(comm) ? new QueryResult.Declined("for one node") : QueryResult.usable(50, table());
    }

    static boolean isOneNode(final CollComm comm) {
        for (int r = 1; r < comm.size(); r++) {
            if (comm.nodeOf(r) != comm.nodeOf(0)) {
                return false;
            }
        }
        return true;
    }

    AlgorithmTable table() {
        return AlgorithmTable.builder()
            .intra(Operation.BARRIER, "flat", (call, plan) -> barrier(AdvancedPlan.of(plan)))
            .intra(Operation.BCAST, "flat", (call, plan) -> bcast(AdvancedPlan.of(plan), call))
            .intra(Operation.REDUCE, "flat", (call, plan) -> reduce(AdvancedPlan.of(plan), call))
            .intra(Operation.ALLREDUCE, "flat", (call, plan) -> allreduce(AdvancedPlan.of(plan), call))
            .build();
    }

    static void barrier(final AdvancedPlan plan) {
        plan.post();
        awaitAll(plan, 0);
    }

    private static Task awaitAll(final AdvancedPlan plan, final int post, final Task... after) {
        final Task[] awaits = new Task[plan.size()];
        int n = 0;
        for (int r = 0; r < plan.size(); r++) {
            if (r != plan.rank()) {
                awaits[n++] = plan.await(r, post, after);
            }
        }
        final BufferRange empty = plan.scratch(0);
        return n == 0 ? plan.fence() : plan.copy(empty, empty, java.util.Arrays.copyOf(awaits, n));
    }

    static void bcast(final AdvancedPlan plan, final Call.Bcast call) {
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        if (plan.rank() == call.root()) {
            plan.post();
            awaitAll(plan, 0);
        } else {
            plan.post(plan.get(call.root(), data, data, plan.await(call.root(), 0)));
        }
    }

    private static void reduce(final AdvancedPlan plan, final Call.Reduce call) {
        final BufferRange mine = plan.scratch(call.bytes());
        final Task copied = plan.copy(call.inPlace() ? Buffer.RECV.at(0, call.bytes()) : Buffer.SEND.at(0, call.bytes()), mine);
        plan.post(copied);
        if (plan.rank() == call.root()) {
            plan.post(fold(plan, call.reduction(), mine, Buffer.RECV.at(0, call.bytes()), awaitAll(plan, 0, copied)));
        } else {
            plan.await(call.root(), 1);
        }
    }

    private static void allreduce(final AdvancedPlan plan, final Call.Allreduce call) {
        final BufferRange mine = plan.scratch(call.bytes());
        final Task copied = plan.copy(call.input(), mine);
        plan.post(copied);
        plan.post(fold(plan, call.reduction(), mine, Buffer.RECV.at(0, call.bytes()), awaitAll(plan, 0, copied)));
        awaitAll(plan, 1);
    }

    /** Combines the data of all ranks in {@code there}, which is equal on all of them, in rank order. */
    private static Task fold(final AdvancedPlan plan, final Reduction reduction, final BufferRange there, final BufferRange into, final Task after) {
        Task last = after;
        for (int r = plan.size() - 1; r >= 0; r--) {
            if (r == plan.size() - 1) {
                last = r == plan.rank() ? plan.copy(there, into, last) : plan.get(r, there, into, last);
            } else {
                last = r == plan.rank() ? plan.reduce(reduction, there, into, last) : plan.reduce(reduction, r, there, into, last);
            }
        }
        return last;
    }
}
