package tutti.runtime.collective;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollException;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.plan.PlanRecorder;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.JobEnvironment;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.ProofMode;
import tutti.runtime.model.TuneMode;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.schedule.CallSignature;
import tutti.runtime.schedule.CollectiveChannel;
import tutti.runtime.schedule.PlanBuilder;
import tutti.runtime.schedule.PlanContext;
import tutti.runtime.schedule.Schedule;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.schedule.ScheduleExecution;
import tutti.runtime.schedule.ServingAlgorithm;
import tutti.runtime.schedule.SlotAllocator;
import tutti.runtime.schedule.TraceRecorder;
import tutti.runtime.schedule.TracedExecution;
import tutti.runtime.select.Selection;

/**
 * Plans the calls of one communicator as schedules by the selected algorithms, and creates executions of the schedules. At most one thread plans at
 * a time for a communicator and its duplicates, which share a lock.
 */
final class SchedulePlanner implements ScheduleCache.Planner, PlanContext {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulePlanner.class);

    /** Why an algorithm serves that tuning has chosen. */
    static final String TUNED = TuneMode.PARAMETER + "=" + TuneMode.ONLINE;

    private final CommContext comm;
    private final CollTable table;
    private final FirstUseProof proof;
    private final SlotAllocator slotAllocator;
    /** Context for plans of other ranks, whose sub-communicators are not known on this rank. */
    private final PlanContext peerContext = new PeerContext();

    /** Context for the plan of a call that cannot be planned. */
    private final PlanContext refusalContext = new RefusalContext();

    private final class RefusalContext implements PlanContext {
        @Override
        public CollectiveChannel channel(final CollSubComm group) {
            return SchedulePlanner.this.channel(group);
        }

        @Override
        public PlanContext within(final CollSubComm group) {
            return table.engineOf(group).planner().refusalContext;
        }

        @Override
        public <C extends Call> @Nullable ServingAlgorithm plan(final CollSubComm group, final Operation<C> operation, final C call,
            final Plan plan) {
            table.engineOf(group).planner().addRefusal(AdvancedPlan.of(plan));
            return null;
        }
    }

    private final class PeerContext implements PlanContext {
        @Override
        public CollectiveChannel channel(final CollSubComm group) {
            return NONE.channel(group);
        }

        @Override
        public <C extends Call> @Nullable ServingAlgorithm plan(final CollSubComm group, final Operation<C> operation, final C call,
            final Plan plan) {
            return NONE.plan(group, operation, call, plan);
        }

        @Override
        public boolean areOnSameNode(final int one, final int other) {
            return SchedulePlanner.this.areOnSameNode(one, other);
        }
    }

    /** Creates the planner of a communicator with a collective table. */
    SchedulePlanner(final CommContext comm, final CollTable table, final SlotAllocator slots) {
        this.slotAllocator = slots;
        this.comm = comm;
        this.table = table;
        this.proof = new FirstUseProof(comm, table);
    }

    @Override
    public <C extends Call> Schedule plan(final Operation<C> operation, final C call, final ScheduleCache.@Nullable Choice choice) {
        final Selection.SelectedAlgorithm<C> chosen = choice == null ? table.algorithm(operation, call) : chosen(choice);
        PlanBuilder plan = new PlanBuilder(call, comm.rank(), comm.size(), comm.isInter(), comm.remoteSize(), this);
        try {
            synchronized (table.planning()) {
                fill(plan, operation, call, chosen);
            }
            checkProof(operation, call, chosen, plan.taskCount());
        } catch (final MpiFailure e) {
            plan = refusal(e);
        }
        if (comm.owner().checking() != CheckLevel.OFF) {
            plan.setSignature(CallSignature.of(operation, call, comm.isInter()));
        }
        plan.setSharedSignatures(CallSignature.shared(operation, call, comm.isInter(), comm.rank()),
            CallSignature.sharedByOthers(operation, call, comm.isInter(), comm.size()));
        final String reason = choice == null ? table.reason(operation, chosen) : TUNED;
        plan.setLabel(new TracedCall(operation.id(), chosen.module().toString(), chosen.name(),
            table.change() > 0 ? reason + "; change " + table.change() : reason, comm.name(),
            Math.max(call.sendBytes(comm.rank(), comm.isInter()), call.recvBytes(comm.rank(), comm.isInter())), plan.parts()));
        return plan.freeze();
    }

    /** Returns the algorithm that tuning has chosen for calls of this type. */
    @SuppressWarnings("unchecked")
    private static <C extends Call> Selection.SelectedAlgorithm<C> chosen(final ScheduleCache.Choice choice) {
        return Objects.requireNonNull(((TunedAlgorithm<C>) choice).chosen(), "algorithm that this rank has");
    }

    private <C extends Call> void fill(final PlanBuilder plan, final Operation<C> operation, final C call,
        final Selection.SelectedAlgorithm<C> chosen) {
        if (!call.isUninvolved()) {
            run(operation, call, chosen, plan);
        }
        if (comm.owner().checking() != CheckLevel.OFF && ProofMode.of(table.modules().parameters()) != ProofMode.OFF && !plan.isNested()
            && !comm.isInter()) {
            final String mismatch =
                PlanConsistency.findMismatch(operation, call, plan, (peerCall, peer) -> planFor(peer, chosen.entry().algorithm(), peerCall));
            if (mismatch != null) {
                comm.owner().job().prover().quarantine(chosen.module().id(), "plans of " + operation + " do not fit together: " + mismatch);
                // Cause: ranks have made plans that wait for each other. Remedy: report it to the author of the module; another one with `-p
                // coll.OPERATION=MODULE`.
                throw failure(ErrorClass.OTHER, "plans of " + operation + " do not fit together", chosen, mismatch, null);
            }
        }
    }

    /** Lets an algorithm plan a call, and says which one it was if it fails. */
    private <C extends Call> void run(final Operation<C> operation, final C call, final Selection.SelectedAlgorithm<C> chosen, final Plan plan) {
        try {
            chosen.entry().algorithm().plan(call, plan);
        } catch (final MpiFailure e) {
            // of a nested call
            throw e;
        } catch (final CollException e) {
            // Cause: the algorithm of a module threw an exception. Remedy: report it to the author of the module; another one with `-p
            // coll.OPERATION=MODULE`.
            throw failure(classOf(e), "cannot plan " + operation, chosen, e.getMessage(), e);
        } catch (final RuntimeException | LinkageError | StackOverflowError e) {
            throw failure(ErrorClass.OTHER, "cannot plan " + operation, chosen, e.toString(), e);
        }
    }

    /** Fails if a plan of some rank for the call is wrong; may return before that is known. */
    private <C extends Call> void checkProof(final Operation<C> operation, final C call, final Selection.SelectedAlgorithm<C> chosen,
        final int tasks) {
        final String wrong = call.isUninvolved() ? null : proof.failure(operation, call, chosen, tasks);
        if (wrong != null) {
            // Cause: the [proof](modules.md#what-is-proved-when-it-is-first-used) of the plan failed. Remedy: report it to the author of the module;
            // another one with `-p coll.OPERATION=MODULE`.
            throw failure(ErrorClass.OTHER, "plan of " + operation + " is wrong", chosen, wrong, null);
        }
    }

    /**
     * Returns a plan for a call that cannot be planned. It covers every communicator on which other ranks may wait for this rank in the call: this
     * one and the hidden ones in it. On each, it has a post, by which ranks of the node find that this rank has failed.
     */
    private PlanBuilder refusal(final MpiFailure why) {
        final PlanBuilder plan = new PlanBuilder(new Call.Barrier(), comm.rank(), comm.size(), comm.isInter(), comm.remoteSize(), refusalContext);
        addRefusal(plan);
        plan.setFailure(why);
        return plan;
    }

    private void addRefusal(final AdvancedPlan plan) {
        if (!comm.isInter() && comm.locality().region().hasOthers()) {
            plan.post();
        }
        for (final SubCommunicator sub : table.subs()) {
            plan.nested(sub.original(), Operation.BARRIER, new Call.Barrier(), null, null);
        }
    }

    /** Returns the error class that a module names; OTHER for a class that is not predefined, which package mpi knows by the cause. */
    private static ErrorClass classOf(final CollException e) {
        return e.errorClass() < ErrorClass.values().length ? ErrorClass.values()[e.errorClass()] : ErrorClass.OTHER;
    }

    private MpiFailure failure(final ErrorClass errorClass, final String what, final Selection.SelectedAlgorithm<?> chosen,
        final @Nullable String why, final @Nullable Throwable cause) {
        return new MpiFailure(errorClass, what + " on " + comm + ", node " + comm.owner().nodeName() + ": " + chosen + ": " + why, cause);
    }

    /** Plans a call as another rank does; returns null when the algorithm fails, which that rank will report itself. */
    private <C extends Call> @Nullable PlanBuilder planFor(final int peer, final Algorithm<C> algorithm, final C call) {
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
        return recorder == null ? new ScheduleExecution(schedule, comm.channel(), slotAllocator, comm.owner().lifecycle())
            : new TracedExecution(schedule, comm.channel(), slotAllocator, comm.owner().lifecycle(), recorder);
    }

    @Override
    public CollectiveChannel channel(final CollSubComm group) {
        return table.engineOf(group).comm().channel();
    }

    @Override
    public PlanContext within(final CollSubComm group) {
        return table.engineOf(group).planner();
    }

    @Override
    public boolean areOnSameNode(final int one, final int other) {
        final JobEnvironment job = comm.owner().job();
        return job.nodeOf(comm.group().worldRank(one)) == job.nodeOf(comm.group().worldRank(other));
    }

    @Override
    public <C extends Call> @Nullable ServingAlgorithm plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan plan) {
        final CollTable sub = table.engineOf(group).table();
        if (CollTable.isEmpty(table.engineOf(group).comm(), operation, call, group.rank())) {
            return null;
        }
        final SchedulePlanner planner = table.engineOf(group).planner();
        final Selection.SelectedAlgorithm<C> chosen = sub.algorithm(operation, call);
        final PlanRecorder<?> part = plan instanceof final PlanRecorder<?> p ? p : null;
        final int before = part == null ? 0 : part.taskCount();
        planner.run(operation, call, chosen, plan);
        planner.checkProof(operation, call, chosen, part == null ? 0 : part.taskCount() - before);
        return new ServingAlgorithm(chosen.module().toString(), chosen.name(), sub.reason(operation, chosen));
    }
}
