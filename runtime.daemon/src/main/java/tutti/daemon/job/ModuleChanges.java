package tutti.daemon.job;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.monitor.JobTrial;
import tutti.daemon.monitor.LiveChange;
import tutti.daemon.part.JobPart;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.model.LiveMode;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.CanaryTerms;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.QuarantinedModule;

/**
 * Changes of the modules of a job while it runs: leaves a module that was put in quarantine, and takes the modules that nodes offer now when somebody
 * orders it. One change at a time, in the order in which they come.
 *
 * <pre>{@code
 * lease on all parts -> new agreement -> agree on all parts -> change on all parts -> wait until all communicators have changed
 *                            |                |
 *                            +----------------+--> abandon on all parts: the job goes on as before
 * }</pre>
 * A part that has ended takes no part in a change, and the end of the job ends all changes. Safe for any thread; a thread of its own carries out the
 * changes while there are any.
 */
final class ModuleChanges {
    private static final Logger LOG = LoggerFactory.getLogger(ModuleChanges.class);

    private final String job;
    private final JobParts parts;
    private final JobAgreementResolver resolver;
    private final Consumer<String> printer;
    private final Runnable changed;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    /** Changes that wait for their turn. Guarded by this object, as the following fields. */
    private final Queue<Order> orders = new ArrayDeque<>();
    /** Null before the ranks are started. */
    private @Nullable AgreedModules agreement;
    private boolean isWorking;
    /** Number of the last change that was begun. */
    private int number;
    private int changes;
    /** Number of the last change that all parts have accepted; 0 before the first. */
    private int accepted;
    /** The last trial of a module; null before the first. */
    private @Nullable JobTrial trial;
    /** Number of the change that began it. */
    private int trialSince;
    /** Number of communicators whose trial goes on. */
    private int trialsOpen;
    /** True when all communicators of the job have begun the trial. */
    private boolean isTrialBegun;
    /** The latest reports of communicators whose trial goes on, by the communicators' names. */
    private final Map<String, CanaryReport> underWay = new HashMap<>();

    /** A change that is wanted. */
    private static final class Order {
        private final String module;
        /** The module that is to be left; null to take what the nodes offer. */
        private final @Nullable QuarantinedModule quarantined;
        /** The trial that is to begin; null for none. */
        private final @Nullable CanaryTerms tried;
        private final long since = System.nanoTime();
        private final CompletableFuture<LiveChange> done = new CompletableFuture<>();
        /** Set when all parts have accepted the change. */
        private volatile @Nullable LiveChange accepted;

        Order(final String module, final @Nullable QuarantinedModule quarantined, final @Nullable CanaryTerms tried) {
            this.module = module;
            this.quarantined = quarantined;
            this.tried = tried;
        }
    }

    /** Why a change is not made. */
    private static final class NotChangedException extends Exception {
        private static final long serialVersionUID = 1L;
        private final LiveChange.Outcome outcome;

        NotChangedException(final LiveChange.Outcome outcome, final String why) {
            super(why, null, false, false);
            this.outcome = outcome;
        }
    }

    /**
     * Answer of a part to a step: a result, or why there is none; neither when the part has ended.
     *
     * @param isGone whether there is none since the link to the part was lost
     */
    private record Answer<T extends @Nullable Object>(@Nullable T result, @Nullable String failure, boolean isGone) {
        static <T extends @Nullable Object> Answer<T> of(final @Nullable T result, final @Nullable Throwable e) {
            final boolean isGone = e != null && !(e instanceof CallFailedException) && !(e.getCause() instanceof CallFailedException);
            return new Answer<>(result, e == null ? null : (isGone ? "the node is gone: " : "") + Protocol.oneLine(e), isGone);
        }
    }

    /**
     * Creates the changes of a job that is not agreed yet.
     *
     * @param printer prints a line on the error output of the job; does not block
     * @param changed called when all parts have accepted a change; does not block
     */
    ModuleChanges(final String job, final JobParts parts, final JobAgreementResolver resolver, final Consumer<String> printer,
        final Runnable changed) {
        this.job = job;
        this.parts = parts;
        this.resolver = resolver;
        this.printer = printer;
        this.changed = changed;
    }

    /** Begins to carry out changes: the ranks are started, with the modules of an agreement. */
    synchronized void begin(final AgreedModules agreed) {
        agreement = agreed;
        work();
    }

    /** Ends all changes, since the job has ended. */
    void end() {
        over.complete(null);
        final List<Order> left;
        synchronized (this) {
            left = List.copyOf(orders);
            orders.clear();
            endTrial();
        }
        left.forEach(o -> o.done.complete(result(o, 0, LiveChange.Outcome.ENDED, null, "")));
    }

    /** Returns the modules on which all nodes agree now; empty before the ranks are started. */
    synchronized List<ModuleId> modules() {
        return agreement == null ? List.of() : agreement.modules();
    }

    /** Returns the agreement that holds now; null before the ranks are started. */
    synchronized @Nullable AgreedModules agreement() {
        return agreement;
    }

    /** Brings a part that has connected by the agreement that holds now to the last change that all have accepted. */
    CompletionStage<Void> bring(final JobPart part) {
        final int last;
        final AgreedModules current;
        synchronized (this) {
            last = accepted;
            current = agreement;
        }
        return last == 0 || current == null ? CompletableFuture.completedStage(null)
            : part.lease(last).thenCompose(c -> part.agree(last, current)).thenCompose(done -> part.change(last));
    }

    /** Returns how often the modules were changed. */
    synchronized int changes() {
        return changes;
    }

    /** Leaves a module that was put in quarantine, if the job uses it and may change. */
    void quarantined(final QuarantinedModule module) {
        add(new Order(module.module().name(), module, null));
    }

    /**
     * Takes the modules of a name that the nodes offer now. The stage completes, never exceptionally, with what became of that: within the limit also
     * when the change is not complete.
     */
    CompletionStage<LiveChange> follow(final String module, final Duration limit) {
        return carryOut(new Order(module, null, null), limit);
    }

    /** Begins the trial of a module that the nodes offer, in place of one that runs; completes as {@link #follow}, which ends the trial. */
    CompletionStage<LiveChange> begin(final CanaryTerms terms, final Duration limit) {
        return carryOut(new Order(terms.module().name(), null, terms), limit);
    }

    /** Returns the module that the job tries, with its version, and what was found until now; empty when it tries none. */
    synchronized String tries() {
        final JobTrial of = trial;
        return of == null || of.isOver() ? ""
            : of.module() + JobTrial.progress(Stream.concat(of.reports().stream(), underWay.values().stream()).toList());
    }

    /** Returns what the last trial has found; null when there was none. */
    synchronized @Nullable JobTrial trial() {
        return trial;
    }

    /** Notes that a communicator has begun a trial, or keeps what was found on it until now or in the end. */
    synchronized void tried(final CanaryReport report) {
        final JobTrial of = trial;
        if (of == null || of.isOver() || report.change() < trialSince) {
            return;
        }
        if (report.verdict() == CanaryReport.Verdict.RUNNING) {
            trialsOpen += report.shadows() == 0 ? 1 : 0;
            underWay.put(report.communicator(), report);
            return;
        }
        underWay.remove(report.communicator());
        final List<CanaryReport> reports = new ArrayList<>(of.reports());
        reports.add(report);
        trial = new JobTrial(of.job(), of.module(), of.served(), reports, false);
        trialsOpen--;
        endIfDone();
    }

    /** Notes that all communicators have made a change, and so have begun its trial. */
    private synchronized void begun(final int change) {
        if (change >= trialSince) {
            isTrialBegun = true;
            endIfDone();
        }
    }

    private void endIfDone() {
        if (isTrialBegun && trialsOpen == 0) {
            endTrial();
        }
    }

    /** Notes which trial runs by the agreement of a change. */
    private synchronized void agreed(final AgreedModules next, final int change) {
        final CanaryTerms before = agreement == null ? null : agreement.canary();
        agreement = next;
        accepted = change;
        changes++;
        final CanaryTerms now = next.canary();
        if (now == null) {
            endTrial();
        } else if (!now.equals(before)) {
            final ModuleId served = next.module(now.module().name());
            trial = new JobTrial(job, now.module(), served == null ? "" : served.toString(), List.of(), false);
            trialSince = change;
            trialsOpen = 0;
            isTrialBegun = false;
            underWay.clear();
        }
    }

    private void endTrial() {
        final JobTrial of = trial;
        if (of != null) {
            trial = new JobTrial(of.job(), of.module(), of.served(), of.reports(), true);
        }
    }

    private CompletionStage<LiveChange> carryOut(final Order order, final Duration limit) {
        add(order);
        return order.done.copy().orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS).exceptionally(e -> unfinished(order));
    }

    /** Returns what has become of an order whose limit has passed; withdraws it if it was not begun. */
    private LiveChange unfinished(final Order order) {
        final boolean isWithdrawn;
        final AgreedModules current;
        synchronized (this) {
            isWithdrawn = orders.remove(order);
            current = agreement;
        }
        final LiveChange accepted = order.accepted;
        return accepted != null ? accepted : result(order, 0, LiveChange.Outcome.REFUSED, current, isWithdrawn
            ? "its ranks have not started, or an earlier change of it is not complete; try again"
            : "not all its nodes have accepted the change yet; see later with: tutti ps");
    }

    private void add(final Order order) {
        if (over.isDone()) {
            order.done.complete(result(order, 0, LiveChange.Outcome.ENDED, null, ""));
            return;
        }
        final AgreedModules current;
        synchronized (this) {
            current = agreement;
        }
        if (current != null && isKept(order, current)) {
            return;
        }
        synchronized (this) {
            orders.add(order);
            work();
        }
        if (over.isDone()) {
            end();
        }
    }

    /** Answers an order at once where the job keeps its modules by its mode; returns whether it does. */
    private boolean isKept(final Order order, final AgreedModules current) {
        final LiveMode mode = LiveMode.of(current.parameters());
        final QuarantinedModule left = order.quarantined;
        if (left != null && mode == LiveMode.OFF) {
            if (current.modules().contains(left.module())) {
                printer.accept("tutti: module " + left.module() + " is quarantined, which this job may use: " + left.reason());
            }
            order.done.complete(result(order, 0, LiveChange.Outcome.KEPT, current, mode(mode)));
        } else if (left == null && mode != LiveMode.FOLLOW) {
            order.done.complete(result(order, 0, LiveChange.Outcome.KEPT, current, mode(mode) + "; start it with -p " + mode(LiveMode.FOLLOW)));
        }
        return order.done.isDone();
    }

    private static String mode(final LiveMode mode) {
        return LiveMode.PARAMETER + "=" + mode;
    }

    /** Starts the thread that carries out orders, if there are any and it does not run. Called under the lock. */
    private void work() {
        if (!isWorking && agreement != null && !orders.isEmpty()) {
            isWorking = true;
            Thread.ofVirtual().name("tutti-" + job + "-modules").inheritInheritableThreadLocals(false).start(this::carryOutAll);
        }
    }

    private void carryOutAll() {
        while (true) {
            final Order order;
            final AgreedModules current;
            synchronized (this) {
                order = orders.poll();
                current = agreement;
                if (order == null || current == null) {
                    isWorking = false;
                    return;
                }
            }
            if (!isKept(order, current)) {
                order.done.complete(carryOut(order, current));
            }
        }
    }

    private LiveChange carryOut(final Order order, final AgreedModules before) {
        final QuarantinedModule left = order.quarantined;
        if (left != null && !before.mayUse(left.module())) {
            return result(order, 0, LiveChange.Outcome.UNCHANGED, before, "");
        }
        final int change;
        synchronized (this) {
            change = ++number;
        }
        final List<CoordinatedPart> running = parts.all().stream().filter(p -> !p.isEnded()).toList();
        LiveChange done;
        try {
            agreed(agree(order, change, before, running), change);
            final long agreed = System.nanoTime();
            changed.run();
            final Map<CoordinatedPart, CompletableFuture<Answer<Void>>> changed = ask(running, p -> p.change(change));
            final LiveChange accepted = result(order, change, order.tried == null ? LiveChange.Outcome.ACCEPTED : LiveChange.Outcome.TRIED,
                before, "");
            order.accepted = accepted;
            tell(order, accepted);
            await(changed, "use", true, LOG::debug);
            begun(change);
            LOG.info("job {}: change {} is in use: ms={}, after the nodes had agreed for {} ms", job, change,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - agreed), TimeUnit.NANOSECONDS.toMillis(agreed - order.since));
            done = result(order, change, order.tried == null ? LiveChange.Outcome.DONE : LiveChange.Outcome.TRIED, before, "");
        } catch (final NotChangedException e) {
            done = abandoned(order, change, before, running, e.outcome, String.valueOf(e.getMessage()));
        } catch (final JobAgreementResolver.JobRefusedException e) {
            done = abandoned(order, change, before, running, LiveChange.Outcome.REFUSED, String.valueOf(e.getMessage()));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            done = abandoned(order, change, before, running, LiveChange.Outcome.ENDED, "");
        } catch (final RuntimeException e) {
            // Cause: an internal error, whose stack follows. Remedy: report it.
            LOG.error("modules of job {} cannot be changed: change={}, module={}", job, change, order.module, e);
            done = abandoned(order, change, before, running, LiveChange.Outcome.REFUSED, Protocol.oneLine(e));
        }
        LOG.info("job {}: change {} of module {}: {}", job, change, order.module, done.text());
        return done;
    }

    /** Has all parts accept the modules of a change; returns the agreement. */
    private AgreedModules agree(final Order order, final int change, final AgreedModules before, final List<CoordinatedPart> running)
        throws NotChangedException, InterruptedException, JobAgreementResolver.JobRefusedException {
        final Map<Integer, Catalogue> catalogues = await(ask(running, p -> p.lease(change)), "lease", false, LOG::info);
        if (catalogues.isEmpty()) {
            throw new NotChangedException(LiveChange.Outcome.ENDED, "");
        }
        final AgreedModules next = next(order, before, catalogues);
        if (next.isSameUse(before)) {
            throw new NotChangedException(LiveChange.Outcome.UNCHANGED, "");
        }
        await(ask(running, p -> p.agree(change, next)), "agree on", false, LOG::info);
        return next;
    }

    private AgreedModules next(final Order order, final AgreedModules before, final Map<Integer, Catalogue> catalogues)
        throws NotChangedException, JobAgreementResolver.JobRefusedException, InterruptedException {
        final QuarantinedModule left = order.quarantined;
        if (left != null) {
            return before.without(left.module(), left.reason());
        }
        final AgreedModules offered = resolver.follow(before, before.with(order.module, catalogues), order.module);
        final CanaryTerms tried = order.tried;
        if (tried == null) {
            return offered;
        }
        final AgreedModules trying = offered.trying(tried);
        final String why = trying.notTried();
        if (why != null) {
            throw new NotChangedException(LiveChange.Outcome.REFUSED, tried.module() + " cannot be tried: " + why);
        }
        return trying;
    }

    /** Has all parts release what they leased for a change that is not made. */
    private LiveChange abandoned(final Order order, final int change, final AgreedModules before, final List<CoordinatedPart> running,
        final LiveChange.Outcome outcome, final String why) {
        running.stream().filter(p -> !p.isEnded()).forEach(p -> p.part().abandon(change));
        final LiveChange kept = result(order, change, outcome, before, why);
        tell(order, kept);
        return kept;
    }

    /** Tells the user of the job what becomes of a module in quarantine. */
    private void tell(final Order order, final LiveChange change) {
        final QuarantinedModule left = order.quarantined;
        if (left == null || !left.module().equals(change.before())) {
            return;
        }
        if (change.outcome() == LiveChange.Outcome.ACCEPTED) {
            printer.accept("tutti: module " + left.module() + " is quarantined, and this job goes on "
                + (change.after() == null ? "without it" : "with " + change.after()) + " (change " + change.number() + "): " + left.reason());
        } else if (change.outcome() == LiveChange.Outcome.REFUSED) {
            printer.accept("tutti: module " + left.module() + " is quarantined, which this job may use: " + left.reason() + "; it keeps it: "
                + change.reason());
        }
    }

    /** Asks parts to take a step. */
    private static <T extends @Nullable Object> Map<CoordinatedPart, CompletableFuture<Answer<T>>> ask(final List<CoordinatedPart> asked,
        final Function<JobPart, CompletionStage<T>> step) {
        final Map<CoordinatedPart, CompletableFuture<Answer<T>>> answers = new HashMap<>();
        for (final CoordinatedPart part : asked) {
            if (!part.isEnded()) {
                answers.put(part, step.apply(part.part()).handle(Answer::<T>of).toCompletableFuture());
            }
        }
        return answers;
    }

    /**
     * Waits for the answers of all parts but those that have ended; returns the results by the indices of the nodes.
     *
     * @param isAgreed whether all parts have accepted the change, which cannot be given up then because of ranks that fail
     * @throws NotChangedException when a part has not taken the step, or the job has ended
     */
    private <T extends @Nullable Object> Map<Integer, T> await(final Map<CoordinatedPart, CompletableFuture<Answer<T>>> answers, final String step,
        final boolean isAgreed, final Consumer<String> log) throws NotChangedException, InterruptedException {
        final Map<Integer, T> results = new HashMap<>();
        final List<String> failures = new ArrayList<>();
        for (final Map.Entry<CoordinatedPart, CompletableFuture<Answer<T>>> a : answers.entrySet()) {
            final CoordinatedPart part = a.getKey();
            new LiveWait("job " + job + " waits for node " + parts.name(part.node()) + " to " + step + " modules", () -> true, log)
                .await(CompletableFuture.anyOf(a.getValue(), part.ended(), over));
            if (parts.losses().areReported() && a.getValue().isDone() && a.getValue().join().isGone()) {
                // the coordinator is about to count the part as ended, or ends the job
                CompletableFuture.anyOf(part.ended(), over).join();
            }
            if (over.isDone()) {
                throw new NotChangedException(LiveChange.Outcome.ENDED, "");
            }
            if (part.isEnded()) {
                continue;
            }
            final Answer<T> answer = a.getValue().join();
            if (answer.failure() != null && isAgreed && parts.losses().areReported()) {
                // its ranks have failed, or are about to; the others make the change
                LOG.info("job {}: node {} does not {} modules: {}", job, parts.name(part.node()), step, answer.failure());
            } else if (answer.failure() != null) {
                failures.add("node " + parts.name(part.node()) + ": " + answer.failure());
            } else {
                results.put(part.node(), answer.result());
            }
        }
        if (!failures.isEmpty()) {
            failures.sort(null);
            throw new NotChangedException(LiveChange.Outcome.REFUSED, String.join("; ", failures));
        }
        return results;
    }

    /** Returns what became of an order. */
    private LiveChange result(final Order order, final int change, final LiveChange.Outcome outcome, final @Nullable AgreedModules before,
        final String why) {
        final AgreedModules now;
        synchronized (this) {
            now = agreement;
        }
        return new LiveChange(job, change, order.module, outcome, before == null ? null : before.module(order.module),
            now == null ? null : now.module(order.module), why, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - order.since));
    }
}
