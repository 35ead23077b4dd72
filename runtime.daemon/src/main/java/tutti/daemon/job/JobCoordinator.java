package tutti.daemon.job;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.checkpoints.Restart;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.RunningJob;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.Reply;
import tutti.runtime.checkpoint.store.CheckpointOption;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.model.LossMode;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ModuleId;

/**
 * Coordinator of one job, from a client's request to its end: has it {@linkplain JobStart started}, watches its ranks, and has it
 * {@linkplain JobFinish finished} when it is complete or fails. One thread does all this; other threads only add to its queue of events.
 */
public final class JobCoordinator implements RunningJob, CoordinatedPart.Coordinator {
    private static final Logger LOG = LoggerFactory.getLogger(JobCoordinator.class);
    /** How long the client of an ended job may take to read its last output. */
    private static final Duration READ_LIMIT = Duration.ofMinutes(10);

    private final String id;
    private final RunRequest run;
    private final JobSite site;
    private final Path folder;
    private final InputStream program;
    private final JobClient client;
    private final JobParts parts;
    private final JobStart start;
    private final MeasurementStore.Job measurements;
    private final OutputRelay output;
    private final CheckpointOrders checkpoints;
    private final StallWatch watch;
    private final ModuleChanges changes;
    private final CompletableFuture<JobEnd> ended = new CompletableFuture<>();
    private final long since = System.currentTimeMillis();
    private long nextCheckpoint = Long.MAX_VALUE;
    /** The checkpoint from which the job continues; null if it begins anew. */
    private @Nullable Restart restart;
    private volatile String state = "starting";
    /** What tuning on live calls has found out; empty for most jobs. */
    private volatile List<CallTuning> tuned = List.of();
    /** Whether a checkpoint of this job was attempted. */
    private volatile boolean hasCheckpoints;

    /**
     * Creates the coordinator of a job.
     *
     * @param program the bytes of its files, one after the other
     */
    public JobCoordinator(final String id, final JobPlan plan, final InputStream program, final JobClient client, final JobSite site) {
        this.id = id;
        this.run = plan.run();
        this.site = site;
        this.program = program;
        this.client = client;
        this.folder = site.folder().resolve("job-" + id);
        this.parts = new JobParts(id, site.cluster().self().name(), run.timeoutMillis());
        this.start = new JobStart(id, plan, site, parts, folder);
        this.measurements = site.measurements().of(id, run.program());
        this.output = new OutputRelay(id, client, run.traced(), measurements);
        this.checkpoints = new CheckpointOrders(parts);
        this.watch = new StallWatch(StallOption.millis(run.parameters()), parts);
        this.changes = new ModuleChanges(id, parts, site.resolver(), line -> tell(line + "\n"), site.history()::changed);
        parts.replacements().follow(changes);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public CompletionStage<JobEnd> ended() {
        return ended.minimalCompletionStage();
    }

    @Override
    public void end(final int status, final String text) {
        parts.add(new JobEvent.EndRequested(status, text));
    }

    @Override
    public void clientLost() {
        output.close();
        end(ExitStatus.FAILED, "the client is gone");
    }

    /** Notifies that a node left the cluster. */
    void nodeLost(final NodeInfo node, final String reason) {
        parts.nodeLost(node, reason);
    }

    @Override
    public void add(final JobEvent event) {
        parts.add(event);
    }

    @Override
    public CompletionStage<byte[]> input() {
        return client.input();
    }

    @Override
    public void print(final OutputPiece piece) throws InterruptedException {
        output.print(piece);
    }

    @Override
    public void keep(final InterceptorReport.Piece piece) {
        measurements.report(piece);
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        LOG.info("job {}: checkpoint {} at point {}: bytes={}, ms={}{}", id, report.number(), report.point(), report.bytes(),
            TimeUnit.NANOSECONDS.toMillis(report.nanos()), report.problem() == null ? "" : ", failed: " + report.problem());
        hasCheckpoints = true;
        site.history().checkpointed(report.problem() == null, report.bytes());
        checkpoints.checkpointed(report);
    }

    @Override
    public void tried(final CanaryReport report) {
        LOG.info("job {}: trial of modules by change {} on {}: {} {}", id, report.change(), report.communicator(), report.verdict(), report.reason());
        if (report.verdict() != CanaryReport.Verdict.RUNNING) {
            site.history().tried(report);
        }
        changes.tried(report);
    }

    @Override
    public void tuned(final List<CallTuning> found) {
        // now, so that the next job on this node begins with it
        tuned = site.tuning().learn(found);
    }

    /** Keeps what tuning has found out, and tells the other nodes. */
    private void tellTuned() {
        final List<CallTuning> found = tuned;
        if (!found.isEmpty()) {
            LOG.info("job {}: tuning on live calls has found out: classes of calls={}", id, found.size());
            Thread.ofVirtual().name("tutti-" + id + "-tuned").inheritInheritableThreadLocals(false).start(() -> {
                site.tuning().save();
                site.cluster().questions().askAll(JobQuestions.class, n -> n.learn(found));
            });
        }
    }

    JobInfo info() {
        return new JobInfo(id, state, parts.ranks() == 0 ? run.ranks() : parts.ranks(), parts.nodes().stream().map(NodeAddress::node).distinct()
            .toList(), changes.modules().stream().map(ModuleId::toString).toList(), changes.changes(), changes.tries(), run.program(), since,
            run.launchedBy(),
            site.cluster().self().name(), parts.losses().failed(), parts.replacements().holders());
    }

    /** Returns what the ranks do; those whose nodes do not answer soon are not known. Blocks. */
    JobActivity ranks() throws InterruptedException {
        return state.equals("starting") ? JobActivity.starting(info().ranks(), "job " + id + " is starting") : parts.inspected().ranks();
    }

    /** Returns the orders of checkpoints. */
    CheckpointOrders checkpoints() {
        return checkpoints;
    }

    /** Returns the changes of modules. */
    ModuleChanges changes() {
        return changes;
    }

    /** Prints text on the error output of the job, in the order of the calls. Does not block. */
    private void tell(final String text) {
        output.tell(OutputPiece.printed(0, true, text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Runs the job to its end. Called on a thread of its own. */
    void coordinate() {
        JobEndedException end = new JobEndedException(ExitStatus.OK, "");
        output.start();
        try {
            client.accepted(id);
            final List<Path> files = start.receive(program);
            restart = start.restart();
            start.prepare(files, restart, client, this);
            run(start.connect());
        } catch (final JobEndedException over) {
            end = withReport(over);
        } catch (final IOException | RuntimeException e) {
            // Cause: the reason follows.
            end = new JobEndedException(ExitStatus.FAILED, "job could not be started: " + Protocol.oneLine(e));
            LOG.debug("job {} failed", id, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            state = "ending";
            parts.losses().tell(true);
            checkpoints.end();
            changes.end();
            finish(end);
        }
    }

    /** Starts the ranks, and watches them until all have ended. */
    private void run(final AgreedModules agreement) throws InterruptedException, JobEndedException {
        state = "running";
        parts.losses().begin(LossMode.of(agreement.parameters()), checkpoints::lost, line -> tell(line + "\n"));
        site.history().began(JobRecord.of(info()));
        parts.replacements().others().forEach(node -> parts.all().get(node).part().start());
        checkpoints.begin();
        changes.begin(agreement);
        scheduleCheckpoint();
        while (parts.isRunning()) {
            if (parts.isQuiet() && watch.nextAt() != Long.MAX_VALUE && System.nanoTime() - watch.nextAt() >= 0) {
                look();
            }
            if (nextCheckpoint != Long.MAX_VALUE && System.nanoTime() - nextCheckpoint >= 0) {
                checkpoints.order();
                scheduleCheckpoint();
            }
            parts.next(Math.min(parts.losses().nextAt(), Math.min(watch.nextAt(), nextCheckpoint)));
            parts.losses().tell(false);
        }
        while (parts.losses().nextAt() != Long.MAX_VALUE) {
            parts.next(parts.losses().nextAt());
            parts.losses().tell(false);
        }
        parts.losses().check();
    }

    private void scheduleCheckpoint() {
        final long every = CheckpointOption.of(run.parameters()).millis();
        nextCheckpoint = every == 0 ? Long.MAX_VALUE : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(every);
    }

    /** Looks for ranks that wait for each other. */
    private void look() throws JobEndedException {
        switch (watch.look()) {
            // Cause: no rank can send what the others wait for. Remedy: [when a job does not go on](programs.md#when-a-job-does-not-go-on).
            case StallWatch.Finding.Deadlock d -> throw new JobEndedException(ExitStatus.DEADLOCK, "job " + id + " was ended: "
                + (d.analysis().stuck().size() == 1 ? "a rank waits for what cannot come" : d.analysis().stuck().size()
                    + " ranks wait for what cannot come")
                + "\n" + d.analysis().report());
            case StallWatch.Finding.Stall s -> tell("tutti: job " + id
                + (s.analysis().waitsForOtherJob() ? " waits for another job\n" : " makes no progress: all its ranks wait\n") + s.analysis().report()
                + "\n");
            case StallWatch.Finding.Nothing n -> LOG.trace("job {} was looked at", id);
        }
    }

    /** Returns an end by a time limit or by the user with what the ranks did. */
    private JobEndedException withReport(final JobEndedException over) {
        if (!over.isWithRanks() || !parts.isRunning() || !state.equals("running")) {
            return over;
        }
        try {
            final StallAnalysis found = parts.inspected();
            return found.knowsAny() ? new JobEndedException(over.status(), over.text() + "\n" + found.report()).withRanks() : over;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return over;
        }
    }

    /** Receives no more of the program: the job may end before it is here. */
    private void closeProgram() {
        try {
            program.close();
        } catch (final IOException e) {
            LOG.debug("job {}: its program cannot be closed", id, e);
        }
    }

    private void finish(final JobEndedException first) {
        JobEndedException end = first;
        closeProgram();
        try {
            end = new JobFinish(id, parts, site.cluster()).end(first);
            output.finish(READ_LIMIT);
            if (end.status() == ExitStatus.OK && (hasCheckpoints || restart != null) && !CheckpointOption.keeps(run.parameters())) {
                final Reply removed = site.checkpoints().removeEverywhere(restart == null ? id : restart.series());
                if (removed.status() != ExitStatus.OK) {
                    // Cause: checkpoints of a job that has ended well could not be removed. Remedy: remove them: `tutti checkpoints --remove`.
                    LOG.warn("checkpoints of job {} are not removed: {}", id, removed.text());
                }
            }
            start.awaitReceived();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        parts.all().forEach(CoordinatedPart::close);
        TempFolders.delete(folder);
        measurements.ended();
        tellTuned();
        // before the client knows, which may ask for it
        site.history().ended(JobRecord.of(info()).ended(new JobRecord.End(System.currentTimeMillis(), end.status(), end.text())));
        ended.complete(new JobEnd(end.status(), end.text()));
    }
}
