package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a rank which has a JVM of its own is a process, with all that a program finds when {@code java} starts it, on one node and on two. */
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class RankProcessesIT {
    private static final String REMEDY = "tutti: ranks of this node share a JVM: start the job with --ranks-per-jvm 1";
    private static final int MAX_RANKS = 4;
    private static final String DRIVER = """
        public class TinyDriver implements java.sql.Driver {
          static { try { java.sql.DriverManager.registerDriver(new TinyDriver()); } catch (java.sql.SQLException e) { throw new Error(e); } }
          public java.sql.Connection connect(String url, java.util.Properties with) {
            return !acceptsURL(url) ? null : (java.sql.Connection) java.lang.reflect.Proxy.newProxyInstance(TinyDriver.class.getClassLoader(),
              new Class<?>[] {java.sql.Connection.class}, (proxy, method, args) -> method.getName().equals("toString") ? "tiny" : null);
          }
          public boolean acceptsURL(String url) { return url.startsWith("jdbc:tiny:"); }
          public java.sql.DriverPropertyInfo[] getPropertyInfo(String url, java.util.Properties with) { return new java.sql.DriverPropertyInfo[0]; }
          public int getMajorVersion() { return 1; }
          public int getMinorVersion() { return 0; }
          public boolean jdbcCompliant() { return false; }
          public java.util.logging.Logger getParentLogger() { return null; }
        }
        """;
    private static final String AGENT = """
        public class TinyAgent {
          public static String started = "";
          public static void premain(String argument, java.lang.instrument.Instrumentation with) { start("premain " + argument, with); }
          public static void agentmain(String argument, java.lang.instrument.Instrumentation with) { start("agentmain", with); }
          private static void start(String how, java.lang.instrument.Instrumentation with) {
            started += how + " ";
            with.addTransformer(new java.lang.instrument.ClassFileTransformer() {
              public byte[] transform(ClassLoader l, String name, Class<?> c, java.security.ProtectionDomain d, byte[] bytes) {
                if ("Line$Inner".equals(name)) { started += "sees "; }
                return null;
              }
            });
          }
        }
        """;
    private static final String LINES = """
        import java.io.*;
        import java.io.File;
        import java.lang.management.ManagementFactory;
        import java.nio.channels.*;
        import java.nio.file.*;
        import java.util.*;
        import java.util.concurrent.*;
        import java.util.logging.*;
        import mpi.*;
        public class Line {
          public static class Inner { }
          public interface TinyMBean { int getRank(); }
          record Tiny(int getRank) implements TinyMBean { }
          static native int three();
          static int rank;
          static int size;
          static String folder;
          public static void main(String[] args) throws Exception {
            MPI.Init(args);
            rank = MPI.COMM_WORLD.getRank();
            size = MPI.COMM_WORLD.getSize();
            folder = args[0];
            for (int i = 1; i < args.length; i++) {
              run(args[i]);
              System.out.println(args[i].split("=")[0] + " ok " + rank);
            }
            MPI.COMM_WORLD.barrier();
            MPI.Finalize();
          }
          static void check(boolean fact, Object what) { if (!fact) { throw new AssertionError(what); } }
          static void finds(ClassLoader loader) throws Exception {
            check(loader.loadClass("Line$Inner") == Inner.class, loader);
            check(Class.forName("Line$Inner", true, loader) == Inner.class, loader);
            check(loader.getResource("Line.class") != null, loader);
          }
          static void run(String what) throws Exception {
            switch (what.split("=")[0]) {
              case "driver" -> check(java.sql.DriverManager.getConnection("jdbc:tiny:x").toString().equals("tiny"), "driver");
              case "nodriver" -> java.sql.DriverManager.getConnection("jdbc:none:x");
              case "library" -> {
                System.load(what.split("=")[1]);
                check(what.contains("prefs") || three() == 3, "library");
              }
              case "lock" -> {
                try (FileChannel file = FileChannel.open(Path.of(folder, "locked"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                  if (rank == 0) {
                    FileLock lock = file.lock();
                    MPI.COMM_WORLD.barrier();
                    if (size > 1) { MPI.COMM_WORLD.recv(new int[1], 1, MPI.INT, 1, 1); }
                    lock.release();
                  } else {
                    MPI.COMM_WORLD.barrier();
                    if (rank == 1) {
                      check(file.tryLock() == null, "lock");
                      MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, 0, 1);
                      file.lock().release();
                    }
                  }
                }
                MPI.COMM_WORLD.barrier();
              }
              case "factory" -> {
                java.net.URL.setURLStreamHandlerFactory(name -> name.equals("tiny") ? new java.net.URLStreamHandler() {
                  protected java.net.URLConnection openConnection(java.net.URL url) { return null; }
                } : null);
                java.net.URI.create("tiny:x").toURL();
              }
              case "bean" -> {
                javax.management.ObjectName name = new javax.management.ObjectName("tiny:type=Tiny");
                ManagementFactory.getPlatformMBeanServer().registerMBean(new javax.management.StandardMBean(new Tiny(rank), TinyMBean.class), name);
                MPI.COMM_WORLD.barrier();
                check(ManagementFactory.getPlatformMBeanServer().getAttribute(name, "Rank").equals(rank), "bean");
              }
              case "logging" -> {
                Logger logger = Logger.getLogger("tiny");
                logger.setLevel(rank % 2 == 0 ? Level.FINEST : Level.SEVERE);
                MPI.COMM_WORLD.barrier();
                check(logger.getLevel() == (rank % 2 == 0 ? Level.FINEST : Level.SEVERE), logger.getLevel());
                logger.setUseParentHandlers(false);
                logger.addHandler(new FileHandler(folder + "/log" + rank));
                logger.severe("logged by " + rank);
                check(new File(folder, "log" + rank + ".lck").exists(), "lck");
              }
              case "monitor" -> {
                synchronized ("a literal") { synchronized (Integer.class) { MPI.COMM_WORLD.barrier(); } }
              }
              case "pool" -> ForkJoinPool.commonPool().submit(() -> {
                finds(Thread.currentThread().getContextClassLoader());
                MPI.COMM_WORLD.barrier();
                return null;
              }).get();
              case "delete" -> {
                File one = new File(folder, "deleted" + rank);
                File other = new File(folder, "deleted by the JDK " + rank);
                check(one.createNewFile() && other.createNewFile(), "delete");
                one.deleteOnExit();
                File.class.getMethod("deleteOnExit").invoke(other);
              }
              case "child" -> {
                System.out.println("before child");
                check(new ProcessBuilder("sh", "-c", "echo child out $0; echo child err $0 >&2; cat", "" + rank).inheritIO().start().waitFor() == 0,
                  "child");
                System.out.println("after child");
              }
              case "opens" -> {
                java.lang.reflect.Field value = String.class.getDeclaredField("value");
                value.setAccessible(true);
                check(value.get("x") instanceof byte[], "opens");
              }
              case "heap" -> {
                long max = Runtime.getRuntime().maxMemory() >> 20;
                check(max > 80 && max <= 96, "max=" + max);
                String collector = ManagementFactory.getGarbageCollectorMXBeans().getFirst().getName();
                check(collector.equals("Copy"), collector);
              }
              case "loader" -> {
                ClassLoader system = (ClassLoader) ClassLoader.class.getMethod("getSystemClassLoader").invoke(null);
                finds(system);
                finds(new java.net.URLClassLoader(new java.net.URL[0]));
                check(ServiceLoader.load(java.sql.Driver.class, null).findFirst().orElseThrow() instanceof TinyDriver, "service");
                check(ClassLoader.getSystemClassLoader() == Line.class.getClassLoader(), "loader");
              }
              case "agent" -> {
                check(new Inner() != null, "agent");
                check(TinyAgent.started.equals(what.substring(6).replace('+', ' ')), TinyAgent.started);
              }
              case "exit" -> {
                MPI.Finalize();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook " + rank)));
                try { System.exit(0); } catch (Throwable e) { System.out.println("caught"); } finally { System.out.println("finally"); }
              }
              case "reflects" -> {
                int status = Integer.parseInt(what.split("=")[1]);
                if (status == 0) { MPI.Finalize(); }
                if (status == 0 || rank == size - 1) {
                  System.out.println("exits " + rank);
                  System.class.getMethod("exit", int.class).invoke(null, status);
                }
                MPI.COMM_WORLD.barrier();
              }
              default -> throw new IllegalArgumentException(what);
            }
          }
        }
        """;

    @TempDir
    private static Path dir;
    private static Path programs;
    private static Path library;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;

    @BeforeAll
    static void start() throws Exception {
        programs = Files.createDirectories(dir.resolve("programs"));
        final Path services = Files.createDirectories(programs.resolve("META-INF").resolve("services"));
        Files.writeString(services.resolve("java.sql.Driver"), "TinyDriver\n");
        final List<String> line = new ArrayList<>(List.of("-proc:none", "-cp",
            ProjectPaths.bundles().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)), "-d", programs.toString()));
        for (final String source : List.of(DRIVER, AGENT, LINES)) {
            final String name = source.replaceFirst("(?s).*?public class (\\w+).*", "$1");
            line.add(Files.writeString(dir.resolve(name + ".java"), source).toString());
        }
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, line.toArray(String[]::new)));
        library = library();
        a = new TuttiScript.Daemon(dir, "--name", "a", "--dir", dir.resolve("node-a").toString());
        b = new TuttiScript.Daemon(dir, "--name", "b", "--dir", dir.resolve("node-b").toString(), "--join", a.address);
    }

    /** Returns a library for the Java Native Interface: one that is compiled, or one of the JDK where there is no compiler. */
    private static Path library() throws Exception {
        final Path source = Files.writeString(dir.resolve("three.c"), "int Java_Line_three(void *env, void *type) { return 3; }\n");
        final Path made = dir.resolve("libthree.so");
        try {
            if (new ProcessBuilder("cc", "-shared", "-fPIC", "-o", made.toString(), source.toString()).inheritIO().start().waitFor() == 0) {
                return made;
            }
        } catch (final IOException e) {
            System.out.println("no C compiler: " + e);
        }
        return Path.of(System.getProperty("java.home"), "lib", "libprefs.so");
    }

    @AfterAll
    static void stop() {
        b.close();
        a.close();
    }

    private static TuttiScript.Result run(final int ranks, final String map, final String... words) throws Exception {
        final List<String> line = new ArrayList<>(List.of("run", "--connect", a.address, "-n", Integer.toString(ranks), "--map", map, "--timeout",
            "200", "--ranks-per-jvm", "1"));
        line.addAll(List.of(words));
        return CommandInJvm.run(line.toArray(String[]::new));
    }

    private static Path folder() throws IOException {
        return Files.createTempDirectory(dir, "files");
    }

    private static List<String> files(final Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(p -> p.getFileName().toString()).sorted().toList();
        }
    }

    /** Returns the lines that ranks have printed with that prefix, sorted. */
    private static List<String> lines(final String text, final String prefix) {
        return text.lines().filter(l -> l.startsWith(prefix)).sorted().toList();
    }

    private static List<String> ofEach(final int ranks, final String text) {
        return IntStream.range(0, ranks).mapToObj(r -> text + " " + r).toList();
    }

    private static Path jar(final String name, final Manifest manifest, final String... classes) throws IOException {
        final Path jar = dir.resolve(name);
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            for (final String c : classes) {
                out.putNextEntry(new JarEntry(c));
                out.write(Files.readAllBytes(programs.resolve(c)));
                out.closeEntry();
            }
        }
        return jar;
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"1, block", "2, block", "3, node", "4, block"})
    void shouldRunEachRankAsAProcessTwiceInARow(final int ranks, final String map) throws Exception {
        for (int i = 0; i < 2; i++) {
            final Path folder = folder();
            final TuttiScript.Result r =
                run(ranks, map, "--cp", programs.toString(), "Line", folder.toString(), "driver", "library=" + library, "lock",
                    "factory", "bean", "logging", "monitor", "pool", "delete", "child", "loader");
            assertEquals(0, r.status(), r::toString);
            for (final String line : List.of("driver", "library", "lock", "factory", "bean", "logging", "monitor", "pool", "delete", "child",
                "loader")) {
                assertEquals(ofEach(ranks, line + " ok"), lines(r.out(), line + " ok"), r::toString);
            }
            assertEquals(ofEach(ranks, "child out"), lines(r.out(), "child out"), r::toString);
            assertEquals(ofEach(ranks, "child err"), lines(r.err(), "child err"), r::toString);
            // neither the locks of log files nor files that are deleted at the end
            assertEquals(Stream.concat(Stream.of("locked"), IntStream.range(0, ranks).mapToObj(n -> "log" + n)).sorted().toList(), files(folder),
                r::toString);
            assertTrue(Files.readString(folder.resolve("log0")).contains("logged by 0"));
        }
    }

    @Test
    void shouldKeepTheOrderOfWhatItPrintsAndOfWhatItsProcessesPrint() throws Exception {
        final TuttiScript.Result r = run(1, "block", "--cp", programs.toString(), "Line", folder().toString(), "child", "child", "child");
        assertEquals(0, r.status(), r::toString);
        assertEquals("before child\nchild out 0\nafter child\nchild ok 0\n".repeat(3), r.out(), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldEndWithoutUnwindingItsThread() throws Exception {
        final TuttiScript.Result r = run(MAX_RANKS, "block", "--cp", programs.toString(), "Line", dir.toString(), "exit");
        assertEquals(0, r.status(), r::toString);
        assertEquals(ofEach(MAX_RANKS, "hook"), r.out().lines().sorted().toList(), r::toString);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"1, 0", "3, 0", "1, 5", "4, 5"})
    void shouldEndWithTheStatusOfAnExitOfWhichTheRuntimeDoesNotKnow(final int ranks, final int status) throws Exception {
        final TuttiScript.Result r = run(ranks, "block", "--cp", programs.toString(), "Line", dir.toString(), "reflects=" + status);
        assertEquals(status, r.status(), r::toString);
        if (status == 0) {
            assertEquals(ofEach(ranks, "exits"), r.out().lines().sorted().toList(), r::toString);
            assertEquals("", r.complaints(), r::toString);
        } else {
            assertEquals("exits " + (ranks - 1) + "\n", r.out(), r::toString);
            assertTrue(r.err().contains("rank " + (ranks - 1) + " on node ") && r.err().contains(" called System.exit: status=" + status),
                r::toString);
        }
    }

    @Tag("nightly")
    @Test
    void shouldStartItsJvmWithTheOptionsOfTheCommandLine() throws Exception {
        final List<String> java = List.of("java", "-Xmx96m", "-XX:+UseSerialGC", "-cp", programs.toString(), "Line", dir.toString(), "heap");
        final TuttiScript.Result connected = run(3, "node", java.toArray(String[]::new));
        assertEquals(0, connected.status(), connected::toString);
        assertEquals(ofEach(3, "heap ok"), connected.out().lines().sorted().toList(), connected::toString);
        assertEquals("", connected.complaints(), connected::toString);
        final List<String> line = new ArrayList<>(List.of("run", "-n", "2", "--nodes", "1", "--ranks-per-jvm", "1"));
        line.addAll(java);
        final TuttiScript.Result alone = TuttiScript.run(dir, line.toArray(String[]::new));
        assertEquals(0, alone.status(), alone::toString);
        assertEquals(ofEach(2, "heap ok"), alone.out().lines().sorted().toList(), alone::toString);
    }

    @ParameterizedTest
    @CsvSource({"-XX:NoSuchOption=1, Unrecognized VM option 'NoSuchOption=1'", "-Xshare:dump, does not take this option: -Xshare:dump"})
    void shouldTellWhichOptionItsJvmDoesNotTake(final String option, final String text) throws Exception {
        final TuttiScript.Result r = run(1, "block", "java", option, "-cp", programs.toString(), "Line", dir.toString());
        assertEquals(1, r.status(), r::toString);
        assertTrue(r.err().contains(text), r::toString);
    }

    @Test
    void shouldOpenPackagesAndStartAgentsAsTheManifestAndTheCommandLineSay() throws Exception {
        final Manifest executable = new Manifest();
        executable.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "Line");
        executable.getMainAttributes().putValue("Add-Opens", "java.base/java.lang");
        executable.getMainAttributes().putValue("Launcher-Agent-Class", "TinyAgent");
        final Path program = jar("line.jar", executable, "Line.class", "Line$Inner.class", "Line$1.class", "Line$Tiny.class", "Line$TinyMBean.class",
            "TinyAgent.class", "TinyAgent$1.class", "TinyDriver.class");
        final Manifest ofAgent = new Manifest();
        ofAgent.getMainAttributes().putValue("Premain-Class", "TinyAgent");
        final Path agent = jar("agent.jar", ofAgent);
        final TuttiScript.Result r = run(2, "block", "java", "-javaagent:" + agent + "=x=y", "-jar", program.toString(), dir.toString(), "opens",
            "agent=premain+x=y+agentmain+sees+sees+");
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of("agent ok 0", "agent ok 1", "opens ok 0", "opens ok 1"), r.out().lines().sorted().toList(), r::toString);
        assertFalse(r.err().contains("ignored"), r::toString);
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"nodriver", "library", "lock", "factory", "bean"})
    void shouldNameTheRemedyForErrorsThatFollowFromAJvmThatRanksShare(final String line) throws Exception {
        final TuttiScript.Result r =
            CommandInJvm.run("run", "--connect", a.address, "-n", "4", "--timeout", "100", "--cp", programs.toString(), "Line",
                folder().toString(), line.equals("library") ? line + "=" + library : line);
        assertNotEquals(0, r.status(), r::toString);
        assertTrue(r.err().lines().anyMatch(REMEDY::equals), r::toString);
    }

    @Test
    void shouldNotNameTheRemedyWhereARankHasAJvmOfItsOwn() throws Exception {
        final TuttiScript.Result r = run(2, "block", "--cp", programs.toString(), "Line", dir.toString(), "nodriver");
        assertNotEquals(0, r.status(), r::toString);
        assertTrue(r.err().contains("No suitable driver") && !r.err().contains(REMEDY), r::toString);
    }
}
