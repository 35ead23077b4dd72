package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.process.snapshot.JvmSnapshot;

/** Tests that a JVM is clean after programs that leave nothing, and that what others leave is told. Runs the programs in JVMs of their own. */
@Timeout(180)
class JvmSnapshotTest {
    private static final String IMPORTS = """
        import java.io.*;
        import java.lang.foreign.*;
        import java.lang.invoke.*;
        import java.lang.management.*;
        import java.lang.reflect.*;
        import java.net.*;
        import java.nio.channels.*;
        import java.nio.file.*;
        import java.security.*;
        import java.util.*;
        import java.util.concurrent.*;
        import java.util.concurrent.locks.*;
        import java.util.logging.*;
        import javax.net.ssl.*;

        """;
    /** Programs that leave nothing: name and statements. */
    private static final Map<String, String> HARMLESS = new LinkedHashMap<>();
    /** Programs that leave something: name, and the text that tells of it, and statements. */
    private static final Map<String, List<String>> LEAVING = new LinkedHashMap<>();

    @TempDir
    static Path folder;

    static {
        HARMLESS.put("Prints", "System.out.println(1);");
        HARMLESS.put("PrintsAgain", "System.out.println(1);");
        HARMLESS.put("Opens", """
            File file = File.createTempFile("left", ".open");
            for (int i = 0; i < 20; i++) {
                new FileInputStream(file).read();
                new ServerSocket(0);
                new RandomAccessFile(file, "r").read();
            }
            try (FileChannel channel = FileChannel.open(file.toPath(), StandardOpenOption.WRITE, StandardOpenOption.READ)) {
                channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096).put(0, (byte) 1);
            }
            file.delete();
            """);
        HARMLESS.put("Threads", """
            ExecutorService pool = Executors.newFixedThreadPool(3);
            pool.submit(() -> 1).get();
            pool.shutdown();
            Thread.startVirtualThread(() -> System.out.println(1)).join();
            System.out.println(java.util.stream.IntStream.range(0, 10_000).parallel().map(i -> i * 2).sum());
            CompletableFuture.supplyAsync(() -> 1).orTimeout(60, TimeUnit.SECONDS).join();
            ThreadLocal<Object> local = ThreadLocal.withInitial(Object::new);
            local.get();
            """);
        HARMLESS.put("VirtualSockets", """
            try (ServerSocket server = new ServerSocket(0)) {
                Thread client = Thread.startVirtualThread(() -> {
                    try (Socket socket = new Socket("localhost", server.getLocalPort())) {
                        socket.getInputStream().read();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                Thread.startVirtualThread(() -> {
                    try (Socket socket = server.accept()) {
                        Thread.sleep(20);
                        socket.getOutputStream().write(1);
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }).join();
                client.join();
            }
            """);
        HARMLESS.put("EndsAsAProcess", """
            Runtime.class.getMethod("addShutdownHook", Thread.class).invoke(Runtime.getRuntime(), new Thread(() -> { }, "hook"));
            new File("left.deleted").deleteOnExit();
            """);
        HARMLESS.put("Uses", """
            new SecureRandom().nextInt();
            SecureRandom.getInstanceStrong();
            MessageDigest.getInstance("SHA-256").digest(new byte[1]);
            SSLContext.getDefault();
            HttpsURLConnection.getDefaultSSLSocketFactory();
            URLConnection.guessContentTypeFromName("a.png");
            URLConnection.getFileNameMap();
            new URI("https://localhost/").toURL().openConnection();
            new URI("jar:file:/a.jar!/b").toURL();
            InetAddress.getByName("localhost");
            Logger.getLogger("left.no.handler").info("logged");
            Logger.getLogger("left.no.handler").setLevel(Level.FINE);
            System.out.printf(Locale.GERMAN, "%,d %tc%n", 1000, new Date());
            ManagementFactory.getRuntimeMXBean().getName();
            ManagementFactory.getPlatformMBeanServer().getMBeanCount();
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(new java.util.ArrayList<>(List.of(new Own())));
            }
            new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
                @Override protected Class<?> resolveClass(ObjectStreamClass c) throws ClassNotFoundException {
                    return Class.forName(c.getName(), false, Uses.class.getClassLoader());
                }
            }.readObject();
            javax.xml.parsers.DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new ByteArrayInputStream("<a/>".getBytes()));
            java.lang.reflect.Proxy.newProxyInstance(Uses.class.getClassLoader(), new Class<?>[] {Runnable.class}, (p, m, a) -> null);
            System.out.println(java.util.regex.Pattern.compile("a+").matcher("aa").matches());
            new ProcessBuilder("true").start().waitFor();
            System.out.println(ResourceBundle.getBundle("Texts").getString("key"));
            MethodHandles.lookup().findConstructor(Own.class, MethodType.methodType(void.class)).invoke();
            System.out.println(Own.class.getDeclaredConstructor().newInstance().hashCode() + " " + new Pair(1, "a"));
            System.out.println(ServiceLoader.load(Own.class).findFirst());
            try {
                throw new IllegalStateException("caught");
            } catch (IllegalStateException e) {
                e.printStackTrace();
            }
            """);
        HARMLESS.put("PrintsAtLast", "System.out.println(1);");

        leaves("AThread", "thread is alive: name=left", """
            ThreadGroup root = Thread.currentThread().getThreadGroup();
            while (root.getParent() != null) {
                root = root.getParent();
            }
            Thread thread = new Thread(root, () -> { while (true) { LockSupport.park(); } }, "left");
            thread.setDaemon(true);
            thread.setContextClassLoader(null);
            thread.start();
            """);
        leaves("AVirtualThread", "virtual thread is alive: name=left-virtual", """
            Thread thread = Thread.ofVirtual().name("left-virtual").unstarted(() -> { while (true) { LockSupport.park(); } });
            thread.setContextClassLoader(new URLClassLoader(new URL[0], null));
            thread.start();
            """);
        leaves("AProcess", "process runs: pid=", """
            ProcessBuilder.class.getMethod("start").invoke(new ProcessBuilder("cat"));
            """);
        leaves("AFile", "descriptor is open: number=", """
            Linker linker = Linker.nativeLinker();
            MethodHandle open = linker.downcallHandle(linker.defaultLookup().findOrThrow("open"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT), Linker.Option.firstVariadicArg(2));
            try (Arena arena = Arena.ofConfined()) {
                int descriptor = (int) open.invoke(arena.allocateFrom("/proc/self/status"), 0);
                System.out.println(descriptor);
            }
            """);
        leaves("ASocket", "target=socket:[", """
            ServerSocket socket = new ServerSocket(0);
            Held.keep(socket);
            """);
        leaves("AMapping", "file is mapped: ", """
            Path file = Files.createTempFile("left", ".mapped");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
                channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096, Arena.global()).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            }
            Files.delete(file);
            """);
        leaves("ALibrary", "native library is new: ", """
            Path library = Files.createTempFile("left", ".so");
            Files.copy(Path.of(System.getProperty("java.home"), "lib", "libprefs.so"), library, StandardCopyOption.REPLACE_EXISTING);
            System.load(library.toString());
            Files.delete(library);
            """);
        leaves("AProperty", "system property is new: tutti.test.left", "System.setProperty(\"tutti.test.left\", \"secret\");");
        leaves("AnotherProperty", "system property has changed: line.separator", "System.setProperty(\"line.separator\", \"?\");");
        leaves("NoProperty", "system property is gone: user.name", "System.clearProperty(\"user.name\");");
        leaves("Properties", "system properties have been replaced", """
            System.class.getMethod("setProperties", java.util.Properties.class).invoke(null, System.getProperties().clone());
            """);
        leaves("ALocale", "default locale has changed", "Locale.setDefault(Locale.forLanguageTag(\"ar-EG-u-nu-arab\"));");
        leaves("AFormat", "default locale of numbers has changed", "Locale.setDefault(Locale.Category.FORMAT, Locale.GERMAN);");
        leaves("ATimeZone", "default time zone has changed", "TimeZone.setDefault(TimeZone.getTimeZone(\"Asia/Kathmandu\"));");
        leaves("AStream", "System.out has changed", """
            System.class.getMethod("setOut", PrintStream.class).invoke(null, new PrintStream(OutputStream.nullOutputStream()));
            """);
        leaves("AHandler", "default handler of exceptions has changed", """
            Thread.class.getMethod("setDefaultUncaughtExceptionHandler", Thread.UncaughtExceptionHandler.class)
                .invoke(null, (Thread.UncaughtExceptionHandler) (t, e) -> { });
            """);
        leaves("AFactory", "java.net.URL.factory has changed: before=none, now=AFactory$$Lambda", "URL.setURLStreamHandlerFactory(p -> null);");
        leaves("AProxy", "java.net.ProxySelector.theProxySelector has changed", "ProxySelector.setDefault(ProxySelector.of(null));");
        leaves("Cookies", "java.net.CookieHandler.cookieHandler has changed: before=none, now=java.net.CookieManager",
            "CookieHandler.setDefault(new CookieManager());");
        leaves("Caching", "java.net.URLConnection.defaultCaching has a new or changed entry: jar",
            "URLConnection.setDefaultUseCaches(\"jar\", false);");
        leaves("Redirects", "java.net.HttpURLConnection.followRedirects has changed", "HttpURLConnection.setFollowRedirects(false);");
        leaves("ATrust", "javax.net.ssl.SSLContext.defaultContext has changed", """
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, null, null);
            SSLContext.setDefault(context);
            """);
        leaves("AProvider", "sun.security.jca.Providers.providerList has changed", """
            Security.addProvider(new java.security.Provider("Left", "1", "left") { });
            """);
        leaves("ASecurityProperty", "java.security.Security.props has a new or changed entry: networkaddress.cache.ttl", """
            Security.setProperty("networkaddress.cache.ttl", "1");
            """);
        leaves("ASignal", "jdk.internal.misc.Signal.handlers has a new or changed entry: SIGUSR2", """
            sun.misc.Signal.handle(new sun.misc.Signal("USR2"), signal -> { });
            """);
        leaves("AnIgnoredSignal", "signals are handled in another way: ", """
            sun.misc.Signal.handle(new sun.misc.Signal("WINCH"), sun.misc.SignalHandler.SIG_IGN);
            """);
        leaves("ADriver", "JDBC driver is new: Driver", "java.sql.DriverManager.registerDriver(new Driver());");
        leaves("ADriverSearch", "java.sql.DriverManager.driversInitialized has changed", "java.sql.DriverManager.drivers().count();");
        leaves("ABean", "MBean is new: left:type=Bean", """
            ManagementFactory.getPlatformMBeanServer().registerMBean(new Bean(), new javax.management.ObjectName("left:type=Bean"));
            """);
        leaves("ALogHandler", "logger is new: name=left, level=null, handlers=[java.util.logging.StreamHandler]", """
            Logger logger = Logger.getLogger("left");
            logger.addHandler(new StreamHandler());
            Held.keep(logger);
            """);
        leaves("ALogLevel", "logger has changed: name=, level=FINEST", "Logger.getLogger(\"\").setLevel(Level.FINEST);");
        leaves("ARegistry", "object exported by RMI is new: [0:0:0, 0]", "java.rmi.registry.LocateRegistry.createRegistry(0);");
        leaves("AnUnsafe", "a program has Unsafe, by which it may have changed anything", "Class.forName(\"sun.misc.Unsafe\");");
        leaves("ALoader", "class loader of a rank is reachable: job=job, rank=", """
            Held.keep(ALoader.class);
            """);
        leaves("ATask", "common pool has tasks: running=1", """
            CountDownLatch started = new CountDownLatch(1);
            ForkJoinPool.commonPool().execute(() -> {
                started.countDown();
                while (true) {
                    LockSupport.park();
                }
            });
            started.await();
            """);
    }

    private static void leaves(final String program, final String text, final String statements) {
        LEAVING.put(program, List.of(text, statements));
    }

    @BeforeAll
    static void compile() {
        final StringBuilder all = new StringBuilder(IMPORTS);
        HARMLESS.forEach((name, statements) -> append(all, name, statements));
        LEAVING.forEach((name, program) -> append(all, name, program.getLast()));
        all.append("""
            class Own implements Serializable { }
            record Pair(int number, String text) { }
            /** Keeps an object in a task of the JDK that waits. */
            class Held {
                static void keep(Object object) {
                    new CompletableFuture<Object>().completeOnTimeout(object, 1, TimeUnit.HOURS);
                }
            }
            class Driver implements java.sql.Driver {
                public java.sql.Connection connect(String url, java.util.Properties info) { return null; }
                public boolean acceptsURL(String url) { return false; }
                public java.sql.DriverPropertyInfo[] getPropertyInfo(String url, java.util.Properties info) { return null; }
                public int getMajorVersion() { return 1; }
                public int getMinorVersion() { return 1; }
                public boolean jdbcCompliant() { return false; }
                public Logger getParentLogger() { return null; }
            }
            """);
        Programs.compile(folder, Map.of("All", all.toString(), "BeanMBean", "public interface BeanMBean { int getValue(); }",
            "Bean", "public class Bean implements BeanMBean { public int getValue() { return 1; } }", "Texts", """
                public class Texts extends java.util.ListResourceBundle {
                    protected Object[][] getContents() { return new Object[][] {{"key", "text"}}; }
                }
                """));
    }

    private static void append(final StringBuilder all, final String name, final String statements) {
        all.append("class ").append(name).append(" {\n    public static void main(String[] args) throws Throwable {\n").append(statements)
            .append("    }\n}\n");
    }

    /** Runs programs in a JVM, and returns the differences after each. */
    private static Map<String, List<String>> run(final List<String> options, final long limit, final Iterable<String> programs)
        throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        command.addAll(options);
        command.addAll(List.of(SnapshotPrograms.class.getName(), folder.toString(), Long.toString(limit)));
        programs.forEach(command::add);
        final Path printed = Files.createTempFile(folder, "jvm", ".txt");
        final Process jvm = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(printed.toFile()).start();
        try {
            assertTrue(jvm.waitFor(150, TimeUnit.SECONDS), () -> "JVM does not end");
        } finally {
            jvm.descendants().forEach(ProcessHandle::destroyForcibly);
            jvm.destroyForcibly();
        }
        final String text = Files.readString(printed);
        System.out.println(text);
        assertEquals(0, jvm.exitValue(), text);
        final Map<String, List<String>> differences = new LinkedHashMap<>();
        text.lines().filter(l -> l.matches("\\w+[:|] .*")).forEach(l -> {
            final List<String> of = differences.computeIfAbsent(l.replaceFirst("[:|].*", ""), p -> new ArrayList<>());
            Stream.of(l).filter(line -> line.matches("\\w+\\| .*")).forEach(line -> of.add(line.substring(line.indexOf('|') + 2)));
        });
        return differences;
    }

    @Tag("nightly")
    @Test
    void shouldBeCleanAfterProgramsThatLeaveNothing() throws Exception {
        final Map<String, List<String>> expected = new LinkedHashMap<>();
        HARMLESS.keySet().forEach(program -> expected.put(program, List.of()));
        assertEquals(expected, run(JvmSnapshot.options(), 60_000, HARMLESS.keySet()));
    }

    @Tag("nightly")
    @Test
    void shouldTellWhatAProgramLeaves() throws Exception {
        final Map<String, List<String>> found = run(JvmSnapshot.options(), 300, LEAVING.keySet());
        final Map<String, String> untold = new LinkedHashMap<>();
        LEAVING.forEach((program, expected) -> {
            if (found.getOrDefault(program, List.of()).stream().noneMatch(difference -> difference.contains(expected.getFirst()))) {
                untold.put(program, expected.getFirst() + ", found: " + found.get(program));
            }
        });
        assertEquals(Map.of(), untold);
        assertTrue(found.values().stream().flatMap(List::stream).noneMatch(difference -> difference.contains("secret")), found::toString);
    }

    @Test
    void shouldTellWhatCannotBeExamined() throws Exception {
        final List<String> found = run(List.of(), 60_000, List.of("Prints")).get("Prints");
        assertTrue(found.stream().anyMatch(difference -> difference.startsWith("cannot be examined: ")), found::toString);
        assertTrue(found.stream().anyMatch(difference -> difference.contains("java.net")), found::toString);
    }
}
