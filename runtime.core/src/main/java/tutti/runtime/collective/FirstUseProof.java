package tutti.runtime.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.JobEnvironment;
import tutti.runtime.locality.RankLevels;
import tutti.runtime.model.ProofMode;
import tutti.runtime.module.PlanProver;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.Selection;

/**
 * Proof of calls of one communicator when they are first planned. Each rank knows the calls of the others, or does not ask for a proof: no message
 * is sent. Of gatherv and scatterv the root alone knows all lengths, so it asks alone.
 */
final class FirstUseProof {
    /** Most ranks of a communicator whose calls are proved: each needs a thread while the module is set up for the proof. */
    private static final int MAX_RANKS = 64;

    private final CommContext comm;
    private final CollTable table;

    /** A reduction without its function, which proofs do not need. */
    private record ProvedReduction(long elementBytes, boolean isCommutative, @Nullable String operation,
        @Nullable String elementType) implements Reduction {
        static ProvedReduction of(final Reduction reduction) {
            return new ProvedReduction(reduction.elementBytes(), reduction.isCommutative(), reduction.operation(), reduction.elementType());
        }
    }

    FirstUseProof(final CommContext comm, final CollTable table) {
        this.comm = comm;
        this.table = table;
    }

    /**
     * Proves a call that this rank has planned, or lets it be proved beside its first run, as the job asks.
     *
     * @param tasks number of tasks in this rank's plan
     * @return what is wrong with the plans; null when nothing is, when it is not known yet, or when the call is not proved
     */
    <C extends Call> @Nullable String failure(final Operation<C> operation, final C call, final Selection.SelectedAlgorithm<C> chosen,
        final int tasks) {
        final JobModules modules = table.modules();
        final Map<String, String> parameters = modules.parameters();
        final PlanProver prover = comm.owner().job().prover();
        final ProofMode mode = ProofMode.of(parameters);
        final boolean isWanted = mode == ProofMode.FIRST || mode == ProofMode.ADDED && prover.isAdded(chosen.module().id());
        if (!isWanted || comm.size() == 1 && !comm.isInter()) {
            return null;
        }
        final CollModule fallback = modules.fallback();
        if (fallback == null) {
            return null;
        }
        final PlanProver.ProvedCall<C> all = callOfAll(operation, call, chosen, tasks, modules, prover);
        if (all == null) {
            return null;
        }
        // a wrong plan found beside its run would end the job
        if (ProofMode.isBeside(parameters) && !comm.isShadow()) {
            prover.proveBeside(all, chosen.module().module(), fallback);
            return null;
        }
        return prover.prove(all, chosen.module().module(), fallback);
    }

    private <C extends Call> PlanProver.@Nullable ProvedCall<C> callOfAll(final Operation<C> operation, final C call,
        final Selection.SelectedAlgorithm<C> chosen, final int tasks, final JobModules modules, final PlanProver prover) {
        if (comm.isInter() || comm.spansJobs()) {
            prover.skip("intercommunicator");
            return null;
        }
        final int size = comm.size();
        if (size > MAX_RANKS || (long) size * tasks > PlanProver.MAX_TASKS) {
            prover.skip("too large");
            return null;
        }
        final List<C> calls = new ArrayList<>(size);
        final List<Integer> nodes = new ArrayList<>(size);
        final JobEnvironment job = comm.owner().job();
        for (int peer = 0; peer < size; peer++) {
            final C peerCall = peer == comm.rank() ? call : PlanConsistency.callOf(operation, call, comm.rank(), peer);
            if (peerCall == null) {
                prover.skip("lengths of other ranks unknown");
                return null;
            }
            calls.add(withoutOperation(peerCall));
            nodes.add(job.nodeOf(comm.group().worldRank(peer)));
        }
        return new PlanProver.ProvedCall<>(chosen.module().id(), operation, chosen.entry().name(),
            modules.parametersOf(chosen.module().id().name(), chosen.parameters()), nodes,
            new RankLevels(size, r -> job.placeOf(comm.group().worldRank(r)), nodes::get).levels(), calls);
    }

    /** Returns the call without the function of its reduction, which may belong to the program. */
    @SuppressWarnings("unchecked")
    private static <C extends Call> C withoutOperation(final C call) {
        final Reduction reduction = call.reduction();
        if (reduction == null) {
            return call;
        }
        final ProvedReduction proved = ProvedReduction.of(reduction);
        return (C) switch (call) {
            case Call.Reduce c -> new Call.Reduce(proved, c.count(), c.root(), c.inPlace());
            case Call.Allreduce c -> new Call.Allreduce(proved, c.count(), c.inPlace());
            case Call.Scan c -> new Call.Scan(proved, c.count(), c.inPlace());
            case Call.ReduceScatter c -> new Call.ReduceScatter(proved, c.blocks(), c.inPlace());
            default -> call;
        };
    }
}
