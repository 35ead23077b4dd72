package tutti.daemon.job;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.channel.BytePipe;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.control.TestNode;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.launch.RankPlacement;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.NodeReport;
import tutti.daemon.part.ScriptedHost;
import tutti.daemon.part.TestTransport;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.transport.RefusedException;

/** Tests of jobs on the nodes a, b and c, coordinated by a: real daemons over real sockets, with scripted ranks. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class JobCoordinatorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** More bytes than wait on their way from a rank to a client that does not read. */
    private static final int MUCH = 4 << 20;
    private static final RankOutcome BOOM = new RankOutcome(RankOutcome.Kind.FAILED, 1, "java.lang.Error: boom\n\tat Main.main(Main.java:3)");

    @TempDir
    private Path dir;
    private final Map<String, ScriptedHost> hosts = new HashMap<>();
    private final Map<String, TestNode> nodes = new HashMap<>();
    private final List<ScriptedHost.Job> jobs = new ArrayList<>();
    private LaunchClient client;

    @BeforeEach
    void start() throws IOException {
        for (final String name : List.of("a", "b", "c")) {
            node(name);
        }
        client = new LaunchClient(nodes.get("a").address());
    }

    private void node(final String name) throws IOException {
        hosts.put(name, new ScriptedHost());
        nodes.put(name, new TestNode(name, Files.createDirectories(dir.resolve(name)), hosts.get(name)));
        if (!name.equals("a")) {
            nodes.get(name).join(nodes.get("a"));
        }
    }

    @AfterEach
    void stop() {
        client.close();
        nodes.values().forEach(TestNode::close);
    }

    /** Waits for the parts of the launched job, in the order of the nodes. */
    private void prepared() throws InterruptedException {
        for (final String name : List.of("a", "b", "c")) {
            jobs.add(hosts.get(name).next());
        }
    }

    /** Waits for the parts and until the ranks of the job run. */
    private void running() throws InterruptedException {
        prepared();
        jobs.forEach(j -> j.connected().complete(null));
        for (final ScriptedHost.Job job : jobs) {
            job.awaitStart();
        }
    }

    private void launched() throws InterruptedException {
        client.launch(LaunchClient.request(4, 0));
        running();
    }

    private JobEnd done() throws Exception {
        return client.end();
    }

    private void cancelled(final ScriptedHost.Job... parts) throws Exception {
        for (final ScriptedHost.Job part : parts) {
            part.cancelled().get(60, TimeUnit.SECONDS);
            part.ended().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    /** Checks that no node has anything left of a job or reports one. */
    private void nothingIsLeft() {
        until(() -> nodes.get("a").service().reports().stream().map(NodeReport::jobs).allMatch(List::isEmpty));
        for (final TestNode node : nodes.values()) {
            until(() -> node.left().isEmpty());
        }
        assertTrue(hosts.values().stream().allMatch(ScriptedHost::isEmpty));
    }

    private static void until(final Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    private static RankOutcome end(final RankOutcome.Kind kind, final int status, final String text) {
        return new RankOutcome(kind, status, text);
    }

    /** Returns the nodes with the addresses of their own listeners. */
    private List<NodeEndpoints> addresses() {
        return Stream.of("a", "b", "c")
            .map(n -> new NodeEndpoints(n, List.of(Endpoint.tcp(nodes.get(n).address().host(), nodes.get(n).address().port())))).toList();
    }

    private Path jar(final int bytes) throws IOException {
        return Files.write(dir.resolve("app.jar"), new byte[bytes]);
    }

    @Test
    void shouldPrepareAllThenConnectAllThenStartAll() throws Exception {
        client.launch(LaunchClient.request(4, 0));
        prepared();
        jobs.get(0).connected().complete(null);
        jobs.get(1).connected().complete(null);
        until(() -> jobs.stream().allMatch(ScriptedHost.Job::isAskedToConnect));
        assertEquals("starting", nodes.get("b").service().reports().getFirst().jobs().getFirst().state());
        assertTrue(jobs.stream().noneMatch(ScriptedHost.Job::isStarted));
        jobs.get(2).connected().complete(null);
        for (final ScriptedHost.Job job : jobs) {
            job.awaitStart();
            assertEquals(List.of(0, 0, 1, 2), job.spec().nodeOfRank());
            assertEquals(List.of("a", "b", "c"), job.spec().nodes());
            final TestNode node = nodes.get(job.spec().nodes().get(job.spec().self()));
            assertSame(node.transport(), job.transports().get("tcp"));
            assertEquals(addresses(), job.nodes());
            assertEquals(List.of("arg"), job.spec().programOf(0).args());
            assertEquals(Map.of("k", "v"), job.agreed().parameters());
            assertArrayEquals(jobs.getFirst().spec().key(), job.spec().key());
        }
        assertEquals(List.of(0, 1, 2), jobs.stream().map(j -> j.spec().self()).toList());
        final JobInfo info = nodes.get("b").service().reports().getFirst().jobs().getFirst();
        assertEquals(List.of("running", 4, List.of("a", "b", "c"), "Main.java", "me@here", "a"),
            List.of(info.state(), info.ranks(), info.nodes(), info.program(), info.launchedBy(), info.launchedAt()));
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
        assertTrue(jobs.stream().noneMatch(j -> j.cancelled().isDone()));
        nothingIsLeft();
    }

    /** Launches a job of four ranks over a transport. */
    private void launchOver(final String scheme) throws InterruptedException {
        client.launch(LaunchClient.request(4, 0, Map.of("transport", scheme), false));
    }

    @Test
    void shouldTellAllPartsTheTransportOfTheJobAndWhereTheOthersListen() throws Exception {
        final List<TestTransport> uds = Stream.of("a", "b", "c").map(n -> new TestTransport().publish(nodes.get(n).registry(), "uds")).toList();
        launchOver("uds");
        running();
        final List<NodeEndpoints> listening = Stream.of("a", "b", "c")
            .map(n -> new NodeEndpoints(n, List.of(new Endpoint("uds", "", "127.0.0.1", 40_000)))).toList();
        for (int i = 0; i < 3; i++) {
            assertEquals(Map.of("uds", uds.get(i)), jobs.get(i).transports());
            assertEquals(listening, jobs.get(i).nodes());
            assertEquals(Map.of("transport", "uds"), jobs.get(i).agreed().parameters());
        }
        assertEquals(List.of(List.of("tcp", "uds"), List.of("tcp", "uds"), List.of("tcp", "uds")),
            nodes.get("b").service().reports().stream().map(NodeReport::transports).toList());
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "abc | ud | 2 | no such transport: transport=ud; nodes a, b, c have tcp, uds; put its bundle into the --load folder of these nodes; "
            + "did you mean uds?",
        "a   | ib | 2 | no such transport: transport=ib; nodes b, c have tcp; node a has tcp, uds; put its bundle into the --load folder of these "
            + "nodes",
        "ac  | uds | 4 | transport uds is missing on node b: node b has tcp; nodes a, c have tcp, uds; put its bundle into the --load folder of "
            + "node b, or use a transport of all nodes: transport=tcp",
        "b   | uds | 4 | transport uds is missing on nodes a, c: nodes a, c have tcp; node b has tcp, uds; put its bundle into the --load folder of "
            + "nodes a, c, or use a transport of all nodes: transport=tcp",
        "ab  | ud,tcp | 2 | no such transport: transport=ud; node c has tcp; nodes a, b have tcp, uds; put its bundle into the --load folder of "
            + "these nodes; did you mean uds?",
        "abc | '' | 2 | bad value: transport=: empty", "abc | ',' | 2 | bad value: transport=,: empty"})
    void shouldRefuseATransportThatANodeDoesNotHave(final String having, final String scheme, final int status, final String text) throws Exception {
        having.chars().forEach(n -> new TestTransport().publish(nodes.get(Character.toString(n)).registry(), "uds"));
        launchOver(scheme);
        prepared();
        assertEquals(new JobEnd(status, text), done());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        assertTrue(jobs.stream().noneMatch(ScriptedHost.Job::isAskedToConnect));
        nothingIsLeft();
    }

    @Test
    void shouldRefuseATransportThatDoesNotReachFromOneNodeToTheOther() throws Exception {
        nodes.forEach((name, n) -> new TestTransport().reaching(name.equals("c") ? "there" : "here").publish(n.registry(), "near"));
        launchOver("near");
        prepared();
        assertEquals(new JobEnd(4, "nodes a and c have no transport in common that links them: transport=near; nodes a, b, c have near, tcp; "
            + "name one that links all nodes, too: transport=near,tcp"), done());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        nothingIsLeft();
    }

    @Test
    void shouldTellAllPartsTheTransportsOfEachNodeInTheOrderOfTheJob() throws Exception {
        nodes.forEach((name, n) -> new TestTransport().reaching(name.equals("c") ? "there" : "here").publish(n.registry(), "near"));
        launchOver("near,tcp");
        running();
        final List<NodeEndpoints> told = jobs.getFirst().nodes();
        assertEquals(List.of("near", "tcp"), told.get(0).common(told.get(1)).stream().map(Endpoint::scheme).toList());
        assertEquals(List.of("tcp"), told.get(0).common(told.get(2)).stream().map(Endpoint::scheme).toList());
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void shouldEndTheJobAndNameTheNodeWhoseTransportGoesAway(final String node) throws Exception {
        final Map<String, TestTransport> uds = new HashMap<>();
        nodes.forEach((name, n) -> uds.put(name, new TestTransport().publish(n.registry(), "uds")));
        launchOver("uds");
        running();
        nodes.get(node).registry().removeTransport(uds.get(node));
        assertEquals(new JobEnd(3, "node " + node + ": transport uds was stopped while the job used it"), done());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        nothingIsLeft();
        jobs.clear();
        client.close();
        client = new LaunchClient(nodes.get("c").address());
        launched();
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
    }

    @Test
    void shouldNotConnectAnyPartWhileOneIsNotPrepared() throws Exception {
        final Runnable open = hosts.get("b").hold();
        client.launch(LaunchClient.request(4, 0));
        final ScriptedHost.Job a = hosts.get("a").next();
        final ScriptedHost.Job c = hosts.get("c").next();
        await().during(Duration.ofMillis(50)).atMost(PATIENCE).until(() -> !a.isAskedToConnect() && !c.isAskedToConnect());
        open.run();
        final ScriptedHost.Job b = hosts.get("b").next();
        until(() -> a.isAskedToConnect() && b.isAskedToConnect() && c.isAskedToConnect());
    }

    @Test
    void shouldSendTheProgramToAllNodesAndRemoveItAtTheEnd() throws Exception {
        final Path jar = jar(3 * Protocol.CHUNK + 1);
        client.launch(4, jar);
        running();
        for (final ScriptedHost.Job job : jobs) {
            assertEquals(1, job.spec().classPath().size());
            assertEquals(-1, Files.mismatch(jar, job.spec().classPath().getFirst()));
        }
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
        nothingIsLeft();
    }

    @Test
    void shouldRefuseAProgramThatArrivesDamaged() throws Exception {
        final Path jar = jar(100);
        client.launch(LaunchClient.request(4, 0, new ProgramFile("app.jar", 100, "0".repeat(64))), ProgramFiles.stream(List.of(jar)));
        final JobEnd done = done();
        assertEquals(1, done.status());
        assertTrue(done.text().contains(": program arrived damaged: file=app.jar"), done.text());
        nothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c"})
    void shouldReleaseTheOthersAndNameTheNodeWhenOnePartCannotPrepare(final String node) throws Exception {
        final Runnable fail = hosts.get(node).hold();
        hosts.get(node).failToPrepare(node.equals("c") ? new IllegalArgumentException("no space left") : new IOException("no space left"));
        client.launch(4, jar(10));
        for (final String other : List.of("a", "b", "c")) {
            if (!other.equals(node)) {
                jobs.add(hosts.get(other).next());
            }
        }
        fail.run();
        assertEquals(new JobEnd(1, "node " + node + ": no space left"), done());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        assertTrue(jobs.stream().noneMatch(ScriptedHost.Job::isStarted));
        nothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c"})
    void shouldReleaseTheOthersThatMayNotBePreparedYetWhenOnePartCannotPrepare(final String node) throws Exception {
        hosts.get(node).failToPrepare(new IOException("no space left"));
        client.launch(4, jar(10));
        assertEquals(new JobEnd(1, "node " + node + ": no space left"), done());
        for (final ScriptedHost host : hosts.values()) {
            while (!host.isEmpty()) {
                jobs.add(host.next());
            }
        }
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        assertTrue(jobs.stream().noneMatch(ScriptedHost.Job::isStarted));
        nothingIsLeft();
    }

    @ParameterizedTest
    @CsvSource({"a, 0", "c, 2"})
    void shouldReleaseAllAndNameTheNodeWhenOnePartCannotConnect(final String node, final int index) throws Exception {
        client.launch(LaunchClient.request(4, 0));
        prepared();
        jobs.get(index).connected().completeExceptionally(new IOException("node b does not answer"));
        assertEquals(new JobEnd(3, "node " + node + ": node b does not answer"), done());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        assertTrue(jobs.stream().noneMatch(ScriptedHost.Job::isStarted));
        nothingIsLeft();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "FAILED  | 1 | java.lang.Error: x | 1 | rank 2 on node b failed: java.lang.Error: x",
        "FAILED  | 0 | no status          | 1 | rank 2 on node b failed: no status",
        "EXITED  | 7 | ''                 | 7 | rank 2 on node b called System.exit: status=7",
        "ABORTED | 9 | ''                 | 9 | rank 2 on node b called abort: status=9"})
    void shouldEndTheJobOnAllNodesWithTheStatusOfAFailedRank(final RankOutcome.Kind kind, final int status, final String text, final int expected,
        final String told) throws Exception {
        launched();
        jobs.get(1).end(2, end(kind, status, text));
        assertEquals(new JobEnd(expected, told), done());
        cancelled(jobs.get(0), jobs.get(2));
        assertEquals(told, jobs.get(0).cancelled().get());
        assertEquals(told, jobs.get(2).cancelled().get());
        nothingIsLeft();
    }

    @Test
    void shouldTellTheOriginalErrorThoughOtherRanksThatItFailedEndFirst() throws Exception {
        launched();
        jobs.get(1).whenCancelled(2, end(RankOutcome.Kind.FAILED, 1, "boom"));
        jobs.get(2).whenCancelled(3, end(RankOutcome.Kind.PEER_FAILED, 1, "collective failed on another rank"));
        jobs.get(0).end(0, end(RankOutcome.Kind.PEER_FAILED, 1, "collective failed on another rank"));
        assertEquals(new JobEnd(1, "rank 2 on node b failed: boom"), done());
        nothingIsLeft();
    }

    @Test
    void shouldTellTheErrorOfAnotherRankWhenThatOneDoesNotRaiseIt() throws Exception {
        launched();
        jobs.get(2).whenCancelled(3, end(RankOutcome.Kind.PEER_FAILED, 1, "later"));
        jobs.get(0).end(0, end(RankOutcome.Kind.PEER_FAILED, 1, "collective failed on another rank"));
        assertEquals(new JobEnd(1, "rank 0 on node a failed: collective failed on another rank"), done());
        nothingIsLeft();
    }

    @Test
    void shouldTellTheFirstErrorWhenItIsTheRanksOwn() throws Exception {
        launched();
        jobs.get(1).whenCancelled(2, end(RankOutcome.Kind.FAILED, 1, "later"));
        jobs.get(0).end(0, end(RankOutcome.Kind.FAILED, 1, "first"));
        assertEquals(new JobEnd(1, "rank 0 on node a failed: first"), done());
        nothingIsLeft();
    }

    @Test
    void shouldContinueWhenARankEndsSuccessfully() throws Exception {
        final String id = client.launch(LaunchClient.request(4, 0));
        running();
        jobs.get(2).end(3, end(RankOutcome.Kind.EXITED, 0, ""));
        jobs.get(1).end(2, end(RankOutcome.Kind.RETURNED, 0, ""));
        // the coordinator is told of the ranks of other nodes in any order
        until(() -> nodes.get("a").service().ranks(id).ranks().stream().filter(r -> r.activity().equals("ended")).count() == 2);
        jobs.get(0).end(0, end(RankOutcome.Kind.RETURNED, 0, ""));
        jobs.get(0).end(1, end(RankOutcome.Kind.EXITED, 5, ""));
        assertEquals(new JobEnd(5, "rank 1 on node a called System.exit: status=5"), done());
        assertTrue(jobs.stream().noneMatch(j -> j.cancelled().isDone()));
    }

    @Test
    void shouldEndTheJobWith124WhenItsTimeLimitExpires() throws Exception {
        final String id = client.launch(LaunchClient.request(12, 400));
        prepared();
        jobs.forEach(j -> j.connected().complete(null));
        final JobEnd done = done();
        assertEquals(124, done.status());
        assertEquals("job " + id + " was ended by its timeout: limit=0.4 s, ranks still running: 0, 1, 2, 3, 4, 5, 6, 7 and 4 more", done.text());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        nothingIsLeft();
    }

    @Test
    void shouldEndTheJobWith124WhenItsTimeLimitExpiresBeforeItIsReady() throws Exception {
        client.launch(LaunchClient.request(4, 200));
        prepared();
        assertEquals(124, done().status());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
    }

    @Test
    void shouldEndTheJobWith3AndNameTheNodeThatIsLostWhileRanksRun() throws Exception {
        launched();
        nodes.get("b").closeLinks();
        final JobEnd done = done();
        assertEquals(3, done.status());
        assertTrue(done.text().startsWith("node b was lost: "), done.text());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        nothingIsLeft();
    }

    @Test
    void shouldEndTheJobWith3AndNameTheNodeThatAPartLost() throws Exception {
        launched();
        jobs.get(2).listener().nodeLost(1, "silence");
        assertEquals(
            new JobEnd(3, "the link between nodes c and b was lost: node c: silence; node b: it hears node c; a new link from node c to "
                + "node b passes packets of any size now"),
            done());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
    }

    @Test
    void shouldSayWhatBothNodesKnowOfALinkThatIsLost() throws Exception {
        launched();
        final List<CompletableFuture<Void>> ends = List.of(jobs.get(1).holdEnds(), jobs.get(2).holdEnds());
        jobs.get(2).listener().nodeLost(1, "silence");
        jobs.get(1).listener().nodeLost(2, "peer closed the link");
        ends.forEach(e -> e.complete(null));
        final JobEnd done = done();
        assertEquals(3, done.status());
        assertTrue(done.text().contains("node c: silence; node b: peer closed the link; a new link from node c to node b passes")
            || done.text().contains("node b: peer closed the link; node c: silence; a new link from node b to node c passes"), done.text());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
    }

    /** Launches a job that goes on without ranks that fail: ranks 0 and 1 on node a, 2 on b, and 3 on c. */
    private void launchedReporting() throws InterruptedException {
        client.launch(LaunchClient.request(4, 0, Map.of("on.loss", "report"), false));
        running();
    }

    /** Returns the next line that the user is told on error output. */
    private String nextLine() throws InterruptedException {
        final OutputPiece p = client.client().nextOutput();
        assertEquals(OutputPiece.Kind.ERROR, p.kind());
        return new String(p.bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void shouldGoOnWithoutALostNodeAndTellTheOthersWhichRanksHaveFailed() throws Exception {
        launchedReporting();
        nodes.get("b").closeLinks();
        final String line = nextLine();
        assertTrue(line.matches("tutti: node b was lost: .*: rank 2 has failed, the job goes on with 3 ranks\n"), line);
        for (final ScriptedHost.Job part : List.of(jobs.get(0), jobs.get(2))) {
            final String loss = part.nextLoss();
            assertTrue(loss.startsWith("[2]: node b was lost: ") && line.startsWith("tutti: " + loss.substring(5)), loss);
        }
        cancelled(jobs.get(1));
        assertEquals(List.of(2), nodes.get("a").service().reports().getFirst().jobs().getFirst().failed());
        jobs.get(0).endWell();
        jobs.get(2).endWell();
        assertEquals(new JobEnd(0, ""), done());
        assertTrue(client.client().isEmpty());
        assertTrue(jobs.stream().allMatch(ScriptedHost.Job::hasNoLoss));
        assertTrue(Stream.of(jobs.get(0), jobs.get(2)).noneMatch(j -> j.cancelled().isDone()));
        nothingIsLeft();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"FAILED | 1 | java.lang.Error: x | rank 0 on node a failed: java.lang.Error: x",
        "EXITED | 7 | '' | rank 0 on node a called System.exit: status=7",
        "CANCELLED | 1 | too many threads | rank 0 on node a failed: too many threads",
        "PEER_FAILED | 1 | a rank has failed | rank 0 on node a failed: a rank has failed"})
    void shouldGoOnWithoutARankThatFailsAndTellTheOthersOfItsNodeToo(final RankOutcome.Kind kind, final int status, final String text,
        final String told) throws Exception {
        launchedReporting();
        jobs.get(0).end(0, end(kind, status, text));
        assertEquals("tutti: " + told + ": the job goes on with 3 ranks\n", nextLine());
        for (final ScriptedHost.Job part : jobs) {
            assertEquals("[0]: " + told, part.nextLoss());
        }
        assertEquals("running", nodes.get("b").service().reports().getFirst().jobs().getFirst().state());
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
        assertTrue(jobs.stream().noneMatch(j -> j.cancelled().isDone()));
        nothingIsLeft();
    }

    @Test
    void shouldEndThePartOnANodeToWhichAnotherHasLostItsLinkAndIgnoreWhatItReportsLater() throws Exception {
        launchedReporting();
        final CompletableFuture<Void> ends = jobs.get(1).holdEnds();
        jobs.get(2).listener().nodeLost(1, "silence");
        assertEquals("tutti: node b was lost: silence (reported by node c): rank 2 has failed, the job goes on with 3 ranks\n", nextLine());
        assertEquals("node b was lost: silence (reported by node c)", jobs.get(1).cancelled().get(60, TimeUnit.SECONDS));
        for (final ScriptedHost.Job part : List.of(jobs.get(0), jobs.get(2))) {
            assertEquals("[2]: node b was lost: silence (reported by node c)", part.nextLoss());
        }
        jobs.get(0).listener().nodeLost(1, "silence");
        jobs.get(1).listener().nodeLost(2, "silence");
        ends.complete(null);
        jobs.get(1).ended().toCompletableFuture().get(60, TimeUnit.SECONDS);
        jobs.get(0).end(1, BOOM);
        assertEquals("tutti: rank 1 on node a failed: java.lang.Error: boom: the job goes on with 2 ranks\n", nextLine());
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
        assertTrue(client.client().isEmpty());
        assertTrue(jobs.get(1).hasNoLoss());
        nothingIsLeft();
    }

    @Test
    void shouldLoseNoNodeBecauseOfALinkThatAPartWithoutRanksLoses() throws Exception {
        launchedReporting();
        jobs.get(1).end(2, BOOM);
        nextLine();
        jobs.get(1).listener().nodeLost(2, "peer closed the link");
        jobs.get(0).endWell();
        jobs.get(2).endWell();
        assertEquals(new JobEnd(0, ""), done());
        assertTrue(client.client().isEmpty());
        assertFalse(jobs.get(2).cancelled().isDone());
        nothingIsLeft();
    }

    @Test
    void shouldTellWhatThePartItselfReportsOfItsLoss() throws Exception {
        launchedReporting();
        final CompletableFuture<Void> ends = jobs.get(1).holdEnds();
        jobs.get(2).listener().nodeLost(1, "silence");
        jobs.get(1).end(2, end(RankOutcome.Kind.EXITED, 5, ""));
        assertEquals("tutti: rank 2 on node b called System.exit: status=5: the job goes on with 3 ranks\n", nextLine());
        ends.complete(null);
        jobs.get(0).endWell();
        jobs.get(2).endWell();
        assertEquals(new JobEnd(0, ""), done());
        assertTrue(client.client().isEmpty());
    }

    @Test
    void shouldNotCountRanksAsFailedThatEndedWellBeforeTheirNodeWasLost() throws Exception {
        client.launch(LaunchClient.request(6, 0, Map.of("on.loss", "report"), false));
        running();
        jobs.get(1).end(2, end(RankOutcome.Kind.RETURNED, 0, ""));
        jobs.get(1).end(3, end(RankOutcome.Kind.EXITED, 3, ""));
        assertEquals("tutti: rank 3 on node b called System.exit: status=3: the job goes on with 4 ranks\n", nextLine());
        jobs.get(2).listener().nodeLost(1, "silence");
        nodes.get("b").closeLinks();
        jobs.get(2).end(4, BOOM);
        assertEquals("tutti: rank 4 on node c failed: java.lang.Error: boom: the job goes on with 3 ranks\n", nextLine());
        assertEquals(List.of(3, 4), nodes.get("a").service().reports().getFirst().jobs().getFirst().failed());
        jobs.get(2).end(5, BOOM);
        jobs.get(0).end(0, BOOM);
        jobs.get(0).end(1, BOOM);
        assertEquals(new JobEnd(0, ""), done());
        assertEquals(List.of("0", "1", "5"), Stream.of(nextLine(), nextLine(), nextLine()).map(l -> l.substring(12, 13)).sorted().toList());
        assertTrue(client.client().isEmpty());
    }

    @Test
    void shouldEndAJobWhoseRanksAllFailWithTheFirstFailure() throws Exception {
        launchedReporting();
        jobs.get(0).end(0, end(RankOutcome.Kind.PEER_FAILED, 1, "a rank has failed"));
        nextLine();
        jobs.get(1).end(2, BOOM);
        nextLine();
        jobs.get(0).end(1, end(RankOutcome.Kind.EXITED, 5, ""));
        nextLine();
        jobs.get(2).listener().nodeLost(2, "silence");
        assertEquals("tutti: node c was lost: silence (reported by node c): rank 3 has failed\n", nextLine());
        assertEquals(new JobEnd(1, "rank 2 on node b failed: " + BOOM.text()), done());
        nothingIsLeft();
    }

    @Test
    void shouldEndAJobByAnAbortThoughItGoesOnWithoutFailedRanks() throws Exception {
        launchedReporting();
        jobs.get(2).end(3, BOOM);
        nextLine();
        jobs.get(1).end(2, end(RankOutcome.Kind.ABORTED, 9, ""));
        assertEquals(new JobEnd(9, "rank 2 on node b called abort: status=9"), done());
        cancelled(jobs.get(0));
        nothingIsLeft();
    }

    @Test
    void shouldEndAJobByTheFailureOfAPartThoughItGoesOnWithoutFailedRanks() throws Exception {
        final TestTransport uds = new TestTransport();
        for (final String name : List.of("a", "b", "c")) {
            (name.equals("b") ? uds : new TestTransport()).publish(nodes.get(name).registry(), "uds");
        }
        client.launch(LaunchClient.request(4, 0, Map.of("on.loss", "report", "transport", "uds"), false));
        running();
        nodes.get("b").registry().removeTransport(uds);
        assertEquals(new JobEnd(3, "node b: transport uds was stopped while the job used it"), done());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        nothingIsLeft();
    }

    @Test
    void shouldEndAJobWhoseNodeIsLostBeforeItsRanksStart() throws Exception {
        client.launch(LaunchClient.request(4, 0, Map.of("on.loss", "report"), false));
        prepared();
        jobs.getFirst().connected().complete(null);
        nodes.get("b").closeLinks();
        final JobEnd done = done();
        assertEquals(3, done.status());
        assertTrue(done.text().startsWith("node b was lost: "), done.text());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        assertTrue(jobs.stream().allMatch(ScriptedHost.Job::hasNoLoss) && jobs.stream().noneMatch(ScriptedHost.Job::isStarted));
    }

    @Test
    void shouldRefuseAnotherMeaningOfLosses() throws Exception {
        client.launch(LaunchClient.request(4, 0, Map.of("on.loss", "ignore"), false));
        prepared();
        assertEquals(new JobEnd(2, "bad value: on.loss=ignore: neither end nor report"), done());
    }

    @Test
    void shouldCancelTheJobWhenTheClientVanishesWhileRanksRun() throws Exception {
        launched();
        client.disconnect();
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        assertEquals("the client is gone", jobs.get(2).cancelled().get());
        nothingIsLeft();
    }

    /** Lets a rank on each node print more than waits anywhere while the client does not read. */
    private List<FutureTask<Void>> printing() {
        final List<FutureTask<Void>> printing = new ArrayList<>();
        for (final ScriptedHost.Job job : jobs) {
            printing.add(new FutureTask<>(() -> job.listener().output(i(job), false, new byte[MUCH]), null));
            Thread.ofVirtual().start(printing.getLast());
        }
        return printing;
    }

    @Test
    void shouldBlockTheRanksOfAllNodesWhileTheClientDoesNotRead() throws Exception {
        final Runnable read = client.client().hold();
        launched();
        final List<FutureTask<Void>> printing = printing();
        await().during(Duration.ofMillis(50)).atMost(PATIENCE).until(() -> printing.stream().noneMatch(FutureTask::isDone));
        read.run();
        final int[] bytes = new int[4];
        for (long n = 0; n < 3L * MUCH;) {
            final OutputPiece piece = client.client().nextOutput();
            bytes[piece.rank()] += piece.bytes().length;
            n += piece.bytes().length;
        }
        assertArrayEquals(new int[] {MUCH, 0, MUCH, MUCH}, bytes);
        for (final FutureTask<Void> task : printing) {
            task.get(60, TimeUnit.SECONDS);
        }
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
    }

    @Test
    void shouldCancelTheJobAndReleaseBlockedRanksWhenTheClientVanishes() throws Exception {
        client.client().hold();
        launched();
        final List<FutureTask<Void>> printing = printing();
        await().during(Duration.ofMillis(50)).atMost(PATIENCE).until(() -> printing.stream().noneMatch(FutureTask::isDone));
        client.disconnect();
        for (final FutureTask<Void> task : printing) {
            task.get(60, TimeUnit.SECONDS);
        }
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        nothingIsLeft();
    }

    @Test
    void shouldReleaseBlockedRanksAndGoOnWhenTheClientReadsNoMore() throws Exception {
        final Runnable read = client.client().hold();
        launched();
        final List<FutureTask<Void>> printing = printing();
        client.client().closeOutput();
        read.run();
        for (final FutureTask<Void> task : printing) {
            task.get(60, TimeUnit.SECONDS);
        }
        assertTrue(jobs.stream().noneMatch(j -> j.cancelled().isDone()));
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
        nothingIsLeft();
    }

    @Test
    void shouldEndTheJobOnItsCancellationAlthoughTheClientDoesNotRead() throws Exception {
        final Runnable read = client.client().hold();
        launched();
        final List<FutureTask<Void>> printing = printing();
        await().during(Duration.ofMillis(50)).atMost(PATIENCE).until(() -> printing.stream().noneMatch(FutureTask::isDone));
        client.launcher().cancel();
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        read.run();
        assertEquals(new JobEnd(7, "job was cancelled by its client"), done());
        for (final FutureTask<Void> task : printing) {
            task.get(60, TimeUnit.SECONDS);
        }
        nothingIsLeft();
    }

    private static int i(final ScriptedHost.Job job) {
        return job.spec().nodeOfRank().indexOf(job.spec().self());
    }

    /** Launches a job whose program does not arrive whole. */
    private void launchPartly(final long timeoutMillis) throws Exception {
        final BytePipe program = new BytePipe(100);
        program.put(new byte[10]);
        client.launch(LaunchClient.request(4, timeoutMillis, ProgramFiles.describe(jar(100))), program);
        until(() -> !nodes.get("a").left().isEmpty());
    }

    @Test
    void shouldForgetTheJobWhenTheClientVanishesBeforeItSentTheProgram() throws Exception {
        launchPartly(0);
        client.disconnect();
        nothingIsLeft();
    }

    @Test
    void shouldForgetTheJobWhenItIsCancelledBeforeTheProgramIsReceived() throws Exception {
        launchPartly(0);
        client.launcher().cancel();
        assertEquals(new JobEnd(7, "job was cancelled by its client"), done());
        nothingIsLeft();
    }

    @Test
    void shouldEndTheJobWith124WhenTheProgramIsNotReceivedInTime() throws Exception {
        launchPartly(200);
        assertEquals(124, done().status());
        nothingIsLeft();
    }

    @Test
    void shouldEndTheRanksOfAllPartsWhenTheCoordinatorVanishes() throws Exception {
        client.launch(4, jar(10));
        running();
        nodes.get("a").closeLinks();
        for (int i = 1; i < 3; i++) {
            cancelled(jobs.get(i));
            final String reason = jobs.get(i).cancelled().get();
            assertTrue(reason.startsWith("the node that launched the job is gone: "), reason);
        }
        client.awaitClosed();
        nothingIsLeft();
    }

    @Test
    void shouldEndTheJobWhenItsCoordinatorIsStopped() throws Exception {
        launched();
        nodes.get("a").stop();
        assertEquals(new JobEnd(3, "node a was stopped, which coordinated the job"), done());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
    }

    @Test
    void shouldCancelTheJobOnRequestOfItsClient() throws Exception {
        launched();
        client.launcher().cancel();
        assertEquals(new JobEnd(7, "job was cancelled by its client"), done());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        nothingIsLeft();
    }

    @Test
    void shouldCancelTheJobOnRequestOfAClientOfAnotherNode() throws Exception {
        final String id = client.launch(LaunchClient.request(4, 0));
        running();
        try (LaunchClient other = new LaunchClient(nodes.get("c").address())) {
            final ClusterRequests requests = other.peer(ClusterRequests.class);
            assertEquals("no such job: id=no-such-job; list them with: tutti ps",
                LaunchClient.refusal(requests.cancel("no-such-job")).getMessage());
            assertEquals("", requests.cancel(id).toCompletableFuture().get(60, TimeUnit.SECONDS));
        }
        assertEquals(new JobEnd(7, "job " + id + " was cancelled"), done());
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
    }

    @Test
    void shouldSendOutputOfAllNodesToTheClientBeforeTheEnd() throws Exception {
        launched();
        for (int i = 0; i < 3; i++) {
            jobs.get(i).listener().output(i(jobs.get(i)), i == 1, ("from node " + i + "\n").getBytes(StandardCharsets.UTF_8));
        }
        jobs.forEach(ScriptedHost.Job::endWell);
        final List<String> lines = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            final OutputPiece p = client.client().nextOutput();
            lines.add(p.rank() + " " + (p.kind() == OutputPiece.Kind.ERROR) + " " + new String(p.bytes(), StandardCharsets.UTF_8));
        }
        assertEquals(List.of("0 false from node 0\n", "2 true from node 1\n", "3 false from node 2\n"), lines.stream().sorted().toList());
        assertEquals(new JobEnd(0, ""), done());
    }

    @Test
    void shouldRunJobsOfNodesWithTheLongestNames() throws Exception {
        final String name = "n".repeat(63);
        node(name);
        try (LaunchClient remote = new LaunchClient(nodes.get(name).address())) {
            remote.launch(LaunchClient.request(4, 0));
            final ScriptedHost.Job own = hosts.get(name).next();
            own.connected().complete(null);
            running();
            own.awaitStart();
            own.endWell();
            jobs.forEach(ScriptedHost.Job::endWell);
            assertEquals(new JobEnd(0, ""), remote.end());
        }
    }

    @Test
    void shouldRunJobsConcurrently() throws Exception {
        launched();
        try (LaunchClient other = new LaunchClient(nodes.get("c").address())) {
            other.launch(LaunchClient.request(1, 0));
            final ScriptedHost.Job single = hosts.get("a").next();
            single.connected().complete(null);
            single.awaitStart();
            single.end(0, end(RankOutcome.Kind.FAILED, 1, "bang"));
            assertEquals(new JobEnd(1, "rank 0 on node a failed: bang"), other.end());
        }
        assertTrue(jobs.stream().noneMatch(j -> j.cancelled().isDone()));
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
    }

    @Test
    void shouldDropAClientThatBreaksTheProtocolAndCancelItsJob() throws Exception {
        launched();
        client.peer(JobClient.class).accepted("b-1");
        client.awaitClosed();
        cancelled(jobs.toArray(ScriptedHost.Job[]::new));
        nothingIsLeft();
    }

    @Test
    void shouldRefuseASecondJobOfALinkAndGoOnWithTheFirst() throws Exception {
        launched();
        assertEquals("a link runs one job",
            LaunchClient.refusal(client.launcher().run(LaunchClient.request(1, 0), InputStream.nullInputStream())).getMessage());
        assertTrue(jobs.stream().noneMatch(j -> j.cancelled().isDone()));
        jobs.forEach(ScriptedHost.Job::endWell);
        assertEquals(new JobEnd(0, ""), done());
        nothingIsLeft();
    }

    @Test
    void shouldTellTheClientThatWantsItThePlacementBeforeTheRanksStart() throws Exception {
        client.launch(LaunchClient.request(4, 0, Map.of(), true));
        prepared();
        assertEquals(new RankPlacement(List.of("a", "b", "c"), List.of(0, 0, 1, 2)), client.client().placement().get(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldPassTheInputOfTheClientToRankZero() throws Exception {
        launched();
        jobs.getFirst().listener().inputWanted();
        client.client().provided().complete(new byte[] {1, 2});
        assertArrayEquals(new byte[] {1, 2}, jobs.getFirst().input().poll(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldNotLoseTheEndOfAPartWhoseClientVanishesMeanwhile() throws Exception {
        launched();
        final List<CompletableFuture<Void>> ends = jobs.stream().map(ScriptedHost.Job::holdEnds).toList();
        client.disconnect();
        for (final ScriptedHost.Job job : jobs) {
            job.cancelled().get(60, TimeUnit.SECONDS);
        }
        ends.forEach(e -> e.complete(null));
        nothingIsLeft();
    }

    @Test
    void shouldRefuseAClientOfAnotherVersion() {
        assertEquals("protocol differs: version=99, here=" + Protocol.VERSION + "; use the same release everywhere",
            assertThrows(RefusedException.class, () -> new LaunchClient(nodes.get("a").address(), 99).close()).getMessage());
    }
}
