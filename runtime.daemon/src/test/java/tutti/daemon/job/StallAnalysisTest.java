package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.daemon.monitor.JobActivity;
import tutti.runtime.inspect.CommCalls;
import tutti.runtime.inspect.FileState;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.inspect.PendingWait.Kind;
import tutti.runtime.inspect.RankState;
import tutti.runtime.inspect.RankState.Activity;
import tutti.runtime.inspect.UnreceivedMessage;
import tutti.runtime.inspect.WindowState;

class StallAnalysisTest {
    private static final String WORLD = "MPI_COMM_WORLD";

    private static PendingWait message(final Kind kind, final int peer) {
        return new PendingWait(kind, 0, WORLD, peer, 5, -1, List.of());
    }

    private static PendingWait collective(final long number, final Integer... members) {
        return new PendingWait(Kind.COLLECTIVE, 0, WORLD, PendingWait.ANY, PendingWait.ANY, number, List.of(members));
    }

    /** Returns a rank that waits for one of these, with a number of collectives begun. */
    private static RankState waits(final int rank, final long calls, final PendingWait... any) {
        return new RankState(rank, Activity.WAITING, any[0].kind() == Kind.COLLECTIVE ? "barrier" : "recv", "App.main(App.java:" + rank + ")", 12_500,
            List.of(any), List.of(), List.of(new CommCalls(0, calls, calls, Map.of())));
    }

    private static RankState is(final int rank, final Activity activity) {
        return new RankState(rank, activity, null, null, 0, List.of(), List.of(), List.of());
    }

    private static StallAnalysis of(final int size, final RankState... states) {
        return new StallAnalysis(size, List.of(states), rank -> rank == 0 ? "a" : "b");
    }

    @Test
    void shouldFindTwoRanksThatReceiveFromEachOther() {
        final StallAnalysis found = of(2, waits(0, 0, message(Kind.RECEIVE, 1)), waits(1, 0, message(Kind.RECEIVE, 0)));
        assertEquals(Set.of(0, 1), found.stuck());
        assertEquals("""
            rank 0 on node a waits in recv for a message of rank 1, tag 5, MPI_COMM_WORLD, at App.main(App.java:0), for 12 s
            rank 1 on node b waits in recv for a message of rank 0, tag 5, MPI_COMM_WORLD, at App.main(App.java:1), for 12 s
            cycle: 0 -> 1 -> 0""", found.report());
    }

    @Test
    void shouldTellProgramsWhatRanksDoThoseThatCannotGoOnFirst() {
        final JobActivity found = of(4, is(0, Activity.COMPUTING), waits(1, 0, message(Kind.RECEIVE, 2)),
            new RankState(2, Activity.WAITING, "send", null, 7, List.of(message(Kind.SEND, 1)), List.of(new UnreceivedMessage(WORLD, 0, 3, 8)),
                List.of()))
            .ranks();
        assertEquals(List.of(4, List.of(1, 2), List.of(1, 2, 1)), List.of(found.size(), found.stuck(), found.cycle()));
        assertEquals(List.of(
            new JobActivity.RankActivity(1, "b", "waiting", "recv", "App.main(App.java:1)", 12_500,
                List.of(new JobActivity.RankWait("a message of rank 2, tag 5, MPI_COMM_WORLD", List.of(2))), List.of()),
            new JobActivity.RankActivity(2, "b", "waiting", "send", null, 7,
                List.of(new JobActivity.RankWait("rank 1 to receive, tag 5, MPI_COMM_WORLD", List.of(1))),
                List.of("8 bytes of rank 0, tag 3, MPI_COMM_WORLD")),
            new JobActivity.RankActivity(0, "a", "computing", null, null, 0, List.of(), List.of()),
            new JobActivity.RankActivity(3, "b", "unknown", null, null, 0, List.of(), List.of())), found.ranks());
        assertTrue(found.text().endsWith("cycle: 1 -> 2 -> 1\nrank 2 has not received: 8 bytes of rank 0, tag 3, MPI_COMM_WORLD"), found.text());
    }

    @Test
    void shouldNotBlameRanksThatWaitForOneThatComputes() {
        assertEquals(Set.of(), of(2, waits(0, 0, message(Kind.RECEIVE, 1)), is(1, Activity.COMPUTING)).stuck());
        assertEquals(Set.of(), of(2, waits(0, 0, message(Kind.RECEIVE, 1)), is(1, Activity.STARTING)).stuck());
        assertEquals(Set.of(), of(3, waits(0, 1, collective(0)), waits(1, 1, collective(0)), is(2, Activity.COMPUTING)).stuck());
    }

    @Test
    void shouldFindARankThatReceivesFromOneThatHasEnded() {
        final StallAnalysis found = of(2, waits(0, 0, message(Kind.RECEIVE, 1)), is(1, Activity.FINALIZED));
        assertEquals(Set.of(0), found.stuck());
        assertTrue(found.report().contains("rank 1 on node b has called MPI.Finalize"), found.report());
        assertEquals(Set.of(0), of(2, waits(0, 0, message(Kind.SEND, 1)), is(1, Activity.ENDED)).stuck());
    }

    private static StallAnalysis of(final int size, final List<Integer> failed, final RankState... states) {
        return new StallAnalysis(size, List.of(), List.of(states), failed, rank -> rank == 0 ? "a" : "b");
    }

    @Test
    void shouldLetRanksGoOnThatWaitForOneThatHasFailedAndSaySo() {
        final StallAnalysis found = of(4, List.of(2), waits(0, 0, message(Kind.RECEIVE, 2)), waits(1, 1, collective(0)), is(2, Activity.ENDED),
            is(3, Activity.COMPUTING));
        assertEquals(Set.of(), found.stuck());
        assertEquals("""
            rank 0 on node a waits in recv for a message of rank 2 (rank 2 has failed), tag 5, MPI_COMM_WORLD, at App.main(App.java:0), for 12 s
            rank 1 on node b waits in barrier for ranks 0, 2, 3 (rank 2 has failed), MPI_COMM_WORLD, at App.main(App.java:1), for 12 s
            rank 2 on node b has failed
            rank 3 on node b computes""", found.report());
        assertTrue(of(2, List.of(1), is(0, Activity.COMPUTING)).report().endsWith("rank 1 on node b has failed"));
    }

    @Test
    void shouldNotLetARankGoOnThatTakesAMessageOfAnyRankWhenTheOthersHaveFailedOrAreStuck() {
        assertEquals(Set.of(0), of(2, List.of(1), waits(0, 0, message(Kind.RECEIVE, PendingWait.ANY)), is(1, Activity.ENDED)).stuck());
        assertEquals(Set.of(0, 1), of(3, List.of(2), waits(0, 0, message(Kind.RECEIVE, 1)), waits(1, 0, message(Kind.RECEIVE, 0)),
            is(2, Activity.ENDED)).stuck());
    }

    @Test
    void shouldLetARankGoOnThatTakesAMessageOfAnyRank() {
        assertEquals(Set.of(), of(3, waits(0, 0, message(Kind.RECEIVE, PendingWait.ANY)), waits(1, 0, message(Kind.RECEIVE, 0)),
            is(2, Activity.COMPUTING)).stuck());
        assertEquals(Set.of(0, 1, 2), of(3, waits(0, 0, message(Kind.RECEIVE, PendingWait.ANY)), waits(1, 0, message(Kind.RECEIVE, 0)),
            waits(2, 0, message(Kind.RECEIVE, 0))).stuck());
    }

    @Test
    void shouldLetARankGoOnThatWaitsForOneOfSeveralOperations() {
        assertEquals(Set.of(), of(3, waits(0, 0, message(Kind.RECEIVE, 1), message(Kind.RECEIVE, 2)), waits(1, 0, message(Kind.RECEIVE, 0)),
            is(2, Activity.COMPUTING)).stuck());
    }

    private static PendingWait windowLock(final int target) {
        return new PendingWait(Kind.WINDOW_LOCK, 64, "halo", target, PendingWait.ANY, -1, List.of());
    }

    private static RankState waits(final int rank, final PendingWait wait, final WindowState window) {
        return new RankState(rank, Activity.WAITING, "lock", null, 12_500, List.of(wait), List.of(), List.of(), List.of(window), List.of());
    }

    private static WindowState locked(final String epoch, final Integer... holders) {
        return new WindowState(64, "halo", epoch, List.of(holders), true, List.of());
    }

    @Test
    void shouldFindRanksThatWaitForLocksOfEachOther() {
        final StallAnalysis found = of(3, waits(0, windowLock(1), locked("lock {0}", 0)), waits(1, windowLock(0), locked("lock {1}", 1)),
            is(2, Activity.COMPUTING));
        assertEquals(Set.of(0, 1), found.stuck());
        assertTrue(
            found.report().startsWith("rank 0 on node a waits in lock for a lock on the memory of rank 1, halo, which is held by rank 1, for 12 s"),
            found.report());
        assertTrue(found.report().contains("\ncycle: 0 -> 1 -> 0\n"), found.report());
        assertTrue(found.report().contains("\nrank 1 has windows: halo: epoch=lock {1}, its memory is locked by rank 1 alone"), found.report());
        assertEquals(List.of("halo: epoch=lock {0}, its memory is locked by rank 0 alone"), found.ranks().ranks().getFirst().windows());
    }

    @Test
    void shouldTellWhichFilesAreOpen() {
        final List<FileState> open = List.of(new FileState("/data", "CREATE|RDWR", 20, 4, true, List.of("writeAllBegin", "iReadAt")),
            new FileState("/tape", "RDONLY|SEQUENTIAL", FileState.NO_POINTER, 1, false, List.of()));
        final StallAnalysis found = of(2, is(0, Activity.COMPUTING),
            new RankState(1, Activity.COMPUTING, null, null, 0, List.of(), List.of(), List.of(), List.of(), open));
        final List<String> texts = List.of("/data: mode=CREATE|RDWR, pointer=20, etype bytes=4, atomic, pending: writeAllBegin iReadAt",
            "/tape: mode=RDONLY|SEQUENTIAL");
        assertEquals(List.of(List.of(), texts), found.ranks().ranks().stream().map(JobActivity.RankActivity::files).toList());
        assertTrue(found.report().endsWith("\nrank 1 has files: " + String.join("; ", texts)), found.report());
    }

    @Test
    void shouldLetARankGoOnThatWaitsForALockWhoseHolderComputesOrIsNotKnown() {
        final RankState waiting = waits(0, windowLock(1), locked("none"));
        assertEquals(Set.of(), of(3, waiting, waits(1, message(Kind.RECEIVE, 0), locked("none", 2)), is(2, Activity.COMPUTING)).stuck());
        assertEquals(Set.of(), of(2, waiting, waits(1, message(Kind.RECEIVE, 0), locked("none"))).stuck());
        assertEquals(Set.of(0, 1, 2), of(3, waiting, waits(1, message(Kind.RECEIVE, 0), locked("none", 2)), waits(2, 0, message(Kind.RECEIVE, 0)))
            .stuck());
    }

    @Test
    void shouldNameTheRankThatMissesACollective() {
        final StallAnalysis found = of(3, waits(0, 4, collective(3)), waits(1, 3, message(Kind.RECEIVE, 0)), waits(2, 4, collective(3)));
        assertEquals(Set.of(0, 1, 2), found.stuck());
        assertTrue(found.report().startsWith("rank 0 on node a waits in barrier for rank 1, MPI_COMM_WORLD"), found.report());
        assertTrue(found.report().endsWith("cycle: 0 -> 1 -> 0"), found.report());
    }

    @Test
    void shouldNameTheRankThatFinalizesInPlaceOfACollective() {
        final PendingWait finalize = new PendingWait(Kind.FINALIZE, 0, WORLD, PendingWait.ANY, PendingWait.ANY, -1, List.of());
        final StallAnalysis found = of(3, waits(0, 4, collective(3)), waits(1, 3, finalize), waits(2, 4, collective(3)));
        assertEquals(Set.of(0, 1, 2), found.stuck());
        assertTrue(found.report().contains("for ranks 0, 2, MPI_COMM_WORLD"), found.report());
        assertEquals(Set.of(), of(2, waits(0, 1, finalize), is(1, Activity.COMPUTING)).stuck());
        assertEquals(Set.of(), of(2, waits(0, 1, finalize), is(1, Activity.FINALIZED)).stuck());
    }

    @Test
    void shouldNameTheRankInThePlaceOfAFailedOneThatFinalizeWaitsFor() {
        final PendingWait finalize = new PendingWait(Kind.FINALIZE, 0, WORLD, PendingWait.ANY, PendingWait.ANY, -1, List.of());
        final StallAnalysis found = new StallAnalysis(2, List.of(2), List.of(waits(0, 0, finalize), waits(2, 0, message(Kind.RECEIVE, 0))),
            List.of(1), rank -> "a");
        assertEquals(Set.of(0, 2), found.stuck());
        assertTrue(found.report().contains("rank 0 on node a waits in recv for ranks 1, 2 (rank 1 has failed), " + WORLD), found.report());
        assertEquals(Set.of(), new StallAnalysis(2, List.of(2), List.of(waits(0, 0, finalize), is(2, Activity.COMPUTING)), List.of(1),
            rank -> "a").stuck());
    }

    @Test
    void shouldNotBlameACollectiveThatAllRanksHaveBegun() {
        assertEquals(Set.of(), of(2, waits(0, 4, collective(3)), waits(1, 4, collective(3))).stuck());
    }

    /** Rank 0 creates a communicator of a kind with rank 1, which waits in a barrier for it. */
    @ParameterizedTest
    @EnumSource(value = Kind.class, names = {"CREATION", "GROUP_CREATION", "CHECKPOINT", "LEADER", "DISCONNECT"})
    void shouldFindARankThatCreatesACommunicatorWhileAnotherIsInACollective(final Kind kind) {
        final PendingWait creation = new PendingWait(kind, 0, WORLD, kind == Kind.LEADER ? 1 : PendingWait.ANY, PendingWait.ANY, 4, List.of());
        final StallAnalysis found = of(3, waits(0, 4, creation), waits(1, 4, collective(4)), waits(2, 4, collective(4)));
        assertEquals(Set.of(0, 1, 2), found.stuck());
        assertTrue(found.report().endsWith("cycle: 0 -> 1 -> 0"), found.report());
        assertEquals(Set.of(), of(2, waits(0, 4, creation), is(1, Activity.COMPUTING)).stuck());
    }

    @Test
    void shouldTellInWhichOperationARankCreatesACommunicator() {
        final PendingWait creation = new PendingWait(Kind.CREATION, 0, WORLD, PendingWait.ANY, PendingWait.ANY, 4, List.of());
        assertEquals("""
            rank 0 on node a waits in recv for rank 1 to create a communicator, MPI_COMM_WORLD, at App.main(App.java:0), for 12 s
            rank 1 on node b waits in barrier for rank 0, MPI_COMM_WORLD, at App.main(App.java:1), for 12 s
            cycle: 0 -> 1 -> 0""", of(2, waits(0, 4, creation), waits(1, 4, collective(4))).report());
    }

    @Test
    void shouldNotBlameACreationThatAllRanksHaveBegun() {
        final PendingWait creation = new PendingWait(Kind.CREATION, 0, WORLD, PendingWait.ANY, PendingWait.ANY, 4, List.of());
        assertEquals(Set.of(), of(2, waits(0, 5, creation), waits(1, 5, creation)).stuck());
        final PendingWait group = new PendingWait(Kind.GROUP_CREATION, 0, WORLD, PendingWait.ANY, PendingWait.ANY, 7, List.of(1, 0));
        assertEquals(Set.of(), of(2, waits(0, 0, group), waits(1, 0, group)).stuck());
    }

    @Test
    void shouldFindARankThatHasNotStartedAPreparedCollective() {
        final PendingWait start = new PendingWait(Kind.PERSISTENT, 0, WORLD, PendingWait.ANY, 2, 3, List.of());
        for (final long starts : List.of(2L, 3L)) {
            final RankState other = new RankState(1, Activity.WAITING, "recv", null, 1, List.of(message(Kind.RECEIVE, 0)), List.of(),
                List.of(new CommCalls(0, 4, 0, Map.of(3L, starts))));
            assertEquals(starts == 2 ? Set.of(0, 1) : Set.of(), of(2, waits(0, 4, start), other).stuck());
        }
    }

    @Test
    void shouldNotBlameRanksWhoseMessageIsOnItsWay() {
        assertEquals(Set.of(), of(2, waits(0, 0, message(Kind.TRANSFER, 1)), waits(1, 0, message(Kind.TRANSFER, 0))).stuck());
    }

    @Test
    void shouldFindARankThatDisconnectsACommunicatorOfItsOwnWithAMessageThatNobodySends() {
        assertEquals(Set.of(0), of(2, waits(0, 0, new PendingWait(Kind.DISCONNECT, 16, "own", PendingWait.ANY, PendingWait.ANY, -1, List.of(0))),
            is(1, Activity.COMPUTING)).stuck());
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, mode = EnumSource.Mode.EXCLUDE, names = "LOCK")
    void shouldHaveWordsForEveryWait(final Kind kind) {
        final String report = of(1, waits(0, 0, new PendingWait(kind, 0, "", PendingWait.ELSEWHERE, PendingWait.ANY, 0,
            List.of(PendingWait.UNKNOWN)))).report();
        assertTrue(report.matches("rank 0 on node a waits in \\w+ for (a |an |the |its |ranks |another |modules |operations |messages |spawned ).*"),
            report);
        assertFalse(report.contains("of another kind"), report);
    }

    @Test
    void shouldSayWhoHoldsTheLockThatARankIsBlockedOn() {
        final StallAnalysis found = of(2, waits(0, 0, message(Kind.RECEIVE, 1)), waits(1, 0, lock(0)));
        assertEquals(Set.of(0, 1), found.stuck());
        assertEquals("""
            rank 0 on node a waits in recv for a message of rank 1, tag 5, MPI_COMM_WORLD, at App.main(App.java:0), for 12 s
            rank 1 on node b is blocked on java.lang.String@1 held by rank 0, at App.main(App.java:1)
            cycle: 0 -> 1 -> 0""", found.report());
        final StallAnalysis other = of(2, waits(0, 0, message(Kind.RECEIVE, 1)), waits(1, 0, lock(PendingWait.UNKNOWN)));
        assertEquals(Set.of(), other.stuck());
        assertTrue(other.report().contains("rank 1 on node b is blocked on java.lang.String@1 held by another thread of its JVM, at"),
            other.report());
    }

    private static PendingWait lock(final int holder) {
        return new PendingWait(Kind.LOCK, 0, "java.lang.String@1", holder, PendingWait.ANY, -1, List.of());
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, names = {"ACCEPT", "CONNECT", "ANSWER", "SPAWN"})
    void shouldSayThatRanksWaitForAnotherJob(final Kind kind) {
        final PendingWait creation = new PendingWait(Kind.CREATION, 0, WORLD, PendingWait.ANY, PendingWait.ANY, 4, List.of());
        final StallAnalysis found = of(2, waits(0, 4, new PendingWait(kind, -16, "", PendingWait.ANY, PendingWait.ANY, -1, List.of())),
            waits(1, 5, creation));
        assertEquals(Set.of(), found.stuck());
        assertTrue(found.waitsForOtherJob());
    }

    @Test
    void shouldSayThatRanksWaitForMessagesOfAnotherJobAndForNoneWhereTheyWaitForEachOther() {
        assertTrue(of(1, waits(0, 0, message(Kind.RECEIVE, PendingWait.ELSEWHERE))).waitsForOtherJob());
        assertTrue(of(2, waits(0, 1, collective(0, 1, PendingWait.ELSEWHERE)), waits(1, 1, collective(0, 0, PendingWait.ELSEWHERE)))
            .waitsForOtherJob());
        assertFalse(of(2, waits(0, 0, message(Kind.RECEIVE, 1)), waits(1, 0, message(Kind.GENERALIZED, PendingWait.ANY))).waitsForOtherJob());
    }

    @Test
    void shouldNotBlameRanksThatWaitForAnotherJobOrForTheProgram() {
        assertEquals(Set.of(), of(1, waits(0, 0, message(Kind.RECEIVE, PendingWait.ELSEWHERE))).stuck());
        assertEquals(Set.of(), of(2, waits(0, 0, message(Kind.GENERALIZED, PendingWait.ANY)), waits(1, 0, message(Kind.RECEIVE, 0))).stuck());
        assertEquals(Set.of(),
            of(2, waits(0, 1, collective(0, 1, PendingWait.ELSEWHERE)), waits(1, 1, collective(0, 0, PendingWait.ELSEWHERE))).stuck());
    }

    @Test
    void shouldNotBlameRanksThatWaitForTheRootOfASpawn() {
        assertEquals(Set.of(),
            of(3, waits(0, 0, message(Kind.SPAWN, PendingWait.ANY)), waits(1, 0, collective(0)), waits(2, 0, collective(0))).stuck());
    }

    @Test
    void shouldNotBlameRanksThatWaitForOneOfWhichNothingIsKnown() {
        final StallAnalysis found = of(2, waits(0, 0, message(Kind.RECEIVE, 1)));
        assertEquals(Set.of(), found.stuck());
        assertFalse(found.doAllWait());
        assertTrue(found.report().endsWith("rank 1 on node b: not known, its node did not answer"), found.report());
    }

    @Test
    void shouldTellMessagesThatNobodyHasReceived() {
        final RankState one = new RankState(1, Activity.WAITING, "recv", null, 0, List.of(message(Kind.RECEIVE, 0)),
            List.of(new UnreceivedMessage(WORLD, 0, 6, 8)), List.of());
        assertTrue(of(2, waits(0, 0, message(Kind.RECEIVE, 1)), one).report()
            .endsWith("rank 1 has not received: 8 bytes of rank 0, tag 6, MPI_COMM_WORLD"));
    }

    @Test
    void shouldSeeADeadlockAsTheSameWhenOnlyTimeHasPassed() {
        final RankState earlier = waits(0, 0, message(Kind.RECEIVE, 1));
        final RankState later = new RankState(0, Activity.WAITING, "recv", earlier.line(), 13_600, earlier.waits(), List.of(), earlier.comms());
        final RankState other = waits(0, 1, message(Kind.RECEIVE, 1));
        final RankState peer = is(1, Activity.ENDED);
        assertTrue(of(2, later, peer).isAs(of(2, earlier, peer)));
        assertFalse(of(2, other, peer).isAs(of(2, earlier, peer)));
    }

    @Test
    void shouldReadTimes() {
        assertEquals(10_000, StallOption.millis(Map.of()));
        assertEquals(500, StallOption.millis(Map.of("stall", "500ms")));
        assertEquals(120_000, StallOption.millis(Map.of("stall", "2m")));
        assertEquals(0, StallOption.millis(Map.of("stall", "off")));
        assertEquals("neither off nor a time such as 10s, 500ms or 2m", StallOption.problem("10"));
    }
}
