package tutti.daemon.listing;

import java.util.Locale;
import tutti.runtime.introspect.CanaryReport;

/** Text about the trial of a module in a running job. */
final class TrialListing {
    private static final double PERCENT = 100;
    private static final double NANOS = 1e9;

    private TrialListing() {}

    /** Returns what was found on a communicator: a line per class of calls, and what it has cost. */
    static String text(final CanaryReport report) {
        final StringBuilder text = new StringBuilder();
        if (report.difference() != null) {
            text.append("  ").append(report.difference()).append('\n');
        }
        final TextTable table = new TextTable("  OPERATION", "FROM BYTES", "CALLS", "COMPARED", "DIFFERENT", "TIME", "QUARTILES", "NOTE");
        for (final CanaryReport.CanaryClass c : report.classes()) {
            final boolean isMeasured = c.ratio() > 0;
            table.row("  " + c.operation(), c.fromBytes() < 0 ? "any" : Long.toString(c.fromBytes()), c.used(), c.compared(), c.differences(),
                isMeasured ? ratio(c.ratio()) : "-", isMeasured ? ratio(c.lowerQuartile()) + " to " + ratio(c.upperQuartile()) : "-", note(c));
        }
        return (report.classes().isEmpty() ? text : text.append(table)).append("  ").append(report.shadows()).append(" calls compared in ")
            .append(String.format(Locale.ROOT, "%.1f s, %.1f %% of the time", report.totalNanos() / NANOS,
                report.totalNanos() == 0 ? 0 : PERCENT * report.shadowNanos() / report.totalNanos()))
            .append('\n').toString();
    }

    private static String note(final CanaryReport.CanaryClass of) {
        final String exclusion = of.exclusion();
        return exclusion != null ? exclusion : of.unverified() > 0 ? of.unverified() + " cannot be judged" : "";
    }

    private static String ratio(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
