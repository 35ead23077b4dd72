package tutti.mpi.programs;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tutti.coll.Operation;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.RankScope;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.introspect.RankPlan;

/**
 * Gathers the plans of all ranks at rank 0. Public because the classes of this package that every rank defines belong to another run-time
 * package.
 */
public final class PlanGather {
    private PlanGather() {}

    /**
     * Plans the call and gathers the plans. If the root or the rank does not exist, returns the plan of rank 0 for root 0 with one task; its size
     * says how many ranks there are.
     *
     * @param rank the class loader of the rank's program
     * @param args the arguments of {@link ExplainPlan}
     * @return all plans on rank 0, as JSON; an empty text on the other ranks
     */
    public static String run(final ClassLoader rank, final String[] args) {
        final Communicator world = ((RankScope) rank).rank().world();
        final int wantedRoot = Integer.parseInt(args[2]);
        final int wantedRank = Integer.parseInt(args[3]);
        final boolean exists = wantedRoot < world.size() && wantedRank < world.size();
        final int root = exists ? wantedRoot : 0;
        final int only = exists ? wantedRank : 0;
        final int limit = exists ? Math.max(1, Integer.parseInt(args[4]) / (only < 0 ? world.size() : 1)) : 1;
        final RankPlan plan = world.engine().plan(Operation.of(args[0]), Long.parseLong(args[1]), root, limit);
        return gather(world, only < 0 || only == world.rank() ? PlanJson.of(plan).getBytes(StandardCharsets.UTF_8) : new byte[0]);
    }

    private static String gather(final Communicator world, final byte[] plan) {
        final long[] lengths = new long[world.size()];
        world.engine().blocking().gather(new long[] {plan.length}, 1, Datatype.LONG, lengths, 1, Datatype.LONG, 0);
        final long[] offsets = new long[lengths.length];
        for (int r = 1; r < lengths.length; r++) {
            offsets[r] = offsets[r - 1] + lengths[r - 1];
        }
        final byte[] all = new byte[Math.toIntExact(Arrays.stream(lengths).sum())];
        world.engine().blocking().gatherv(plan, plan.length, Datatype.BYTE, all, lengths, offsets, Datatype.BYTE, 0);
        if (world.rank() != 0) {
            return "";
        }
        final StringBuilder text = new StringBuilder("[");
        for (int r = 0; r < lengths.length; r++) {
            if (lengths[r] > 0) {
                text.append(text.length() == 1 ? "\n" : ",\n")
                    .append(new String(all, (int) offsets[r], (int) lengths[r], StandardCharsets.UTF_8));
            }
        }
        return text.append("\n]\n").toString();
    }
}
