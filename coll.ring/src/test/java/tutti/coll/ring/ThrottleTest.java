package tutti.coll.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.plan.TaskKind;
import tutti.coll.tck.RecordedTask;
import tutti.coll.tck.RecordingPlan;

/** Number of messages that the alltoall family has in progress when none completes, and when all but one do. */
class ThrottleTest {
    private static final int SIZE = 16;
    private static final int THROTTLE = 3;

    record Offer(Algorithm<Call.Alltoall> algorithm, boolean inPlace) {}

    static Stream<Offer> offers() {
        return Stream.of(new PairwiseAlltoall(THROTTLE), new ScatteredAlltoall(THROTTLE))
            .flatMap(a -> Stream.of(new Offer(a, false), new Offer(a, true)));
    }

    @ParameterizedTest
    @MethodSource("offers")
    void shouldStartAsManySendsAndReceivesAsTheThrottle(final Offer offer) {
        final RecordingPlan plan = plan(offer);
        for (final TaskKind kind : List.of(TaskKind.SEND, TaskKind.RECV)) {
            assertEquals(THROTTLE, plan.tasks().stream().filter(t -> t.kind() == kind && t.after().length == 0).count());
        }
    }

    /** The first send delays every third send after it, and in steps their receives, too. */
    @ParameterizedTest
    @MethodSource("offers")
    void shouldContinueBesideADelayedSend(final Offer offer) {
        final RecordingPlan plan = plan(offer);
        final List<RecordedTask> sends = plan.tasks().stream().filter(t -> t.kind() == TaskKind.SEND).toList();
        final boolean[] delayed = new boolean[plan.tasks().size()];
        delayed[sends.getFirst().id()] = true;
        for (final RecordedTask t : plan.tasks()) {
            for (final int a : t.after()) {
                delayed[t.id()] |= delayed[a];
            }
        }
        assertEquals(Math.ceilDiv(sends.size(), THROTTLE), sends.stream().filter(t -> delayed[t.id()]).count());
        final long receives = plan.tasks().stream().filter(t -> t.kind() == TaskKind.RECV && delayed[t.id()]).count();
        assertEquals(offer.algorithm instanceof ScatteredAlltoall && !offer.inPlace ? 0 : Math.ceilDiv(sends.size(), THROTTLE) - 1, receives);
    }

    private static RecordingPlan plan(final Offer offer) {
        final Blocks blocks = Blocks.uniform(SIZE, 1);
        final Call.Alltoall call = new Call.Alltoall(blocks, blocks, offer.inPlace);
        final RecordingPlan plan = new RecordingPlan(3, SIZE, call);
        offer.algorithm.plan(call, plan);
        return plan;
    }
}
