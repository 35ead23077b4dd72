package tutti.runtime.collective;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.Checkpointable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.CommCalls;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.RankPlan;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.introspect.TuningRules;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.LiveMode;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.CallSignature.Creation;
import tutti.runtime.schedule.CallSignature.Form;
import tutti.runtime.schedule.Schedule;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.schedule.ScheduleExecution;
import tutti.runtime.select.CommHints;
import tutti.runtime.select.HintComparison;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.LiveModules;
import tutti.runtime.select.Selection;

/**
 * The collective engine of one communicator, at one of its ranks: runs validated calls by executions of their schedules, blocking, nonblocking or
 * persistent.
 *
 * <p><b>Threads.</b> Any thread of the rank calls. An execution belongs to the call that took it from the cache; the counter orders the calls, which
 * MPI requires the program to start in one order on all ranks. No lock is held while a call runs.
 */
public final class CollectiveEngine {
    private final CommContext comm;
    private final RankLifecycle lifecycle;
    private final int depth;
    private final Epochs epochs;
    /** The prepared calls that were not freed. */
    private final PersistentCalls persistentCalls;
    private final EpochChanges changes;
    /** Context ids of the hidden communicators that a duplicate has from its original; empty for others. */
    private long[] hiddenOfDuplicate = {};
    /** The tuning of its calls; null while they are not tuned. Set by the thread that selects the modules, before the communicator is used. */
    private @Nullable OnlineTuning tuning;
    private final Request completed;
    private final Collectives<Request> blocking;
    private final Collectives<Request> nonblocking;
    private final Collectives<PersistentRequest> persistent;
    /** Creates the engine of a communicator for which no module is selected. */
    public CollectiveEngine(final CommContext comm) {
        this(comm, 0, List.of());
    }

    /**
     * Creates the engine of a communicator for which no module is selected.
     *
     * @param depth     number of communicators that the communicator is nested in
     * @param preferred names of the modules that should serve where they can
     */
    CollectiveEngine(final CommContext comm, final int depth, final List<String> preferred) {
        this(comm, depth, new CollTable(comm, depth, preferred));
    }

    private CollectiveEngine(final CommContext comm, final int depth, final CollTable table) {
        this.comm = comm;
        this.depth = depth;
        this.epochs = new Epochs(comm, table);
        this.persistentCalls = new PersistentCalls(comm, epochs);
        this.changes = new EpochChanges(comm, epochs, persistentCalls);
        this.lifecycle = comm.owner().lifecycle();
        this.completed = PersistentRequest.completed(lifecycle, Status.EMPTY);
        this.blocking = Collectives.blocking(this);
        this.nonblocking = Collectives.nonblocking(this);
        this.persistent = Collectives.persistent(this);
    }

    /** Creates the engine of a shadow: hidden, but with modules that may nest as many communicators as those of the communicator itself. */
    static CollectiveEngine ofShadow(final CommContext shadow) {
        return new CollectiveEngine(shadow, 1, new CollTable(shadow, 0, List.of()));
    }

    /**
     * Selects modules, together with all ranks of the communicator, which may be used afterwards.
     *
     * @param localContext context id of the hidden communicator of this rank's group; for an intercommunicator only
     */
    public void open(final long localContext) {
        selectNewest(localContext);
        comm.ready();
        follow();
    }

    /** Selects modules for a hidden communicator, together with its ranks, from those that the outer one has. */
    void openHidden(final JobModules modules) {
        select(modules, ContextIds.NONE);
        comm.ready();
    }

    private void select(final JobModules modules, final long localContext) {
        final CollTable table = table();
        if (comm.isInter()) {
            table.makeLocal(localContext, modules);
        }
        table.select(modules, SelectionExchange.ofCreation(comm, table, modules));
    }

    /** Selects from the modules of the latest change that a node of the communicator knows. */
    private void selectNewest(final long localContext) {
        beginTuning();
        if (comm.spansJobs()) {
            select(comm.owner().job().connections().modulesOf(comm.all()), localContext);
            return;
        }
        try (LiveModules.Hold held = comm.owner().job().live().hold()) {
            final long[] newest = {held.newest()};
            if (isLive()) {
                comm.combine(newest, Op.MAX);
            }
            select(held.of((int) newest[0]), localContext);
        }
    }

    private void beginTuning() {
        tuning = OnlineTuning.isWanted(comm, depth) ? new OnlineTuning(comm) : null;
    }

    /** Returns whether the modules may change while the program calls the communicator. Those of hidden ones change with the outer one. */
    private boolean isLive() {
        return depth == 0 && !comm.spansJobs() && LiveMode.of(comm.owner().job().modules().parameters()) != LiveMode.OFF;
    }

    /**
     * Begins to change the modules, together with all ranks of the communicator, where the job has newer ones.
     *
     * @return a stage that completes when the ranks have agreed on the call from which on the newest ones serve
     */
    public CompletionStage<Void> follow() {
        return isLive() ? changes.follow() : CompletableFuture.completedStage(null);
    }

    /**
     * Begins a duplication of the communicator, which {@link #endDuplicate} must end: it counts as a step of the epochs, so that all ranks find the
     * same modules, and these stay until then. Waits where the ranks have yet to agree on them.
     *
     * @return the number of the step
     */
    public long beginDuplicate() {
        return epochs.countDuplication();
    }

    /** Returns whether the modules also serve duplicates of the communicator, so that these select none. Equal on all ranks. */
    public boolean servesDuplicates(final long step) {
        return epochs.of(step).table().servesDuplicates();
    }

    /** Returns the number of context ids that a duplicate needs for its hidden communicators. */
    public int hiddenContexts(final long step) {
        return epochs.of(step).table().splits();
    }

    /** Takes over the hints of the communicator of which this is a duplicate, and remembers its modules. */
    public void inherit(final CollectiveEngine original, final long step) {
        inherit(original.epochs.of(step).table());
    }

    /** Ends a duplication of the communicator, successful or not. Called once for each. */
    public void endDuplicate(final long step) {
        epochs.of(step).cache().skip();
    }

    /** Takes over what a hidden communicator has of which this is a duplicate. */
    void inherit(final CollTable original) {
        table().inherit(original);
    }

    /** Makes a duplicate usable, without the other ranks: the modules of the original serve it. */
    public void share(final long[] hiddenContexts) {
        hiddenOfDuplicate = hiddenContexts;
        table().share(hiddenContexts);
        beginTuning();
        comm.ready();
        follow();
    }

    /**
     * Replaces the hints, together with all ranks of the communicator. Those of which the selection depends must be equal on all of them.
     *
     * @param hints keys with values; unknown ones are ignored
     * @throws MpiFailure of class INFO_KEY or INFO_VALUE when a hint is invalid, cannot be met, or differs; on all ranks, and nothing is changed
     */
    public void setHints(final Map<String, String> hints) {
        comm.checkUsable();
        final boolean isLive = isLive();
        if (isLive) {
            changes.settle();
        }
        try {
            turnTo(hints);
        } finally {
            if (isLive) {
                changes.resume();
            }
        }
    }

    private void turnTo(final Map<String, String> hints) {
        final CollTable current = table();
        final CommHints agreed = HintComparison.agree(hints, SelectionExchange.ofCreation(comm, current, current.modules()),
            (values, op) -> comm.combine(values, op, Creation.SET_INFO));
        final CommHints before = comm.hints();
        comm.setHints(agreed);
        if (agreed.selectsAs(before)) {
            return;
        }
        final CollTable earlier = epochs.selectedBy(agreed);
        final CollTable table = earlier == null ? new CollTable(comm, depth, current.preferred()) : earlier;
        boolean isUsed = false;
        try {
            if (earlier == null) {
                if (comm.isInter()) {
                    table.makeLocal(comm.exchanges(), current.modules());
                }
                table.select(current.modules(), SelectionExchange.ofCreation(comm, table, current.modules()));
                final String problem = table.selection().hintProblem();
                if (problem != null) {
                    // Cause: the module or algorithm of a hint is not there. Remedy: one that the message names.
                    throw new MpiFailure(ErrorClass.INFO_VALUE, "hint cannot be met on " + comm.name() + ": " + problem);
                }
            }
            epochs.turnTo(table);
            isUsed = true;
        } finally {
            if (!isUsed) {
                comm.setHints(before);
                table.release();
            }
        }
    }

    /** Selects modules for a predefined communicator. */
    public void select() {
        selectNewest(ContextIds.NONE);
        follow();
    }

    /** Lets the first call select modules for a predefined communicator of one rank. */
    public void selectWhenUsed() {
        table().selectWhenUsed(this::follow);
    }

    /** Releases the selected modules, and those of the hidden communicators. Idempotent. */
    public void release() {
        epochs.release();
        changes.close();
    }

    /** Releases what the communicator has on this rank, without the other ranks; its context id is not used again. */
    public void discard() {
        tables().forEach(t -> t.subs().forEach(sub -> sub.engine().discard()));
        release();
        comm.locality().leaveRegion();
        comm.forgetLost();
    }

    /** Returns the context ids of the hidden communicators that a duplicate has from its original, which are freed with its own. */
    long[] hiddenOfDuplicate() {
        return hiddenOfDuplicate;
    }

    /** Takes part in changes that other ranks of a communicator that was freed have begun, when they free it; then calls back. Does not wait. */
    void settle(final Runnable then) {
        if (isLive()) {
            changes.settleThen(then);
        } else {
            then.run();
        }
    }

    /**
     * Starts to release a communicator that was freed. The request is complete when no operation is pending on this rank.
     *
     * @param released called when the modules are released
     */
    public Request free(final Runnable released) {
        return DeferredCommFree.start(this, released);
    }

    /** Returns the blocking collective operations; each returns a complete request, which the caller may ignore. */
    public Collectives<Request> blocking() {
        return blocking;
    }

    /** Returns the nonblocking collective operations; each returns a request. */
    public Collectives<Request> nonblocking() {
        return nonblocking;
    }

    /**
     * Returns the persistent collective operations; each returns a request that can be started repeatedly. All ranks create their requests in
     * the same order, and may start them in any order.
     */
    public Collectives<PersistentRequest> persistent() {
        return persistent;
    }

    /** Returns the selected modules that have state which they do not save at checkpoints. */
    public List<ModuleId> notCheckpointable() {
        return epochs.tables().stream().flatMap(CollTable::notCheckpointable).distinct().toList();
    }

    /** Carries out a step of a checkpoint in all selected modules that have one, those of hidden communicators included. */
    public void checkpoint(final Consumer<Checkpointable> step) {
        epochs.tables().forEach(t -> t.checkpoint(step));
    }

    /** Explains which module serves each operation, and why the others do not; in alphabetical order of the operations. Usable after Init. */
    public List<Explanation> explain() {
        comm.checkUsable();
        final OnlineTuning tuned = tuning;
        return table().selection().explanations().stream().map(e -> tuned == null ? e : TunedExplanation.withNotes(e, tuned.results()))
            .map(this::withNotes).toList();
    }

    /**
     * Returns what the tuning of calls has found out on the communicator, by operation, kind and size of calls; empty where they are not tuned. For
     * any thread.
     */
    public List<CallTuning> tuning() {
        final OnlineTuning tuned = tuning;
        return tuned == null ? List.of() : tuned.results();
    }

    private Explanation withNotes(final Explanation of) {
        final String links = comm.owner().job().linksBetween(IntStream.range(0, comm.remoteSize()).map(comm::worldRank));
        final Explanation noted = links == null ? of : of.with(links);
        final int change = table().change();
        return change > 0 ? noted.with("by change " + change + " of the job's modules, from call " + epochs.firstOfLast() + " on") : noted;
    }

    /** Returns rules by which the selection of another job begins with what the tuning of calls has found out; for any thread. */
    public List<SelectionRule> tunedRules() {
        return TuningRules.of(tuning());
    }

    /** Explains the selection for one operation and calls of a number of bytes, as in {@link tutti.runtime.policy.MessageBytes}. */
    public Explanation explain(final Operation<?> operation, final long bytes) {
        comm.checkUsable();
        final Selection selection = table().selection();
        final Explanation selected = selection.explain(operation, bytes);
        final OnlineTuning tuned = tuning;
        final CallTuning found = tuned == null || !MessageBytes.known(operation) ? null : tuned.result(TunedClasses.key(operation, bytes));
        return withNotes(found == null || !found.isDecided() ? selected
            : TunedExplanation.of(selected, found, selection.priorityOf(found.best().module())));
    }

    /**
     * Returns the plan of this rank for a call of an operation on an intracommunicator; the call is planned and not started.
     *
     * @param bytes bytes as in {@link tutti.runtime.policy.MessageBytes}. Operations with a size per rank use one size for all ranks, rounded
     *              down where the bytes cannot be divided evenly
     * @param root  root of the call, where it has one
     * @param limit maximum number of tasks to return
     */
    public RankPlan plan(final Operation<?> operation, final long bytes, final int root, final int limit) {
        comm.checkUsable();
        return describe(operation, SampleCall.of(comm, operation, bytes, root), limit);
    }

    /**
     * Returns the collectives that this rank's plan for a call with root 0 nests; none on an intercommunicator, and for operations on neighbours.
     *
     * @param bytes bytes as for {@link #plan}
     */
    public List<PlannedPart> parts(final Operation<?> operation, final long bytes) {
        return comm.isInter() || operation.id().startsWith("neighbor_") ? List.of() : plan(operation, bytes, 0, 0).parts();
    }

    private <C extends Call> RankPlan describe(final Operation<C> operation, final SampleCall sample, final int limit) {
        return describe(operation, operation.callType().cast(sample.call()), sample, limit);
    }

    /** Returns the statistics of the schedule caches of the communicator and its hidden communicators. */
    public CacheStatistics statistics() {
        return epochs.statistics();
    }

    /** Returns the statistics of the schedule caches of the communicator alone. */
    CacheStatistics ownStatistics() {
        return epochs.ownStatistics();
    }

    /** Returns the communicator's context. */
    CommContext comm() {
        return comm;
    }

    /** Returns what the trial of modules has found whose change came last; null if it began none. */
    public @Nullable CanaryReport canary() {
        final Canary canary = epochs.last().canary();
        return canary == null ? null : canary.report();
    }

    /** Returns the epoch of the latest calls. */
    Epoch epoch() {
        return epochs.last();
    }

    /** Returns the planner of its schedules. */
    SchedulePlanner planner() {
        return epochs.last().planner();
    }

    /** Returns the collective table of the latest epoch. */
    CollTable table() {
        return epochs.last().table();
    }

    /** Returns all collective tables that are not released. */
    List<CollTable> tables() {
        return epochs.tables();
    }

    /** Returns how threads of the rank wait for an agreement on epochs. */
    EpochSequence.Waiting waiting() {
        return epochs.waiting();
    }

    /** Waits until all ranks are in Finalize. */
    public void awaitFinalize() {
        new FinalizeBarrier(comm, epochs.begun()).start().await();
    }

    /** Runs a call and waits for it. Returns a request that is complete. */
    <C extends Call> Request run(final Operation<C> operation, final C call, final @Nullable MessageBuffer send, final @Nullable MessageBuffer recv) {
        final CallConsistency consistency = isChecked() ? consistencyCheck(operation, call, Form.BLOCKING) : null;
        if (consistency != null) {
            check(consistency);
        }
        if (isNoOp(operation, call)) {
            skip(consistency);
            return completed;
        }
        final long number = number(consistency);
        final Epoch epoch = epochs.of(number);
        final ScheduleCache cached = epoch.cache();
        final OnlineTuning tuned = tuning;
        final TunedClass<C> calls = tuned == null ? null : epoch.classes().of(tuned, operation, call);
        if (calls != null) {
            begin(calls, cached, call, number);
        }
        final ScheduleExecution execution = cached.take(operation, call, calls == null ? null : calls.serving());
        final Canary canary = epoch.canary();
        final MemorySegment from = load(send);
        final MemorySegment into = load(recv);
        final Canary.Meeting<?> meeting = canary == null ? null : canary.choose(operation, call, from, into, number);
        final TunedClass<C> measured = calls != null && calls.isMeasured() ? calls : null;
        final long begin = measured == null ? 0 : System.nanoTime();
        boolean isWhole = false;
        try {
            execution.start(from, into, number, null);
            execution.await();
            isWhole = true;
        } catch (final MpiFailure e) {
            if (execution.isDone()) {
                cached.release(execution);
            }
            if (canary != null) {
                canary.abandon("a call of the program failed");
            }
            throw e;
        } finally {
            if (measured != null) {
                measured.end(isWhole, System.nanoTime() - begin);
            }
        }
        if (recv != null) {
            recv.store();
        }
        if (canary != null && meeting != null) {
            canary.compare(meeting);
        }
        // the epoch stays until then
        cached.release(execution);
        return completed;
    }

    private static <C extends Call> void begin(final TunedClass<C> calls, final ScheduleCache cached, final C call, final long number) {
        boolean hasBegun = false;
        try {
            calls.begin(call, number);
            hasBegun = true;
        } finally {
            if (!hasBegun) {
                cached.skip();
            }
        }
    }

    /** Returns what tuning has chosen for a nonblocking or persistent call that begins; null for what is selected. */
    private <C extends Call> @Nullable TunedAlgorithm<C> kept(final Epoch epoch, final Operation<C> operation, final C call) {
        final OnlineTuning tuned = tuning;
        final TunedClass<C> calls = tuned == null ? null : epoch.classes().of(tuned, operation, call);
        return calls == null ? null : calls.keptFor(call);
    }

    /** Starts a call. */
    <C extends Call> Request start(final Operation<C> operation, final C call, final @Nullable MessageBuffer send,
        final @Nullable MessageBuffer recv) {
        final CallConsistency consistency = isChecked() ? consistencyCheck(operation, call, Form.NONBLOCKING) : null;
        if (isNoOp(operation, call)) {
            skip(consistency);
            return consistency == null ? completed : consistency.start(null);
        }
        final long number = number(consistency);
        final Epoch epoch = epochs.of(number);
        final ScheduleCache cached = epoch.cache();
        final Canary canary = epoch.canary();
        final ScheduleExecution execution = cached.take(operation, call, kept(epoch, operation, call));
        final MemorySegment from = load(send);
        final MemorySegment into = load(recv);
        final CollectiveRequest request = new CollectiveRequest(comm, execution, recv, cached, number,
            canary == null ? null : canary.keep(operation, call, from, into, number));
        start(consistency, execution, from, into, number, number, request);
        return request;
    }

    /** Compares a call with those of the other ranks. */
    private void check(final CallConsistency consistency) {
        boolean isRight = false;
        try {
            consistency.start(null).await();
            isRight = true;
        } finally {
            if (!isRight) {
                skip(consistency);
            }
        }
    }

    /** Counts a call that needs no execution, if it has a number. */
    private void skip(final @Nullable CallConsistency consistency) {
        if (consistency != null) {
            epochs.of(consistency.number()).cache().skip();
        }
    }

    /** Prepares a call to be started repeatedly. */
    <C extends Call> PersistentRequest prepare(final Operation<C> operation, final C call, final @Nullable MessageBuffer send,
        final @Nullable MessageBuffer recv) {
        final boolean isNoOp = isNoOp(operation, call);
        final boolean isCounted = !isNoOp || isChecked();
        final int number = isCounted ? (int) epochs.count() : 0;
        final Epoch epoch = isNoOp ? epochs.last() : epochs.ofPrepared(number);
        final PersistentCollective prepared = new PersistentCollective(lifecycle, this,
            isNoOp ? null : new PersistentCollective.PreparedCall<>(operation, call), epoch, isNoOp ? null : kept(epoch, operation, call), send, recv,
            number, isChecked() ? CallDetails.of(operation, call, comm.isInter(), Form.PERSISTENT) : null);
        if (!isNoOp) {
            persistentCalls.add(prepared);
            final Canary canary = epochs.ofPrepared(number).canary();
            if (canary != null) {
                canary.expectPersistent();
            }
        }
        if (isCounted) {
            epochs.of(number).cache().skip();
        }
        return prepared;
    }

    /** Forgets a call that was prepared. */
    void forget(final PersistentCollective freed) {
        persistentCalls.remove(freed);
    }

    /** Returns what this rank has begun on the communicator. */
    public CommCalls begun() {
        return new CommCalls(comm.id(), epochs.begun(), comm.exchanges().begun(), persistentCalls.starts());
    }

    /**
     * Starts a prepared call, with the number that it got when it was prepared.
     *
     * @param round number of earlier starts
     * @param details what its check compares; null where calls are not compared
     */
    void start(final ScheduleExecution execution, final @Nullable MessageBuffer send, final @Nullable MessageBuffer recv, final int number,
        final long round, final @Nullable CallDetails details, final ScheduleExecution.CompletionListener atEnd) {
        start(details == null ? null : new CallConsistency(comm, number, details), execution, reload(send), reload(recv), number, round, atEnd);
    }

    /** Starts an execution, after all ranks have compared their calls where that is enabled. */
    private void start(final @Nullable CallConsistency consistency, final ScheduleExecution execution, final @Nullable MemorySegment send,
        final @Nullable MemorySegment recv,
        final long number,
        final long round, final ScheduleExecution.CompletionListener atEnd) {
        if (consistency == null) {
            execution.start(send, recv, number, round, atEnd);
        } else {
            consistency.start(failure -> {
                if (failure == null) {
                    execution.start(send, recv, number, round, atEnd);
                } else {
                    atEnd.afterCompletion(execution, failure);
                }
            });
        }
    }

    /** Keeps the inputs of a start of a prepared call, if a trial wants them. */
    <C extends Call> @Nullable KeptCall<C> keep(final Canary canary, final PersistentCollective.PreparedCall<C> prepared,
        final @Nullable MessageBuffer send, final @Nullable MessageBuffer recv, final int number, final long round) {
        return canary.isWatched(number, round) ? canary.keepStart(prepared.operation(), prepared.call(), reload(send), reload(recv), number, round)
            : null;
    }

    private boolean isChecked() {
        return comm.owner().checking() == CheckLevel.FULL && depth == 0;
    }

    private CallConsistency consistencyCheck(final Operation<?> operation, final Call call, final Form form) {
        return new CallConsistency(comm, (int) epochs.count(), CallDetails.of(operation, call, comm.isInter(), form));
    }

    /**
     * Returns the number of a call. Calls that are compared have that of the comparison: ranks in calls of different forms, or in calls with and
     * without data, count them alike.
     */
    private long number(final @Nullable CallConsistency consistency) {
        return consistency == null ? epochs.count() : consistency.number();
    }

    private static @Nullable MemorySegment reload(final @Nullable MessageBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        buffer.reload();
        return buffer.memory();
    }

    private static @Nullable MemorySegment load(final @Nullable MessageBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        buffer.load();
        return buffer.memory();
    }

    private <C extends Call> boolean isNoOp(final Operation<C> operation, final C call) {
        if (comm.isInter()) {
            // some ranks do not know whether there is data, and all ranks must count the call
            return false;
        }
        if (call instanceof Call.Barrier) {
            return comm.size() == 1;
        }
        return CollTable.isEmpty(comm, operation, call, comm.rank());
    }

    private <C extends Call> RankPlan describe(final Operation<C> operation, final C call, final SampleCall sample, final int limit) {
        final Epoch latest = epochs.last();
        final CollTable table = latest.table();
        final TunedClass<C> calls = tuning == null ? null : latest.classes().find(operation, call);
        final TunedAlgorithm<C> tuned = calls == null ? null : calls.keptFor(call);
        final Selection.SelectedAlgorithm<C> kept = tuned == null ? null : tuned.chosen();
        final Selection.SelectedAlgorithm<C> chosen = kept == null ? table.algorithm(operation, call) : kept;
        final Schedule schedule = isNoOp(operation, call) ? null : latest.cache().schedule(operation, call, kept == null ? null : tuned);
        return new RankPlan(operation.id(), chosen.module().toString(), chosen.name(),
            kept == null ? table.reason(operation, chosen) : SchedulePlanner.TUNED, comm.size(), sample.bytes(),
            sample.block(), sample.data(), call instanceof Call.Rooted r ? r.root() : -1, comm.rank(), comm.owner().nodeName(),
            schedule == null ? 0 : schedule.scratchBytes(), parts(schedule),
            schedule == null ? 0 : schedule.tasks(), schedule == null ? List.of() : schedule.describe(comm.channel(), limit));
    }

    private static List<PlannedPart> parts(final @Nullable Schedule schedule) {
        final TracedCall call = schedule == null ? null : schedule.label();
        return call == null ? List.of() : call.parts();
    }
}
