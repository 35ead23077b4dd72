package tutti.runtime.process;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.HttpURLConnection;
import java.net.ProxySelector;
import java.net.URLConnection;
import java.nio.file.Path;
import java.security.Security;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.ObjectName;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.process.owner.RankOutcome.Kind;

/** Tests that nothing remains in the JVM of what a program opened, started, registered and set. */
@Timeout(120)
@Isolated
class LeftBehindTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final File DESCRIPTORS = new File("/proc/self/fd");

    @TempDir
    static Path folder;

    @BeforeAll
    static void compile() {
        Programs.compile(folder, Map.of("Leaves", """
            import java.io.*;
            import java.net.*;
            import java.nio.channels.*;
            import java.nio.file.*;
            import java.util.*;
            import java.util.concurrent.*;
            class Channels {
                public static void main(String[] args) throws Exception {
                    Path file = Files.createTempFile("left", ".open");
                    for (int i = 0; i < 20; i++) {
                        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                        SocketChannel.open(server.getLocalAddress());
                        server.accept();
                        Selector.open();
                        Pipe.open();
                        AsynchronousFileChannel.open(file);
                        FileChannel.open(file);
                        Files.newByteChannel(file);
                        Files.newDirectoryStream(file.getParent());
                        Files.list(file.getParent());
                        FileSystems.getDefault().newWatchService();
                    }
                    Files.delete(file);
                }
            }
            class Streams {
                public static void main(String[] args) throws Exception {
                    File file = File.createTempFile("left", ".open");
                    List<Object> all = new ArrayList<>();
                    for (int i = 0; i < 50; i++) {
                        all.add(new FileInputStream(file));
                        all.add(new RandomAccessFile(file, "rw"));
                        all.add(new ServerSocket(0));
                    }
                    file.delete();
                }
            }
            class Children {
                public static void main(String[] args) throws Exception {
                    System.out.println(new ProcessBuilder("sleep", "1000").start().pid());
                    System.out.println(Runtime.getRuntime().exec(new String[] {"sleep", "1000"}).pid());
                }
            }
            class Pool {
                static void swallow() { while (true) { try { Thread.sleep(100_000); } catch (Throwable e) { } } }
                public static void main(String[] args) throws Exception {
                    CountDownLatch running = new CountDownLatch(1);
                    ForkJoinPool.commonPool().execute(() -> { running.countDown(); swallow(); });
                    running.await();
                }
            }
            class Beans {
                public interface LeftMBean { int getValue(); }
                public static class Left implements LeftMBean { public int getValue() { return 1; } }
                public static void main(String[] args) throws Exception {
                    java.lang.management.ManagementFactory.getPlatformMBeanServer().registerMBean(new Left(),
                        new javax.management.ObjectName("left:type=Bean"));
                }
            }
            class Defaults {
                static class Nobody extends Authenticator { }
                static class Nowhere extends ProxySelector {
                    public List<Proxy> select(URI uri) { throw new IllegalStateException("hostile"); }
                    public void connectFailed(URI uri, SocketAddress a, IOException e) { }
                }
                public static void main(String[] args) throws Exception {
                    ProxySelector.setDefault(new Nowhere());
                    Authenticator.setDefault(new Nobody());
                    CookieHandler.setDefault(new CookieManager());
                    HttpURLConnection.setFollowRedirects(false);
                    URLConnection.setDefaultUseCaches("jar", false);
                    javax.net.ssl.SSLContext none = javax.net.ssl.SSLContext.getInstance("TLSv1.2");
                    none.init(null, null, null);
                    javax.net.ssl.SSLContext.setDefault(none);
                    javax.net.ssl.HttpsURLConnection.setDefaultHostnameVerifier((h, s) -> true);
                    sun.misc.Signal.handle(new sun.misc.Signal("TERM"), s -> { });
                    java.security.Security.setProperty("tutti.test", "left");
                    for (var p : java.security.Security.getProviders()) { java.security.Security.removeProvider(p.getName()); }
                }
            }
            """));
    }

    private static String run(final String program) {
        try (TestRank rank = new TestRank(folder, program)) {
            assertEquals(Kind.RETURNED, rank.run().kind(), rank::err);
            return rank.out();
        }
    }

    private static int descriptors() {
        final String[] open = DESCRIPTORS.list();
        Assumptions.assumeTrue(open != null, "descriptors can be counted on Linux alone");
        return open.length;
    }

    @ParameterizedTest
    @ValueSource(strings = {"Channels", "Streams"})
    void shouldCloseWhatARankLeavesOpen(final String program) {
        RankStreams.install();
        // what is opened once for all
        run(program);
        RankStreams.uninstall();
        final int before = descriptors();
        RankStreams.install();
        run(program);
        RankStreams.uninstall();
        await().atMost(LIMIT).until(() -> descriptors() <= before + 8);
    }

    @Test
    void shouldEndTheProcessesThatARankLeaves() {
        final List<ProcessHandle> children =
            run("Children").lines().map(Long::valueOf).flatMap(pid -> ProcessHandle.of(pid).stream()).toList();
        await().atMost(LIMIT).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void shouldUnregisterBeans() throws Exception {
        final ObjectName name = new ObjectName("left:type=Bean");
        RankStreams.install();
        run("Beans");
        assertTrue(ManagementFactory.getPlatformMBeanServer().isRegistered(name));
        RankStreams.uninstall();
        await().atMost(LIMIT).until(() -> !ManagementFactory.getPlatformMBeanServer().isRegistered(name));
        assertFalse(RankLoader.isOfEnded(LeftBehindTest.class));
    }

    @Test
    void shouldRestoreDefaultsOfTheJdkWhereTheJvmIsGuarded() throws Exception {
        JvmGuard.start(loader -> null);
        JvmGuard.await();
        try {
            final ProxySelector proxies = ProxySelector.getDefault();
            final Authenticator authenticator = Authenticator.getDefault();
            final CookieHandler cookies = CookieHandler.getDefault();
            final boolean redirects = HttpURLConnection.getFollowRedirects();
            final SSLContext tls = SSLContext.getDefault();
            final HostnameVerifier verifier = HttpsURLConnection.getDefaultHostnameVerifier();
            final List<String> providers = Stream.of(Security.getProviders()).map(Object::toString).toList();
            RankStreams.install();
            run("Defaults");
            RankStreams.uninstall();
            assertSame(proxies, ProxySelector.getDefault());
            assertSame(authenticator, Authenticator.getDefault());
            assertSame(cookies, CookieHandler.getDefault());
            assertEquals(redirects, HttpURLConnection.getFollowRedirects());
            assertTrue(URLConnection.getDefaultUseCaches("jar"));
            assertSame(tls, SSLContext.getDefault());
            assertSame(verifier, HttpsURLConnection.getDefaultHostnameVerifier());
            assertEquals(providers, Stream.of(Security.getProviders()).map(Object::toString).toList());
            assertEquals(null, Security.getProperty("tutti.test"));
        } finally {
            JvmGuard.stop();
        }
    }
}
