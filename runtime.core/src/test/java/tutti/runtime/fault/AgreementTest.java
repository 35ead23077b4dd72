package tutti.runtime.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.fault.AgreementMessage.Decision;
import tutti.runtime.fault.AgreementMessage.Report;

/** Tests agreements: of all small sizes without failures, of 64 ranks with random ones, and single events. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class AgreementTest {
    private static final RankSet NONE = RankSet.none();
    private static final int RUNS = Integer.getInteger("tutti.agreements", 2_000);

    private static Vote vote(final int flag, final int... failed) {
        return new Vote(flag, RankSet.of(failed), NONE);
    }

    private static Report report(final int leader, final Vote vote, final int... covered) {
        return new Report(leader, RankSet.of(covered), vote, null);
    }

    private static int log2(final int size) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
    }

    private static void assertSent(final Agreement.Step step, final Agreement.Sending... expected) {
        assertEquals(List.of(expected), step.sendings());
    }

    private static Agreement voted(final int rank, final int size, final int flag) {
        return Agreement.of(rank, size, NONE).vote(vote(flag)).next();
    }

    private static Agreement decided(final int rank, final int size, final Vote outcome) {
        return voted(rank, size, 0).received(0, new Decision(0, outcome)).next();
    }

    @Test
    void shouldTakeTwoMessagesForEachRankAndLogarithmicDepth() {
        for (int size = 1; size <= 33; size++) {
            for (int seed = 0; seed < 20; seed++) {
                final AgreementNetwork done = new AgreementNetwork(size, NONE, NONE, seed).run();
                assertEquals(2 * (size - 1), done.messages());
                assertTrue(done.depth() <= 2 * log2(size), size + " ranks: " + done.depth());
            }
        }
        assertEquals(12, new AgreementNetwork(64, NONE, NONE, 0).run().depth());
    }

    @Test
    void shouldTakeTwoMessagesForEachLiveRankWhenFailuresAreKnown() {
        final SplittableRandom random = new SplittableRandom(4);
        for (int seed = 0; seed < 200; seed++) {
            final RankSet known = some(random, 33, random.nextInt(33));
            assertEquals(2 * (32 - known.size()), new AgreementNetwork(33, known, NONE, seed).run().messages());
        }
    }

    @Test
    void shouldTakeFewMoreMessagesWhenARankFails() {
        for (int seed = 0; seed < 500; seed++) {
            final int failing = 1 + seed % 63;
            final AgreementNetwork done = new AgreementNetwork(64, NONE, RankSet.of(failing), seed).run();
            final int children = new AgreementTree(64).children(failing, NONE).size();
            assertTrue(done.messages() <= 2 * 63 + 2 * children + 6, () -> failing + ": " + done);
        }
    }

    @Test
    void shouldAgreeWhenRanksFailAtRandom() {
        final SplittableRandom random = new SplittableRandom(5);
        for (int seed = 0; seed < RUNS; seed++) {
            final RankSet known = some(random, 64, random.nextInt(4));
            new AgreementNetwork(64, known, some(random, 64, random.nextInt(random.nextBoolean() ? 6 : 64 - known.size())), seed).run();
        }
    }

    private static RankSet some(final SplittableRandom random, final int ranks, final int count) {
        RankSet set = NONE;
        while (set.size() < count) {
            // often low ranks, which lead
            set = set.with(random.nextInt(random.nextBoolean() ? ranks : Math.min(ranks, count + 1)));
        }
        return set;
    }

    @Test
    void shouldDecideAlone() {
        final Agreement.Step step = Agreement.of(0, 1, NONE).vote(vote(5));
        assertSent(step);
        assertEquals(vote(5), step.next().outcome());
        assertEquals(vote(6, 0, 2), Agreement.of(1, 3, RankSet.of(0, 2)).vote(vote(6)).next().outcome());
    }

    @Test
    void shouldReportTheVotesOfTheSubtree() {
        final Agreement.Step early = Agreement.of(2, 4, NONE).received(3, report(0, vote(6), 3));
        assertSent(early);
        assertSent(early.next().vote(vote(3, 1)), new Agreement.Sending(0, report(0, vote(2, 1), 2, 3)));
        assertSent(Agreement.of(2, 4, NONE).vote(vote(3)));
        assertSent(voted(2, 4, 3).lost(RankSet.of(3)), new Agreement.Sending(0, report(0, vote(3), 2)));
    }

    @Test
    void shouldAddTheFailuresThatTheLeaderKnows() {
        final Agreement.Step step = Agreement.of(0, 4, RankSet.of(3)).vote(vote(7)).next().received(1, report(0, vote(7, 1), 1)).next()
            .received(2, report(0, vote(7), 2));
        assertEquals(vote(7, 1, 3), step.next().outcome());
        assertSent(step, new Agreement.Sending(2, new Decision(0, vote(7, 1, 3))), new Agreement.Sending(1, new Decision(0, vote(7, 1, 3))));
    }

    @Test
    void shouldReportAgainWhenTheParentFails() {
        final Report own = report(0, vote(1), 7);
        final Agreement.Step first = Agreement.of(7, 8, NONE).vote(vote(1));
        assertSent(first, new Agreement.Sending(6, own));
        assertSent(first.next().lost(RankSet.of(5)));
        final Agreement.Step second = first.next().lost(RankSet.of(6));
        assertSent(second, new Agreement.Sending(4, own));
        assertSent(second.next().lost(RankSet.of(6)));
        assertSent(second.next().lost(RankSet.of(0, 4)), new Agreement.Sending(1, report(1, vote(1), 7)));
    }

    @Test
    void shouldForwardWhatComesAfterItsReport() {
        final Agreement first = voted(2, 4, 7).lost(RankSet.of(3)).next();
        final Agreement.Step late = first.received(3, report(0, vote(5), 3));
        assertSent(late, new Agreement.Sending(0, report(0, vote(5), 2, 3)));
        assertSent(late.next().received(3, report(0, vote(5), 3)));
    }

    @Test
    void shouldReportItsOutcomeToANewLeader() {
        final Agreement.Step step = decided(3, 4, vote(0)).lost(RankSet.of(0));
        assertSent(step, new Agreement.Sending(2, new Report(1, RankSet.of(3), vote(0), vote(0))));
        final Agreement leader = voted(1, 4, 7).lost(RankSet.of(0)).next();
        final Agreement.Step end = leader.received(2, new Report(1, RankSet.of(2, 3), vote(6), vote(4)));
        assertEquals(vote(4), end.next().outcome());
        assertSent(end, new Agreement.Sending(2, new Decision(1, vote(4))));
    }

    @Test
    void shouldTakeNoDecisionOfAnEarlierLeader() {
        final Agreement.Step late = voted(2, 3, 7).lost(RankSet.of(0)).next().received(0, new Decision(0, vote(1)));
        assertSent(late);
        assertNull(late.next().outcome());
        assertEquals(vote(2), late.next().received(1, new Decision(1, vote(2))).next().outcome());
    }

    @Test
    void shouldAnswerReportsOnlyForTheLeaderOfItsDecision() {
        final Agreement decided = decided(2, 4, vote(4));
        assertSent(decided.received(3, report(0, vote(6), 3)), new Agreement.Sending(3, new Decision(0, vote(4))));
        final Agreement.Step higher = decided.received(3, report(1, vote(6), 3));
        assertSent(higher, new Agreement.Sending(1, new Report(1, RankSet.of(2, 3), vote(0), vote(4))));
        assertSent(higher.next().received(3, report(0, vote(6), 3)));
    }

    @Test
    void shouldPassTheDecisionOnPastAFailedRank() {
        final Agreement waiting = voted(4, 8, 7).received(5, report(0, vote(7), 5)).next().received(6, report(0, vote(7), 6, 7)).next();
        final Decision decision = new Decision(0, vote(7));
        // rank 7 reports here, as its parent has failed, before this rank is told
        final Agreement.Step reported = waiting.received(7, report(0, vote(7), 7));
        assertSent(reported);
        assertSent(reported.next().received(0, decision), new Agreement.Sending(7, decision), new Agreement.Sending(6, decision),
            new Agreement.Sending(5, decision));
        assertSent(waiting.lost(RankSet.of(6)).next().received(0, decision), new Agreement.Sending(7, decision), new Agreement.Sending(5, decision));
    }

    @Test
    void shouldKeepTheFirstOutcomeAndPassOnADecisionOnce() {
        final Agreement decided = decided(2, 4, vote(4));
        assertSent(decided.received(0, new Decision(0, vote(4))));
        final Agreement.Step again = decided.received(1, new Decision(1, vote(4)));
        assertEquals(RankSet.of(0), again.next().dead());
        assertEquals(1, again.next().leader());
        assertSent(again, new Agreement.Sending(3, new Decision(1, vote(4))));
    }

    @Test
    void shouldStartLikeOneThatIsTold() {
        final RankSet dead = RankSet.of(0, 2, 5);
        assertEquals(Agreement.of(4, 6, NONE).lost(dead).next(), Agreement.of(4, 6, dead));
        assertEquals(Agreement.of(4, 6, NONE).lost(dead).next().hashCode(), Agreement.of(4, 6, dead).hashCode());
        assertEquals(1, Agreement.of(4, 6, dead).leader());
    }

    @Test
    void shouldNotBelieveThatItHasFailed() {
        final Agreement agreement = voted(1, 3, 1);
        assertEquals(agreement, agreement.lost(RankSet.of(1)).next());
        assertEquals(agreement, agreement.received(2, new Decision(2, vote(0))).next());
        assertEquals(NONE, Agreement.of(1, 3, RankSet.of(1)).dead());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 3})
    void shouldRejectMessagesOfNoOtherRank(final int from) {
        final Agreement agreement = Agreement.of(1, 3, NONE);
        assertThrows(IllegalArgumentException.class, () -> agreement.received(from, new Decision(0, vote(0))));
    }

    @Test
    void shouldRejectRanksThatDoNotExist() {
        final Agreement agreement = Agreement.of(1, 3, NONE);
        assertThrows(IllegalArgumentException.class, () -> agreement.received(2, new Decision(3, vote(0))));
        assertThrows(IllegalArgumentException.class, () -> agreement.received(2, report(0, vote(0), 3)));
        assertThrows(IllegalArgumentException.class, () -> agreement.lost(RankSet.of(3)));
        assertThrows(IllegalArgumentException.class, () -> agreement.vote(vote(0, 3)));
        assertThrows(IllegalArgumentException.class, () -> Agreement.of(1, 3, RankSet.of(70)));
        assertThrows(IndexOutOfBoundsException.class, () -> Agreement.of(3, 3, NONE));
    }

    @Test
    void shouldVoteOnce() {
        final Agreement agreement = voted(1, 3, 1);
        assertTrue(agreement.hasVoted());
        assertThrows(IllegalStateException.class, () -> agreement.vote(vote(1)));
    }
}
