package tutti.daemon.monitor;

import java.util.DoubleSummaryStatistics;
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

    /** Returns how many calls were compared, and the times, in parentheses; empty before a call was. */
    public static String progress(final List<CanaryReport> found) {
        final List<CanaryReport.CanaryClass> classes = found.stream().flatMap(r -> r.classes().stream()).toList();
        final int compared = classes.stream().mapToInt(CanaryReport.CanaryClass::compared).sum();
        if (compared == 0) {
            return "";
        }
        final DoubleSummaryStatistics ratios = classes.stream().mapToDouble(CanaryReport.CanaryClass::ratio).filter(r -> r > 0).summaryStatistics();
        return " (" + compared + " calls compared, " + classes.stream().mapToInt(CanaryReport.CanaryClass::differences).sum() + " different"
            + (ratios.getCount() == 0 ? "" : String.format(Locale.ROOT, ", %.2f to %.2f times the time", ratios.getMin(), ratios.getMax())) + ")";
    }

    /** Returns whether nothing more is to be found out. */
    public boolean isDecided() {
        return isOver || refusal() != null;
    }
}
