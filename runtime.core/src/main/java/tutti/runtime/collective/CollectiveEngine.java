package tutti.runtime.collective;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.Checkpointable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.context.CommContext;
import tutti.runtime.inspect.CommCalls;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.RankPlan;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.CallSignature.Creation;
import tutti.runtime.schedule.CallSignature.Form;
import tutti.runtime.schedule.Schedule;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.schedule.ScheduleExecution;
import tutti.runtime.select.CommHints;
import tutti.runtime.select.HintComparison;
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
    private final CollTable table;
    private final SchedulePlanner planner;
    /** The executions of calls; another one after the hints have changed, since other algorithms may serve the same calls. */
    private volatile ScheduleCache cache;
    private final AtomicLong calls = new AtomicLong();
    /** The prepared calls that were not freed. */
    private final Set<PersistentCollective> persistentCalls = ConcurrentHashMap.newKeySet();
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
        this.comm = comm;
        this.table = new CollTable(comm, depth, preferred);
        this.planner = new SchedulePlanner(comm, table);
        this.cache = new ScheduleCache(planner, comm.pending());
        this.lifecycle = comm.owner().lifecycle();
        this.completed = PersistentRequest.completed(lifecycle, Status.EMPTY);
        this.blocking = Collectives.blocking(this);
        this.nonblocking = Collectives.nonblocking(this);
        this.persistent = Collectives.persistent(this);
    }

    /**
     * Selects modules, together with all ranks of the communicator, which may be used afterwards.
     *
     * @param localContext context id of the hidden communicator of this rank's group; for an intercommunicator only
     */
    public void open(final long localContext) {
        if (comm.isInter()) {
            table.makeLocal(localContext);
        }
        table.select();
        comm.ready();
    }

    /**
     * Returns whether the modules also serve duplicates of the communicator, so that these select none. Equal on all ranks.
     */
    public boolean servesDuplicates() {
        return table.servesDuplicates();
    }

    /** Returns the number of context ids that a duplicate needs for its hidden communicators. */
    public int hiddenContexts() {
        return table.splits();
    }

    /** Takes over the hints of the communicator of which this is a duplicate, and remembers its modules. */
    public void inherit(final CollectiveEngine original) {
        table.inherit(original.table);
    }

    /** Makes a duplicate usable, without the other ranks: the modules of the original serve it. */
    public void share(final long[] hiddenContexts) {
        table.share(hiddenContexts);
        comm.ready();
    }

    /**
     * Replaces the hints, together with all ranks of the communicator. Those of which the selection depends must be equal on all of them.
     *
     * @param hints keys with values; unknown ones are ignored
     * @throws MpiFailure of class INFO_KEY or INFO_VALUE when a hint is invalid, cannot be met, or differs; on all ranks, and nothing is changed
     */
    public void setHints(final Map<String, String> hints) {
        comm.checkUsable();
        final CommHints agreed = HintComparison.agree(hints, new SelectionExchange(comm, table),
            (values, op) -> comm.combine(values, op, Creation.SET_INFO));
        if (!agreed.selectsAs(comm.hints())) {
            table.setHints(agreed);
            cache = new ScheduleCache(planner, comm.pending());
        }
        comm.setHints(agreed);
    }

    /** Selects modules for a predefined communicator. */
    public void select() {
        table.select();
    }

    /** Lets the first call select modules for a predefined communicator of one rank. */
    public void selectWhenUsed() {
        table.selectWhenUsed();
    }

    /** Releases the selected modules, and those of the hidden communicators. Idempotent. */
    public void release() {
        table.release();
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
        return table.notCheckpointable();
    }

    /** Carries out a step of a checkpoint in all selected modules that have one, those of hidden communicators included. */
    public void checkpoint(final Consumer<Checkpointable> step) {
        table.checkpoint(step);
    }

    /** Explains which module serves each operation, and why the others do not; in alphabetical order of the operations. Usable after Init. */
    public List<Explanation> explain() {
        comm.checkUsable();
        return table.selection().explanations().stream().map(this::withLinks).toList();
    }

    private Explanation withLinks(final Explanation of) {
        final String links = comm.owner().job().linksBetween(IntStream.range(0, comm.remoteSize()).map(comm::worldRank));
        return links == null ? of : of.with(links);
    }

    /** Explains the selection for one operation and calls of a number of bytes, as in {@link tutti.runtime.policy.MessageBytes}. */
    public Explanation explain(final Operation<?> operation, final long bytes) {
        comm.checkUsable();
        return withLinks(table.selection().explain(operation, bytes));
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
        CacheStatistics sum = cache.statistics();
        for (final SubCommunicator sub : table.subs()) {
            sum = sum.plus(sub.engine().statistics());
        }
        return sum;
    }

    /** Returns the statistics of the schedule cache of the communicator alone. */
    CacheStatistics ownStatistics() {
        return cache.statistics();
    }

    /** Returns the communicator's context. */
    CommContext comm() {
        return comm;
    }

    /** Returns the planner of its schedules. */
    SchedulePlanner planner() {
        return planner;
    }

    /** Returns the collective table. */
    CollTable table() {
        return table;
    }

    /** Waits until all ranks are in Finalize. */
    public void awaitFinalize() {
        new FinalizeBarrier(comm, calls.get()).start().await();
    }

    /** Runs a call and waits for it. Returns a request that is complete. */
    <C extends Call> Request run(final Operation<C> operation, final C call, final @Nullable MessageBuffer send, final @Nullable MessageBuffer recv) {
        final CallConsistency consistency = isChecked() ? consistencyCheck(operation, call, Form.BLOCKING) : null;
        if (consistency != null) {
            consistency.start(null).await();
        }
        if (isNoOp(operation, call)) {
            return completed;
        }
        final ScheduleCache cached = cache;
        final ScheduleExecution execution = cached.take(operation, call);
        execution.start(load(send), load(recv), number(consistency), null);
        try {
            execution.await();
        } catch (final MpiFailure e) {
            if (execution.isDone()) {
                cached.release(execution);
            }
            throw e;
        }
        if (recv != null) {
            recv.store();
        }
        cached.release(execution);
        return completed;
    }

    /** Starts a call. */
    <C extends Call> Request start(final Operation<C> operation, final C call, final @Nullable MessageBuffer send,
        final @Nullable MessageBuffer recv) {
        final CallConsistency consistency = isChecked() ? consistencyCheck(operation, call, Form.NONBLOCKING) : null;
        if (isNoOp(operation, call)) {
            return consistency == null ? completed : consistency.start(null);
        }
        final ScheduleCache cached = cache;
        final ScheduleExecution execution = cached.take(operation, call);
        final long number = number(consistency);
        final CollectiveRequest request = new CollectiveRequest(comm, execution, recv, cached, number);
        start(consistency, execution, load(send), load(recv), number, number, request);
        return request;
    }

    /** Prepares a call to be started repeatedly. */
    <C extends Call> PersistentRequest prepare(final Operation<C> operation, final C call, final @Nullable MessageBuffer send,
        final @Nullable MessageBuffer recv) {
        final boolean isNoOp = isNoOp(operation, call);
        final int number = isNoOp && !isChecked() ? 0 : (int) calls.getAndIncrement();
        final PersistentCollective prepared =
            new PersistentCollective(lifecycle, this, isNoOp ? null : () -> cache.take(operation, call), send, recv, number,
                isChecked() ? CallDetails.of(operation, call, comm.isInter(), Form.PERSISTENT) : null);
        if (!isNoOp) {
            persistentCalls.add(prepared);
        }
        return prepared;
    }

    /** Forgets a call that was prepared. */
    void forget(final PersistentCollective freed) {
        persistentCalls.remove(freed);
    }

    /** Returns what this rank has begun on the communicator. */
    public CommCalls begun() {
        return new CommCalls(comm.id(), calls.get(), comm.steps(), persistentCalls.stream().collect(Collectors.toMap(p -> (long) p.number(),
            PersistentCollective::starts)));
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

    private boolean isChecked() {
        return comm.owner().checking() == CheckLevel.FULL && table.depth() == 0;
    }

    private CallConsistency consistencyCheck(final Operation<?> operation, final Call call, final Form form) {
        return new CallConsistency(comm, (int) calls.getAndIncrement(), CallDetails.of(operation, call, comm.isInter(), form));
    }

    /**
     * Returns the number of a call. Calls that are compared have that of the comparison: ranks in calls of different forms, or in calls with and
     * without data, count them alike.
     */
    private long number(final @Nullable CallConsistency consistency) {
        return consistency == null ? calls.getAndIncrement() : consistency.number();
    }

    /** Releases the execution of a prepared call. */
    void release(final ScheduleExecution execution) {
        execution.leave();
        cache.release(execution);
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
        return table.isEmpty(operation, call, comm.rank());
    }

    private <C extends Call> RankPlan describe(final Operation<C> operation, final C call, final SampleCall sample, final int limit) {
        final Selection.SelectedAlgorithm<C> chosen = table.algorithm(operation, call);
        final Schedule schedule = isNoOp(operation, call) ? null : cache.schedule(operation, call);
        return new RankPlan(operation.id(), chosen.module().toString(), chosen.name(), table.reason(operation, chosen), comm.size(), sample.bytes(),
            sample.block(), sample.data(), call instanceof Call.Rooted r ? r.root() : -1, comm.rank(), comm.owner().nodeName(),
            schedule == null ? 0 : schedule.scratchBytes(), parts(schedule),
            schedule == null ? 0 : schedule.tasks(), schedule == null ? List.of() : schedule.describe(comm.channel(), limit));
    }

    private static List<PlannedPart> parts(final @Nullable Schedule schedule) {
        final TracedCall call = schedule == null ? null : schedule.label();
        return call == null ? List.of() : call.parts();
    }
}
