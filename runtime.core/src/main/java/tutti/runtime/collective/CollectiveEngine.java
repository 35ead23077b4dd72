package tutti.runtime.collective;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.JobEnvironment;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.introspect.RankPlan;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.CallSignature;
import tutti.runtime.schedule.CollectiveChannel;
import tutti.runtime.schedule.PlanBuilder;
import tutti.runtime.schedule.PlanContext;
import tutti.runtime.schedule.Schedule;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.schedule.ScheduleExecution;
import tutti.runtime.schedule.SlotAllocator;
import tutti.runtime.schedule.TraceRecorder;
import tutti.runtime.schedule.TracedExecution;
import tutti.runtime.select.Decision;
import tutti.runtime.select.Selection;

/**
 * The collective engine of one communicator, at one of its ranks: finds the selected algorithm of a call, its schedule, and an execution of the
 * schedule.
 */
public final class CollectiveEngine implements ScheduleCache.Planner, PlanContext {
    private static final Logger LOG = LoggerFactory.getLogger(CollectiveEngine.class);

    private final CommContext comm;
    private final RankLifecycle lifecycle;
    private final CollTable table;
    private final ScheduleCache cache;
    private final AtomicLong calls = new AtomicLong();
    private final SlotAllocator slotAllocator = new SlotAllocator();
    private final AtomicInteger checks = new AtomicInteger();
    private final Request completed;
    private final Collectives<Request> blocking;
    private final Collectives<Request> nonblocking;
    private final Collectives<PersistentRequest> persistent;
    /** Context for plans of other ranks, whose sub-communicators are not known on this rank. */
    private final PlanContext peerContext = new PeerContext();

    private final class PeerContext implements PlanContext {
        @Override
        public CollectiveChannel channel(final CollSubComm group) {
            return NONE.channel(group);
        }

        @Override
        public <C extends Call> void plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan plan) {
            NONE.plan(group, operation, call, plan);
        }

        @Override
        public boolean areOnSameNode(final int one, final int other) {
            return CollectiveEngine.this.areOnSameNode(one, other);
        }
    }

    /** Creates the engine of a communicator for which no module is selected. */
    public CollectiveEngine(final CommContext comm) {
        this(comm, 0);
    }

    /**
     * Creates the engine of a communicator for which no module is selected.
     *
     * @param depth number of communicators that the communicator is nested in
     */
    CollectiveEngine(final CommContext comm, final int depth) {
        this.comm = comm;
        this.table = new CollTable(comm, depth);
        this.cache = new ScheduleCache(this, comm.pending());
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
    public void open(final int localContext) {
        if (comm.isInter()) {
            table.makeLocal(localContext);
        }
        table.select();
        comm.ready();
    }

    /** Selects modules for a predefined communicator. */
    public void select() {
        table.select();
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

    /** Explains which module serves each operation, and why the others do not; in alphabetical order of the operations. Usable after Init. */
    public List<Explanation> explain() {
        comm.checkUsable();
        return table.selection().explanations();
    }

    /** Explains the selection for one operation and calls of a number of bytes, as in {@link tutti.runtime.policy.MessageBytes}. */
    public Explanation explain(final Operation<?> operation, final long bytes) {
        comm.checkUsable();
        return table.selection().explain(operation, bytes);
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

    /** Returns the collective table. */
    CollTable table() {
        return table;
    }

    /** Runs a call and waits for it. Returns a request that is complete. */
    <C extends Call> Request run(final Operation<C> operation, final C call, final MessageBuffer send, final MessageBuffer recv) {
        if (isChecked()) {
            consistencyCheck(operation, call).start(null).await();
        }
        if (isNoOp(operation, call)) {
            return completed;
        }
        final ScheduleExecution execution = cache.take(operation, call);
        execution.start(load(send), load(recv), calls.getAndIncrement(), null);
        try {
            execution.await();
        } catch (final MpiFailure e) {
            if (execution.isDone()) {
                cache.release(execution);
            }
            throw e;
        }
        if (recv != null) {
            recv.store();
        }
        cache.release(execution);
        return completed;
    }

    /** Starts a call. */
    <C extends Call> Request start(final Operation<C> operation, final C call, final MessageBuffer send, final MessageBuffer recv) {
        final CallConsistency consistency = isChecked() ? consistencyCheck(operation, call) : null;
        if (isNoOp(operation, call)) {
            return consistency == null ? completed : consistency.start(null);
        }
        final ScheduleExecution execution = cache.take(operation, call);
        final CollectiveRequest request = new CollectiveRequest(lifecycle, execution, recv, cache);
        final long number = calls.getAndIncrement();
        start(consistency, execution, load(send), load(recv), number, number, request);
        return request;
    }

    /** Prepares a call to be started repeatedly. */
    <C extends Call> PersistentRequest prepare(final Operation<C> operation, final C call, final MessageBuffer send, final MessageBuffer recv) {
        final ScheduleExecution execution = isNoOp(operation, call) ? null : cache.take(operation, call);
        // all starts have these numbers, since their messages do not overtake each other
        final int number = execution == null ? 0 : (int) calls.getAndIncrement();
        if (execution != null) {
            execution.join(comm.locality().region().persistentSlots(number));
        }
        return new PersistentCollective(lifecycle, this, execution, send, recv, number, isChecked() ? checks.getAndIncrement() : 0);
    }

    /**
     * Starts a prepared call, with the numbers that it got when it was prepared.
     *
     * @param round number of earlier starts
     */
    void start(final ScheduleExecution execution, final MessageBuffer send, final MessageBuffer recv, final int number, final long round,
        final int check, final ScheduleExecution.CompletionListener atEnd) {
        start(isChecked() ? new CallConsistency(comm, check, execution.call(), execution.reductionCode()) : null, execution, reload(send),
            reload(recv),
            number, round, atEnd);
    }

    /** Starts an execution, after all ranks have compared their calls where that is enabled. */
    private void start(final CallConsistency consistency, final ScheduleExecution execution, final MemorySegment send, final MemorySegment recv,
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

    private CallConsistency consistencyCheck(final Operation<?> operation, final Call call) {
        return new CallConsistency(comm, checks.getAndIncrement(), CallSignature.of(operation, call, comm.isInter()),
            CallSignature.reductionOf(call));
    }

    /** Releases the execution of a prepared call. */
    void release(final ScheduleExecution execution) {
        execution.leave();
        cache.release(execution);
    }

    private static MemorySegment reload(final MessageBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        buffer.reload();
        return buffer.memory();
    }

    private static MemorySegment load(final MessageBuffer buffer) {
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
        return isEmpty(decision(operation), call, comm.rank());
    }

    private static <C extends Call> boolean isEmpty(final Decision<C> decision, final C call, final int rank) {
        return decision.skipEmpty() && call.sendBytes(rank) == 0 && call.recvBytes(rank) == 0;
    }

    private <C extends Call> Decision<C> decision(final Operation<C> operation) {
        final Selection selection = table.selection();
        if (selection == null) {
            throw unserved(operation);
        }
        return selection.of(operation);
    }

    private <C extends Call> Selection.SelectedAlgorithm<C> chosen(final Operation<C> operation, final C call) {
        final Selection.SelectedAlgorithm<C> chosen = decision(operation).of(call);
        if (chosen == null) {
            throw unserved(operation);
        }
        return chosen;
    }

    private MpiFailure unserved(final Operation<?> operation) {
        return new MpiFailure(ErrorClass.OTHER, "no module serves " + operation + " on " + comm
            + ": install one, or check that basic is active on node " + comm.owner().nodeName());
    }

    @Override
    public <C extends Call> Schedule plan(final Operation<C> operation, final C call) {
        final Selection.SelectedAlgorithm<C> chosen = chosen(operation, call);
        final AlgorithmTable.Entry<C> entry = chosen.entry();
        final PlanBuilder plan = new PlanBuilder(call, comm.rank(), comm.size(), comm.isInter(), comm.remoteSize(), this);
        try {
            entry.algorithm().plan(call, plan);
        } catch (final RuntimeException | LinkageError | StackOverflowError e) {
            throw failure("cannot plan " + operation, chosen, e.toString(), e);
        }
        final CheckLevel checking = comm.owner().checking();
        if (checking != CheckLevel.OFF) {
            plan.setSignature(CallSignature.of(operation, call, comm.isInter()), CallSignature.reductionOf(call));
        }
        if (checking != CheckLevel.OFF && !plan.isNested() && !comm.isInter()) {
            final String mismatch =
                PlanConsistency.findMismatch(operation, call, plan, (peerCall, peer) -> planFor(peer, entry.algorithm(), peerCall));
            if (mismatch != null) {
                throw failure("plans of " + operation + " do not fit together", chosen, mismatch, null);
            }
        }
        plan.setLabel(new TracedCall(operation.id(), chosen.module().toString(), entry.name(), comm.name(),
            Math.max(call.sendBytes(comm.rank(), comm.isInter()), call.recvBytes(comm.rank(), comm.isInter()))));
        return plan.freeze();
    }

    private MpiFailure failure(final String what, final Selection.SelectedAlgorithm<?> chosen, final String why, final Throwable cause) {
        return new MpiFailure(ErrorClass.OTHER, what + " on " + comm + ", node " + comm.owner().nodeName() + ": " + chosen + ": " + why, cause);
    }

    /** Plans a call as another rank does; returns null when the algorithm fails, which that rank will report itself. */
    private <C extends Call> PlanBuilder planFor(final int peer, final Algorithm<C> algorithm, final C call) {
        final PlanBuilder plan = new PlanBuilder(call, peer, comm.size(), false, comm.size(), peerContext);
        try {
            algorithm.plan(call, plan);
            return plan;
        } catch (final RuntimeException | LinkageError | StackOverflowError e) {
            LOG.debug("cannot plan for rank {} on {}: {}", peer, comm, e.toString());
            return null;
        }
    }

    @Override
    public ScheduleExecution newExecution(final Schedule schedule) {
        final TraceRecorder recorder = comm.owner().recorder();
        return recorder == null ? new ScheduleExecution(schedule, comm.channel(), slotAllocator, lifecycle)
            : new TracedExecution(schedule, comm.channel(), slotAllocator, lifecycle, recorder);
    }

    @Override
    public CollectiveChannel channel(final CollSubComm group) {
        return ownSub(group).comm.channel();
    }

    @Override
    public PlanContext within(final CollSubComm group) {
        return ownSub(group);
    }

    @Override
    public boolean areOnSameNode(final int one, final int other) {
        final JobEnvironment job = comm.owner().job();
        return job.nodeOf(comm.group().worldRank(one)) == job.nodeOf(comm.group().worldRank(other));
    }

    @Override
    public <C extends Call> void plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan plan) {
        final CollectiveEngine sub = ownSub(group);
        if (!isEmpty(sub.decision(operation), call, group.rank())) {
            sub.chosen(operation, call).entry().algorithm().plan(call, plan);
        }
    }

    private CollectiveEngine ownSub(final CollSubComm group) {
        if (group instanceof SubCommunicator sub && table.owns(sub)) {
            return sub.engine();
        }
        throw new IllegalArgumentException("not a sub-communicator of " + comm.name() + ": group=" + group);
    }

    private <C extends Call> RankPlan describe(final Operation<C> operation, final C call, final SampleCall sample, final int limit) {
        final Selection.SelectedAlgorithm<C> chosen = chosen(operation, call);
        final Schedule schedule = isNoOp(operation, call) ? null : cache.schedule(operation, call);
        return new RankPlan(operation.id(), chosen.module().toString(), chosen.entry().name(), comm.size(), sample.bytes(), sample.block(),
            sample.data(), call instanceof Call.Rooted r ? r.root() : -1, comm.rank(), schedule == null ? 0 : schedule.scratchBytes(),
            schedule == null ? 0 : schedule.tasks(), schedule == null ? List.of() : schedule.describe(comm.channel(), limit));
    }
}
