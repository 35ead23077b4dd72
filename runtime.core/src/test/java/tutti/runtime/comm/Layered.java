package tutti.runtime.comm;

import java.util.stream.IntStream;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.ReductionOrder;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;

/** A module for tests: allreduce and barrier composed of collectives of sub-communicators, and of the first ranks of these. */
abstract class Layered implements CollModule {

    /** Groups the ranks of a node, when there are several nodes and several ranks on one of them. */
    static final class Nodes extends Layered {
        @Override
        boolean serves(final CollComm comm) {
            final long nodes = IntStream.range(0, comm.size()).map(comm::nodeOf).distinct().count();
            return nodes > 1 && nodes < comm.size();
        }

        @Override
        int part(final CollComm comm) {
            return comm.nodeOf(comm.rank());
        }
    }

    /** Separates even and odd ranks, recursively. */
    static final class Halves extends Layered {
        @Override
        boolean serves(final CollComm comm) {
            return comm.size() > 2;
        }

        @Override
        int part(final CollComm comm) {
            return comm.rank() % 2;
        }
    }

    abstract boolean serves(CollComm comm);

    abstract int part(CollComm comm);

    @Override
    public QueryResult query(final CollComm comm) {
        return comm.isInter() || !serves(comm) ? new QueryResult.Declined("not for these ranks") : new QueryResult.Usable(60, new Instance(comm));
    }

    private final class Instance implements CollInstance {
        private final CollComm comm;
        private CollSubComm part;
        private CollSubComm firsts;

        Instance(final CollComm comm) {
            this.comm = comm;
        }

        @Override
        public AlgorithmTable table() {
            return AlgorithmTable.builder()
                // the ranks of a part are not consecutive
                .intra(Operation.ALLREDUCE, "layered", (call, plan) -> allreduce(AdvancedPlan.of(plan), call), ReductionOrder.ANY)
                .intra(Operation.BARRIER, "layered", (call, plan) -> barrier(AdvancedPlan.of(plan)))
                .build();
        }

        @Override
        public AlgorithmTable init() {
            part = SetupComm.of(comm).split("part", part(comm), comm.rank());
            firsts = SetupComm.of(comm).split("firsts", part.rank() == 0 ? 0 : -1, comm.rank());
            return table();
        }

        @Override
        public boolean servesDuplicates() {
            return true;
        }

        private void allreduce(final AdvancedPlan plan, final Call.Allreduce call) {
            final BufferRange all = Buffer.RECV.at(0, call.bytes());
            final BufferRange input = plan.scratch(call.bytes());
            final BufferRange some = plan.scratch(call.bytes());
            plan.copy(call.input(), input);
            plan.nested(part, Operation.REDUCE, new Call.Reduce(call.reduction(), call.count(), 0, false), input, part.rank() == 0 ? some : null);
            if (firsts != null) {
                plan.nested(firsts, Operation.ALLREDUCE, new Call.Allreduce(call.reduction(), call.count(), false), some, all);
            }
            plan.nested(part, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, all);
        }

        private void barrier(final AdvancedPlan plan) {
            Task last = plan.nested(part, Operation.BARRIER, new Call.Barrier(), null, null);
            if (firsts != null) {
                last = plan.nested(firsts, Operation.BARRIER, new Call.Barrier(), null, null, last);
            }
            plan.nested(part, Operation.BARRIER, new Call.Barrier(), null, null, last);
        }
    }
}
