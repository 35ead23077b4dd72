package tutti.runtime.module;

import java.util.Objects;

/**
 * A module that is tried in running jobs, and how much of them the trial may take: some calls of the program are made by it, too, in the shadow of
 * the modules that serve, and the results and times are compared.
 *
 * @param module the module, which all nodes of the job hold and which is in quarantine until the trial ends
 * @param share  share of the calls that are compared at the most, above 0 and at most 1
 * @param budget share of the time of each rank that comparisons may take, above 0 and at most 1
 */
public record CanaryTerms(ModuleId module, double share, double budget) {
    /** Checks the shares. */
    public CanaryTerms {
        Objects.requireNonNull(module, "module");
        if (!(share > 0 && share <= 1 && budget > 0 && budget <= 1)) {
            throw new IllegalArgumentException("share of a trial out of range: share=" + share + ", budget=" + budget);
        }
    }
}
