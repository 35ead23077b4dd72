package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of who may use a cluster: another user, and users with secrets or certificates of lower roles. */
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class SecurityIT {
    private static final int DENIED = 5;
    private static final String NOBODY = "65534";

    @TempDir
    private Path dir;

    private static void assertRefused(final TuttiScript.Result r, final String reason) {
        assertEquals(DENIED, r.status(), r::toString);
        assertEquals(1, r.err().lines().count(), r::toString);
        assertTrue(r.err().startsWith("tutti: ") && r.err().contains(reason), r::toString);
    }

    @Test
    void shouldRefuseAnotherUserOfTheMachineAndLogIt() throws Exception {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "only root can run a command as another user");
        final String logged;
        try (TuttiScript.Daemon daemon = new TuttiScript.Daemon(dir, "--name", "a")) {
            assertEquals(0, CommandInJvm.run("nodes", "--connect", daemon.address).status());
            for (final String command : List.of("nodes", "stop")) {
                final Process other = new ProcessBuilder("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups",
                    ProjectPaths.DIR.resolve("tutti").toString(), command, "--connect", daemon.address).directory(Path.of("/").toFile()).start();
                assertRefused(TuttiScript.finish(other, System.nanoTime()), "daemon at " + daemon.address + " refuses: no secret was given");
            }
            assertEquals(0, CommandInJvm.run("stop", "--connect", daemon.address).status());
            assertTrue(daemon.process.waitFor(60, TimeUnit.SECONDS));
            logged = daemon.err.get(60, TimeUnit.SECONDS);
        }
        assertEquals(2, logged.lines().filter(l -> l.contains("link refused: peer=127.0.0.1:") && l.contains("no secret was given")).count(), logged);
    }

    @Tag("nightly")
    @Test
    void shouldLetTheHoldersOfSecretsDoWhatTheirRolesAllow() throws Exception {
        final Path secrets = dir.resolve("secrets");
        assertEquals(0, CommandInJvm.run("secure", "init", "--dir", secrets.toString()).status());
        TuttiScript.writeProgram(dir, "Sum", "System.out.println(rank);");
        final Map<String, String> node = Map.of("TUTTI_SECRET", secrets.resolve("node.secret").toString());
        try (TuttiScript.Daemon daemon = new TuttiScript.Daemon(dir, node, "--name", "a");
             TuttiScript.Daemon other = new TuttiScript.Daemon(dir, node, "--name", "b", "--join", daemon.address)) {
            assertRefused(CommandInJvm.run("nodes", "--connect", other.address), "the secret is not that of this cluster");
            final Map<String, String> run = Map.of("TUTTI_SECRET", secrets.resolve("run.secret").toString());
            final TuttiScript.Result ran = TuttiScript.run(dir, run, "run", "--connect", daemon.address, "-n", "2", "--map", "node", "Sum.java");
            assertEquals(List.of("0", "1"), ran.out().lines().sorted().toList(), ran::toString);
            final Map<String, String> observe = Map.of("TUTTI_SECRET", secrets.resolve("observe.secret").toString());
            assertEquals(3, TuttiScript.run(dir, observe, "nodes", "--connect", daemon.address).out().lines().count());
            assertRefused(TuttiScript.run(dir, observe, "run", "--connect", daemon.address, "-n", "2", "Sum.java"),
                "not allowed: request=run, role=observe, needed=run");
            assertRefused(
                TuttiScript.run(dir, run, "install", "--connect", daemon.address,
                    Files.write(dir.resolve("module.jar"), new byte[300_000]).toString()),
                "not allowed: request=change, role=run, needed=change");
            assertRefused(TuttiScript.run(dir, run, "stop", "--connect", daemon.address), "not allowed: request=stop, role=run, needed=node");
            assertEquals(0, TuttiScript.run(dir, node, "stop", "--connect", daemon.address).status());
        }
    }

    @Tag("nightly")
    @Test
    void shouldRunJobsAndChangeModulesOverTlsForHoldersOfCertificatesOfTheCluster() throws Exception {
        final Map<String, String> a = certificate("node", "a");
        final Map<String, String> b = certificate("node", "b");
        final Map<String, String> user = certificate("user", "alice", "--role", "run");
        final Map<String, String> changer = certificate("user", "carol", "--role", "change");
        TuttiScript.writeProgram(dir, "Sum", "System.out.println(rank);");
        final String logged;
        try (TuttiScript.Daemon daemon = new TuttiScript.Daemon(dir, a, "--name", "a");
             TuttiScript.Daemon other = new TuttiScript.Daemon(dir, b, "--name", "b", "--join", daemon.address)) {
            final TuttiScript.Result ran = TuttiScript.run(dir, user, "run", "--connect", daemon.address, "-n", "2", "--map", "node", "Sum.java");
            assertEquals(List.of("0", "1"), ran.out().lines().sorted().toList(), ran::toString);
            final TuttiScript.Result changed = TuttiScript.run(dir, changer, "uninstall", "--connect", daemon.address, "tree");
            assertEquals(0, changed.status(), changed::toString);
            assertRefused(TuttiScript.run(dir, user, "uninstall", "--connect", daemon.address, "basic"), "request=change, role=run, needed=change");
            assertRefused(CommandInJvm.run("nodes", "--connect", other.address), "no certificate was given");
            assertEquals("node ghost shows the certificate of node b", refusal(daemon, b, "node", RawLink.node("ghost", "null")));
            assertEquals("", refusal(daemon, user, "client", "{\"protocol\":" + RawLink.VERSION + "}"));
            assertEquals("links between ranks need a certificate for role node", refusal(daemon, user, "job", "{}"));
            assertRefused(TuttiScript.run(dir, expiredCertificate(), "nodes", "--connect", daemon.address), "certificate has expired: file=");
            dir = Files.createDirectories(dir.resolve("stranger"));
            assertRefused(TuttiScript.run(dir, certificate("user", "eve", "--role", "node"), "stop", "--connect", daemon.address),
                "the certificate of the peer at " + daemon.address + " is not accepted");
            final TuttiScript.Result ghost = TuttiScript.run(dir, a, "daemon", "--name", "ghost");
            assertTrue(ghost.err().contains("the certificate is that of node a, this one is ghost"), ghost::toString);
            assertEquals(0, TuttiScript.run(dir, b, "stop", "--connect", daemon.address).status());
            assertTrue(daemon.process.waitFor(60, TimeUnit.SECONDS));
            logged = daemon.err.get(60, TimeUnit.SECONDS);
        }
        assertTrue(logged.contains("request refused: peer="), logged);
        assertTrue(logged.contains("connection refused: peer="), logged);
    }

    @Tag("nightly")
    @Test
    void shouldSpawnAndConnectJobsAndUseWindowsAndFilesOverTls() throws Exception {
        final Map<String, String> user = certificate("user", "alice", "--role", "run");
        final Path examples = ProjectPaths.DIR.resolve("examples");
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, certificate("node", "a"), "--name", "a");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, certificate("node", "b"), "--name", "b", "--join", a.address)) {
            for (final String program : List.of("SpawnWorkers", "ServerAndClients")) {
                final TuttiScript.Result r = TuttiScript.run(dir, user, "run", "--connect", b.address, "-n", "5", "--map", "node", "--timeout",
                    "150", examples.resolve(program + ".java").toString());
                assertEquals(0, r.status(), r::toString);
                assertTrue(r.out().contains("sum"), r::toString);
            }
            MemoryAndFilesIT.compile(dir);
            final TuttiScript.Result r = TuttiScript.run(dir, user, "run", "--connect", b.address, "-n", "5", "--map", "node", "--timeout", "150",
                "--cp", dir.toString(), MemoryAndFilesIT.PROGRAM, "spawn", dir.resolve("data").toString());
            assertEquals(List.of(0, "used by 7\n"), List.of(r.status(), r.out()), r::toString);
        }
    }

    /** Returns why a daemon refuses who has a certificate and says this; empty when it does not. */
    private static String refusal(final TuttiScript.Daemon daemon, final Map<String, String> certificate, final String purpose, final String json)
        throws Exception {
        final byte[] hello = json.getBytes(StandardCharsets.UTF_8);
        try (RawLink link = new RawLink(daemon.port(), Path.of(certificate.get("TUTTI_SECRET")))) {
            return link.send(RawLink.hello(purpose, hello.length, hello)).answer();
        }
    }

    @Tag("nightly")
    @Test
    void shouldLoadOnlyModulesThatAreSignedByATrustedSignerAlsoAfterARestart() throws Exception {
        jdk("keytool", "-genkeypair", "-alias", "alice", "-dname", "CN=alice", "-keyalg", "EC", "-keystore", dir.resolve("keys.p12").toString(),
            "-storepass", "password");
        jdk("keytool", "-genkeypair", "-alias", "eve", "-dname", "CN=eve", "-keyalg", "EC", "-keystore", dir.resolve("keys.p12").toString(),
            "-storepass", "password");
        final Path trusted = dir.resolve("signers.pem");
        jdk("keytool", "-exportcert", "-rfc", "-alias", "alice", "-keystore", dir.resolve("keys.p12").toString(), "-storepass", "password", "-file",
            trusted.toString());
        final Map<String, String> demands =
            Map.of("TUTTI_DAEMON_OPTS", TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS") + " -Dtutti.node.signers=" + trusted);
        // refused before its activator runs
        final Path module = new ModuleBundles(dir).withActivator("signed", "java.nio.file.Files.write(java.nio.file.Path.of(\""
            + dir.resolve("activated") + "\"), new byte[1]);");
        final Path folder = dir.resolve("node-b");
        try (TuttiScript.Daemon daemon = new TuttiScript.Daemon(dir, "--name", "a")) {
            try (TuttiScript.Daemon other =
                new TuttiScript.Daemon(dir, demands, "--name", "b", "--join", daemon.address, "--dir", folder.toString())) {
                assertModuleRefused(install(other, module), ": it is not signed");
                assertTrue(Files.notExists(dir.resolve("activated")));
                jdk("jarsigner", "-keystore", dir.resolve("keys.p12").toString(), "-storepass", "password", module.toString(), "eve");
                assertModuleRefused(install(other, module), ", signer=CN=eve: its certificate is not trusted: trusted=" + trusted);
                assertTrue(Files.notExists(dir.resolve("activated")));
                jdk("jarsigner", "-keystore", dir.resolve("keys.p12").toString(), "-storepass", "password", module.toString(), "alice");
                final TuttiScript.Result installed = install(other, module);
                assertEquals(0, installed.status(), installed::toString);
                assertTrue(Files.exists(dir.resolve("activated")));
            }
            Files.delete(dir.resolve("activated"));
            final Path stored = folder.resolve("work/modules").resolve(ThreeNodeCluster.storedName(module));
            Files.copy(new ModuleBundles(dir).withActivator("signed", ""), stored, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            final TuttiScript.Daemon again = new TuttiScript.Daemon(dir, demands, "--name", "b", "--dir", folder.toString());
            final TuttiScript.Result modules = CommandInJvm.run("modules", "--connect", again.address);
            again.close();
            assertTrue(!modules.out().contains("signed") && modules.out().contains("basic"), modules::toString);
            final String logged = again.err.get(60, TimeUnit.SECONDS);
            assertTrue(
                logged.contains("module signed 1.0.0 of an earlier run cannot be started: module bundle is refused: bundle=probe.signed 1.0.0, "
                    + "entry=probe/Probe.class: it is not signed"),
                logged);
        }
    }

    private static TuttiScript.Result install(final TuttiScript.Daemon daemon, final Path module) throws Exception {
        return CommandInJvm.run("install", "--connect", daemon.address, "--node", "b", module.toString());
    }

    private static void assertModuleRefused(final TuttiScript.Result r, final String reason) {
        assertEquals(1, r.status(), r::toString);
        assertEquals(1, r.err().lines().count(), r::toString);
        assertTrue(r.err().contains("node b: module bundle is refused: bundle=probe.signed 1.0.0, entry=probe/Probe.class" + reason), r::toString);
    }

    /** Runs a tool of the JDK. */
    private static void jdk(final String tool, final String... options) throws Exception {
        final List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", tool).toString(),
            "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        line.addAll(List.of(options));
        final TuttiScript.Result r = TuttiScript.finish(new ProcessBuilder(line).start(), System.nanoTime());
        assertEquals(0, r.status(), r::toString);
    }

    /** Makes a certificate that was valid until yesterday, which no command does; returns the environment of its holder. */
    private Map<String, String> expiredCertificate() throws Exception {
        final Path file = dir.resolve("old.p12");
        Files.copy(dir.resolve("certificates").resolve("authority.p12"), file);
        final Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias",
            "old", "-signer", "authority", "-dname", "CN=old,OU=run", "-startdate", "-2d", "-validity", "1", "-keyalg", "EC", "-keystore",
            file.toString(), "-storepass", "tutti-secret").redirectErrorStream(true).start();
        final String text = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, keytool.waitFor(), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return Map.of("TUTTI_SECRET", file.toString());
    }

    /** Makes a certificate; returns the environment of its holder. */
    private Map<String, String> certificate(final String kind, final String name, final String... options) throws Exception {
        final String folder = dir.resolve("certificates").toString();
        if (!Files.exists(Path.of(folder))) {
            assertEquals(0, CommandInJvm.run("secure", "init", "--certificates", "--dir", folder).status());
        }
        final List<String> command = new ArrayList<>(List.of("secure", kind, name, "--dir", folder));
        command.addAll(List.of(options));
        final TuttiScript.Result made = CommandInJvm.run(command.toArray(String[]::new));
        assertEquals(0, made.status(), made::toString);
        return Map.of("TUTTI_SECRET", made.out().strip());
    }

    @Test
    void shouldNotStartANodeThatEverybodyReachesAndMayUseUnlessThatIsSaid() throws Exception {
        try (TuttiScript.Daemon daemon = new TuttiScript.Daemon(dir, "--name", "a", "--listen", "0.0.0.0:0", "--insecure")) {
            final TuttiScript.Result nodes = CommandInJvm.run("nodes", "--connect", "127.0.0.1:" + daemon.port());
            assertTrue(nodes.out().endsWith("warning: node a: everybody who reaches it may do everything, tutti.node.secret=none; "
                + "make a secret with: tutti secure init\n"),
                nodes::toString);
        }
        final TuttiScript.Result refused = TuttiScript.run(dir, Map.of("TUTTI_DAEMON_OPTS", "-Dtutti.node.secret=none"), "daemon", "--name", "a",
            "--listen", "0.0.0.0:0");
        assertEquals(1, refused.err().lines().count(), refused::toString);
        assertTrue(refused.err().contains("a node that listens beyond loopback needs a secret"), refused::toString);
    }
}
