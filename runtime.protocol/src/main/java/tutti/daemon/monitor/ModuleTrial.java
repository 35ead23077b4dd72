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
 * @param text    what was done on the nodes in the end, for the user
 * @param jobs    what became of the end of the trial in each job, in the order of their ids
 */
public record ModuleTrial(ModuleId module, Outcome outcome, String reason, List<LiveChange> begun, List<JobTrial> trials, String text,
    List<LiveChange> jobs) {

    /** What became of a trial. */
    public enum Outcome {
        /** The module has replaced the one before. */
        PROMOTED,
        /** The module was removed and is in quarantine. */
        REFUSED,
        /** No job has called enough: the module was removed. */
        UNDECIDED
    }

    /** Checks that the values are present. */
    public ModuleTrial {
        Objects.requireNonNull(module, "module");
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(text, "text");
        begun = List.copyOf(begun);
        trials = List.copyOf(trials);
        jobs = List.copyOf(jobs);
    }
}
