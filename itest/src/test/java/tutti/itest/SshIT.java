package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests containers that a command starts by ssh on several addresses of this machine, which only Linux has. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class SshIT {
    @TempDir
    private static Path server;
    private static SshServer ssh;

    @TempDir
    private Path dir;
    private LaunchTraces traces;

    @BeforeAll
    static void start() throws Exception {
        ssh = SshServer.start(server);
    }

    @AfterAll
    static void stop() throws Exception {
        if (ssh != null) {
            ssh.close();
        }
    }

    @BeforeEach
    void write() throws Exception {
        traces = new LaunchTraces(dir);
        TuttiScript.writeProgram(dir, "Hello", "System.out.println(rank + \" of \" + size + \" on \" + MPI.getNodeName());");
        TuttiScript.compile(dir, "Hello");
        TuttiScript.writeProgram(dir, "Reduces", """
            System.out.println("rank " + rank);
            for (double[] sum = {1}; sum[0] > 0;) {
              MPI.COMM_WORLD.allReduce(sum, 1, MPI.DOUBLE, MPI.MAX);
            }""");
        TuttiScript.compile(dir, "Reduces");
    }

    private Process start(final String command, final String... args) throws Exception {
        return TuttiScript.start(dir, traces.environment(), Stream.concat(Stream.of(command, "--ssh", ssh.command()), Stream.of(args))
            .toArray(String[]::new));
    }

    private TuttiScript.Result run(final String... args) throws Exception {
        return TuttiScript.finish(start("run", args), System.nanoTime());
    }

    @Test
    void shouldFillTheSlotsOfTheHostsInTheirOrder() throws Exception {
        final TuttiScript.Result r = run("--hosts", "127.0.0.4:2,127.0.0.2,127.0.0.3:2", "--cp", ".", "Hello");
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of("0 of 5 on 127.0.0.4", "1 of 5 on 127.0.0.4", "2 of 5 on 127.0.0.2", "3 of 5 on 127.0.0.3", "4 of 5 on 127.0.0.3"),
            r.out().lines().sorted().toList(), r::toString);
        assertEquals("", r.complaints(), r::toString);
        traces.assertNothingLeft();
    }

    @Test
    void shouldDealRanksOutToTheHostsOfAFileAndReportBindings() throws Exception {
        final Path hosts = Files.writeString(dir.resolve("hosts"), "127.0.0.3 slots=3\n127.0.0.2 slots=1 # small\n");
        final TuttiScript.Result r = run("--hostfile", hosts.toString(), "--map", "node", "-n", "4", "--bind-to", "core:overload-allowed",
            "--report-bindings", "--cp", ".", "Hello");
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of("0 of 4 on 127.0.0.3", "1 of 4 on 127.0.0.2", "2 of 4 on 127.0.0.3", "3 of 4 on 127.0.0.3"),
            r.out().lines().sorted().toList(), r::toString);
        final List<String> bindings = r.err().lines().sorted().toList();
        assertEquals(4, bindings.size(), r::toString);
        assertTrue(bindings.get(1).matches("rank 1 on node 127\\.0\\.0\\.2 is bound to core \\d+, processors [\\d ]+"), r::toString);
        traces.assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveNothingBehindWhenTheCommandIsEndedDuringACollective(final boolean killed) throws Exception {
        final Process process = start("run", "--hosts", "127.0.0.2:2,127.0.0.3:2,127.0.0.4:1", "--cp", ".", "Reduces");
        final BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (int i = 0; i < 5; i++) {
            final String line = out.readLine();
            assertTrue(line != null && line.startsWith("rank "), () -> line + "\n" + process.errorReader().lines().toList());
        }
        if (killed) {
            process.destroyForcibly();
        } else {
            process.toHandle().destroy();
        }
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        traces.assertNothingLeft();
    }

    @Test
    void shouldNameTheHostOnWhichNoContainerStartsAndEndTheOthers() throws Exception {
        final TuttiScript.Result refused = run("--hosts", "127.0.0.2,127.0.0.9", "--cp", ".", "Hello");
        assertEquals(3, refused.status(), refused::toString);
        assertTrue(refused.err().contains("ssh: connect to host 127.0.0.9 port "), refused::toString);
        assertTrue(refused.err().contains("tutti: cluster does not start: node 127.0.0.9 ended before it was ready: ssh ended with status 255"),
            refused::toString);
        traces.assertNothingLeft();
        final TuttiScript.Result missing = run("--hosts", "127.0.0.2", "--prefix", "/no/such/folder", "--cp", ".", "Hello");
        assertEquals(3, missing.status(), missing::toString);
        assertTrue(missing.err().contains("/no/such/folder/bin/tutti"), missing::toString);
    }

    @Test
    void shouldKeepAClusterOnTheHostsUntilItIsStopped() throws Exception {
        final Process cluster = start("start", "--hosts", "127.0.0.3:2,127.0.0.2:2");
        final String ready = cluster.inputReader(StandardCharsets.UTF_8).readLine();
        assertTrue(ready != null && ready.startsWith("ready 127.0.0.3 127.0.0.3:"), ready);
        final String address = ready.substring(ready.lastIndexOf(' ') + 1);
        final List<String> out = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            out.addAll(CommandInJvm.run("run", "--connect", address, "--cp", dir.toString(), "Hello").out().lines().sorted().toList());
        }
        assertEquals(List.of("0 of 4 on 127.0.0.2", "1 of 4 on 127.0.0.2", "2 of 4 on 127.0.0.3", "3 of 4 on 127.0.0.3"), out.subList(0, 4));
        assertEquals(out.subList(0, 4), out.subList(4, 8));
        assertEquals(0, CommandInJvm.run("stop", "--connect", address).status());
        assertEquals(0, TuttiScript.finish(cluster, System.nanoTime()).status());
        traces.assertNothingLeft();
    }
}
