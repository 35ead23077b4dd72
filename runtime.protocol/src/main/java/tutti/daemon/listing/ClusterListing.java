package tutti.daemon.listing;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.module.AgreedModules;

/** Listings of the reports of a cluster's nodes and of its checkpoints, as text. */
public final class ClusterListing {
    private static final int DIGEST_CHARACTERS = 12;
    private static final DateTimeFormatter BEGIN = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");
    /** Most failed ranks of a job that are listed. */
    private static final int MOST_FAILED = 8;
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB");

    private ClusterListing() {}

    /** Returns a line per node, and one per warning of a node. */
    public static String nodes(final List<NodeReport> reports) {
        final TextTable table = new TextTable("NAME", "ADDRESS", "PID", "JAVA", "CORES", "RANKS", "UP");
        for (final NodeReport r : reports) {
            final NodeInfo n = r.node();
            table.row(n.name(), n.address(), n.pid(), n.java(), n.cores(), r.ranks(), age(n.since()));
        }
        final StringBuilder text = new StringBuilder(table.toString());
        reports.forEach(r -> r.warnings().forEach(w -> text.append("warning: node ").append(r.node().name()).append(": ").append(w).append('\n')));
        return text.toString();
    }

    /** Returns a paragraph per node with its versions, load, modules and transports. */
    public static String info(final List<NodeInfoRow> rows) {
        final StringBuilder text = new StringBuilder();
        for (final NodeInfoRow r : rows) {
            text.append("%s  tutti %s, Java %s, %d cores, up %s\n".formatted(r.name(), r.version(), r.java(), r.cores(), age(r.since())))
                .append("  heap       %s of %s\n".formatted(bytes(r.heapUsed()), bytes(r.heapMax())))
                .append("  jobs       %d, with %d ranks here\n".formatted(r.jobs(), r.ranks()))
                .append("  modules    %s\n".formatted(r.modules().isEmpty() ? "none" : String.join(", ", r.modules())))
                .append("  transports %s\n".formatted(String.join(", ", r.transportTexts())))
                .append("  schedules  %d hits, %d plans, %d evictions, %d cached, scratch %s\n".formatted(r.schedules().hits(), r.schedules().plans(),
                    r.schedules().evictions(), r.schedules().entries(), bytes(r.schedules().scratchBytes())))
                .append("  proofs     %s\n".formatted(r.proofs()))
                .append("  messages   %d received, %s; %d sent to other nodes, %s\n".formatted(r.messages().received(),
                    bytes(r.messages().receivedBytes()), r.messages().sent(), bytes(r.messages().sentBytes())));
        }
        return text.toString();
    }

    /** Returns a number of bytes with a unit. */
    private static String bytes(final long bytes) {
        long scaled = bytes;
        int unit = 0;
        while (scaled >= 10 * 1024 && unit < UNITS.size() - 1) {
            scaled >>= 10;
            unit++;
        }
        return scaled + " " + UNITS.get(unit);
    }

    /** Returns the number of ranks of a job, those that have failed, and those that have taken their places. */
    private static String ranks(final JobInfo job) {
        return job.ranks() + (job.failed().isEmpty() ? "" : ", failed: " + some(job.failed().stream().map(String::valueOf).toList()))
            + (job.replaced().isEmpty() ? "" : ", replaced: " + some(new TreeMap<>(job.replaced()).entrySet().stream()
                .map(r -> r.getKey() + " by " + r.getValue()).toList()));
    }

    private static String some(final List<String> texts) {
        return texts.stream().limit(MOST_FAILED).collect(Collectors.joining(", "))
            + (texts.size() > MOST_FAILED ? " and " + (texts.size() - MOST_FAILED) + " more" : "");
    }

    /** Returns a line per job. */
    public static String jobs(final List<NodeReport> reports) {
        final TextTable table = new TextTable("JOB", "STATE", "RANKS", "NODES", "MODULES", "PROGRAM", "AGE", "BY", "AT");
        for (final NodeReport r : reports) {
            for (final JobInfo j : r.jobs()) {
                table.row(j.id(), j.state(), ranks(j), String.join(",", j.nodes()),
                    String.join(", ", j.modules()) + (j.changes() == 0 ? "" : "; changes: " + j.changes())
                        + (j.tries().isEmpty() ? "" : "; tries " + j.tries()),
                    j.program(), age(j.since()),
                    j.launchedBy(), j.launchedAt());
            }
        }
        return table.toString();
    }

    /** Returns what the trial of a module has found on a communicator: a line per class of calls, and what it has cost. */
    public static String trial(final CanaryReport report) {
        return TrialListing.text(report);
    }

    /** Returns a line per job, those that have ended too. */
    public static String history(final List<JobRecord> jobs) {
        final TextTable table = new TextTable("JOB", "STATUS", "RANKS", "NODES", "BEGIN", "TIME", "PROGRAM", "BY", "REASON");
        for (final JobRecord j : jobs) {
            final JobRecord.End end = j.end();
            table.row(j.id(), end == null ? "running" : end.status(), j.ranks(), j.nodes().isEmpty() ? "-" : String.join(",", j.nodes()),
                BEGIN.format(Instant.ofEpochMilli(j.since()).atZone(ZoneId.systemDefault())),
                end == null ? age(j.since()) : j.millis() < 0 ? "?" : duration(j.millis()), j.program(), j.launchedBy(),
                end == null ? "" : end.reason());
        }
        return table.toString();
    }

    private static String duration(final long millis) {
        return millis < 60_000 ? String.format(Locale.ROOT, "%.3f s", millis / 1000.0) : age(Duration.ofMillis(millis));
    }

    /** Returns a line per module, and one for each that is in quarantine. */
    public static String modules(final List<NodeReport> reports) {
        final TextTable table = new TextTable("NAME", "VERSION", "SHA-256", "NODES", "MISSING ON");
        for (final ModuleRow r : ModuleRow.of(reports)) {
            table.row(r.name(), r.version(), r.sha256().isEmpty() ? "?" : r.sha256().substring(0, DIGEST_CHARACTERS), String.join(",", r.nodes()),
                r.missing().isEmpty() ? "-" : String.join(",", r.missing()));
        }
        final StringBuilder text = new StringBuilder(table.toString());
        ModuleRow.quarantined(reports).forEach(q -> text.append("quarantined: ").append(q.module()).append(": ").append(q.reason()).append('\n'));
        return text.toString();
    }

    /** Returns a line per module that a job on all nodes would have, and an indented line with the reason per module that it would not have. */
    public static String agreement(final List<NodeReport> reports) {
        final AgreedModules agreement = AgreedModules.between(reports.stream()
            .collect(Collectors.toMap(r -> r.node().name(), NodeReport::catalogue)));
        final StringBuilder text = new StringBuilder();
        agreement.modules().forEach(m -> text.append(m).append('\n'));
        if (agreement.modules().isEmpty()) {
            text.append("no module\n");
        }
        agreement.leftOut().forEach(l -> text.append("  not ").append(l.module()).append(": ").append(l.reason()).append('\n'));
        return text.toString();
    }

    /** Returns a line per checkpoint. */
    public static String checkpoints(final List<CheckpointRow> rows) {
        final TextTable table = new TextTable("SERIES", "NUMBER", "STATE", "RANKS", "SIZE", "AGE", "COPIES", "NODES");
        for (final CheckpointRow r : rows) {
            table.row(r.series(), r.number(), r.state(), r.ranks(), bytes(r.bytes()), age(r.time()), r.copies(), String.join(",", r.nodes()));
        }
        return table.toString();
    }

    /** Returns the time since {@code since}, with units. */
    private static String age(final long since) {
        return age(Duration.ofMillis(Math.max(0, System.currentTimeMillis() - since)));
    }

    private static String age(final Duration d) {
        return d.toHours() > 0 ? d.toHours() + " h " + d.toMinutesPart() + " min" : d.toMinutes() > 0
            ? d.toMinutes() + " min " + d.toSecondsPart() + " s" : d.toSeconds() + " s";
    }
}
