package tutti.coll.tck;

import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Span;
import tutti.coll.Table;
import tutti.coll.Verdict;

/** Serves groups: rank 0 sends to all, or combines what all send in rank order. */
final class Plain implements CollModule {
    @Override
    public Verdict query(final CollComm comm) {
        return Verdict.usable(1, Table.builder().intra(Operation.BCAST, "linear", Plain::bcast)
            .intra(Operation.REDUCE, "linear", Plain::reduce).build());
    }

    static void bcast(final Call.Bcast call, final Plan plan) {
        final Span data = Buffer.RECV.at(0, call.bytes());
        if (plan.rank() != call.root()) {
            plan.recv(data, call.root());
            return;
        }
        for (int i = 1; i < plan.size(); i++) {
            plan.send(data, (call.root() + i) % plan.size());
        }
    }

    /** To rank 0 alone. */
    static void reduce(final Call.Reduce call, final Plan plan) {
        if (plan.rank() > 0) {
            plan.send(call.input(), 0);
            return;
        }
        final Span into = Buffer.RECV.at(0, call.bytes());
        int last = call.inPlace() ? plan.fence() : plan.copy(call.input(), into);
        for (int i = 1; i < plan.size(); i++) {
            final Span theirs = plan.scratch(call.bytes());
            final int sum = plan.reduce(call.reduction(), into, theirs, plan.recv(theirs, i), last);
            last = plan.copy(theirs, into, sum);
        }
    }
}
