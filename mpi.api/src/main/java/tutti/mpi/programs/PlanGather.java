package tutti.mpi.programs;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Operation;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.RankScope;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.introspect.RankPlan;
import tutti.runtime.model.MpiFailure;

/**
 * Gathers the plans of all ranks at rank 0. Public because the classes of this package that every rank defines belong to another run-time
 * package.
 */
public final class PlanGather {
    private PlanGather() {}

    /**
     * Plans the call and gathers the plans. If the root or the rank does not exist, returns the plan of rank 0 for root 0 with one task; its size
     * says how many ranks there are. A call that some rank cannot plan ends the job, and rank 0 prints why.
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
        String own = "";
        String failure = "";
        try {
            final RankPlan plan = world.engine().plan(Operation.of(args[0]), Long.parseLong(args[1]), root, limit);
            own = only < 0 || only == world.rank() ? PlanJson.of(plan) : "";
        } catch (final MpiFailure e) {
            failure = String.valueOf(e.getMessage());
        }
        final List<String> failures = gather(world, failure);
        if (!failures.isEmpty()) {
            System.err.println(failures.getFirst());
            world.abort(1);
        }
        final List<String> plans = gather(world, own);
        return world.rank() == 0 ? "[\n" + String.join(",\n", plans) + "\n]\n" : "";
    }

    /** Returns the texts of all ranks that are not empty on rank 0; nothing on other ranks. */
    private static List<String> gather(final Communicator world, final String own) {
        final byte[] text = own.getBytes(StandardCharsets.UTF_8);
        final long[] lengths = new long[world.size()];
        world.engine().blocking().gather(new long[] {text.length}, 1, Datatype.LONG, lengths, 1, Datatype.LONG, 0);
        final long[] offsets = new long[lengths.length];
        for (int r = 1; r < lengths.length; r++) {
            offsets[r] = offsets[r - 1] + lengths[r - 1];
        }
        final byte[] all = new byte[Math.toIntExact(Arrays.stream(lengths).sum())];
        world.engine().blocking().gatherv(text, text.length, Datatype.BYTE, all, lengths, offsets, Datatype.BYTE, 0);
        return world.rank() != 0 ? List.of() : IntStream.range(0, lengths.length).filter(r -> lengths[r] > 0)
            .mapToObj(r -> new String(all, (int) offsets[r], (int) lengths[r], StandardCharsets.UTF_8)).toList();
    }
}
