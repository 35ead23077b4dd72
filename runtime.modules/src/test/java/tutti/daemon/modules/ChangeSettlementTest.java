package tutti.daemon.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests the rule by which the nodes of a change decide it without its coordinator. */
class ChangeSettlementTest {
    private static final int RUNS = 50_000;
    private static final int STEPS = 40;

    private static ChangeSettlement.Action next(final ChangePhase own, final boolean isComplete, final int nodes, final ChangePhase... others) {
        return ChangeSettlement.next(own, new ChangeSettlement.Answers(List.of(others), isComplete), nodes);
    }

    @Test
    void shouldFinishWhatAnyNodeHasFinishedOrMostHaveCommitted() {
        for (final ChangePhase own : List.of(ChangePhase.PREPARED, ChangePhase.COMMITTED, ChangePhase.UNDONE)) {
            assertEquals(ChangeSettlement.Action.FINISH, next(own, false, 3, ChangePhase.FINISHED));
            assertEquals(ChangeSettlement.Action.FINISH, next(own, false, 3, ChangePhase.COMMITTED, ChangePhase.COMMITTED));
        }
        assertEquals(ChangeSettlement.Action.FINISH, next(ChangePhase.COMMITTED, false, 1));
    }

    @Test
    void shouldUndoWhatANodeDoesNotKnowOrHalfOfTheNodesRefuse() {
        assertEquals(ChangeSettlement.Action.UNDO, next(ChangePhase.PREPARED, false, 3, ChangePhase.UNKNOWN));
        assertEquals(ChangeSettlement.Action.UNDO, next(ChangePhase.COMMITTED, false, 3, ChangePhase.UNKNOWN));
        assertEquals(ChangeSettlement.Action.UNDO, next(ChangePhase.UNDONE, false, 2));
        assertEquals(ChangeSettlement.Action.UNDO, next(ChangePhase.COMMITTED, false, 2, ChangePhase.UNDONE));
    }

    @Test
    void shouldFollowANodeThatHasCommittedAndRefuseOnlyWithoutOne() {
        assertEquals(ChangeSettlement.Action.COMMIT, next(ChangePhase.PREPARED, true, 4, ChangePhase.COMMITTED));
        assertEquals(ChangeSettlement.Action.WAIT, next(ChangePhase.PREPARED, false, 3, ChangePhase.PREPARED));
        assertEquals(ChangeSettlement.Action.REFUSE, next(ChangePhase.PREPARED, true, 3));
        assertEquals(ChangeSettlement.Action.REFUSE, next(ChangePhase.PREPARED, true, 3, ChangePhase.PREPARED, ChangePhase.PREPARED));
        assertEquals(ChangeSettlement.Action.WAIT, next(ChangePhase.COMMITTED, true, 3, ChangePhase.UNDONE));
    }

    @Test
    void shouldNotDecideWithoutTheCoordinatorThatLeadsAnotherNode() {
        assertEquals(ChangeSettlement.Action.WAIT, next(ChangePhase.PREPARED, true, 3, ChangePhase.LED, ChangePhase.PREPARED));
    }

    /** Nodes of a change in one run of the model: each asks those that it happens to reach, at any time. */
    private static final class Model {
        private final Random random;
        private final List<ChangePhase> phases = new ArrayList<>();

        Model(final Random random) {
            this.random = random;
            final int nodes = 1 + random.nextInt(5);
            final int committed = random.nextInt(nodes + 1);
            for (int i = 0; i < nodes; i++) {
                phases.add(i < committed ? ChangePhase.COMMITTED : ChangePhase.PREPARED);
            }
            if (ChangeSettlement.isCommitted(committed, nodes) && random.nextBoolean()) {
                // the coordinator has told some nodes, one of which has committed or not
                phases.set(random.nextInt(nodes), ChangePhase.FINISHED);
            }
        }

        /** One node asks the others that it reaches, and acts. */
        void step(final boolean reachesAll) {
            final int node = random.nextInt(phases.size());
            final ChangePhase own = phases.get(node);
            if (own == ChangePhase.FINISHED || own == ChangePhase.UNKNOWN) {
                return;
            }
            final List<ChangePhase> others = new ArrayList<>();
            for (int i = 0; i < phases.size(); i++) {
                if (i != node && (reachesAll || random.nextBoolean())) {
                    others.add(phases.get(i));
                }
            }
            switch (ChangeSettlement.next(own, new ChangeSettlement.Answers(others, reachesAll || random.nextBoolean()), phases.size())) {
                case FINISH -> phases.set(node, ChangePhase.FINISHED);
                case UNDO -> phases.set(node, ChangePhase.UNKNOWN);
                case COMMIT -> phases.set(node, ChangePhase.COMMITTED);
                case REFUSE -> phases.set(node, ChangePhase.UNDONE);
                case WAIT -> {
                    // nothing changes
                }
            }
        }
    }

    @Test
    void shouldNeverFinishOnOneNodeWhatAnotherUndoesAndDecideWhenAllAnswer() {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        int finished = 0;
        for (int run = 0; run < RUNS; run++) {
            final Model model = new Model(random);
            final List<ChangePhase> begin = List.copyOf(model.phases);
            for (int i = 0; i < STEPS; i++) {
                model.step(false);
                assertTrue(!model.phases.contains(ChangePhase.FINISHED) || !model.phases.contains(ChangePhase.UNKNOWN),
                    () -> "decided both ways: begin=" + begin + ", end=" + model.phases + ", seed=" + seed);
            }
            for (int i = 0; i < 10 * STEPS; i++) {
                model.step(true);
            }
            assertEquals(1, Collections.max(model.phases).compareTo(ChangePhase.LED) > 0 ? model.phases.stream().distinct().count() : 0,
                () -> "not decided: begin=" + begin + ", end=" + model.phases + ", seed=" + seed);
            finished += model.phases.contains(ChangePhase.FINISHED) ? 1 : 0;
        }
        assertTrue(finished > RUNS / 10 && finished < RUNS * 9 / 10, "both outcomes are tested: finished=" + finished);
    }
}
