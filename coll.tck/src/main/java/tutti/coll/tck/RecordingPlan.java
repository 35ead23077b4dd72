package tutti.coll.tck;

import java.util.Collections;
import java.util.List;
import tutti.coll.Call;
import tutti.coll.plan.PlanRecorder;

/**
 * A plan that keeps its tasks for inspection. It is recorded as in the runtime, by {@link PlanRecorder}, so it rejects the same arguments. Peers of
 * its tasks are ranks of its communicator. On an intercommunicator the ranks of the second group are numbered after those of the first.
 */
public final class RecordingPlan extends PlanRecorder<VirtualComm.Group> {
    private final RecordedTasks recorded;

    /**
     * Creates an empty plan for one rank's call on an intracommunicator whose ranks are all on one node.
     *
     * @param rank the planning rank
     * @param size number of ranks
     * @param call its call, which gives the sizes of the buffers
     */
    public RecordingPlan(final int rank, final int size, final Call call) {
        this(VirtualComm.of(NodeLayout.oneNode(size)), rank, call);
    }

    /** Creates an empty plan for the call of a rank. */
    RecordingPlan(final VirtualComm comm, final int rank, final Call call) {
        this(new RecordedTasks(comm.index(rank), call.reduction()), new VirtualComm.Group(comm, rank), call);
    }

    private RecordingPlan(final RecordedTasks recorded, final VirtualComm.Group comm, final Call call) {
        super(recorded, comm, call);
        this.recorded = recorded;
        recorded.begin(this);
    }

    RecordedTasks recorded() {
        return recorded;
    }

    /** Returns the tasks so far, in the order of planning. */
    public List<RecordedTask> tasks() {
        return Collections.unmodifiableList(recorded.tasks());
    }

    /** Returns the sum of all reservations of scratch memory in bytes. */
    public long scratchBytes() {
        return recorded.reserved();
    }
}
