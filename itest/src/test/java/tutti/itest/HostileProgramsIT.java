package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a program which harms its JVM is contained, whether that JVM is killed or serves another job: afterwards a job of somebody else computes
 * the right results on the same nodes, and threads, descriptors, child processes and heap of the nodes are as before. Profile {@code soak} runs all
 * programs, and more jobs of several users one after the other.
 *
 * <table>
 * <caption>The programs</caption>
 * <tr><td>exit, halt, signal</td><td>end the JVM by reflection, by a method handle, by a signal</td></tr>
 * <tr><td>streams, closed-streams</td><td>replace standard streams by throwing ones, close standard input and output</td></tr>
 * <tr><td>defaults, properties</td><td>change locale and time zone, clear the properties</td></tr>
 * <tr><td>providers</td><td>remove and replace security providers</td></tr>
 * <tr><td>net</td><td>change the defaults for TLS, proxies, authentication, cookies and redirects</td></tr>
 * <tr><td>url-handlers</td><td>replace the handlers of URLs</td></tr>
 * <tr><td>handler</td><td>sets an uncaught handler that throws</td></tr>
 * <tr><td>signals</td><td>replaces the handlers of signals, so that the node cannot be stopped</td></tr>
 * <tr><td>threads, virtual-threads</td><td>start threads without end, which swallow interrupts</td></tr>
 * <tr><td>heap, direct-memory, classes</td><td>take memory until there is none</td></tr>
 * <tr><td>recursion</td><td>overflows stacks again and again</td></tr>
 * <tr><td>files, sockets, watches</td><td>leave files, channels, selectors, sockets and folders open</td></tr>
 * <tr><td>locks</td><td>keeps the lock of a file</td></tr>
 * <tr><td>output</td><td>prints without end</td></tr>
 * <tr><td>catches</td><td>catches every error in a loop</td></tr>
 * <tr><td>monitors</td><td>keeps monitors of classes of the JDK</td></tr>
 * <tr><td>hooks</td><td>has shutdown hooks that never end</td></tr>
 * <tr><td>timers</td><td>leaves timers and schedulers</td></tr>
 * <tr><td>children</td><td>leaves child processes</td></tr>
 * <tr><td>beans</td><td>leaves JMX beans</td></tr>
 * <tr><td>attach</td><td>attaches to its own JVM</td></tr>
 * <tr><td>folder</td><td>deletes the files of the folder in which it runs</td></tr>
 * <tr><td>spin</td><td>keeps all cores busy at the highest priority</td></tr>
 * <tr><td>crash</td><td>writes to address 0</td></tr>
 * <tr><td>native-exit, native-kill</td><td>end the process by the C library</td></tr>
 * <tr><td>unsafe</td><td>changes objects of the JDK</td></tr>
 * <tr><td>resisting-threads, resisting-tasks</td><td>start threads, and tasks of the common pool, that catch every error</td></tr>
 * </table>
 */
@Tag("nightly")
@Timeout(value = 1_200, unit = TimeUnit.SECONDS)
class HostileProgramsIT {
    private static final int RANKS = 3;
    private static final int TIMEOUT_SECONDS = 4;
    private static final String NEXT = "Next";
    /** Programs that run by default. */
    private static final Set<String> FEW = Set.of("net", "files", "children", "crash", "folder", "threads");
    /** Jobs of several users. */
    private static final int MANY = Boolean.getBoolean("tutti.hostile") ? 100 : 10;
    private static final String LIMITS = " -Xmx384m -XX:MaxDirectMemorySize=128m -Dtutti.node.job.heap=256m -Dtutti.node.job.direct=64m"
        + " -Dtutti.node.job.threads=1024";

    private static final String UNSAFE = """
        java.lang.reflect.Field theUnsafe = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        theUnsafe.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) theUnsafe.get(null);
        """;
    private static final String NATIVE = """
        java.lang.foreign.Linker linker = java.lang.foreign.Linker.nativeLinker();
        linker.downcallHandle(linker.defaultLookup().findOrThrow("%s"), java.lang.foreign.FunctionDescriptor.of(
            java.lang.foreign.ValueLayout.JAVA_INT, java.lang.foreign.ValueLayout.JAVA_INT)).invoke(%s);
        Thread.sleep(100_000);
        """;

    @TempDir
    private static Path dir;
    private static List<TuttiScript.Daemon> nodes = List.of();
    private static Path programs;

    /**
     * A hostile program.
     *
     * @param name    name of its class without Hostile, in small letters
     * @param body    body of its main method
     * @param members further members of the class
     */
    private record Hostile(String name, String body, String members) {
        String type() {
            return "Hostile" + Stream.of(name.split("-")).map(w -> Character.toUpperCase(w.charAt(0)) + w.substring(1)).collect(Collectors.joining());
        }

        void compile(final Path into) throws Exception {
            final Path source = into.resolve(type() + ".java");
            Files.writeString(source, "import java.io.*;\nimport java.lang.invoke.*;\nimport java.net.*;\nimport java.nio.channels.*;\n"
                + "import java.nio.file.*;\nimport java.util.*;\nimport java.util.concurrent.*;\nimport mpi.*;\npublic class " + type() + " {\n"
                + members + "\n  static void swallow() { while (true) { try { Thread.sleep(100_000); } catch (InterruptedException e) { } } }\n"
                + "  static void resist() { while (true) { try { Thread.sleep(100_000); } catch (Throwable e) { } } }\n"
                + "  public static void main(String[] args) throws Throwable {\n    MPI.Init(args);\n    int rank = MPI.COMM_WORLD.getRank();\n"
                + "    long end = System.nanoTime() + 1_500_000_000L;\n    if (end != 0) {\n" + body + "\n    }\n    MPI.Finalize();\n  }\n}\n");
            TuttiScript.compile(into, type());
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Hostile hostile(final String name, final String body) {
        return new Hostile(name, body, "");
    }

    private static Hostile hostile(final String name, final String members, final String body) {
        return new Hostile(name, body, members);
    }

    private static List<Hostile> all() {
        return Stream.of(thatChangeTheJvm(), thatTakeResources(), thatLeaveThings(), thatUseNativeCode()).flatMap(List::stream).toList();
    }

    /** Returns programs that end the JVM or change what all programs of it share. */
    private static List<Hostile> thatChangeTheJvm() {
        return List.of(
            hostile("exit", "System.class.getMethod(\"exit\", int.class).invoke(null, 3);"),
            hostile("halt", """
                MethodHandles.lookup().findVirtual(Runtime.class, "halt", MethodType.methodType(void.class, int.class))
                    .invoke(Runtime.getRuntime(), 3);
                """),
            hostile("signal", "sun.misc.Signal.raise(new sun.misc.Signal(\"TERM\")); Thread.sleep(100_000);"),
            hostile("streams", """
                PrintStream broken = new PrintStream(new OutputStream() {
                    @Override public void write(int b) { throw new IllegalStateException("broken"); }
                });
                System.class.getMethod("setOut", PrintStream.class).invoke(null, broken);
                System.class.getMethod("setErr", PrintStream.class).invoke(null, broken);
                System.class.getMethod("setIn", InputStream.class).invoke(null, new Object[] {null});"""),
            hostile("closed-streams", """
                System.in.close();
                System.out.close();
                System.err.close();
                ((PrintStream) System.class.getField("out").get(null)).close();
                new FileInputStream(FileDescriptor.in).close();
                new FileOutputStream(FileDescriptor.out).close();"""),
            hostile("defaults", """
                Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
                TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));"""),
            hostile("properties", "System.getProperties().clear(); System.setProperties(new Properties());"),
            hostile("providers", """
                public static class Liar extends java.security.Provider {
                    public Liar() {
                        super("Liar", "1", "hostile");
                        put("MessageDigest.SHA-256", "Nothing");
                    }
                }""", """
                for (java.security.Provider p : java.security.Security.getProviders()) { java.security.Security.removeProvider(p.getName()); }
                java.security.Security.setProperty("securerandom.source", "file:/nowhere");
                java.security.Security.insertProviderAt(new Liar(), 1);"""),
            hostile("net", """
                static class Nobody extends Authenticator { }
                static class Nowhere extends ProxySelector {
                    public List<Proxy> select(URI uri) { throw new IllegalStateException("hostile"); }
                    public void connectFailed(URI uri, SocketAddress a, IOException e) { }
                }""", """
                ProxySelector.setDefault(new Nowhere());
                Authenticator.setDefault(new Nobody());
                CookieHandler.setDefault(new CookieManager());
                HttpURLConnection.setFollowRedirects(false);
                javax.net.ssl.SSLContext none = javax.net.ssl.SSLContext.getInstance("TLSv1.2");
                none.init(null, null, null);
                javax.net.ssl.SSLContext.setDefault(none);
                javax.net.ssl.HttpsURLConnection.setDefaultHostnameVerifier((h, s) -> true);"""),
            hostile("url-handlers", """
                URL.setURLStreamHandlerFactory(p -> { throw new IllegalStateException("hostile"); });
                URLConnection.setDefaultUseCaches("jar", false);"""),
            hostile("handler", """
                Thread.class.getMethod("setDefaultUncaughtExceptionHandler", Thread.UncaughtExceptionHandler.class)
                    .invoke(null, (Thread.UncaughtExceptionHandler) (t, e) -> { throw new IllegalStateException(e); });
                new Thread(() -> { throw new IllegalStateException("uncaught"); }).start();"""),
            hostile("signals", """
                for (String s : List.of("TERM", "INT", "HUP")) { sun.misc.Signal.handle(new sun.misc.Signal(s), x -> resist()); }"""));
    }

    /** Returns programs that take threads, memory and time without end. */
    private static List<Hostile> thatTakeResources() {
        return List.of(
            hostile("threads", "while (true) { new Thread(() -> swallow()).start(); }"),
            hostile("virtual-threads", "while (true) { Thread.ofVirtual().start(() -> swallow()); }"),
            hostile("heap", "List<long[]> all = new ArrayList<>(); while (true) { all.add(new long[1 << 16]); }"),
            hostile("direct-memory", """
                List<Object> all = new ArrayList<>();
                try { while (true) { all.add(java.nio.ByteBuffer.allocateDirect(1 << 20)); } } catch (OutOfMemoryError e) { all.add(e); }
                throw (OutOfMemoryError) all.getLast();"""),
            hostile("classes", "static final List<Object> ALL = new ArrayList<>();", """
                byte[] file = %1$s.class.getResourceAsStream("HostileClasses.class").readAllBytes();
                for (int i = 0; i < 3_000; i++) { ALL.add(MethodHandles.lookup().defineHiddenClass(file, false).lookupClass()); }
                Thread.ofPlatform().inheritInheritableThreadLocals(false).start(() -> swallow());""".formatted("HostileClasses")),
            hostile("recursion", "static int deep(int n) { return deep(n + 1) + 1; }", """
                while (System.nanoTime() < end) { try { deep(0); } catch (StackOverflowError e) { } }
                deep(0);"""),
            hostile("spin", """
                for (int i = 0; i < 16; i++) {
                    Thread t = new Thread(() -> { while (true) { Thread.onSpinWait(); } });
                    t.setPriority(Thread.MAX_PRIORITY);
                    t.start();
                }"""),
            hostile("output", "while (true) { System.out.println(\"without end \".repeat(50)); }"),
            hostile("catches", "while (true) { try { while (true) { Thread.sleep(1); } } catch (Throwable e) { } }"),
            hostile("monitors", """
                Object[] of = {Locale.class, TimeZone.class, Runtime.getRuntime(), Thread.class, System.class, System.getProperties(),
                    java.util.concurrent.ForkJoinPool.class, ClassLoader.getSystemClassLoader()};
                for (Object o : of) { new Thread(() -> { synchronized (o) { swallow(); } }).start(); }
                while (System.nanoTime() < end) { Thread.onSpinWait(); }"""));
    }

    /** Returns programs that leave something behind. */
    private static List<Hostile> thatLeaveThings() {
        return List.of(
            hostile("files", "static final List<Object> ALL = new ArrayList<>();", """
                Path file = Files.createTempFile("left", ".open");
                for (int i = 0; i < 100; i++) {
                    ALL.add(new FileInputStream(file.toFile()));
                    ALL.add(new RandomAccessFile(file.toFile(), "rw"));
                    ALL.add(FileChannel.open(file));
                    ALL.add(Files.newInputStream(file));
                    ALL.add(AsynchronousFileChannel.open(file));
                    ALL.add(Files.newDirectoryStream(file.getParent()));
                }
                Files.delete(file);"""),
            hostile("sockets", "static final List<Object> ALL = new ArrayList<>();", """
                for (int i = 0; i < 50; i++) {
                    ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    ALL.add(SocketChannel.open(server.getLocalAddress()));
                    ALL.add(server.accept());
                    ALL.add(new ServerSocket(0));
                    ALL.add(new DatagramSocket());
                    ALL.add(Selector.open());
                    ALL.add(Pipe.open());
                    ALL.add(AsynchronousServerSocketChannel.open());
                }"""),
            hostile("watches", "for (int i = 0; i < 20; i++) { FileSystems.getDefault().newWatchService(); }"),
            hostile("locks", """
                Path file = Path.of(System.getProperty("java.io.tmpdir"), "tutti-hostile.lock");
                if (rank == 0) {
                    FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).lock();
                    new RandomAccessFile(file + "2", "rw").getChannel().lock();
                }"""),
            hostile("hooks", "Runtime.getRuntime().addShutdownHook(new Thread(() -> resist()));"),
            hostile("timers", """
                new Timer("left").schedule(new TimerTask() { public void run() { resist(); } }, 1);
                Executors.newScheduledThreadPool(3).scheduleAtFixedRate(() -> resist(), 0, 1, TimeUnit.MILLISECONDS);"""),
            hostile("children", """
                for (int i = 0; i < 5; i++) { new ProcessBuilder("sh", "-c", "trap '' TERM; sleep 1000 & wait").start(); }
                Runtime.getRuntime().exec(new String[] {"sleep", "1000"});"""),
            hostile("beans", """
                public interface LeftMBean { int getValue(); }
                public static class Left implements LeftMBean { public int getValue() { resist(); return 1; } }""", """
                java.lang.management.ManagementFactory.getPlatformMBeanServer().registerMBean(new Left(),
                    new javax.management.ObjectName("left:type=Bean,rank=" + rank));"""),
            hostile("attach", """
                com.sun.tools.attach.VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));"""),
            hostile("folder", """
                try (var all = Files.walk(Path.of("").toAbsolutePath())) {
                    for (Path p : all.sorted(Comparator.reverseOrder()).toList()) { try { Files.delete(p); } catch (IOException e) { } }
                }"""));
    }

    /** Returns programs that use native code, change private members of the JDK, or catch every error. */
    private static List<Hostile> thatUseNativeCode() {
        return List.of(
            hostile("crash", UNSAFE + "if (rank == 1) { unsafe.putAddress(0, 0); }"),
            hostile("native-exit", NATIVE.formatted("_exit", "3")),
            hostile("native-kill", NATIVE.formatted("raise", "9")),
            hostile("unsafe", UNSAFE + """
                unsafe.putInt(Integer.valueOf(1), unsafe.objectFieldOffset(Integer.class.getDeclaredField("value")), 7);
                java.lang.reflect.Field field = Collections.class.getDeclaredField("EMPTY_LIST");
                unsafe.putObject(unsafe.staticFieldBase(field), unsafe.staticFieldOffset(field), null);"""),
            hostile("resisting-threads", "for (int i = 0; i < 900; i++) { new Thread(() -> resist()).start(); }"),
            hostile("resisting-tasks", "for (int i = 0; i < 64; i++) { ForkJoinPool.commonPool().execute(() -> resist()); }"));
    }

    static List<Hostile> hostile() {
        final Set<String> chosen = Set.of(System.getProperty("tutti.hostile.only", "").split(","));
        final boolean isSoak = Boolean.getBoolean("tutti.hostile") && chosen.equals(Set.of(""));
        final Set<String> wanted = chosen.equals(Set.of("")) ? FEW : chosen;
        return all().stream().filter(h -> isSoak || wanted.contains(h.name)).toList();
    }

    @BeforeAll
    static void start() throws Exception {
        programs = Files.createDirectory(dir.resolve("programs"));
        TuttiScript.writeProgram(programs, NEXT, """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            double[] all = new double[size];
            MPI.COMM_WORLD.allGather(new double[] {rank}, 1, MPI.DOUBLE, all, 1, MPI.DOUBLE);
            java.nio.file.Path lock = java.nio.file.Path.of(System.getProperty("java.io.tmpdir"), "tutti-hostile.lock");
            if (rank == 0) {
                for (String name : new String[] {"", "2"}) {
                    try (java.nio.channels.FileChannel c = java.nio.channels.FileChannel.open(java.nio.file.Path.of(lock + name),
                        java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE)) { c.tryLock().release(); }
                }
            }
            java.util.concurrent.CompletableFuture.supplyAsync(() -> 1).get(20, java.util.concurrent.TimeUnit.SECONDS);
            javax.net.ssl.SSLContext tls = javax.net.ssl.SSLContext.getDefault();
            System.out.println(String.join(" ", System.getProperty("java.version"), System.getProperty("user.dir"), Integer.toString(sum[0]),
                java.util.Arrays.toString(all), java.util.Locale.getDefault().toString(), java.util.TimeZone.getDefault().getID(),
                java.util.Arrays.toString(java.security.Security.getProviders()), java.security.Security.getProperty("securerandom.source"),
                java.util.HexFormat.of().formatHex(java.security.MessageDigest.getInstance("SHA-256").digest(new byte[] {1})),
                String.valueOf(java.net.ProxySelector.getDefault().select(java.net.URI.create("http://localhost/"))),
                String.valueOf(java.net.Authenticator.getDefault()), String.valueOf(java.net.CookieHandler.getDefault()),
                String.valueOf(java.net.HttpURLConnection.getFollowRedirects()), tls.getProtocol(),
                String.valueOf(tls.createSSLEngine().getSupportedProtocols().length), java.net.URI.create("https://localhost/").toURL().toString(),
                javax.net.ssl.HttpsURLConnection.getDefaultHostnameVerifier().getClass().getName(),
                String.valueOf(java.net.URLConnection.getDefaultUseCaches("jar"))));""");
        TuttiScript.compile(programs, NEXT);
        for (final Hostile h : hostile()) {
            h.compile(programs);
        }
    }

    private static List<TuttiScript.Daemon> startNodes(final Map<String, String> environment) throws Exception {
        final Path folder = Files.createTempDirectory(dir, "nodes");
        final Map<String, String> all = new HashMap<>(environment);
        all.put("TUTTI_DAEMON_OPTS", TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS") + LIMITS);
        final List<TuttiScript.Daemon> started = new ArrayList<>();
        for (final String name : List.of("a", "b")) {
            final List<String> args = new ArrayList<>(List.of("--name", name, "--dir", folder.resolve("node-" + name).toString()));
            if (!started.isEmpty()) {
                args.addAll(List.of("--join", started.getFirst().address));
            }
            started.add(new TuttiScript.Daemon(Files.createDirectory(folder.resolve("runs-" + name)), all, args.toArray(String[]::new)));
        }
        return started;
    }

    @AfterAll
    static void stop() {
        nodes.reversed().forEach(TuttiScript.Daemon::close);
        nodes = List.of();
    }

    private static String[] line(final List<TuttiScript.Daemon> on, final String program) {
        return ThreeNodeCluster.commandLine(on.getFirst(), "run", "-n", Integer.toString(RANKS), "--map", "node", "--timeout",
            Integer.toString(program.equals(NEXT) ? 60 : TIMEOUT_SECONDS), "--cp", programs.toString(), program);
    }

    private static List<String> results(final TuttiScript.Result r) {
        assertEquals(0, r.status(), r::toString);
        assertEquals(RANKS, r.out().lines().count(), r::toString);
        assertTrue(r.out().contains("runs-a") && r.out().contains("runs-b"), r::toString);
        return r.out().lines().sorted().toList();
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void shouldLeaveTheNextJobAndTheNodesAsTheyWere(final Hostile program) throws Exception {
        if (nodes.isEmpty()) {
            nodes = startNodes(Map.of());
        }
        try {
            check(program);
        } catch (final Throwable e) {
            System.out.println("not contained: " + program + ": " + e.getMessage());
            // others are tested on nodes that this program has not damaged
            stop();
            throw e;
        }
    }

    private static void check(final Hostile program) throws Exception {
        final List<String> before = results(CommandInJvm.run(line(nodes, NEXT)));
        final List<NodeFootprint> states = NodeFootprint.of(nodes);
        final TuttiScript.Result hostile = CommandInJvm.run(line(nodes, program.type()));
        // of the same user, so that it may get the same JVMs
        assertEquals(before, results(CommandInJvm.run(line(nodes, NEXT))), hostile::toString);
        for (int i = 0; i < nodes.size(); i++) {
            states.get(i).assertAsBefore(nodes.get(i));
        }
        System.out.println("contained: " + program + ", status " + hostile.status() + " after " + hostile.millis() + " ms: "
            + hostile.err().lines().findFirst().orElse("no error"));
    }

    @Test
    void shouldRunTheNextJobOfAnotherUserAfterEachOfManyJobsOfWhichEverySecondIsHostile() throws Exception {
        final Path secrets = dir.resolve("secrets");
        assertEquals(0, CommandInJvm.run("secure", "init", "--dir", secrets.toString()).status());
        final List<Map<String, String>> users = Stream.of("run", "change", "node")
            .map(role -> Map.of("TUTTI_SECRET", secrets.resolve(role + ".secret").toString())).toList();
        final List<Hostile> all = hostile();
        final List<TuttiScript.Daemon> shared = startNodes(users.getLast());
        try {
            final List<String> before = results(TuttiScript.run(dir, users.getFirst(), line(shared, NEXT)));
            final List<NodeFootprint> states = NodeFootprint.of(shared);
            final List<Long> millis = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                final String program = i % 2 == 0 ? NEXT : all.get(i / 2 % all.size()).type();
                final TuttiScript.Result job = TuttiScript.run(dir, users.get(i % users.size()), line(shared, program));
                assertTrue(job.status() == 0 || !program.equals(NEXT), job::toString);
                final TuttiScript.Result next = TuttiScript.run(dir, users.get((i + 1) % users.size()), line(shared, NEXT));
                assertEquals(before, results(next), () -> program + ": " + job);
                millis.add(next.millis());
            }
            millis.sort(null);
            System.out.println("jobs of another user after " + MANY + " jobs of which every second one is hostile: median "
                + millis.get(MANY / 2) + " ms, longest " + millis.getLast() + " ms");
            for (int i = 0; i < shared.size(); i++) {
                states.get(i).assertAsBefore(shared.get(i));
            }
        } finally {
            shared.reversed().forEach(TuttiScript.Daemon::close);
        }
    }
}
