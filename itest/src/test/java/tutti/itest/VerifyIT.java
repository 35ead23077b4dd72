package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a module is verified before it is installed: a wrong plan is refused in one line that says where, unless installation is forced. */
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class VerifyIT {
    private static final int FAILED = 1;
    /** Longer than a verification may wait, or compute. */
    private static final Duration STOPPED = Duration.ofSeconds(11);
    /** The root sends to every other rank; the receivers' source rank is left open, so that it can be wrong. */
    private static final String BCAST = """
        public QueryResult query(CollComm comm) {
            return QueryResult.usable(90, AlgorithmTable.builder().intra(Operation.BCAST, "star", (call, plan) -> {
                BufferRange data = Buffer.RECV.at(0, call.bytes());
                for (int r = 0; r < plan.size() && plan.rank() == call.root(); r++) {
                    if (r != call.root()) { plan.send(data, r); }
                }
                if (plan.rank() != call.root()) { plan.recv(data, %s); }
            }).build());
        }
        """;
    private static final String WRONG = BCAST.formatted("plan.size() < 3 ? call.root() : (call.root() + 1) % plan.size()");
    private static final String WAITS = """
        public QueryResult query(CollComm comm) {
            try {
                Thread.sleep(comm.rank() * 600_000L);
                return new QueryResult.Declined("done");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        """;

    @TempDir
    private static Path dir;
    private static ThreeNodeCluster cluster;
    private static ModuleBundles modules;

    @BeforeAll
    static void start() throws Exception {
        cluster = ThreeNodeCluster.shared();
        modules = new ModuleBundles(dir);
    }

    @AfterEach
    void clear() throws Exception {
        cluster.uninstallAdded();
    }

    @Test
    void shouldRefuseAModuleWithWrongPlansUnlessForced() throws Exception {
        final Path wrong = modules.withMembers("wrong", WRONG);
        final String message = cluster.runFailing(FAILED, "install", wrong);
        assertEquals("tutti: node a: verification of module wrong 1.0.0 failed: bcast/star: no match for message 0 "
            + "(SEND RECV[0..0) after []): size=3, rank=0, task=0, peer=1, call=Bcast[bytes=0, root=0], nodes=[0, 0, 0]; "
            + "install it anyway with: --no-verify; nothing was changed", message);
        assertEquals(List.of(), cluster.addedModules());
        for (final String node : List.of("a", "b", "c")) {
            assertEquals(List.of(), cluster.installedFiles(node));
        }
        assertEquals("wrong 1.0.0 is active on a, b, c", cluster.run("install", "--no-verify", wrong));
        final Path worse = modules.withManifest(wrong, "worse", m -> m.putValue("Bundle-Version", "1.1.0"));
        assertTrue(cluster.runFailing(FAILED, "update", worse).contains("verification of module wrong 1.1.0 failed: bcast/star: "));
        assertEquals(List.of("wrong 1.0.0 on a,b,c"), cluster.addedModules());
    }

    @Tag("nightly")
    @Test
    void shouldInstallAModuleWithCorrectPlans() throws Exception {
        assertEquals("right 1.0.0 is active on a, b, c\nright serves bcast (star)",
            cluster.run("install", modules.withMembers("right", BCAST.formatted("call.root()"))));
        final long begin = System.nanoTime();
        cluster.run("install", modules.ring("1.0.0"));
        System.out.println("timing: install of ring on three nodes ms=" + (System.nanoTime() - begin) / 1_000_000);
    }

    @Tag("nightly")
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldInstallARightModuleWhoseProofIsStoppedForLongerThanItMayTake() throws Exception {
        final Path begun = dir.resolve("begun");
        final Path goesOn = dir.resolve("goes-on");
        final Path slow = modules.withMembers("slow", BCAST.formatted("call.root()").replaceFirst("return", """
            try {
                java.nio.file.Files.writeString(java.nio.file.Path.of("%s"), "");
                while (!java.nio.file.Files.exists(java.nio.file.Path.of("%s"))) { Thread.onSpinWait(); }
            } catch (java.io.IOException e) {
                throw new IllegalStateException(e);
            }
            return""".formatted(begun, goesOn)));
        final CommandInJvm.Running install = CommandInJvm.start(ThreeNodeCluster.commandLine(cluster.a, "install", slow.toString()));
        await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(begun));
        final ProcessHandle proof = cluster.a.process.descendants()
            .filter(p -> CommandLines.of(p).contains("tutti.proof")).findAny().orElseThrow();
        signal(proof, "STOP");
        try {
            Files.createFile(goesOn);
            final long since = System.nanoTime();
            await().pollDelay(Duration.ZERO).atMost(Duration.ofSeconds(60)).until(() -> System.nanoTime() - since > STOPPED.toNanos());
        } finally {
            signal(proof, "CONT");
        }
        final TuttiScript.Result installed = install.end();
        assertEquals(0, installed.status(), installed::toString);
        assertTrue(installed.out().contains("slow 1.0.0 is active on a, b, c"), installed::toString);
    }

    private static void signal(final ProcessHandle process, final String signal) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor());
    }

    @Tag("nightly")
    @Test
    void shouldRefuseAModuleThatTakesTooLongAndTellHowToForceIt() throws Exception {
        final Path waits = modules.withMembers("waits", WAITS);
        assertEquals("tutti: node a: verification of module waits 1.0.0 failed: takes too long: 4000 ms of waiting, at set-up, nodes=[0, 0]; "
            + "install it anyway with: --no-verify; nothing was changed", cluster.runFailing(FAILED, "install", waits));
        assertEquals(List.of(), cluster.addedModules());
        cluster.runShortJob();
    }
}
