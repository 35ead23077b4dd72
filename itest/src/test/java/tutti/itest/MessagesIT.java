package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Provokes every message of the page of messages, and compares it with the page. */
@Tag("nightly")
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class MessagesIT {
    private static final Path PAGE = ProjectPaths.DIR.resolve("docs/guide/messages.md");
    private static final Pattern ROW = Pattern.compile("\\| `(?<message>[^`]+)` \\| (?<status>\\d+) \\| .+ \\| .+ \\|");

    private static final Pattern OF_OTHER_TEST = Pattern.compile("\\| `(?<message>[^`]+)` \\| (?<test>\\w+IT) \\| .+ \\| .+ \\|");
    /** Length of a part of a message that tells it from others. */
    private static final int DISTINCT = 12;

    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;
    private static ModuleBundles modules;
    private static List<Entry> page;
    private final Set<Entry> met = new LinkedHashSet<>();
    private final List<String> unknown = new ArrayList<>();

    /** A message of the page, in which {@code ...} stands for any text. */
    private record Entry(String message, int status) {
        boolean matches(final String text) {
            return Pattern.compile(Stream.of(message.split("\\.\\.\\.", -1)).map(Pattern::quote).collect(Collectors.joining(".*")), Pattern.DOTALL)
                .matcher(text).matches();
        }
    }

    @BeforeAll
    static void start() throws Exception {
        page = Files.readAllLines(PAGE).stream().map(ROW::matcher).filter(Matcher::matches)
            .map(m -> new Entry(m.group("message"), Integer.parseInt(m.group("status")))).toList();
        a = new TuttiScript.Daemon(dir, "--name", "a");
        b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
        modules = new ModuleBundles(dir);
        program("Good", "");
        program("Throws", "if (rank == 1) { throw new IllegalStateException(\"boom\"); } MPI.COMM_WORLD.barrier();");
        program("Exits", "if (rank == 1) { System.exit(9); } MPI.COMM_WORLD.barrier();");
        program("Aborts", "if (rank == 1) { MPI.COMM_WORLD.abort(8); } MPI.COMM_WORLD.barrier();");
        program("Waits", "System.out.println(\"up\"); MPI.COMM_WORLD.recv(new int[1], 1, MPI.INT, 0, 99);");
        program("Leaves", "if (rank >= 0) { return; }");
        program("Truncates", "int[] d = new int[4]; if (rank == 0) { MPI.COMM_WORLD.send(d, 4, MPI.INT, 1, 0); } "
            + "else { MPI.COMM_WORLD.recv(d, 1, MPI.INT, 0, 0); }");
        program("WrongRank", "MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, size, 0);");
        program("ShortBuffer", "MPI.COMM_WORLD.bcast(new int[1], 2, MPI.INT, 0);");
        program("Differs", "if (rank == 0) { MPI.COMM_WORLD.bcast(new int[1], 1, MPI.INT, 0); } else { MPI.COMM_WORLD.barrier(); }");
        program("WrongRoot", "MPI.COMM_WORLD.bcast(new int[1], 1, MPI.INT, size);");
        program("WrongKind", "MPI.COMM_WORLD.bcast(new double[1], 1, MPI.INT, 0);");
        program("Misses", "if (rank == 0) { MPI.COMM_WORLD.bcast(new int[1], 1, MPI.INT, 0); }");
        program("OtherType", "if (rank == 0) { MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, 1, 0); } "
            + "else { MPI.COMM_WORLD.recv(new float[1], 1, MPI.FLOAT, 0, 0); }");
        program("Unread", "if (rank == 0) { MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, 1, 0); }");
        program("Locks", "java.nio.channels.FileChannel file = java.nio.channels.FileChannel.open(java.nio.file.Path.of(args[0]), "
            + "java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE); file.lock(); MPI.COMM_WORLD.barrier();");
        program("NegativeTag", "MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, 0, -5);");
    }

    private static void program(final String name, final String body) throws IOException {
        TuttiScript.writeProgram(dir, name, body);
        TuttiScript.compile(dir, name);
    }

    @AfterAll
    static void stop() {
        b.close();
        a.close();
    }

    /** Runs a command that must print a message of the page, with its status. */
    private void provoke(final String... args) throws Exception {
        met(String.join(" ", args), CommandInJvm.run(args));
    }

    private void met(final String command, final TuttiScript.Result r) {
        final String text = r.err().strip().replaceFirst("^tutti: ", "");
        final List<Entry> found = page.stream().filter(e -> e.matches(text) && e.status() == r.status()).toList();
        if (found.isEmpty()) {
            unknown.add(command + "\n    status " + r.status() + ": " + text);
        }
        met.addAll(found);
    }

    private void connected(final String command, final String... args) throws Exception {
        provoke(ThreeNodeCluster.commandLine(a, command, args));
    }

    private void run(final String... args) throws Exception {
        connected("run", Stream.concat(Stream.of("--cp", dir.toString(), "-n", "2"), Stream.of(args)).toArray(String[]::new));
    }

    private void install(final String name, final Consumer<Attributes> change) throws Exception {
        connected("install", modules.withManifest(modules.withActivator(name, ""), name + "-changed", change).toString());
    }

    @Test
    void shouldHaveEveryMessageThatIsProvokedAndProvokeEveryMessageThatItHas() throws Exception {
        commandLines();
        measurements();
        runs();
        calls();
        modules();
        secrets();
        jobJvms();
        tuning();
        nodes();
        assertEquals(List.of(), unknown, () -> "messages that the page does not have:\n" + String.join("\n", unknown));
        assertEquals(List.of(), page.stream().filter(e -> !met.contains(e)).toList(), "messages of the page that nothing provoked");
        assertTrue(page.size() > 40, () -> "messages: " + page.size());
    }

    @Test
    void shouldNameTestsThatProvokeTheOthers() throws Exception {
        int rows = 0;
        for (final Matcher row : Files.readAllLines(PAGE).stream().map(OF_OTHER_TEST::matcher).filter(Matcher::matches).toList()) {
            final String test = Files.readString(ProjectPaths.DIR.resolve("itest/src/test/java/tutti/itest/" + row.group("test") + ".java"))
                .replaceAll("\"\\s*\\+ \"", "");
            assertTrue(Stream.of(row.group("message").split("\\.\\.\\.|[;:] ")).anyMatch(part -> part.length() >= DISTINCT && test.contains(part)),
                row::group);
            rows++;
        }
        assertTrue(rows >= 15, "rows: " + rows);
    }

    private void commandLines() throws Exception {
        provoke();
        provoke("ps", "--ranks", "--connect", a.address);
        provoke("ps", "a-1-none", "--connect", a.address);
        provoke("checkpoints", "--remove", "x", "--json", "--connect", a.address);
        provoke("checkpoint", "a-1-none", "--timeout", "0", "--connect", a.address);
        final String program = Files.writeString(dir.resolve("Empty.java"), "class Empty {}").toString();
        provoke("run", "--wdir", "nowhere", program);
        provoke("run", "--hostfile", dir.toString(), program);
        provoke("run", "-p", "restart=x", "P");
        provoke("run", "--ports", "2-1", "P");
        provoke("run", "--ports", "7200", "P");
        provoke("run", emptyJar().toString());
        provoke("start");
        provoke("run", "-x", "=1", "P");
        provoke("run", "-p", "trace=5", "P");
        provoke("run", "--trace", "-", "P");
        provoke("run", "--restart", "a/b/c", "P");
        provoke("run", "--restart", "a-1-none", "P");
        provoke("run", "--nodes", "65", "P");
        provoke("explain", "--plan");
        provoke("explain", "--plan", "neighbor_alltoall");
        provoke("explain", "--plan", "--groups", "2+3", "bcast");
        provoke("explain", "--plan", "--group", "0..1", "bcast");
        provoke("explain", "-n", "4", "--groups", "2+3", "bcast");
        provoke("explain", "--group", "x", "bcast");
        provoke("explain", "--bytes", "big", "bcast");
        provoke("explain", "--plan", "--root", "1", "-n", "2", "scan");
        provoke("explain", "--rank", "1", "bcast");
        met("daemon", TuttiScript.run(dir, "daemon", "--name", "no name"));
        met("daemon", TuttiScript.run(dir, "daemon", "--name", "f", "--load", emptyJar().toString()));
        provoke("nods");
        provoke("frob");
        provoke("run");
        provoke("nodes");
        provoke("run", "--frob", "P");
        provoke("run", "-n", "0", "P");
        provoke("run", "-n", "x", "P");
        provoke("run", "--nodes", "2", "--connect", "h:1", "P");
        provoke("run", "no.java");
        provoke("run", "Main");
        provoke("run", "--connect", a.address, "--cp", "no.jar", "Main");
        provoke("run", "--hosts", "a:x", "P");
        provoke("run", "--hostfile", "/no/such", "P");
        provoke("run", "--hosts", "a:2", "--prefix", "/opt", "-n", "6", "P");
        provoke("run", "-x", "NOBODY_SETS_IT", "P");
        provoke("run", "--wdir", "/tmp", "--connect", a.address, "P");
        provoke("run", "--file", "no.txt", "P");
        provoke("run", "--trace", "/proc/version/t.json", "P");
        provoke("run", "-p", "coll.rules=/no/such.json", "P");
        provoke("explain", "alreduce");
        provoke("explain", "pingpong");
        provoke("run", "--noodes", "2", "P");
        provoke("run", "java", "-frob", "P");
        provoke("run", "java", "-cp");
        provoke("run", "java", "-version");
        provoke("run", "java", "-cp", dir.toString());
        provoke("run", "java", "--add-opens=java.base", "P");
        provoke("run", "java", "-m", "a/b");
        provoke("explain", "--png", "-", "allreduce");
        provoke("tune", "pingpong");
        provoke("bench", "scan");
        provoke("tune", "--rounds", "0");
        provoke("tune", "--plot", "p.jpg");
        provoke("bench", "--plot", "p.jpg");
        provoke("ps", "--ranks", "--connect", a.address);
        provoke("ps", "a-1", "--connect", a.address);
        provoke("ps", "a-1", "--ranks", "--all", "--connect", a.address);
        provoke("install", "--connect", a.address, "no.jar");
        provoke("nodes", "--connect", "nowhere");
        Files.writeString(dir.resolve("Broken.java"), "public class Broken { void x() { int y = \"\"; } }");
        provoke("run", "--connect", a.address, dir.resolve("Broken.java").toString());
        Files.writeString(dir.resolve("Parts.java"), "//SOURCES no/*.java\npublic class Parts { public static void main(String[] a) { } }");
        provoke("run", "--connect", a.address, dir.resolve("Parts.java").toString());
        Files.writeString(dir.resolve("Script.java"), "//DEPS org.example:some:1.0\npublic class Script { public static void main(String[] a) { } }");
        provoke("run", "--connect", a.address, dir.resolve("Script.java").toString());
    }

    private static Path emptyJar() throws IOException {
        final Path jar = dir.resolve("empty.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), new Manifest())) {
            out.finish();
        }
        return jar;
    }

    private static Path agentJar() throws IOException {
        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "Good");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, dir.toUri().toString());
        manifest.getMainAttributes().putValue("Launcher-Agent-Class", "Good");
        final Path jar = dir.resolve("agent.jar");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return jar;
    }

    private void measurements() throws Exception {
        provoke("bench", "--sizes", "x", "--connect", a.address);
        provoke("bench", "--sizes", "7", "--connect", a.address);
        provoke("bench", "--sizes", "16M", "allgather");
        provoke("tune", "brier");
        provoke("tune", "-p", "coll.bcast=ring");
        provoke("bench", "nothing", "--connect", a.address);
        provoke("tune", "-n", "0", "--connect", a.address, "bcast");
        provoke("tune", "--learnt", dir.resolve("learnt.json").toString());
        connected("tune", "--learnt", dir.resolve("learnt.json").toString(), "scan");
        connected("tune", "--learnt", dir.resolve("learnt.json").toString());
    }

    private void secrets() throws Exception {
        final String folder = dir.resolve("secrets").toString();
        assertEquals(0, CommandInJvm.run("secure", "init", "--dir", folder).status());
        provoke("secure", "init", "--dir", folder);
        provoke("secure", "node", "n1", "--dir", folder);
        assertEquals(0, CommandInJvm.run("secure", "init", "--certificates", "--dir", folder).status());
        provoke("secure", "init", "--certificates", "--dir", folder);
        assertEquals(0, CommandInJvm.run("secure", "node", "n1", "--dir", folder).status());
        provoke("secure", "node", "n1", "--dir", folder);
        provoke("secure", "node", "n/1", "--dir", folder);
        provoke("secure", "node", "n2", "--days", "0", "--dir", folder);
        provoke("secure", "init", "--dir", "/proc/secrets");
        met("nodes", TuttiScript.run(dir, Map.of("TUTTI_SECRET", folder + "/run.secret"), "nodes", "--connect", a.address));
        met("nodes", TuttiScript.run(dir, Map.of("TUTTI_SECRET", folder + "/none"), "nodes", "--connect", a.address));
        try (TuttiScript.Daemon c = new TuttiScript.Daemon(dir, Map.of("TUTTI_SECRET", folder + "/node.secret"), "--name", "s")) {
            met("stop", TuttiScript.run(dir, Map.of("TUTTI_SECRET", folder + "/run.secret"), "uninstall", "ring", "--connect", c.address));
        }
    }

    private void runs() throws Exception {
        run("-p", "stall=1s", "Waits");
        run("Misses");
        run("-p", "check=full", "OtherType");
        run("Unread");
        run("-p", "intercept=rong", "Good");
        run("-p", "coll.rules=" + Files.writeString(dir.resolve("broken.json"), "{broken"), "Good");
        run("-p", "coll.rules=" + Files.writeString(dir.resolve("rong.json"), "{\"rules\": [{\"operation\": \"bcast\", \"use\": \"tree/rong\"}]}"),
            "Good");
        connected("checkpoint", "a-1-none");
        run("-p", "chek=full", "Good");
        run("-p", "check=maybe", "Good");
        run("-p", "coll.select=unknown", "Good");
        run("-p", "coll.select=bacis", "Good");
        run("-p", "coll.bcast=tree/binomial", "Good");
        run("-p", "coll.bcast=dissem", "Good");
        run("-p", "coll.select=^basic", "Good");
        run("-p", "transport=ib", "Good");
        run("Nowhere");
        run("java", "-Xmx1g", "Good");
        run("--enable-preview", "Good");
        run("--add-modules", "jdk.incubator.vector", "Good");
        connected("run", "-n", "2", agentJar().toString());
        run("Throws");
        connected("run", "--cp", dir.toString(), "-n", "4", "Locks", dir.resolve("locked").toString());
        run("Exits");
        run("Aborts");
        run("Leaves");
        run("--timeout", "1", "Waits");
        final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n", "1", "--cp", dir.toString(), "Waits"));
        assertEquals(List.of("up"), job.lines(1));
        final String id = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "ps")).out().lines().filter(l -> l.contains("Waits")).findFirst()
            .orElseThrow().split("\\s+")[0];
        assertEquals(0, CommandInJvm.run(ThreeNodeCluster.commandLine(a, "cancel", id)).status());
        met("cancel", job.end());
        connected("cancel", "a-1-none");
        connected("checkpoints", "--remove", "a-1-none");
        final CommandInJvm.Running waits = CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n", "1", "--cp", dir.toString(), "-p",
            "stall=off", "Waits"));
        assertEquals(List.of("up"), waits.lines(1));
        final String unsaved = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "ps")).out().lines().filter(l -> l.contains("Waits")).findFirst()
            .orElseThrow().split("\\s+")[0];
        connected("checkpoint", unsaved, "--timeout", "1");
        assertEquals(0, CommandInJvm.run(ThreeNodeCluster.commandLine(a, "cancel", unsaved)).status());
        met("cancel", waits.end());
    }

    private void calls() throws Exception {
        for (final String program : List.of("Truncates", "WrongRank", "ShortBuffer", "Differs", "WrongRoot", "WrongKind", "NegativeTag")) {
            run(program);
        }
    }

    private void modules() throws Exception {
        connected("install", Files.writeString(dir.resolve("text.jar"), "no jar").toString());
        install("nameless", m -> m.remove(new Attributes.Name("Bundle-SymbolicName")));
        install("plain", m -> m.remove(new Attributes.Name("Provide-Capability")));
        install("bare", m -> m.remove(new Attributes.Name("Service-Component")));
        install("old", m -> m.putValue("Import-Package", "tutti.coll;version=\"[7,8)\",org.osgi.framework"));
        install("deep", m -> m.putValue("Import-Package", "tutti.coll,tutti.runtime.secret,org.osgi.framework"));
        install("lonely", m -> m.putValue("Import-Package", "tutti.coll,org.nowhere,org.osgi.framework"));
        install("wants", m -> m.putValue("Require-Capability", "coffee"));
        install("newer", m -> m.putValue("Require-Capability", "osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=99))\""));
        connected("install", modules.withOtherName("says", "does").toString());
        connected("install", modules.withReference("needy", "org.example.Coffee").toString());
        connected("install", modules.withOtherName("bcast", "bcast").toString());
        connected("install", modules.withActivator("throws", "if (true) { throw new IllegalStateException(\"boom\"); }").toString());
        connected("install", modules.withActivator("leaves", "Runtime.getRuntime().halt(5);").toString());
        connected("install", modules.withMembers("wrong", """
            public QueryResult query(CollComm comm) {
                return QueryResult.usable(9, AlgorithmTable.builder().intra(Operation.BARRIER, "star", (call, plan) -> {
                    if (plan.rank() == 0 && plan.size() > 1) { plan.send(Buffer.SEND.at(0, 0), 1); }
                }).build());
            }""").toString());
        ThreeNodeCluster.removeRing(a);
        connected("update", modules.ring("1.0.0").toString());
        assertEquals(0, CommandInJvm.run(ThreeNodeCluster.commandLine(a, "install", "--node", "a", modules.ring("1.0.0").toString())).status());
        run("-p", "coll.bcast=ring", "Good");
        connected("install", modules.ring("1.0.0", "changed", 0).toString());
        limitFiles("16");
        connected("uninstall", "ring");
        connected("update", modules.ring("1.0.1").toString(), "--no-verify");
        run("Good");
        limitFiles("unlimited");
        connected("uninstall", "rong");
        connected("uninstall", "basic");
        connected("rollback", "tree");
        connected("rollback", "--job", "a-1-0000", "tree");
        connected("rollback", "--live", "--job", "a-1-0000", "tree");
        connected("install", "--dev", emptyJar().toString());
        connected("install", "--dev", dir.resolve("text.jar").toString());
        connected("install", "--node", "z", modules.ring("1.0.0").toString());
    }

    /** Continues a tuning whose points are noise, so that nothing is measured, and one of another environment. */
    private void tuning() throws Exception {
        final String[] tune = ThreeNodeCluster.commandLine(a, "tune", "-n", "2", "--millis", "0.01", "--rounds", "1", "--output",
            dir.resolve("noise.json").toString(), "barrier");
        final Path points = dir.resolve("noise.json.points");
        assertEquals(0, CommandInJvm.run(Stream.concat(Stream.of(tune), Stream.of("--force")).toArray(String[]::new)).status());
        TuneIT.writeNoise(points);
        final TuttiScript.Result refused = CommandInJvm.run(tune);
        met("tune", new TuttiScript.Result(refused.status(), refused.out(), refused.err().lines().reduce((x, y) -> y).orElse(""), refused.millis()));
        Files.writeString(points, Files.readString(points).replaceFirst("\"cores\":\\d+", "\"cores\":4711"));
        provoke(tune);
    }

    /** Limits the size of the files that node a writes, as a full disk does. */
    private static void limitFiles(final String bytes) throws Exception {
        assertEquals(0,
            new ProcessBuilder("prlimit", "--pid", Long.toString(a.process.pid()), "--fsize=" + bytes + ":").inheritIO().start().waitFor());
    }

    private void nodes() throws Exception {
        connected("stop", "--node", "z");
        final String gone;
        try (TuttiScript.Daemon c = new TuttiScript.Daemon(dir, "--name", "c")) {
            gone = c.address;
        }
        provoke("nodes", "--connect", gone);
        met("daemon", TuttiScript.run(dir, "daemon", "--name", "d", "--listen", a.address));
        met("daemon", TuttiScript.run(dir, "daemon", "--name", "d", "--log", dir.toString()));
        provoke("daemon", "--name", "d", "--dir", "/proc/none");
        provoke("daemon", "--name", "d", "--log-size", "big");
        provoke("daemon", "--name", "d", "--log-size", "1");
        provoke("daemon", "--name", "d", "--log-files", "1");
        provoke("page", "--connect", a.address);
        provoke("page", "--connect", a.address, "--role", "node");
        provoke("page", "--connect", a.address, "--role", "guest");
        provoke("doctor", "--listen", a.address);
        provoke("doctor", "--connect", a.address, "--listen", a.address);
        met("daemon", TuttiScript.run(dir, "daemon", "--name", "a", "--join", a.address));
        met("daemon", TuttiScript.run(dir, "daemon", "--name", "a", "--join", b.address));
        provoke("nodes", "--wait", "3", "--timeout", "1", "--connect", a.address);
        final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n", "2", "--map", "node", "--cp", dir.toString(),
            "Waits"));
        assertEquals(List.of("up", "up"), job.lines(2));
        b.process.toHandle().destroyForcibly();
        met("killed node", job.end());
        final CommandInJvm.Running last = CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n", "1", "--cp", dir.toString(), "Waits"));
        assertEquals(List.of("up"), last.lines(1));
        a.process.toHandle().destroyForcibly();
        met("killed daemon", last.end());
    }

    private void jobJvms() throws Exception {
        program("Fills", "java.util.List<long[]> all = new java.util.ArrayList<>(); while (rank >= 0) { all.add(new long[1 << 16]); }");
        program("Crashes", "java.lang.reflect.Field f = sun.misc.Unsafe.class.getDeclaredField(\"theUnsafe\"); f.setAccessible(true); "
            + "((sun.misc.Unsafe) f.get(null)).putAddress(0, 0);");
        program("Ends", "System.class.getMethod(\"exit\", int.class).invoke(null, 3);");
        program("Starts", "while (rank >= 0) { new Thread(() -> { try { Thread.sleep(100_000); } catch (InterruptedException e) { } }).start(); }");
        try (TuttiScript.Daemon c = withJvms("i", "96m -Dtutti.node.job.threads=300")) {
            for (final String program : List.of("Fills", "Crashes", "Ends", "Starts")) {
                provoke(ThreeNodeCluster.commandLine(c, "run", "--cp", dir.toString(), "-n", "2", program));
            }
            final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(c, "run", "-n", "1", "--cp", dir.toString(), "Waits"));
            assertEquals(List.of("up"), job.lines(1));
            c.process.toHandle().descendants().forEach(ProcessHandle::destroyForcibly);
            met("killed JVM", job.end());
        }
        try (TuttiScript.Daemon c = withJvms("j", "1k")) {
            provoke(ThreeNodeCluster.commandLine(c, "run", "--cp", dir.toString(), "-n", "2", "Good"));
        }
    }

    private static TuttiScript.Daemon withJvms(final String name, final String heap) throws Exception {
        return new TuttiScript.Daemon(dir, Map.of("TUTTI_DAEMON_OPTS", TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS")
            + " -Dtutti.node.jvms=0 -Dtutti.node.job.heap=" + heap), "--name", name);
    }
}
