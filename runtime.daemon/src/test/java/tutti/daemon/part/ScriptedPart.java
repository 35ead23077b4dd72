package tutti.daemon.part;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import tutti.runtime.inspect.RankState;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;

/** Part of a job whose answers are scripted by a test. */
public final class ScriptedPart implements JobPart {
    private final CompletableFuture<AgreedJob> agreed = new CompletableFuture<>();
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private final CompletableFuture<String> cancelled = new CompletableFuture<>();
    private final CompletableFuture<String> spawnedEnded = new CompletableFuture<>();
    private final CompletableFuture<Void> asked = new CompletableFuture<>();
    private volatile CompletableFuture<Long> lastPoint = CompletableFuture.completedFuture(0L);
    private volatile CompletableFuture<Long> checkpoint = new CompletableFuture<>();
    private final BlockingQueue<String> steps = new LinkedBlockingQueue<>();
    private volatile CompletableFuture<Catalogue> leased = new CompletableFuture<>();
    private volatile CompletableFuture<Void> accepted = CompletableFuture.completedFuture(null);
    private volatile CompletableFuture<Void> changed = CompletableFuture.completedFuture(null);
    private volatile AgreedModules next;

    /** Sets the answer about the last point, and forgets the point of an earlier checkpoint. */
    public ScriptedPart answer(final CompletableFuture<Long> point) {
        lastPoint = point;
        checkpoint = new CompletableFuture<>();
        return this;
    }

    /** Completes with the agreement that the part is to connect on. */
    public CompletableFuture<AgreedJob> agreed() {
        return agreed;
    }

    /** Completes when the part is started. */
    public CompletableFuture<Void> started() {
        return started;
    }

    /** Completes with the reason when the part is cancelled. */
    public CompletableFuture<String> cancelled() {
        return cancelled;
    }

    /** Completes with the reason when the jobs that the part has spawned are ended. */
    public CompletableFuture<String> spawnedEnded() {
        return spawnedEnded;
    }

    /** Completes when the part is asked for its last point. */
    public CompletableFuture<Void> asked() {
        return asked;
    }

    /** Completes with the point at which the ranks save their states. */
    public CompletableFuture<Long> checkpoint() {
        return checkpoint;
    }

    /** Sets the modules that the node offers from now on. */
    public void offer(final Catalogue catalogue) {
        leased = CompletableFuture.completedFuture(catalogue);
    }

    /** Sets the answer to leases. */
    public void lease(final CompletableFuture<Catalogue> answer) {
        leased = answer;
    }

    /** Sets the answer to agreements on changes of modules. */
    public void agree(final CompletableFuture<Void> answer) {
        accepted = answer;
    }

    /** Sets the answer to changes of modules. */
    public void change(final CompletableFuture<Void> answer) {
        changed = answer;
    }

    /** Returns the steps of changes of modules that the part has taken. */
    public BlockingQueue<String> steps() {
        return steps;
    }

    /** Returns the last agreement on a change of modules. */
    public AgreedModules next() {
        return next;
    }

    @Override
    public CompletionStage<Catalogue> lease(final int change) {
        steps.add("lease " + change);
        return leased;
    }

    @Override
    public CompletionStage<Void> agree(final int change, final AgreedModules agreement) {
        next = agreement;
        steps.add("agree " + change);
        return accepted;
    }

    @Override
    public CompletionStage<Void> change(final int change) {
        steps.add("change " + change);
        return changed;
    }

    @Override
    public void abandon(final int change) {
        steps.add("abandon " + change);
    }

    @Override
    public CompletionStage<Void> connect(final AgreedJob job) {
        agreed.complete(job);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Void> startSpare(final Replacement place, final List<NodeEndpoints> linked) {
        steps.add("spare " + place.rank() + " for " + place.replaces());
        return CompletableFuture.completedStage(null);
    }

    @Override
    public void start() {
        started.complete(null);
    }

    @Override
    public void cancel(final String reason) {
        cancelled.complete(reason);
    }

    @Override
    public void lose(final List<Integer> ranks, final String reason) {
        steps.add("lose " + ranks + ": " + reason);
    }

    @Override
    public void endSpawned(final String reason) {
        spawnedEnded.complete(reason);
    }

    @Override
    public CompletionStage<List<RankState>> inspect(final long waitedMillis) {
        return CompletableFuture.completedStage(
            List.of(new RankState(0, RankState.Activity.WAITING, null, null, waitedMillis, List.of(), List.of(), List.of())));
    }

    @Override
    public CompletionStage<Long> lastPoint() {
        asked.complete(null);
        return lastPoint;
    }

    @Override
    public void checkpointAt(final long point) {
        checkpoint.complete(point);
    }
}
