package tutti.coll.tck;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What {@link ModuleVerifier} found out about a module.
 *
 * @param proofs   of every algorithm, in the order of operations
 * @param declined where the module did not want to serve
 * @param failure  why the module could not be looked at to the end: its set-up failed, or it took too long; else null
 * @param plans    looked at
 * @param tasks    in them
 * @param time     that it took
 */
public record VerificationReport(List<Proof> proofs, List<Declined> declined, String failure, long plans, long tasks, Duration time) {

    /**
     * What is known of one algorithm.
     *
     * @param operation what it does
     * @param algorithm its name
     * @param inter     whether it is for intercommunicators
     * @param calls     that were proved, each with a plan for every rank
     * @param plans     looked at
     * @param tasks     in them
     * @param flaw      the first counter-example; null where there is none
     * @param where     the communicator that it was found on; null where there is none
     */
    public record Proof(String operation, String algorithm, boolean inter, long calls, long plans, long tasks, CounterExample flaw, String where) {
        @Override
        public String toString() {
            return flaw != null ? flaw + ", " + where
                : operation + "/" + algorithm + (inter ? " between groups" : "") + ": sound: calls=" + calls + ", plans=" + plans
                    + ", tasks=" + tasks;
        }
    }

    /**
     * Where the module did not want to serve.
     *
     * @param where  the communicator
     * @param reason in its own words
     */
    public record Declined(String where, String reason) { }

    /** Copies the lists. */
    public VerificationReport {
        proofs = List.copyOf(proofs);
        declined = List.copyOf(declined);
    }

    /** Whether nothing is wrong with what was looked at. */
    public boolean isSound() {
        return complaint().isEmpty();
    }

    /** What is wrong, in one line: the first counter-example, or why there is no report to the end. */
    public Optional<String> complaint() {
        return proofs.stream().filter(p -> p.flaw() != null).map(Proof::toString).findFirst().or(() -> Optional.ofNullable(failure));
    }
}
