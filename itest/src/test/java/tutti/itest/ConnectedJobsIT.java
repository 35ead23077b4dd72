package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests jobs that were started separately and connect: by published names in one cluster, and by ports between clusters. */
@Tag("nightly")
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class ConnectedJobsIT {
    private static final String EXAMPLE = ProjectPaths.DIR.resolve("examples/ServerAndClients.java").toString();
    /** Ends a test that would not end, and measures nothing. */
    private static final long LIMIT_MILLIS = 60_000;

    @TempDir
    private static Path dir;
    private static Path programs;
    private static ModuleBundles modules;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;

    @BeforeAll
    static void start() throws Exception {
        modules = new ModuleBundles(dir);
        a = new TuttiScript.Daemon(dir, "--name", "a", "--dir", dir.resolve("node-a").toString());
        b = new TuttiScript.Daemon(dir, "--name", "b", "--dir", dir.resolve("node-b").toString(), "--join", a.address);
        programs = Files.createDirectory(dir.resolve("programs"));
        // finds a port by a published name, or by a file that both jobs can read; then does what its next argument says
        program("Meets", """
            java.nio.file.Path file = args[1].startsWith("/") ? java.nio.file.Path.of(args[1]) : null;
            Intercomm both;
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            long begin = 0;
            try {
                if (args[0].equals("accept")) {
                    String port = rank == 0 ? Intracomm.openPort() : null;
                    if (rank == 0 && file == null) {
                        Intracomm.publishName(args[1], port);
                    } else if (rank == 0) {
                        java.nio.file.Files.writeString(file.resolveSibling("new"), port);
                        java.nio.file.Files.move(file.resolveSibling("new"), file);
                    }
                    both = MPI.COMM_WORLD.accept(port, 0);
                } else {
                    String port = null;
                    while (rank == 0 && port == null) {
                        try {
                            port = file == null ? Intracomm.lookupName(args[1])
                                : java.nio.file.Files.exists(file) ? java.nio.file.Files.readString(file) : null;
                        } catch (MPIException e) {
                            Thread.sleep(10);
                        }
                    }
                    MPI.COMM_WORLD.barrier();
                    begin = System.nanoTime();
                    both = MPI.COMM_WORLD.connect(port, 0);
                }
            } catch (MPIException e) {
                System.out.println(rank + " failed: " + e.getMessage());
                if (begin != 0) { System.out.println("millis " + (System.nanoTime() - begin) / 1_000_000); }
                MPI.Finalize();
                return;
            }
            Intracomm all = both.merge(args[0].equals("connect"));
            int[] sum = {all.getRank() + 1};
            all.allReduce(sum, 1, MPI.INT, MPI.SUM);
            int[] other = {0};
            both.allReduce(new int[] {rank + 1}, other, 1, MPI.INT, MPI.SUM);
            if (rank == 0) {
                System.out.println("all " + sum[0] + ", other " + other[0]);
                System.out.println(all.explain("allreduce", 1 << 20));
                System.out.println(both.explain("allreduce", 8));
                System.out.println("world: " + MPI.COMM_WORLD.explain("bcast", 8));
                System.out.println("merged: " + all.explain("bcast", 8));
            }
            if (args.length > 2 && !args[2].equals("hold")) {
                both.setErrhandler(MPI.ERRORS_RETURN);
                if (args[2].equals("wait")) {
                    if (rank == 0) { System.out.println("connected"); }
                    try {
                        both.recv(new int[1], 1, MPI.INT, both.getRemoteSize() - 1, 9);
                    } catch (MPIException e) {
                        System.out.println("lost at " + System.currentTimeMillis() + ": " + e.getMessage());
                    }
                    MPI.COMM_WORLD.barrier();
                    MPI.Finalize();
                    return;
                }
                Thread.sleep(100_000);
            }
            if (args.length > 2 && args[2].equals("hold")) {
                if (rank == 0) { System.out.println("connected"); System.in.read(); }
                both.barrier();
                Intracomm made = all.split(0, all.getRank());
                made.allReduce(sum, 1, MPI.INT, MPI.SUM);
                if (rank == 0) { System.out.println(made.explain("allreduce", 1 << 20)); }
                made.free();
            }
            all.disconnect();
            both.disconnect();""");
    }

    private static void program(final String name, final String body) throws Exception {
        TuttiScript.writeProgram(programs, name, body);
        TuttiScript.compile(programs, name);
    }

    @AfterAll
    static void stop() {
        Stream.of(b, a).forEach(TuttiScript.Daemon::close);
    }

    private static void tutti(final TuttiScript.Daemon daemon, final String command, final String... args) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(ThreeNodeCluster.commandLine(daemon, command, args));
        assertEquals(0, r.status(), r::toString);
    }

    private static CommandInJvm.Running job(final TuttiScript.Daemon daemon, final String... args) throws Exception {
        return CommandInJvm.start(ThreeNodeCluster.commandLine(daemon, "run", args));
    }

    private static CommandInJvm.Running meets(final TuttiScript.Daemon daemon, final int ranks, final String... args) throws Exception {
        return meets(daemon, List.of("-n", Integer.toString(ranks)), args);
    }

    private static CommandInJvm.Running meets(final TuttiScript.Daemon daemon, final List<String> options, final String... args) throws Exception {
        return job(daemon, Stream.of(options.stream(), Stream.of("--cp", programs.toString(), "Meets"), Stream.of(args)).flatMap(s -> s)
            .toArray(String[]::new));
    }

    private static List<String> output(final CommandInJvm.Running job) throws Exception {
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
        return r.out().lines().toList();
    }

    @Test
    void shouldLetServersAndClientsFindEachOtherByName() throws Exception {
        final CommandInJvm.Running server = job(b, "-n", "2", EXAMPLE, "server", "adder", "2");
        final CommandInJvm.Running first = job(a, "-n", "3", EXAMPLE, "client", "adder");
        final CommandInJvm.Running second = job(b, "-n", "1", EXAMPLE, "client", "adder");
        assertEquals(List.of("client 0 has the sum 6", "client 1 has the sum 6", "client 2 has the sum 6"), output(first).stream().sorted().toList());
        assertEquals(List.of("client 0 has the sum 1"), output(second));
        assertEquals(List.of("served 1 clients", "served 3 clients"), output(server).stream().sorted().toList());
        for (final TuttiScript.Daemon d : List.of(a, b)) {
            DaemonInspector.awaitJobsReleased(d);
        }
    }

    @Test
    void shouldJoinProcessesOverASocket() throws Exception {
        final String example = ProjectPaths.DIR.resolve("examples/JoinBySocket.java").toString();
        assertEquals(List.of("rank 0 of 2 received 2", "rank 1 of 2 received 1"), output(job(a, "-n", "2", example)).stream().sorted().toList());
        final int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (TuttiScript.Daemon x = new TuttiScript.Daemon(dir, "--name", "x3")) {
            final CommandInJvm.Running listens = job(x, "-n", "1", example, "listen", Integer.toString(port));
            await().atMost(Duration.ofSeconds(60)).until(() -> DaemonInspector.listens(x, port));
            assertEquals(List.of("rank 1 of 2 received 1"), output(job(a, "-n", "1", example, "connect", "localhost", Integer.toString(port))));
            assertEquals(List.of("rank 0 of 2 received 2"), output(listens));
        }
    }

    @Test
    void shouldConnectGroupsOfOneJob() throws Exception {
        assertEquals(List.of("client 0 has the sum 6", "client 1 has the sum 6", "client 2 has the sum 6", "served 3 clients"),
            output(job(a, "-n", "5", EXAMPLE)).stream().sorted().toList());
    }

    /** The collectives of two jobs of unequal size, one of which has ranks on both nodes. */
    @ParameterizedTest
    @CsvSource({"2, 3, check=full", "5, 1, coll.select=basic"})
    void shouldServeEveryCollectiveBetweenConnectedJobs(final int servers, final int clients, final String parameter) throws Exception {
        final String name = "every-" + servers;
        final CommandInJvm.Running server = job(b, "-n", Integer.toString(servers), "-p", parameter, "--cp", ProjectPaths.testPrograms(),
            "programs.MeetingGroups", "accept", name);
        final CommandInJvm.Running client = job(a, "-n", Integer.toString(clients), "-p", parameter, "--cp", ProjectPaths.testPrograms(),
            "programs.MeetingGroups", "connect", name);
        assertEquals(List.of(clients + " with " + servers), output(client));
        assertEquals(List.of(servers + " with " + clients), output(server));
    }

    /** One job gives the parameter that both use together. */
    @Test
    void shouldSelectModulesThatJobsOfTwoClustersHaveInCommon() throws Exception {
        try (TuttiScript.Daemon x = new TuttiScript.Daemon(dir, "--name", "x", "--dir", dir.resolve("node-x").toString())) {
            for (final String version : List.of("1.0.0", "1.1.0")) {
                tutti(x, "install", modules.ring(version).toString());
            }
            tutti(a, "install", modules.ring("1.1.0").toString());
            final String port = dir.resolve("port-common").toString();
            final CommandInJvm.Running server = meets(x, List.of("-n", "2", "-p", "coll.allreduce=ring"), "accept", port, "hold");
            final CommandInJvm.Running client = meets(a, 3, "connect", port, "hold");
            await().atMost(Duration.ofSeconds(60)).until(() -> server.lines(1).contains("connected") && client.lines(1).contains("connected"));
            // both jobs keep what they selected until they end
            tutti(x, "uninstall", "ring");
            tutti(a, "uninstall", "ring");
            server.in.write('\n');
            client.in.write('\n');
            final List<String> connected = output(client);
            for (final List<String> printed : List.of(output(server), connected)) {
                assertEquals("all 15, other " + (printed == connected ? 3 : 6), printed.getFirst());
                assertEquals(2, printed.stream().filter(l -> l.startsWith("allreduce  ring 1.1.0, ")).count(), printed::toString);
            }
            for (final Path node : List.of(dir.resolve("node-x"), dir.resolve("node-a"))) {
                final String ring = ThreeNodeCluster.storedName(modules.ring("1.1.0"));
                await().atMost(Duration.ofSeconds(60)).until(() -> !ThreeNodeCluster.installedFiles(node).contains(ring));
            }
        }
    }

    /** The server's job is on node a alone, which has a version more than the node of the client. */
    @Test
    void shouldServeJobsThatConnectedByTheHighestVersionOfBoth() throws Exception {
        try (TuttiScript.Daemon y = new TuttiScript.Daemon(dir, "--name", "y", "--dir", dir.resolve("node-y").toString())) {
            tutti(y, "install", modules.hub("1.0.0").toString());
            tutti(a, "install", modules.hub("1.0.0").toString());
            tutti(a, "install", modules.hub("1.1.0").toString(), "--node", "a");
            final String port = dir.resolve("port-versions").toString();
            final CommandInJvm.Running server = meets(a, List.of("-n", "1", "-p", "coll.bcast=hub"), "accept", port);
            final List<String> client = output(meets(y, 2, "connect", port));
            final List<String> served = output(server);
            assertTrue(served.stream().anyMatch(l -> l.startsWith("world: bcast  hub 1.1.0, ")), served::toString);
            assertTrue(served.stream().anyMatch(l -> l.startsWith("merged: bcast  hub 1.0.0, ")), served::toString);
            assertTrue(client.stream().anyMatch(l -> l.startsWith("merged: bcast  hub 1.0.0, ")), client::toString);
            tutti(a, "uninstall", "hub");
        }
    }

    @Test
    void shouldTellBothJobsThatTheyGiveDifferentParameters() throws Exception {
        final String port = dir.resolve("port-none").toString();
        final CommandInJvm.Running server = meets(b, List.of("-n", "1", "-p", "coll.allreduce=basic"), "accept", port);
        final List<String> client = output(meets(a, List.of("-n", "2", "-p", "coll.allreduce=tree"), "connect", port));
        final List<String> failed = Stream.concat(output(server).stream(), client.stream()).filter(l -> !l.startsWith("millis ")).toList();
        assertEquals(3, failed.size(), failed::toString);
        for (final String line : failed) {
            assertTrue(line.matches("\\d failed: .*different values of parameter coll\\.allreduce: job \\S+ has (basic; job \\S+ has tree|"
                + "tree; job \\S+ has basic);.*"), line);
        }
    }

    @Test
    void shouldTellAClientOfAnotherClusterThatItsServerWasKilled() throws Exception {
        try (TuttiScript.Daemon y = new TuttiScript.Daemon(dir, "--name", "y")) {
            shouldTellAClientWithinTwoSeconds(a, 2, y, 1, dir.resolve("port-killed").toString(), y);
        }
    }

    @Test
    void shouldTellAClientOfTheSameClusterThatItsServerWasKilled() throws Exception {
        // jobs begin on the first nodes by name: the server has a rank on each, the client one on p
        try (TuttiScript.Daemon p = new TuttiScript.Daemon(dir, "--name", "p");
             TuttiScript.Daemon y = new TuttiScript.Daemon(dir, "--name", "y", "--join", p.address)) {
            shouldTellAClientWithinTwoSeconds(p, 1, p, 2, "killed", y);
        }
    }

    private static void shouldTellAClientWithinTwoSeconds(final TuttiScript.Daemon clientNode, final int clients,
        final TuttiScript.Daemon serverNode, final int servers, final String port, final TuttiScript.Daemon lostNode) throws Exception {
        final CommandInJvm.Running server = meets(serverNode, servers, "accept", port, "sleep");
        final CommandInJvm.Running client = meets(clientNode, clients, "connect", port, "wait");
        await().atMost(Duration.ofSeconds(60)).until(() -> client.lines(3).contains("connected"));
        final long killed = System.currentTimeMillis();
        lostNode.process.destroyForcibly();
        final List<String> lost = output(client).stream().filter(l -> l.startsWith("lost at ")).toList();
        assertEquals(clients, lost.size(), lost::toString);
        for (final String line : lost) {
            assertTrue(line.matches("lost at \\d+: node y of job [py]-\\S+ is gone: .*"), line);
            final long millis = Long.parseLong(line.substring("lost at ".length(), line.indexOf(':'))) - killed;
            System.out.println("timing: a rank learns of a lost job: ms=" + millis);
            assertTrue(millis < LIMIT_MILLIS, "millis: " + millis);
        }
        assertNotEquals(0, server.end().status());
    }
}
