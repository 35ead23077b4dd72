package tutti.daemon.monitor;

import java.util.List;
import java.util.Objects;
import tutti.runtime.module.ModuleId;

/**
 * What became of the trial of a module in running jobs.
 *
 * @param module  the module
 * @param outcome what became of it
 * @param reason  the reason in words
 * @param begun   what became of the begin of the trial in each job that was asked, in the order of their ids
 * @param trials  what was found in each job that has tried it, in the order of their ids
 * @param done    what was done on the nodes in the end, for the user
 * @param jobs    what became of the end of the trial in each job, in the order of their ids
 */
public record ModuleTrial(ModuleId module, Outcome outcome, String reason, List<LiveChange> begun, List<JobTrial> trials, String done,
    List<LiveChange> jobs) {

    /** What became of a trial. */
    public enum Outcome {
        /** The module has replaced the one before. */
        PROMOTED,
        /** The module is in quarantine. */
        REFUSED,
        /** No job has called enough, or the nodes could not be changed. */
        UNDECIDED
    }

    /** Checks that the values are present. */
    public ModuleTrial {
        Objects.requireNonNull(module, "module");
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(done, "done");
        begun = List.copyOf(begun);
        trials = List.copyOf(trials);
        jobs = List.copyOf(jobs);
    }

    /** Returns what was found in each job, and what became of the module, for the user. */
    public String text() {
        final StringBuilder text = new StringBuilder();
        begun.stream().filter(c -> c.outcome() != LiveChange.Outcome.TRIED).forEach(c -> text.append(c.text()).append('\n'));
        trials.forEach(t -> text.append(t.text()));
        text.append(switch (outcome) {
            case PROMOTED -> module + " replaces the version before";
            case REFUSED -> module + " is refused and quarantined: " + reason;
            case UNDECIDED -> module + " is not taken over: " + reason;
        }).append('\n');
        if (!done.isEmpty()) {
            text.append(done).append('\n');
        }
        jobs.forEach(c -> text.append(c.text()).append('\n'));
        return text.toString();
    }
}
