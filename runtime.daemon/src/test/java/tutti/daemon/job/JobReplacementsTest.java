package tutti.daemon.job;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.control.TestNode;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.part.ScriptedHost;
import tutti.runtime.job.Replacement;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.process.owner.RankOutcome;

/**
 * Tests of a job with spare ranks: ranks 0, 1 and 2 on the nodes a, b and c, which are real daemons, and spare ranks 3 and 4 on the nodes s1 and s2,
 * which the test plays. Coordinated by a.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class JobReplacementsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RankOutcome BOOM = new RankOutcome(RankOutcome.Kind.FAILED, 1, "java.lang.Error: boom\n\tat Main.main(Main.java:3)");
    private static final ReplacementRequest FIRST = new ReplacementRequest(77, List.of(0, 1, 2), List.of(2));

    @TempDir
    private Path dir;
    private final Map<String, TestNode> nodes = new LinkedHashMap<>();
    private final Map<String, ScriptedHost> hosts = new LinkedHashMap<>();
    private final List<SpareNode> spares = new ArrayList<>();
    /** Parts in the order of the job's nodes. */
    private final List<ScriptedHost.Job> jobs = new ArrayList<>();
    private LaunchClient client;

    @BeforeEach
    void start() throws IOException {
        for (final String name : List.of("a", "b", "c")) {
            hosts.put(name, new ScriptedHost());
            nodes.put(name, new TestNode(name, Files.createDirectories(dir.resolve(name)), hosts.get(name)));
            if (!name.equals("a")) {
                nodes.get(name).join(nodes.get("a"));
            }
        }
        client = new LaunchClient(nodes.get("a").address());
    }

    @AfterEach
    void stop() {
        client.close();
        spares.forEach(SpareNode::close);
        nodes.values().forEach(TestNode::close);
    }

    /** Launches a job with spare ranks, and waits until its parts are prepared. */
    private void prepared(final int count, final Map<String, String> parameters) throws Exception {
        for (int s = 1; s <= count; s++) {
            spares.add(new SpareNode("s" + s, nodes.get("a")));
        }
        // so that nobody measures the links of the nodes that are played
        final Map<String, String> all = new LinkedHashMap<>(Map.of("coll.link", "fast", "on.loss.spares", Integer.toString(count)));
        all.putAll(parameters);
        client.launch(LaunchClient.request(3, 0, all, true));
        for (final ScriptedHost host : hosts.values()) {
            jobs.add(host.next());
        }
        for (final SpareNode spare : spares) {
            jobs.add(spare.host().next());
        }
    }

    /** Launches a job with spare ranks, and waits until its ranks run. */
    private void launched(final int count) throws Exception {
        prepared(count, Map.of("on.loss", "report"));
        jobs.forEach(j -> j.connected().complete(null));
        for (final ScriptedHost.Job job : jobs.subList(0, 3)) {
            job.awaitStart();
        }
    }

    private static <T> T get(final CompletionStage<T> call) throws Exception {
        return call.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** Asks for spare ranks as the ranks on a node do. */
    private CompletionStage<List<Integer>> replace(final int node, final ReplacementRequest request) {
        return jobs.get(node).services().ranks().replace(request);
    }

    /** Returns the next line that the user is told on error output. */
    private String nextLine() throws InterruptedException {
        final OutputPiece p = client.client().nextOutput();
        assertEquals(OutputPiece.Kind.ERROR, p.kind());
        return new String(p.bytes(), StandardCharsets.UTF_8);
    }

    /** Ends a rank by a failure, of which the user is told. */
    private void fail(final int rank, final int left) throws InterruptedException {
        jobs.get(rank).end(rank, BOOM);
        final String node = jobs.get(rank).spec().nodes().get(rank);
        assertEquals("tutti: rank " + rank + " on node " + node + " failed: java.lang.Error: boom: the job goes on with " + left
            + (left == 1 ? " rank\n" : " ranks\n"), nextLine());
    }

    /** Lets the ranks on some nodes return, and checks that the job has ended well and told the user nothing more. */
    private void endsWell(final int... ofNodes) throws Exception {
        for (final int node : ofNodes) {
            jobs.get(node).endWell();
        }
        assertEquals(new JobEnd(0, ""), client.end());
        assertTrue(client.client().isEmpty());
        for (final TestNode node : nodes.values()) {
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> node.left().isEmpty());
        }
    }

    @Test
    void shouldPrepareAndConnectASpareRankAndStartItOnlyInThePlaceOfAnother() throws Exception {
        prepared(1, Map.of("on.loss", "report"));
        for (final ScriptedHost.Job job : jobs) {
            assertEquals(List.of("a", "b", "c", "s1/0"), job.spec().nodes().subList(0, 4));
            assertEquals(JobReplacements.LATER, job.spec().nodes().subList(4, job.spec().nodes().size()));
            assertEquals(IntStream.range(0, job.spec().nodes().size()).boxed().toList(), job.spec().nodeOfRank());
            assertEquals(3, job.spec().worldSize());
        }
        jobs.subList(0, 3).forEach(j -> j.connected().complete(null));
        await().atMost(PATIENCE).until(jobs.get(3)::isAskedToConnect);
        assertTrue(jobs.stream().noneMatch(ScriptedHost.Job::isStarted));
        jobs.get(3).connected().complete(null);
        for (final ScriptedHost.Job job : jobs.subList(0, 3)) {
            job.awaitStart();
        }
        assertEquals(List.of(0, 1, 2), get(client.client().placement()).nodeOfRank());
        assertEquals(List.of("a", "b", "c"), get(client.client().placement()).nodes());

        nodes.get("c").closeLinks();
        final String line = nextLine();
        assertTrue(line.matches("tutti: node c was lost: .*: rank 2 has failed, the job goes on with 2 ranks\n"), line);
        assertTrue(jobs.get(3).nextLoss().startsWith("[2]: node c was lost: "));
        assertFalse(jobs.get(3).place().isDone());
        assertEquals(List.of(3), get(replace(1, FIRST)));
        assertEquals(new Replacement(3, 2, 1, 77, List.of(0, 1, 3), "s1/0"), get(jobs.get(3).place()));
        assertEquals(Set.of(0, 1), get(spares.get(0).linked()));
        assertEquals("tutti: rank 3 takes the place of rank 2\n", nextLine());
        assertEquals(List.of(3), get(replace(0, FIRST)));
        assertEquals(List.of(3), get(replace(1, FIRST)));
        assertFalse(jobs.get(3).isStarted());
        endsWell(0, 1, 3);
        assertFalse(jobs.get(3).cancelled().isDone());
    }

    @Test
    void shouldWaitForARankThatHasTakenAPlace() throws Exception {
        launched(1);
        fail(2, 2);
        assertEquals(List.of(3), get(replace(0, FIRST)));
        assertEquals("tutti: rank 3 takes the place of rank 2\n", nextLine());
        jobs.get(1).endWell();
        jobs.get(0).endWell();
        get(jobs.get(3).place());
        jobs.get(3).end(3, BOOM);
        final String line = nextLine();
        assertTrue(line.startsWith("tutti: rank 3 on node s1/0 failed: java.lang.Error: boom"), line);
        endsWell();
        assertTrue(jobs.stream().noneMatch(j -> j.cancelled().isDone()));
    }

    @Test
    void shouldCountTheGoodEndOfARankThatHasTakenAPlace() throws Exception {
        launched(1);
        fail(2, 2);
        get(replace(0, FIRST));
        nextLine();
        fail(0, 2);
        fail(1, 1);
        assertTrue(jobs.stream().noneMatch(j -> j.cancelled().isDone()));
        endsWell(3);
    }

    @Test
    void shouldTellOfTheFailureOfARankThatHasTakenAPlace() throws Exception {
        launched(1);
        fail(2, 2);
        get(replace(0, FIRST));
        nextLine();
        jobs.get(3).end(3, BOOM);
        assertEquals("tutti: rank 3 on node s1/0 failed: java.lang.Error: boom: the job goes on with 2 ranks\n", nextLine());
        for (final ScriptedHost.Job part : jobs.subList(0, 2)) {
            assertTrue(part.nextLoss().startsWith("[2]: "));
            assertEquals("[3]: rank 3 on node s1/0 failed: java.lang.Error: boom", part.nextLoss());
        }
        endsWell(0, 1);
    }

    @Test
    void shouldTellOfTheLossOfTheNodeOfARankThatHasTakenAPlace() throws Exception {
        launched(1);
        fail(2, 2);
        get(replace(1, FIRST));
        nextLine();
        spares.get(0).closeLinks();
        final String line = nextLine();
        assertTrue(line.matches("tutti: node s1/0 was lost: .*: rank 3 has failed, the job goes on with 2 ranks\n"), line);
        endsWell(0, 1);
    }

    @Test
    void shouldEndAJobWhoseRanksAllFailThoughOneHasTakenAPlace() throws Exception {
        launched(1);
        fail(2, 2);
        get(replace(0, FIRST));
        nextLine();
        fail(0, 2);
        fail(1, 1);
        jobs.get(3).end(3, new RankOutcome(RankOutcome.Kind.EXITED, 5, ""));
        assertEquals("tutti: rank 3 on node s1/0 called System.exit: status=5\n", nextLine());
        assertEquals(new JobEnd(1, "rank 2 on node c failed: " + BOOM.text()), client.end());
    }

    @Test
    void shouldEndAJobByTheAbortOfARankThatHasTakenAPlace() throws Exception {
        launched(1);
        fail(2, 2);
        get(replace(0, FIRST));
        nextLine();
        jobs.get(3).end(3, new RankOutcome(RankOutcome.Kind.ABORTED, 9, ""));
        assertEquals(new JobEnd(9, "rank 3 on node s1/0 called abort: status=9"), client.end());
        get(jobs.get(0).cancelled());
        get(jobs.get(1).cancelled());
    }

    @Test
    void shouldNotEndFinalizeBeforeARankThatHasTakenAPlaceIsThereOrHasEnded() throws Exception {
        launched(1);
        final CompletionStage<Void> first = jobs.get(0).services().ranks().inFinalize(0);
        fail(2, 2);
        assertEquals(List.of(3), get(replace(1, FIRST)));
        assertEquals("tutti: rank 3 takes the place of rank 2\n", nextLine());
        final CompletionStage<Void> second = jobs.get(1).services().ranks().inFinalize(1);
        // answered after what was asked before
        assertEquals(List.of(3), get(replace(1, FIRST)));
        assertFalse(first.toCompletableFuture().isDone() || second.toCompletableFuture().isDone());
        jobs.get(3).endWell();
        get(first);
        get(second);
        endsWell(0, 1);
    }

    @Test
    void shouldEndFinalizeWhenTheOtherRanksHaveFailed() throws Exception {
        launched(1);
        final CompletionStage<Void> first = jobs.get(0).services().ranks().inFinalize(0);
        final CompletionStage<Void> second = jobs.get(1).services().ranks().inFinalize(1);
        fail(2, 2);
        get(first);
        get(second);
        endsWell(0, 1);
    }

    @Test
    void shouldCountARankAsFailedThatCannotTakeItsPlace() throws Exception {
        launched(2);
        spares.get(0).failToLink("no link to node a");
        fail(2, 2);
        assertEquals(List.of(3), get(replace(0, FIRST)));
        assertEquals("tutti: rank 3 takes the place of rank 2\n", nextLine());
        assertEquals("tutti: node s1/0: no link to node a: rank 3 has failed, the job goes on with 2 ranks\n", nextLine());
        assertEquals("node s1/0: no link to node a", get(jobs.get(3).cancelled()));
        assertEquals(List.of(4), get(replace(1, new ReplacementRequest(78, List.of(0, 1, 2), List.of(2)))));
        assertEquals(new Replacement(4, 2, 2, 78, List.of(0, 1, 4), "s2/0"), get(jobs.get(4).place()));
        assertEquals("tutti: rank 4 takes the place of rank 2\n", nextLine());
        endsWell(0, 1, 4);
    }

    @Test
    void shouldReplaceTheSameRankAgain() throws Exception {
        launched(2);
        nodes.get("c").closeLinks();
        nextLine();
        assertEquals(List.of(3), get(replace(0, FIRST)));
        assertEquals("tutti: rank 3 takes the place of rank 2\n", nextLine());
        get(jobs.get(3).place());
        spares.get(0).closeLinks();
        nextLine();
        final ReplacementRequest second = new ReplacementRequest(78, List.of(0, 1, 3), List.of(3));
        assertEquals(List.of(4), get(replace(1, second)));
        assertEquals(new Replacement(4, 2, 2, 78, List.of(0, 1, 4), "s2/0"), get(jobs.get(4).place()));
        assertEquals(Set.of(0, 1), get(spares.get(1).linked()));
        assertEquals("tutti: rank 4 takes the place of rank 2\n", nextLine());
        assertEquals(List.of(3), get(replace(1, FIRST)));
        assertEquals(List.of(4), get(replace(0, second)));
        endsWell(0, 1, 4);
    }

    @Test
    void shouldReplaceTwoRanksAtOnceOfWhichTheLaterLinksToTheEarlier() throws Exception {
        launched(2);
        nodes.get("b").closeLinks();
        nextLine();
        nodes.get("c").closeLinks();
        nextLine();
        assertEquals(List.of(3, 4), get(replace(0, new ReplacementRequest(77, List.of(2, 0, 1), List.of(1, 2)))));
        final List<Integer> members = List.of(3, 0, 4);
        assertEquals(new Replacement(3, 2, 1, 77, members, "s1/0"), get(jobs.get(3).place()));
        assertEquals(new Replacement(4, 1, 1, 77, members, "s2/0"), get(jobs.get(4).place()));
        assertEquals(Set.of(0), get(spares.get(0).linked()));
        assertEquals(Set.of(0, 3), get(spares.get(1).linked()));
        assertEquals("tutti: ranks 3 and 4 take the places of ranks 2 and 1\n", nextLine());
        endsWell(0, 3, 4);
    }

    @Test
    void shouldPrepareAFurtherRankOnANodeThatHasJoinedLaterWhereThereIsNoSpareOne() throws Exception {
        launched(0);
        spares.add(new SpareNode("s1", nodes.get("a")));
        fail(2, 2);
        assertEquals(List.of(3), get(replace(0, FIRST)));
        assertEquals("tutti: rank 3 takes the place of rank 2\n", nextLine());
        jobs.add(spares.getFirst().host().next());
        final ScriptedHost.Job further = jobs.get(3);
        assertEquals("later-1/0", further.spec().nodes().get(further.spec().self()));
        assertEquals(jobs.getFirst().spec().nodes(), further.spec().nodes());
        assertFalse(further.place().isDone());
        further.connected().complete(null);
        assertEquals(new Replacement(3, 2, 1, 77, List.of(0, 1, 3), "s1/3"), get(further.place()));
        assertEquals(Set.of(0, 1), get(spares.getFirst().linked()));
        assertEquals(List.of(3), get(replace(1, FIRST)));
        assertEquals(Map.of(2, 3), nodes.get("a").service().reports().getFirst().jobs().getFirst().replaced());
        endsWell(0, 1, 3);
    }

    @Test
    void shouldPrepareFurtherRanksForPlacesForWhichThereIsNoSpareOne() throws Exception {
        launched(1);
        spares.add(new SpareNode("s2", nodes.get("a")));
        fail(1, 2);
        fail(2, 1);
        assertEquals(List.of(3, 4), get(replace(0, new ReplacementRequest(77, List.of(0, 1, 2), List.of(1, 2)))));
        assertEquals("tutti: ranks 3 and 4 take the places of ranks 1 and 2\n", nextLine());
        get(jobs.get(3).place());
        jobs.add(spares.get(1).host().next());
        jobs.get(4).connected().complete(null);
        assertEquals(new Replacement(4, 2, 1, 77, List.of(0, 3, 4), "s2/4"), get(jobs.get(4).place()));
        assertEquals(Set.of(0, 3), get(spares.get(1).linked()));
        endsWell(0, 3, 4);
    }

    @Test
    void shouldRefuseToReplaceRanksThatTheJobDoesNotHave() throws Exception {
        launched(1);
        final String text = LaunchClient.refusal(replace(1, new ReplacementRequest(77, List.of(0, 1, 9), List.of(9)))).getMessage();
        assertTrue(text.contains("no ranks of job "), text);
        assertFalse(jobs.get(3).place().isDone());
        endsWell(0, 1, 2);
    }

    @Test
    void shouldEndSpareRanksThatHaveTakenNoPlaceWithTheJob() throws Exception {
        launched(2);
        endsWell(0, 1, 2);
        for (final ScriptedHost.Job spare : jobs.subList(3, 5)) {
            assertEquals("the job has ended", get(spare.cancelled()));
            get(spare.ended());
            assertFalse(spare.isStarted() || spare.place().isDone());
        }
    }

    @Test
    void shouldTellNothingOfTheLossOfASpareRankAndNotGiveItThen() throws Exception {
        launched(2);
        spares.get(0).closeLinks();
        // which it learns in the same way, but later
        nodes.get("c").closeLinks();
        final String line = nextLine();
        assertTrue(line.startsWith("tutti: node c was lost: "), line);
        await().atMost(PATIENCE).until(() -> nodes.get("a").service().reports().stream().noneMatch(r -> r.node().name().equals("s1")));
        assertEquals(List.of(4), get(replace(0, FIRST)));
        assertEquals(new Replacement(4, 2, 1, 77, List.of(0, 1, 4), "s2/0"), get(jobs.get(4).place()));
        assertEquals("tutti: rank 4 takes the place of rank 2\n", nextLine());
        assertFalse(jobs.get(3).place().isDone());
        endsWell(0, 1, 4);
    }

    @Test
    void shouldRefuseSpareRanksInAJobThatEndsWhenRanksFail() throws Exception {
        prepared(1, Map.of());
        assertEquals(new JobEnd(2, "spare ranks are for a job that goes on when ranks fail: give --on-loss=report, too, or no --spares"),
            client.end());
        for (final ScriptedHost.Job job : jobs) {
            get(job.cancelled());
            assertFalse(job.isAskedToConnect());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "-1", "1025", "99999999999", ""})
    void shouldRefuseANumberOfSpareRanksThatIsNone(final String value) throws Exception {
        prepared(0, Map.of("on.loss", "report", "on.loss.spares", value));
        assertEquals(new JobEnd(2, "bad value: on.loss.spares=" + value + ": no number from 0 to 1024"), client.end());
    }

    @Test
    void shouldNotLinkASpareRankToANodeWhoseRanksHaveFailedThoughItsPartHasNotEnded() throws Exception {
        final SpareNode d = new SpareNode("d", nodes.get("a"));
        spares.add(d);
        final SpareNode s1 = new SpareNode("s1", nodes.get("a"));
        spares.add(s1);
        final CompletableFuture<Void> hold = d.holdEnd();
        client.launch(LaunchClient.request(4, 0, Map.of("coll.link", "fast", "on.loss.spares", "1", "on.loss", "report"), false));
        for (final ScriptedHost host : hosts.values()) {
            jobs.add(host.next());
        }
        jobs.add(d.host().next());
        jobs.add(s1.host().next());
        jobs.forEach(j -> j.connected().complete(null));
        for (final ScriptedHost.Job job : jobs.subList(0, 4)) {
            job.awaitStart();
        }
        fail(3, 3);
        assertEquals(List.of(4), get(replace(0, new ReplacementRequest(77, List.of(0, 1, 2, 3), List.of(3)))));
        final Set<Integer> linked = get(s1.linked());
        hold.complete(null);
        assertEquals(Set.of(0, 1, 2), linked);
    }
}
