package tutti.runtime.schedule;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.plan.PlanRecorder;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.model.MpiFailure;

/** Records the plan of one rank, and freezes it into a {@link Schedule}. For one thread. */
public final class PlanBuilder extends PlanRecorder<ChannelComm> {
    final TaskList tasks;
    long call;
    long sharedCall;
    long[] sharedCalls = {};
    @Nullable
    TracedCall label;
    @Nullable
    MpiFailure failure;

    /** Creates an empty plan of a rank for a call. */
    public PlanBuilder(final Call call, final int rank, final int size, final boolean inter, final int remoteSize, final PlanContext context) {
        this(new TaskList(), new ChannelComm(context, null, rank, size, inter, remoteSize), call);
    }

    private PlanBuilder(final TaskList tasks, final ChannelComm comm, final Call call) {
        super(tasks, comm, call);
        this.tasks = tasks;
        tasks.begin(this);
    }

    /** Sets the {@link CallSignature} of the call. The messages of the plan carry it, so that calls are compared. */
    public void setSignature(final long signature) {
        call = signature;
        sharedCall = signature;
    }

    /**
     * Sets what ranks that share memory in the call compare, whether or not messages carry a signature.
     *
     * @param own     signature of this rank's call
     * @param ofPeers per rank, the signature that its call should have; empty where all are equal to that of this rank
     */
    public void setSharedSignatures(final long own, final long[] ofPeers) {
        sharedCall = own;
        sharedCalls = ofPeers;
    }

    /** Sets the call for tracing. */
    public void setLabel(final TracedCall what) {
        label = what;
    }

    /** Sets the reason why the call could not be planned. Tasks of the plan are then not carried out. */
    public void setFailure(final MpiFailure why) {
        failure = why;
    }

    /** Returns the plan as recorded so far, as a schedule. */
    public Schedule freeze() {
        return new Schedule(this);
    }

    /** Returns the nested collectives for which tasks were planned so far. */
    public List<PlannedPart> parts() {
        return tasks.segments.parts();
    }

    /** Returns whether the plan has nested collectives. */
    public boolean isNested() {
        return tasks.segments.count() > 1;
    }

    /** Returns whether the plan sends messages to a peer, receives from it, or shares memory with it. */
    public boolean hasTraffic(final int other) {
        return tasks.segments.messages(Schedule.SEND, other) > 0 || tasks.segments.messages(Schedule.RECV, other) > 0
            || tasks.segments.sharesMemory(0) && tasks.sharesMemoryWith(other);
    }

    /** Returns the length of a buffer in bytes. */
    long limit(final Buffer buffer) {
        return buffer(buffer).bytes();
    }

    /** Returns the lengths of the messages to or from a peer, in the order of matching. */
    long[] messages(final byte what, final int other) {
        return tasks.messages(what, other, tasks.segments.messages(what, other));
    }
}
