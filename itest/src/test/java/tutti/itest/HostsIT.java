package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests nodes on four hosts, whose network is cut or drops packets. Runs in the profile {@code hosts} only. */
@EnabledIfSystemProperty(named = "tutti.hosts", matches = "true", disabledReason = "runs in the profile hosts: mvn verify -Phosts")
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class HostsIT {
    private static final int HOSTS = 4;
    private static final int PORT = 7001;
    private static final int SSH_PORT = 2222;

    @TempDir
    private static Path programs;
    @TempDir
    private static Path server;
    private static NetworkHosts network;

    @TempDir
    private Path dir;
    private final List<TuttiScript.Daemon> daemons = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        network = NetworkHosts.start("hostsit", HOSTS);
        TuttiScript.writeProgram(programs, "Exchanges", """
            System.out.println("rank " + rank);
            int each = Integer.parseInt(args[0]);
            byte[] from = new byte[each * size];
            byte[] to = new byte[each * size];
            for (int i = 0; i < Integer.parseInt(args[1]); i++) {
              MPI.COMM_WORLD.allToAll(from, each, MPI.BYTE, to, each, MPI.BYTE);
            }""");
        TuttiScript.compile(programs, "Exchanges");
    }

    @AfterAll
    static void stop() throws Exception {
        if (network != null) {
            network.close();
        }
    }

    @AfterEach
    void heal() throws Exception {
        network.heal();
        daemons.forEach(TuttiScript.Daemon::close);
    }

    private static String at(final int host, final int port) throws Exception {
        return network.address(host) + ":" + port;
    }

    private Process daemon(final String name, final int host, final int port, final String... options) throws Exception {
        return network.tutti(host, dir, Map.of(), Stream.concat(Stream.of("daemon", "--name", name, "--listen", at(host, port)), Stream.of(options))
            .toArray(String[]::new));
    }

    /** Starts nodes a to d on the hosts 1 to 4, where one host has the first one. */
    private void cluster(final int first) throws Exception {
        daemons.add(new TuttiScript.Daemon(daemon(name(first), first, PORT)));
        for (int host = 1; host <= HOSTS; host++) {
            if (host != first) {
                daemons.add(new TuttiScript.Daemon(daemon(name(host), host, PORT, "--join", at(first, PORT))));
            }
        }
        assertEquals(0, tutti("nodes", "--wait", Integer.toString(HOSTS)).status());
    }

    private static String name(final int host) {
        return Character.toString('a' + host - 1);
    }

    /** Runs a command on host 1, for the node there. */
    private TuttiScript.Result tutti(final String command, final String... options) throws Exception {
        return TuttiScript.finish(network.tutti(1, dir, Map.of(), Stream.concat(Stream.of(command, "--connect", at(1, PORT)), Stream.of(options))
            .toArray(String[]::new)), System.nanoTime());
    }

    /** Starts a job with a rank on each host, and waits until all run. */
    private Process exchange(final int bytes) throws Exception {
        final Process job = network.tutti(1, dir, Map.of(), "run", "--connect", at(1, PORT), "-n", Integer.toString(HOSTS), "--map", "node", "-p",
            "transport=tcp", "--cp",
            programs.toString(), "Exchanges", Integer.toString(bytes), "2000000000");
        awaitRanks(job, HOSTS);
        return job;
    }

    private static void awaitRanks(final Process job, final int ranks) throws Exception {
        final BufferedReader out = job.inputReader(StandardCharsets.UTF_8);
        for (int i = 0; i < ranks; i++) {
            final String line = out.readLine();
            assertTrue(line != null && line.startsWith("rank "), () -> line + "\n" + job.errorReader().lines().toList());
        }
    }

    /** Waits until a job has failed for a lost node; returns what it printed. */
    private static String awaitLoss(final Process job, final long since) throws Exception {
        final TuttiScript.Result r = TuttiScript.finish(job, since);
        System.out.println("hosts: " + r.millis() + " ms: " + r.err().strip());
        assertEquals(3, r.status(), r::toString);
        return r.err();
    }

    @Test
    void shouldJoinNodesThatStartAllAtOnceAndBeforeTheOneThatTheyJoin() throws Exception {
        final List<Process> starting = new ArrayList<>();
        for (int i = 0; i < 3 * HOSTS; i++) {
            starting.add(daemon("x" + i, i % HOSTS + 1, PORT + 1 + i, "--join", at(1, PORT)));
        }
        final String waits = starting.getFirst().errorReader(StandardCharsets.UTF_8).readLine();
        assertTrue(waits.startsWith("tutti: node x0 waits to join node at " + at(1, PORT)), waits);
        daemons.add(new TuttiScript.Daemon(daemon("a", 1, PORT)));
        for (final Process process : starting) {
            daemons.add(new TuttiScript.Daemon(process));
        }
        final TuttiScript.Result nodes = tutti("nodes", "--wait", Integer.toString(3 * HOSTS + 1), "--timeout", "120");
        assertEquals(0, nodes.status(), nodes::toString);
        assertEquals(3 * HOSTS + 2, nodes.out().lines().count(), nodes::toString);
    }

    @Test
    void shouldNameThePairOfNodesThatDoNotReachEachOther() throws Exception {
        cluster(1);
        final Process job = exchange(1000);
        final long since = System.nanoTime();
        network.cut(2, 3);
        final String loss = awaitLoss(job, since);
        assertTrue(
            loss.matches("(?s).*the link between nodes (b and c|c and b) was lost: node [bc]: .+; node [bc]: .+; no new link can be opened from .+"),
            loss);
        network.heal();
        assertEquals(0, tutti("nodes", "--wait", Integer.toString(HOSTS)).status());
        assertEquals(0,
            tutti("run", "-n", Integer.toString(HOSTS), "--map", "node", "-p", "transport=tcp", "--cp", programs.toString(), "Exchanges", "100", "10")
                .status());
    }

    @Test
    void shouldNameTheNodeThatDoesNotHearAnotherOneWhichThisOneHears() throws Exception {
        cluster(2);
        final Process job = exchange(1000);
        final long since = System.nanoTime();
        network.cut(2, 3);
        final String loss = awaitLoss(job, since);
        assertTrue(loss.contains("node c was lost: node b does not hear it, and node a does: node b: ") || loss.contains("the link between nodes "),
            loss);
    }

    @Test
    void shouldUseWindowsAndFilesOnSeveralHosts() throws Exception {
        MemoryAndFilesIT.compile(programs);
        cluster(1);
        final Path data = dir.resolve("data");
        for (final String whose : new String[] {"world", "spawn"}) {
            final TuttiScript.Result r =
                tutti("run", "-n", Integer.toString(HOSTS), "--map", "node", "-p", "transport=tcp", "--timeout", "300", "--cp",
                    programs.toString(), MemoryAndFilesIT.PROGRAM, whose, data.toString());
            assertEquals(List.of(0, "used by " + (HOSTS + (whose.equals("spawn") ? 2 : 0)) + "\n"), List.of(r.status(), r.out()), r::toString);
            assertFalse(Files.exists(data), "deleted on close");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epochs", "writes"})
    void shouldEndAJobWhoseHostsAreCutOffInAnEpochOrAnAccess(final String what) throws Exception {
        MemoryAndFilesIT.compile(programs);
        cluster(1);
        final Process job =
            network.tutti(1, dir, Map.of(), "run", "--connect", at(1, PORT), "-n", "2", "--map", "node", "-p", "transport=tcp", "--cp",
                programs.toString(), MemoryAndFilesIT.PROGRAM, what, dir.resolve("data").toString());
        awaitRanks(job, 2);
        final long since = System.nanoTime();
        network.cut(1, 2);
        final String loss = awaitLoss(job, since);
        // node a, which coordinates, hears the others
        assertTrue(loss.contains("node b was lost: ") || loss.matches("(?s).*the link between nodes (a and b|b and a) was lost: .*"), loss);
        network.heal();
        final TuttiScript.Result next =
            tutti("run", "-n", "3", "--map", "node", "-p", "transport=tcp", "--timeout", "300", "--cp", programs.toString(),
                MemoryAndFilesIT.PROGRAM, "world", dir.resolve("data").toString());
        assertEquals(List.of(0, "used by 3\n"), List.of(next.status(), next.out()), next::toString);
    }

    @Test
    void shouldTellAHoleForFullSizePacketsFromADeadNode() throws Exception {
        cluster(1);
        final Process job = exchange(100_000);
        final long since = System.nanoTime();
        network.drop(3, 1000);
        final String loss = awaitLoss(job, since);
        assertTrue(loss.matches("(?s).*the link between nodes . and . was lost: node .: .+; node .: .+; small packets pass from node . to node ., "
            + "packets of full size do not: .*"), loss);
        final TuttiScript.Result doctor = tutti("doctor");
        assertTrue(doctor.out().contains("packets of full size do not"), doctor::toString);
    }

    @Test
    void shouldEndAHeldContainerThatIsCutOffFromItsCommand() throws Exception {
        final List<Integer> hosts = List.of(1, 2, 3);
        final List<String> addresses = new ArrayList<>();
        for (final int host : hosts) {
            addresses.add(network.address(host));
        }
        final LaunchTraces traces = new LaunchTraces(dir);
        try (SshServer ssh = SshServer.start(server, SSH_PORT, addresses, hosts.stream().map(network::on).toList(), HostsIT::accepts)) {
            final String[] run =
                {"run", "--ssh", ssh.command(), "--ports", "7200-7202", "--hosts", String.join(",", addresses), "-p", "transport=tcp", "--cp",
                    programs.toString(), "Exchanges", "1000"};
            final Process job =
                network.tutti(1, dir, traces.environment(), Stream.concat(Stream.of(run), Stream.of("2000000000")).toArray(String[]::new));
            awaitRanks(job, hosts.size());
            final long since = System.nanoTime();
            network.link(3, "down");
            awaitLoss(job, since);
            traces.assertNothingLeft();
            System.out.println("hosts: nothing is left after " + (System.nanoTime() - since) / 1_000_000 + " ms");
            network.link(3, "up");
            final TuttiScript.Result again = TuttiScript.finish(network.tutti(1, dir, traces.environment(),
                Stream.concat(Stream.of(run), Stream.of("10")).toArray(String[]::new)), System.nanoTime());
            assertEquals(0, again.status(), again::toString);
            assertEquals(List.of("rank 0", "rank 1", "rank 2"), again.out().lines().sorted().toList(), again::toString);
            traces.assertNothingLeft();
        }
    }

    /** Returns whether the ssh server at an address accepts connections of host 1. */
    private static boolean accepts(final String address) {
        try {
            final List<String> line = new ArrayList<>(network.on(1));
            line.addAll(List.of("bash", "-c", "exec 3<>/dev/tcp/" + address + "/" + SSH_PORT));
            return new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        } catch (final Exception e) {
            return false;
        }
    }
}
