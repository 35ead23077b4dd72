package tutti.daemon.listing;

import java.util.Locale;
import tutti.daemon.monitor.JobTrial;
import tutti.daemon.monitor.LiveChange;
import tutti.daemon.monitor.ModuleTrial;
import tutti.runtime.introspect.CanaryReport;

/** Text about the trial of a module in running jobs. */
public final class TrialListing {
    private static final double PERCENT = 100;

    private TrialListing() {}

    /** Returns what was found in each job, and what became of the module. */
    public static String text(final ModuleTrial trial) {
        final StringBuilder text = new StringBuilder();
        trial.begun().stream().filter(c -> c.outcome() != LiveChange.Outcome.TRIED).forEach(c -> text.append(c.text()).append('\n'));
        for (final JobTrial job : trial.trials()) {
            job.reports().forEach(r -> add(job, r, text));
        }
        text.append(switch (trial.outcome()) {
            case PROMOTED -> trial.module() + " replaces the version before";
            case REFUSED -> trial.module() + " is refused, removed and quarantined: " + trial.reason();
            case UNDECIDED -> trial.module() + " is removed without a verdict: " + trial.reason();
        }).append('\n');
        if (!trial.text().isEmpty()) {
            text.append(trial.text()).append('\n');
        }
        trial.jobs().forEach(c -> text.append(c.text()).append('\n'));
        return text.toString();
    }

    private static void add(final JobTrial job, final CanaryReport r, final StringBuilder text) {
        text.append("job ").append(job.job()).append(", ").append(r.communicator()).append(", ").append(r.ranks()).append(" ranks: ")
            .append(job.module()).append(" beside ").append(job.served().isEmpty() ? "other modules" : job.served()).append(": ")
            .append(r.verdict().name().toLowerCase(Locale.ROOT)).append(r.reason().isEmpty() ? "" : ": " + r.reason()).append('\n');
        if (r.difference() != null) {
            text.append("  ").append(r.difference()).append('\n');
        }
        final TextTable table = new TextTable("  OPERATION", "FROM BYTES", "CALLS", "COMPARED", "DIFFERENT", "TIME", "QUARTILES", "NOTE");
        for (final CanaryReport.CanaryClass c : r.classes()) {
            table.row("  " + c.operation(), c.fromBytes() < 0 ? "any" : Long.toString(c.fromBytes()), c.used(), c.compared(), c.differences(),
                c.compared() == 0 ? "-" : ratio(c.ratio()), c.compared() == 0 ? "-" : ratio(c.lowerQuartile()) + " to " + ratio(c.upperQuartile()),
                c.exclusion() != null ? c.exclusion() : c.unverified() > 0 ? c.unverified() + " cannot be judged" : "");
        }
        text.append(table).append("  ").append(r.shadows()).append(" calls compared in ")
            .append(String.format(Locale.ROOT, "%.1f s, %.1f %% of the time", r.totalNanos() / 1e9,
                r.totalNanos() == 0 ? 0 : PERCENT * r.shadowNanos() / r.totalNanos()))
            .append('\n');
    }

    private static String ratio(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
