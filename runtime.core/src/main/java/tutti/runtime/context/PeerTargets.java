package tutti.runtime.context;

import java.util.function.IntFunction;
import tutti.runtime.model.Group;
import tutti.runtime.serial.SerialExecutor;

/** The executors that messages to ranks are submitted to: for each rank of a group, in its order. Immutable; safe for any thread. */
public final class PeerTargets {
    private final SerialExecutor[] targets;

    private PeerTargets(final SerialExecutor[] targets) {
        this.targets = targets;
    }

    /** Returns the targets of a number of ranks, which a function tells. */
    public static PeerTargets of(final int ranks, final IntFunction<? extends SerialExecutor> target) {
        final SerialExecutor[] targets = new SerialExecutor[ranks];
        for (int r = 0; r < ranks; r++) {
            targets[r] = target.apply(r);
        }
        return new PeerTargets(targets);
    }

    /** Returns the targets of a group: those of the job itself where the group is that of all its ranks. */
    static PeerTargets of(final Group group, final JobEnvironment job) {
        return group == job.world() ? job.worldTargets() : of(group.size(), r -> job.target(group.worldRank(r)));
    }

    /** Returns the target of a rank. */
    public SerialExecutor of(final int rank) {
        return targets[rank];
    }

    /** Returns the number of ranks. */
    public int size() {
        return targets.length;
    }
}
