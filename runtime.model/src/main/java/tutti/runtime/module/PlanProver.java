package tutti.runtime.module;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Level;
import tutti.coll.Operation;

/**
 * Proves plans of modules for a job when the job first needs them, and keeps the modules whose plans are wrong in quarantine. Safe for any thread.
 */
@ConsumerType
public interface PlanProver {

    /** Most tasks of all ranks of a call that is proved, and so of one rank's plan; a proof of so many takes about half a second. */
    int MAX_TASKS = 16_384;

    /** Proves nothing: for jobs that no daemon runs. */
    PlanProver NONE = new PlanProver() {
        @Override
        public <C extends Call> @Nullable String prove(final ProvedCall<C> call, final CollModule module, final CollModule fallback) {
            return null;
        }

        @Override
        public <C extends Call> void proveBeside(final ProvedCall<C> call, final CollModule module, final CollModule fallback) {
            // nothing is proved
        }

        @Override
        public boolean isAdded(final ModuleId module) {
            return false;
        }

        @Override
        public void skip(final String reason) {
            // nothing is counted
        }

        @Override
        public void quarantine(final ModuleId module, final String reason) {
            // there is no daemon to keep it
        }

        @Override
        public @Nullable String quarantined(final ModuleId module) {
            return null;
        }

        @Override
        public CompletionStage<Void> release(final List<ModuleId> kept) {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<Void> close() {
            return CompletableFuture.completedStage(null);
        }
    };

    /**
     * A call of all ranks of an intracommunicator by one algorithm. Calls that are equal have the same plans, so a proof is made once for all of
     * them; it holds no classes of a program or of a module.
     *
     * @param module     the module
     * @param operation  the operation
     * @param algorithm  name of the algorithm
     * @param parameters parameters of the job as the algorithm sees them
     * @param nodes      the node of each rank
     * @param levels     the levels of locality
     * @param calls      the call of each rank
     * @param <C>        the type of the operation's calls
     */
    record ProvedCall<C extends Call>(ModuleId module, Operation<C> operation, String algorithm, Map<String, String> parameters, List<Integer> nodes,
        List<Level> levels, List<C> calls) {
        /** Copies the collections. */
        public ProvedCall {
            parameters = Map.copyOf(parameters);
            nodes = List.copyOf(nodes);
            levels = List.copyOf(levels);
            calls = List.copyOf(calls);
        }
    }

    /**
     * Proves the plans of all ranks. Blocks until that is done, which another rank of this node may do. A wrong plan puts the module in quarantine.
     *
     * @param module   the module's service object
     * @param fallback the module that serves on hidden communicators what the module does not
     * @return what is wrong; null when the plans are right, or cannot be proved
     */
    <C extends Call> @Nullable String prove(ProvedCall<C> call, CollModule module, CollModule fallback);

    /** Proves the plans of all ranks on another thread. A wrong plan puts the module in quarantine and ends the job. */
    <C extends Call> void proveBeside(ProvedCall<C> call, CollModule module, CollModule fallback);

    /** Returns whether a module was installed on this node, rather than that it came with the node's container. */
    boolean isAdded(ModuleId module);

    /** Counts a call that is not proved, for a reason that has few values. */
    void skip(String reason);

    /** Puts a module of which a plan is wrong in quarantine, on all nodes of the cluster. */
    void quarantine(ModuleId module, String reason);

    /** Returns why a module is in quarantine; null when it is not. */
    @Nullable
    String quarantined(ModuleId module);

    /**
     * Disposes the modules that were set up for proofs and that the job does not use any more. The stage completes, never exceptionally, when all of
     * them are disposed, each after the last proof that uses it. Until then the modules must stay. Does not wait.
     *
     * @param kept the modules that the job uses
     */
    CompletionStage<Void> release(List<ModuleId> kept);

    /**
     * Ends the proofs of a job whose ranks on this node have ended: disposes the modules that were set up for them when the last proof has ended. The
     * stage completes then, and soon in any case; never exceptionally. Until then the modules must stay. Does not wait.
     */
    CompletionStage<Void> close();
}
