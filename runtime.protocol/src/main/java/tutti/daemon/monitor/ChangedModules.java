package tutti.daemon.monitor;

import java.util.List;
import java.util.Objects;

/**
 * What became of a change of modules that running jobs were asked to take.
 *
 * @param text what was done on the nodes, for the user
 * @param jobs what became of it in each job that was asked, in the order of their ids
 */
public record ChangedModules(String text, List<LiveChange> jobs) {
    /** Copies the list. */
    public ChangedModules {
        Objects.requireNonNull(text, "text");
        jobs = List.copyOf(jobs);
    }
}
