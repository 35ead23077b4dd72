package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests {@code tutti run} without a cluster: the examples, and errors of users. */
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class EmbeddedIT {
    @TempDir
    private Path dir;

    @Tag("nightly")
    @Test
    void shouldTransferAGibibyteWithThreeGibibytesOfHeap() throws Exception {
        final TuttiScript.Result r = TuttiScript.run(ProjectPaths.DIR, Map.of("TUTTI_DAEMON_OPTS", "-Xmx3g"), "run", "-n", "2", "--nodes", "2",
            "examples/BigMessage.java");
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.out().contains("134217728 doubles") && r.out().contains(" 0 wrong"), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldReadAFileByGeneralizedRequests() throws Exception {
        final Path numbers = dir.resolve("numbers");
        Files.write(numbers, IntStream.range(0, 300_000).mapToObj(Integer::toString).toList());
        final TuttiScript.Result r = TuttiScript.run(ProjectPaths.DIR, "run", "-n", "3", "--nodes", "3", "examples/FileReads.java",
            numbers.toString());
        assertEquals(0, r.status(), r::toString);
        assertEquals("300000 lines in " + Files.size(numbers) + " bytes\n", r.out(), r::toString);
        // the folder can be opened and not be read
        final TuttiScript.Result folder = TuttiScript.run(ProjectPaths.DIR, "run", "-n", "1", "examples/FileReads.java", dir.toString());
        assertEquals(1, folder.status(), folder::toString);
        assertTrue(folder.err().contains("mpi.MPIException: MPI_ERR_IO: read failed: java.io.IOException: Is a directory [waitAnyStatus on"),
            folder::toString);
    }

    @Test
    void shouldRunJarsAndClassPathsAndPassOnArguments() throws Exception {
        Files.writeString(dir.resolve("Args.java"),
            "public class Args { public static void main(String[] a) { System.out.println(String.join(\"|\", a)); } }");
        assertEquals(0, javax.tools.ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", dir.toString(),
            dir.resolve("Args.java").toString()));
        final TuttiScript.Result r = TuttiScript.run(dir, "run", "-n", "1", "--cp", ".", "Args", "x", "--label", "-n");
        assertEquals("x|--label|-n\n", r.out(), r::toString);
        assertEquals(0, r.status(), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldRunWhatACommandLineOfJavaNames() throws Exception {
        Files.writeString(dir.resolve("X.java"), """
            public class Y {
                void main() {
                    var group = Thread.currentThread().getThreadGroup().getName();
                    IO.println(switch (group.charAt(group.length() - 1) - '0') {
                        case byte b -> "preview " + b + System.getProperty("key");
                        case int i -> "int";
                    });
                    IO.println(Runtime.getRuntime().maxMemory() + " " + jdk.incubator.vector.IntVector.SPECIES_128.length());
                }
            }
            """);
        final TuttiScript.Result r =
            TuttiScript.run(dir, "run", "-n", "1", "java", "-Xmx96m", "-XX:+UseSerialGC", "--enable-preview", "--add-modules",
                "jdk.incubator.vector", "-Dkey=@value", "X.java");
        assertTrue(r.out().matches("preview 0@value\n(9[0-9]|100)\\d{6} 4\n"), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldRunSourcesWithThoseBesideThemAndThoseThatDirectivesName() throws Exception {
        Files.createDirectories(dir.resolve("app"));
        Files.createDirectories(dir.resolve("parts"));
        Files.writeString(dir.resolve("app/Start.java"), """
            //DEPS tutti:tutti.mpi.api:0.1.0 org.example:more:1.0
            //SOURCES ../parts/*.java
            package app;
            public class Start { public static void main(String[] a) { System.out.println(Beside.text() + other.Part.text()); } }
            """);
        Files.writeString(dir.resolve("app/Beside.java"), "package app; class Beside { static String text() { return \"beside \"; } }");
        Files.writeString(dir.resolve("parts/Part.java"), "package other; public class Part { public static String text() { return \"named\"; } }");
        final TuttiScript.Result refused = TuttiScript.run(dir, "run", "-n", "1", "app/Start.java");
        assertEquals(2, refused.status(), refused::toString);
        assertEquals("tutti: libraries are not fetched: app/Start.java has //DEPS org.example:more:1.0; name their jars: tutti run --cp "
            + "\"$(jbang info classpath app/Start.java)\" app/Start.java\n", refused.err());
        // as if JBang had named it
        final TuttiScript.Result r = TuttiScript.run(dir, "run", "-n", "1", "--cp", dir.resolve("parts").toString(), "app/Start.java");
        assertEquals("beside named\n", r.out(), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldRunAJarWithThoseThatItsManifestNames() throws Exception {
        Files.createDirectories(dir.resolve("classes"));
        for (final String source : List.of("package lib; public class Text { public static String of() { return More.TEXT + Text.class.getPackage()"
            + ".getName(); } }", "package lib; class More { static final String TEXT = \"a class of \"; }",
            "public class Uses { public static void main(String[] a) { System.out.println(lib.Text.of()); } }")) {
            final String name = source.replaceFirst("(?s).*?class (\\w+) .*", "$1");
            Files.writeString(dir.resolve(name + ".java"), source);
        }
        assertEquals(0, javax.tools.ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", dir.resolve("classes").toString(),
            dir.resolve("Text.java").toString(), dir.resolve("More.java").toString(), dir.resolve("Uses.java").toString()));
        Files.createDirectories(dir.resolve("lib one"));
        jar("Uses.class", "uses.jar", "Main-Class: Uses\nClass-Path: lib%20one/text.jar absent.jar\n");
        jar("lib/Text.class", "lib one/text.jar", "Class-Path: ../more.jar\n");
        jar("lib/More.class", "more.jar", "Class-Path: lib%20one/text.jar\n");
        final TuttiScript.Result r = TuttiScript.run(dir, "run", "-n", "1", "uses.jar");
        assertEquals("a class of lib\n", r.out(), r::toString);
        assertEquals("a class of lib\n", TuttiScript.run(dir, "run", "-n", "1", "--cp", "uses.jar", "Uses").out());
    }

    /** Packs one class file into a jar whose manifest has these lines. */
    private void jar(final String entry, final String jar, final String lines) throws Exception {
        final Manifest manifest = new Manifest(new ByteArrayInputStream(("Manifest-Version: 1.0\n" + lines).getBytes(StandardCharsets.UTF_8)));
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(dir.resolve(jar)), manifest)) {
            out.putNextEntry(new JarEntry(entry));
            Files.copy(dir.resolve("classes").resolve(entry), out);
        }
    }

    @Tag("nightly")
    @Test
    void shouldRunNodesWhoseJvmCanStopARankInALongLoop() throws Exception {
        Files.writeString(dir.resolve("Loops.java"), """
            public class Loops {
                public static void main(String[] args) {
                    var jvm = java.lang.management.ManagementFactory.getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class);
                    System.out.println(jvm.getVMOption("UseCountedLoopSafepoints").getValue());
                }
            }
            """);
        assertEquals("true\n", TuttiScript.run(dir, TuttiScript.AS_SHIPPED, "run", "-n", "1", "Loops.java").out());
    }

    @Tag("nightly")
    @Test
    void shouldForwardStandardInputToRankZero() throws Exception {
        TuttiScript.writeProgram(dir, "Lines", """
            if (rank == 0) {
              System.out.println(new String(System.in.readAllBytes()).lines().count());
            } else {
              System.out.println(System.in.read());
            }""");
        final Process p = TuttiScript.start(dir, Map.of(), "run", "-n", "2", "--nodes", "1", "--label", "Lines.java");
        try (OutputStream in = p.getOutputStream()) {
            in.write("a line\n".repeat(50_000).getBytes(StandardCharsets.US_ASCII));
        }
        final TuttiScript.Result r = TuttiScript.finish(p, System.nanoTime());
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of("[0] 50000", "[1] -1"), r.out().lines().sorted().toList(), r::toString);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "run -n 4 nofile.java|2|tutti: program not found: nofile.java; looked for in ",
        "run -n 0 Bad.java|2|tutti: ranks out of range: -n 0, range=1..65536; try: tutti run --help",
        "run --frob Bad.java|2|tutti: Unknown option: '--frob'; try: tutti run --help",
        "run -n 2 NoSuchClass|2|tutti: no such program: NoSuchClass, expected a .java file, a .jar, or a class with --cp",
        "nodes --connect nowhere|2|tutti: not an address: 'nowhere', expected HOST:PORT",
        "nodes --connect 127.0.0.1:1|3|tutti: no Tutti daemon answers at 127.0.0.1:1",
        "frob|2|tutti: no such command: frob; there are: run, daemon, "})
    void shouldReportUsageErrorsInOneLine(final String line, final int status, final String message) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(line.split(" "));
        assertEquals(status, r.status(), r::toString);
        assertEquals(1, r.err().lines().count(), r::toString);
        assertTrue(r.err().startsWith(message), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldTellAProgramHowItWasStarted() throws Exception {
        TuttiScript.writeProgram(dir, "Started", """
            for (String key : "command argv maxprocs soft thread_level".split(" ")) {
              System.out.println(key + "=" + MPI.INFO_ENV.get(key));
            }
            System.out.println(MPI.getProcessorName().equals(MPI.INFO_ENV.get("host")) + " " + MPI.getNodeName());
            System.out.println(java.nio.file.Files.exists(java.nio.file.Path.of(MPI.INFO_ENV.get("file"))));""");
        final TuttiScript.Result r = TuttiScript.run(dir, "run", "-n", "1", "Started.java", "a", "b c");
        assertEquals(0, r.status(), r::toString);
        assertEquals("command=Started\nargv=a b c\nmaxprocs=1\nsoft=1\nthread_level=MPI_THREAD_MULTIPLE\ntrue n0\ntrue\n", r.out(), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldPrintTheStackOfAFatalError() throws Exception {
        Files.writeString(dir.resolve("Fatal.java"), """
            import mpi.*;
            public class Fatal {
              public static void main(String[] a) throws MPIException {
                MPI.Init(a);
                if (MPI.COMM_WORLD.getRank() == 1) {
                  MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, 9, 0);
                }
                MPI.COMM_WORLD.barrier();
                MPI.Finalize();
              }
            }""");
        final TuttiScript.Result r = TuttiScript.run(dir, "run", "-n", "2", "Fatal.java");
        assertEquals(1, r.status(), r::toString);
        assertTrue(r.err().contains("rank 1 on node n1 failed: mpi.MPIException: MPI_ERR_RANK: destination out of range: dest=9, size=2 "
            + "[send on MPI_COMM_WORLD, rank 1 of 2]\n\tat mpi.Comm.send(Comm.java:"), r::toString);
        assertTrue(r.err().contains("\tat Fatal.main(Fatal.java:6)"), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldReportWhichCollectiveCallsDiffer() throws Exception {
        TuttiScript.writeProgram(dir, "Differ", "MPI.COMM_WORLD.bcast(new int[1], 1, MPI.INT, 1 - rank);");
        final TuttiScript.Result r = TuttiScript.run(dir, "run", "-n", "2", "-p", "check=full", "Differ.java");
        assertEquals(1, r.status(), r::toString);
        assertTrue(r.err().contains("MPI_ERR_ROOT: collective calls differ on MPI_COMM_WORLD: rank 0 calls bcast(root 1, 4 bytes), rank 1 calls "
            + "bcast(root 0, 4 bytes) [bcast on MPI_COMM_WORLD, rank "), r::toString);
        TuttiScript.writeProgram(dir, "Create", "if (rank == 0) { MPI.COMM_WORLD.dup(); } else { MPI.COMM_WORLD.split(0, rank); }");
        final TuttiScript.Result creates = TuttiScript.run(dir, "run", "-n", "3", "Create.java");
        assertEquals(1, creates.status(), creates::toString);
        // either of the two that differ may be noticed first
        assertTrue(creates.err().replace("rank 2 calls", "rank 1 calls").contains("MPI_ERR_OTHER: collective calls differ on MPI_COMM_WORLD: "
            + "rank 0 calls dup(), rank 1 calls split() ["), creates::toString);
    }

    @Test
    void shouldPrintTheCompilersMessage() throws Exception {
        Files.writeString(dir.resolve("Bad.java"), "public class Bad { int x = \"a\"; }");
        final TuttiScript.Result r = TuttiScript.run(dir, "run", "-n", "2", "Bad.java");
        assertEquals(2, r.status(), r::toString);
        assertTrue(r.err().contains("Bad.java:1: error: incompatible types"), r::toString);
    }
}
