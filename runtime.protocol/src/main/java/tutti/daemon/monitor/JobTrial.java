package tutti.daemon.monitor;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.daemon.listing.ClusterListing;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.module.ModuleId;

/**
 * What the trial of a module has found in a running job.
 *
 * @param job     id of the job
 * @param module  the module that is tried
 * @param served  the module that serves meanwhile, with its version; empty when there is none
 * @param reports what was found, one report for each communicator with a verdict
 * @param isOver  whether the trial has ended, as that of a job which has ended
 */
public record JobTrial(String job, ModuleId module, String served, List<CanaryReport> reports, boolean isOver) {
    /** Checks that the values are present. */
    public JobTrial {
        Objects.requireNonNull(job, "job");
        Objects.requireNonNull(module, "module");
        Objects.requireNonNull(served, "served");
        reports = List.copyOf(reports);
    }

    /** Returns the report of a communicator on which the module must not replace the one that serves; null if there is none. */
    public @Nullable CanaryReport refusal() {
        return reports.stream().filter(r -> r.verdict().isRefused()).findFirst().orElse(null);
    }

    /** Returns whether the module may replace the one that serves, as far as this job says. */
    public boolean isPromotable() {
        return refusal() == null && reports.stream().anyMatch(r -> r.verdict().isPromotable());
    }

    /** Returns the reports, for the user. */
    public String text() {
        final StringBuilder text = new StringBuilder();
        for (final CanaryReport r : reports) {
            text.append("job ").append(job).append(", ").append(r.communicator()).append(", ").append(r.ranks()).append(" ranks: ").append(module)
                .append(" beside ").append(served.isEmpty() ? "other modules" : served).append(": ")
                .append(r.verdict().name().toLowerCase(Locale.ROOT)).append(r.reason().isEmpty() ? "" : ": " + r.reason()).append('\n')
                .append(ClusterListing.trial(r));
        }
        return text.toString();
    }

    /** Returns whether nothing more is to be found out. */
    public boolean isDecided() {
        return isOver || refusal() != null || isPromotable();
    }
}
