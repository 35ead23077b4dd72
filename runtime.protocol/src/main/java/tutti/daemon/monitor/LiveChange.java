package tutti.daemon.monitor;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.module.ModuleId;

/**
 * What became of a change of the modules of a running job.
 *
 * @param job     id of the job
 * @param number  number of the change in the job, from 1; 0 if it was not begun
 * @param module  name of the module
 * @param outcome what became of it
 * @param before  the module of that name on which the nodes of the job agreed before; null when there was none
 * @param after   the module of that name on which they agree now; null when there is none
 * @param reason  why the job keeps its modules; empty when it does not
 * @param millis  how long the change has taken
 */
public record LiveChange(String job, int number, String module, Outcome outcome, @Nullable ModuleId before, @Nullable ModuleId after, String reason,
    long millis) {
    private static final int DIGEST_CHARACTERS = 12;

    /** What became of a change. */
    public enum Outcome {
        /** The job uses the modules of the change. */
        DONE,
        /** All parts of the job have accepted the change; some communicators had no call since then. */
        ACCEPTED,
        /** The job tries a module beside the one that serves, of which {@code after} tells. */
        TRIED,
        /** The nodes of the job agree on the same modules as before. */
        UNCHANGED,
        /** The job does not follow changes. */
        KEPT,
        /** The change was not made, and the job goes on as before. */
        REFUSED,
        /** The job has ended. */
        ENDED
    }

    /** Checks that the values are present. */
    public LiveChange {
        Objects.requireNonNull(job, "job");
        Objects.requireNonNull(module, "module");
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(reason, "reason");
    }

    /** Returns whether the job uses what its nodes offer, on each communicator from its next calls on at the latest. */
    public boolean isTaken() {
        return outcome == Outcome.DONE || outcome == Outcome.ACCEPTED || outcome == Outcome.UNCHANGED;
    }

    /** Returns one line for the user. */
    public String text() {
        return "job " + job + switch (outcome) {
            case DONE -> after == null ? " goes on without " + module + " from now on: change " + number + ", " + millis + " ms"
                : " uses " + text(after) + " from now on: change " + number + ", " + millis + " ms";
            case ACCEPTED -> (after == null ? " goes on without " + module : " uses " + text(after))
                + " from the next calls of each communicator on: change " + number + "; not all had one within " + millis + " ms";
            case TRIED -> (after == null ? " goes on without " + module : " goes on with " + text(after)) + " and tries the other: change " + number;
            case UNCHANGED -> after == null ? " goes on without " + module + ": its nodes agree on none"
                : " goes on with " + text(after) + ": its nodes agree on no other";
            case KEPT -> " keeps its modules: " + reason;
            case REFUSED -> (before == null ? " goes on without " + module : " keeps " + text(before)) + ": " + reason;
            case ENDED -> " has ended";
        };
    }

    private static String text(final ModuleId module) {
        return module + " (" + module.digest().substring(0, Math.min(DIGEST_CHARACTERS, module.digest().length())) + ")";
    }
}
