package tutti.runtime.schedule;

import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.SingleRankComm;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

/** The call that the benchmarks of the engine plan and run: an allreduce of one long, by the first algorithm of module basic. */
final class Allreduce {
    static final Call.Allreduce CALL = call();

    private static final Algorithm<Call.Allreduce> ALGORITHM =
        SingleRankComm.tableOf(new BasicModule(), new SingleRankComm(2, false)).intra(Operation.ALLREDUCE).algorithm();

    private Allreduce() {
    }

    /** Returns a new call, equal to all others. */
    static Call.Allreduce call() {
        return new Call.Allreduce(Op.SUM.bind(Datatype.LONG), 1, false);
    }

    /** Plans the part of a rank. */
    static Schedule plan(final int rank, final int ranks) {
        final PlanBuilder plan = new PlanBuilder(CALL, rank, ranks, false, ranks, PlanContext.NONE);
        plan.setSignature(CallSignature.of(Operation.ALLREDUCE, CALL, false));
        ALGORITHM.plan(CALL, plan);
        return plan.freeze();
    }
}
