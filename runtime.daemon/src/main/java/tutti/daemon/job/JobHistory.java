package tutti.daemon.job;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.monitor.LiveCounts;
import tutti.daemon.monitor.NodeCounts;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.introspect.CanaryReport;

/**
 * The jobs that a node coordinates and has coordinated: logs their start and end, counts them, and remembers a number of those that have ended.
 *
 * <p>With a file, the history survives the node: each start and each end is a line of JSON at its end, and the last line about a job holds. A job
 * without an end belongs to a node that ended first. The file is written anew when it has twice as many lines as the history needs. A file that
 * cannot be written costs no job; it is written anew when the next job starts or ends. Safe for any thread.
 */
@Component(service = JobHistory.class)
public final class JobHistory {
    private static final Logger LOG = LoggerFactory.getLogger(JobHistory.class);

    private final int limit;
    private final @Nullable Path file;
    private final Map<String, JobRecord> running = new LinkedHashMap<>();
    private final LinkedHashMap<String, JobRecord> ended = new LinkedHashMap<>();
    private final Map<String, Long> statuses = new TreeMap<>();
    private long started;
    private long checkpoints;
    private long checkpointsFailed;
    private long checkpointBytes;
    private LiveCounts live = LiveCounts.NONE;
    private int lines;
    private boolean isBroken;

    /** Numbers of jobs, their checkpoints and the changes of their modules since the node started. */
    public record Counts(long started, Map<String, Long> ended, long checkpoints, long checkpointsFailed, long checkpointBytes, LiveCounts live) {}

    /** Creates the history of a node, with what it had before. A node for one run ends with its job, and its folder with it. */
    @Activate
    public JobHistory(@Reference(name = "node") final ListeningNode node) {
        this(node.settings().history(), node.settings().oneRun() ? null : node.settings().folder().resolve("history.jsonl"));
    }

    /**
     * Creates a history, with what the file has.
     *
     * @param limit most jobs that have ended
     * @param file  the file; null for none. Its folder may be missing
     */
    JobHistory(final int limit, final @Nullable Path file) {
        this.limit = limit;
        this.file = limit == 0 ? null : file;
        if (this.file != null) {
            read(this.file);
        }
    }

    private void read(final Path from) {
        if (!Files.exists(from)) {
            return;
        }
        final Map<String, JobRecord> found = new LinkedHashMap<>();
        int bad = 0;
        try {
            for (final String line : new String(Files.readAllBytes(from), StandardCharsets.UTF_8).lines().toList()) {
                try {
                    final JobRecord job = MessageCodec.read(line, JobRecord.class);
                    found.remove(job.id());
                    found.put(job.id(), job);
                } catch (final IOException | RuntimeException e) {
                    LOG.debug("line of the history cannot be read: {}", line, e);
                    bad++;
                }
            }
        } catch (final IOException e) {
            broken(from, e);
            return;
        }
        if (bad > 0) {
            // Cause: the node was killed while it wrote a line.
            LOG.warn("history of jobs has lines that cannot be read, which are dropped: file={}, lines={}", from, bad);
        }
        for (final JobRecord job : found.values()) {
            keep(job.end() != null ? job : job.ended(new JobRecord.End(0, ExitStatus.NO_CLUSTER, "node " + job.launchedAt()
                + " ended, which coordinated the job")));
        }
        compact();
    }

    private void keep(final JobRecord job) {
        ended.remove(job.id());
        ended.put(job.id(), job);
        while (ended.size() > limit) {
            ended.remove(ended.firstEntry().getKey());
        }
    }

    /** Returns a job that runs, or one that has ended and is remembered; null for another. */
    synchronized @Nullable JobRecord find(final String id) {
        final JobRecord found = running.get(id);
        return found == null ? ended.get(id) : found;
    }

    /** Receives a job whose ranks are about to start. */
    void began(final JobRecord job) {
        synchronized (this) {
            started++;
            running.put(job.id(), job);
            append(job);
        }
        LOG.info("job {} started: program={}, ranks={}, nodes={}, by={}", job.id(), job.program(), job.ranks(), String.join(",", job.nodes()),
            job.launchedBy());
    }

    /** Receives a job that has ended, whether it had begun or not. */
    void ended(final JobRecord job) {
        final JobRecord.End end = Objects.requireNonNull(job.end(), "end");
        synchronized (this) {
            if (running.remove(job.id()) == null) {
                started++;
            }
            statuses.merge(NodeCounts.status(end.status()), 1L, Long::sum);
            keep(job);
            append(job);
        }
        LOG.info("job {} ended: status={}, seconds={}, program={}, ranks={}, nodes={}, by={}{}", job.id(), end.status(), job.millis() / 1000.0,
            job.program(), job.ranks(), String.join(",", job.nodes()), job.launchedBy(), end.reason().isEmpty() ? "" : ", reason=" + end.reason());
    }

    /** Receives a change of the modules of a job that all its nodes have accepted. */
    synchronized void changed() {
        live = new LiveCounts(live.changes() + 1, live.trials(), live.compared(), live.differences());
    }

    /** Receives what a trial of a module has found on a communicator. */
    synchronized void tried(final CanaryReport report) {
        final Map<String, Long> trials = new TreeMap<>(live.trials());
        trials.merge(report.verdict().name().toLowerCase(Locale.ROOT), 1L, Long::sum);
        live = new LiveCounts(live.changes(), trials, live.compared() + report.shadows(),
            live.differences() + report.classes().stream().mapToLong(CanaryReport.CanaryClass::differences).sum());
    }

    /** Receives what became of a checkpoint. */
    synchronized void checkpointed(final boolean isComplete, final long bytes) {
        if (isComplete) {
            checkpoints++;
            checkpointBytes += bytes;
        } else {
            checkpointsFailed++;
        }
    }

    private void append(final JobRecord job) {
        if (file == null) {
            return;
        }
        if (isBroken) {
            compact();
            return;
        }
        try {
            if (lines == 0) {
                Files.createDirectories(Objects.requireNonNull(file.getParent(), "parent"));
            }
            Files.write(file, line(job), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            lines++;
            if (lines >= 2 * (limit + running.size()) + 2) {
                compact();
            }
        } catch (final IOException e) {
            broken(file, e);
        }
    }

    private static byte[] line(final JobRecord job) {
        return (MessageCodec.text(job) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Writes the file anew, with a line for each job. */
    private void compact() {
        final Path to = Objects.requireNonNull(file, "file");
        final Path next = to.resolveSibling(to.getFileName() + ".next");
        final StringBuilder text = new StringBuilder();
        ended.values().forEach(j -> text.append(new String(line(j), StandardCharsets.UTF_8)));
        running.values().forEach(j -> text.append(new String(line(j), StandardCharsets.UTF_8)));
        try {
            Files.createDirectories(Objects.requireNonNull(to.getParent(), "parent"));
            Files.writeString(next, text);
            Files.move(next, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            lines = ended.size() + running.size();
            if (isBroken) {
                isBroken = false;
                LOG.info("history of jobs is written again: file={}", to);
            }
        } catch (final IOException e) {
            broken(to, e);
        }
    }

    private void broken(final Path at, final IOException e) {
        if (!isBroken) {
            isBroken = true;
            // Cause: the disk is full, or the folder is not the node's.
            LOG.warn(
                "history of jobs is kept in memory alone, its file cannot be used: file={}, reason={}; make room or correct its permissions, and "
                    + "the next job writes it, or set {}=0",
                at, Protocol.oneLine(e), NodeProperties.HISTORY);
        }
    }

    /** Returns the jobs that have ended and those that run, by the time of their launch. */
    public synchronized List<JobRecord> jobs() {
        final List<JobRecord> all = new ArrayList<>(ended.values());
        all.addAll(running.values());
        all.sort(Comparator.comparingLong(JobRecord::since));
        return all;
    }

    public synchronized Counts counts() {
        return new Counts(started, new TreeMap<>(statuses), checkpoints, checkpointsFailed, checkpointBytes, live);
    }
}
