package tutti.coll.tck;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link ModuleVerifier}.
 *
 * @param proofs   the result for every algorithm, in the order of operations
 * @param declined the communicators on which the module declined
 * @param failure  why the verification is incomplete: the set-up of the module failed, it timed out, or the thread was interrupted; null if it is
 *                 complete
 * @param plans    number of plans checked
 * @param tasks    number of tasks in them
 * @param time     duration of the verification
 */
public record VerificationReport(List<Proof> proofs, List<Declined> declined, @Nullable String failure, long plans, long tasks, Duration time) {

    /**
     * The result for one algorithm of an operation.
     *
     * @param operation id of the operation
     * @param algorithm name of the algorithm
     * @param inter     whether it is for intercommunicators
     * @param calls     number of calls checked, each with a plan for every rank
     * @param plans     number of plans checked
     * @param tasks     number of tasks in them
     * @param counterExample      the first counter-example; null if there is none
     * @param where     the communicator of the counter-example; null if there is none
     */
    public record Proof(String operation, String algorithm, boolean inter, long calls, long plans, long tasks,
        @Nullable CounterExample counterExample, @Nullable String where) {
        @Override
        public String toString() {
            return counterExample != null ? counterExample + ", " + where
                : operation + "/" + algorithm + (inter ? " between groups" : "") + ": sound: calls=" + calls + ", plans=" + plans
                    + ", tasks=" + tasks;
        }
    }

    /**
     * A communicator on which the module declined.
     *
     * @param where  the communicator
     * @param reason the reason that the module gave
     */
    public record Declined(String where, String reason) {}

    /** Copies the lists. */
    public VerificationReport {
        proofs = List.copyOf(proofs);
        declined = List.copyOf(declined);
    }

    /** Returns whether the verification is complete and found no counter-example. */
    public boolean isSound() {
        return problem().isEmpty();
    }

    /** Returns the first problem in one line: a counter-example, or why the verification is incomplete. Empty if the module is sound. */
    public Optional<String> problem() {
        return proofs.stream().filter(p -> p.counterExample() != null).map(Proof::toString).findFirst().or(() -> Optional.ofNullable(failure));
    }
}
