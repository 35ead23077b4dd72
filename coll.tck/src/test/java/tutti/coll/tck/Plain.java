package tutti.coll.tck;

import java.util.stream.IntStream;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.QueryResult;

/** A module with linear algorithms: the root sends to all, or rank 0 combines what all send in rank order. */
final class Plain implements CollModule {
    @Override
    public QueryResult query(final CollComm comm) {
        return QueryResult.usable(1, AlgorithmTable.builder().intra(Operation.BCAST, "linear", Plain::bcast)
            .intra(Operation.REDUCE, "linear", Plain::reduce).build());
    }

    static void bcast(final Call.Bcast call, final Plan plan) {
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        if (plan.rank() == call.root()) {
            IntStream.range(0, plan.size()).filter(peer -> peer != call.root()).forEach(peer -> plan.send(data, peer));
        } else {
            plan.recv(data, call.root());
        }
    }

    /** Reduces to rank 0 only. */
    static void reduce(final Call.Reduce call, final Plan plan) {
        if (plan.rank() > 0) {
            plan.send(call.input(), 0);
            return;
        }
        final BufferRange into = Buffer.RECV.at(0, call.bytes());
        if (!call.inPlace()) {
            plan.copy(call.input(), into);
        }
        for (int i = 1; i < plan.size(); i++) {
            final BufferRange received = plan.scratch(call.bytes());
            plan.recv(received, i);
            plan.reduce(call.reduction(), into, received);
            plan.copy(received, into);
        }
    }
}
