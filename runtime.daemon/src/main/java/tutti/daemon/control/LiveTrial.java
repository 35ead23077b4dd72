package tutti.daemon.control;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.job.ClusterJobs;
import tutti.daemon.monitor.JobTrial;
import tutti.daemon.monitor.LiveChange;
import tutti.daemon.monitor.ModuleTrial;
import tutti.daemon.protocol.ModuleChange;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.module.CanaryTerms;
import tutti.runtime.module.ModuleId;

/**
 * The trial of a module in running jobs, led by the node of the command that has ordered it:
 *
 * <pre>{@code
 * install in quarantine -> jobs compare -> verdict  promotable: replace the module before, have the jobs follow
 *                                                   refused:    quarantine, remove, have the jobs go on without it
 *                                                   none:       remove
 * }</pre>
 *
 * <p>New jobs do not use the module before it is promoted. If this node is lost meanwhile, or the nodes cannot be changed for a while, the module
 * stays in quarantine, and jobs go on with the one that serves; the command can be given again. For one thread.
 */
final class LiveTrial {
    private static final Logger LOG = LoggerFactory.getLogger(LiveTrial.class);
    private static final long LOOK_MILLIS = 250;
    /** For how long other communicators are waited for at the least. */
    private static final long OTHERS_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** For how long a change of the nodes is tried that ends a trial: others may change modules, or a node may be lost. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ClusterModules modules;
    private final ClusterJobs jobs;
    private final String job;

    /**
     * Creates a trial.
     *
     * @param job id of the only job that tries the module; empty for all
     */
    LiveTrial(final ClusterModules modules, final ClusterJobs jobs, final String job) {
        this.modules = modules;
        this.jobs = jobs;
        this.job = job;
    }

    /**
     * Carries out the trial. Blocks until it ends.
     *
     * @param change    installs the module for the trial
     * @param withdrawn completed when nobody wants the trial any more; then the module is removed
     * @throws CallFailedException when the modules of the nodes cannot be changed, or there is no such job
     */
    ModuleTrial run(final ModuleChange change, final double share, final double budget, final @Nullable Path file,
        final CompletionStage<?> withdrawn) throws CallFailedException, InterruptedException {
        modules.checkRuns(job);
        final ModuleId module = Objects.requireNonNull(modules.make(change, change.force(), file, withdrawn).installed(), "module");
        LOG.info("trial of module {} begins: share={}, budget={}", module, share, budget);
        final List<LiveChange> begun = jobs.tryAnywhere(new CanaryTerms(module, share, budget), job);
        final List<JobTrial> found = await(module, begun, withdrawn.toCompletableFuture());
        final ModuleTrial ended = end(change, module, file, begun, found, withdrawn.toCompletableFuture().isDone());
        LOG.info("trial of module {} has ended: {} {}", module, ended.outcome(), ended.reason());
        return ended;
    }

    /**
     * Waits until jobs have refused the module, or all communicators of all jobs have a verdict. Once one may take it over, the others are waited for
     * as long again, since some may never call enough.
     */
    private List<JobTrial> await(final ModuleId module, final List<LiveChange> begun, final CompletableFuture<?> withdrawn)
        throws InterruptedException {
        final Map<String, JobTrial> found = new TreeMap<>();
        final List<String> trying = begun.stream().filter(c -> c.outcome() == LiveChange.Outcome.TRIED).map(LiveChange::job).toList();
        final long begin = System.nanoTime();
        long patience = Long.MAX_VALUE;
        while (true) {
            final List<JobTrial> now = jobs.trialsAnywhere(module);
            now.forEach(t -> found.put(t.job(), t));
            final boolean isOpen = now.stream().anyMatch(t -> trying.contains(t.job()) && !t.isDecided());
            final long waited = System.nanoTime() - begin;
            if (patience == Long.MAX_VALUE && found.values().stream().anyMatch(JobTrial::isPromotable)) {
                patience = 2 * waited + OTHERS_NANOS;
            }
            if (!isOpen || waited > patience || withdrawn.isDone() || found.values().stream().anyMatch(t -> t.refusal() != null)) {
                return List.copyOf(found.values());
            }
            withdrawn.copy().completeOnTimeout(null, LOOK_MILLIS, TimeUnit.MILLISECONDS).handle((done, e) -> "").join();
        }
    }

    private ModuleTrial end(final ModuleChange change, final ModuleId module, final @Nullable Path file, final List<LiveChange> begun,
        final List<JobTrial> found, final boolean isWithdrawn) throws InterruptedException {
        final JobTrial refusing = found.stream().filter(t -> t.refusal() != null).findFirst().orElse(null);
        ModuleTrial.Outcome outcome = ModuleTrial.Outcome.UNDECIDED;
        String reason = undecided(begun, found);
        String done = null;
        if (refusing != null) {
            outcome = ModuleTrial.Outcome.REFUSED;
            final CanaryReport why = Objects.requireNonNull(refusing.refusal());
            reason = "job " + refusing.job() + ", " + why.communicator() + ": " + why.reason();
            modules.quarantine().refuse(module, reason);
        } else if (!isWithdrawn && found.stream().anyMatch(JobTrial::isPromotable)) {
            try {
                done = insist(new ModuleChange(ModuleChange.Kind.UPDATE, null, null, change.file(), List.of(), false, true), change.force(), file);
                outcome = ModuleTrial.Outcome.PROMOTED;
                reason = "";
            } catch (final CallFailedException e) {
                reason = "no job has refused it, but it cannot replace the version before: " + e.getMessage();
            }
        }
        return new ModuleTrial(module, outcome, reason, begun, found, done == null ? remove(module, change.force()) : done,
            jobs.followAnywhere(module.name(), job));
    }

    /** Removes the module, and ends its quarantine unless a job has refused it; returns what was done. */
    private String remove(final ModuleId module, final boolean force) throws InterruptedException {
        try {
            final String done =
                insist(new ModuleChange(ModuleChange.Kind.DROP, module.name(), module.version().toString(), null, List.of(), false, false),
                    force, null);
            modules.quarantine().endTrial(module);
            return done;
        } catch (final CallFailedException e) {
            return module + " stays in quarantine, since it cannot be removed: " + e.getMessage();
        }
    }

    /** Makes a change, again if the nodes refuse it; returns what was done. */
    private String insist(final ModuleChange change, final boolean force, final @Nullable Path file)
        throws CallFailedException, InterruptedException {
        final long begin = System.nanoTime();
        while (true) {
            try {
                return modules.make(change, force, file, new CompletableFuture<>()).text();
            } catch (final CallFailedException e) {
                if (System.nanoTime() - begin > PATIENCE_NANOS) {
                    throw e;
                }
                LOG.info("a trial has ended, and the nodes cannot be changed yet: change={}, reason={}", change.kind(), e.getMessage());
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        }
    }

    private static String undecided(final List<LiveChange> begun, final List<JobTrial> found) {
        if (begun.stream().noneMatch(c -> c.outcome() == LiveChange.Outcome.TRIED)) {
            return "no job tries it";
        }
        final List<String> why = new ArrayList<>();
        found.forEach(t -> t.reports().stream().filter(r -> !r.reason().isEmpty())
            .forEach(r -> why.add("job " + t.job() + ", " + r.communicator() + ": " + r.reason())));
        return why.isEmpty() ? "no job has made enough calls before it ended, or before the trial was withdrawn" : String.join("; ", why);
    }
}
