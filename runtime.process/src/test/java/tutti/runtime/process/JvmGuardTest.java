package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutcome.Kind;

/** Tests ways to end the JVM that the classes of a program do not show: without the guard each of them ends the JVM of the tests. */
@Timeout(300)
@ExtendWith(RankStreamsExtension.class)
class JvmGuardTest {
    @TempDir
    static Path folder;
    @TempDir
    static Path moduleFolder;
    private static URLClassLoader moduleLoader;

    @BeforeAll
    static void start() throws Exception {
        Programs.compile(folder, Map.of("Ends", """
            import java.lang.invoke.*;
            import java.util.concurrent.*;
            import java.util.function.*;
            import java.util.stream.*;
            class Reflected { public static void main(String[] args) throws Exception { System.class.getMethod("exit", int.class).invoke(null, 3); } }
            class ReflectedHalt {
                public static void main(String[] args) throws Exception {
                    Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 3);
                }
            }
            class Handle {
                static MethodHandle exit() throws Exception {
                    return MethodHandles.lookup().findStatic(System.class, "exit", MethodType.methodType(void.class, int.class));
                }
                public static void main(String[] args) throws Throwable { exit().invokeExact(3); }
            }
            class HaltHandle {
                public static void main(String[] args) throws Throwable {
                    MethodHandles.lookup().findVirtual(Runtime.class, "halt", MethodType.methodType(void.class, int.class))
                        .invokeExact(Runtime.getRuntime(), 3);
                }
            }
            class Proxied {
                public static void main(String[] args) throws Throwable {
                    MethodHandleProxies.asInterfaceInstance(IntConsumer.class, Handle.exit()).accept(3);
                }
            }
            class OtherThread {
                public static void main(String[] args) throws Exception {
                    new Thread(() -> { try { Reflected.main(args); } catch (Exception e) { } }).start();
                    Thread.sleep(60_000);
                }
            }
            class VirtualThread {
                public static void main(String[] args) throws Exception {
                    Thread.startVirtualThread(() -> { try { Reflected.main(args); } catch (Exception e) { } });
                    Thread.sleep(60_000);
                }
            }
            class Pool {
                public static void main(String[] args) throws Exception {
                    CompletableFuture.runAsync(() -> { try { Reflected.main(args); } catch (Exception e) { } });
                    Thread.sleep(60_000);
                }
            }
            class Hook {
                public static void main(String[] args) throws Exception {
                    Runtime.getRuntime().addShutdownHook(new Thread(() -> { try { Reflected.main(args); } catch (Exception e) { } }));
                    System.exit(3);
                }
            }
            class Caught {
                public static void main(String[] args) {
                    while (true) { try { Reflected.main(args); } catch (Throwable e) { } }
                }
            }
            class CaughtDirect {
                public static void main(String[] args) {
                    while (true) { try { System.exit(3); } catch (Throwable e) { } }
                }
            }
            class Signal {
                public static void main(String[] args) throws Exception {
                    Class<?> type = Class.forName("sun.misc.Signal");
                    type.getMethod("raise", type).invoke(null, type.getConstructor(String.class).newInstance("TERM"));
                }
            }
            """));
        compileFloods();
        compileModule();
        moduleLoader = new URLClassLoader(new URL[] {moduleFolder.toUri().toURL()}, null);
        JvmGuard.start(loader -> loader == moduleLoader ? "acme 1.2.3" : null);
        JvmGuard.await();
    }

    private static void compileFloods() {
        Programs.compile(folder, Map.of("FloodsOfThreads", """
            class Floods {
                static void sleep() {
                    while (true) { try { Thread.sleep(100_000); } catch (InterruptedException e) { } }
                }
                public static void main(String[] args) {
                    int started = 0;
                    try {
                        for (int i = 0; i < 100_000; i++) {
                            if (args[0].equals("virtual")) { Thread.startVirtualThread(Floods::sleep); } else { new Thread(Floods::sleep).start(); }
                            started++;
                        }
                    } catch (OutOfMemoryError e) {
                        System.out.println(started + " " + e.getMessage());
                        System.exit(0);
                    }
                }
            }
            class Few {
                public static void main(String[] args) throws Exception {
                    for (int i = 0; i < 1_000; i++) { Thread t = new Thread(() -> { }); t.start(); t.join(); }
                }
            }
            """));
    }

    private static void compileModule() {
        Programs.compile(moduleFolder, Map.of("Module", """
            public class Module implements Runnable, java.util.function.IntConsumer {
                public void run() { System.exit(4); }
                public void accept(int status) { Runtime.getRuntime().halt(status); }
                public static java.util.function.IntConsumer reference() { return System::exit; }
            }
            """));
    }

    @AfterAll
    static void stop() throws Exception {
        JvmGuard.stop();
        moduleLoader.close();
    }

    /** Waits for threads of a rank that has ended: on a machine that is busy, the last ones may be stopped after the end was reported. */
    private static void awaitThreads(final TestRank rank) throws InterruptedException {
        for (final Thread thread : RankThreads.of(rank.process)) {
            // longer than it is tried again to stop threads that swallow errors
            assertTrue(thread.join(Duration.ofSeconds(150)), () -> thread + " " + List.of(thread.getStackTrace()));
        }
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"Reflected", "ReflectedHalt", "Handle", "HaltHandle", "Proxied", "OtherThread", "VirtualThread", "Pool", "Hook", "Caught",
            "CaughtDirect"})
    void shouldEndTheRankAlone(final String program) throws InterruptedException {
        try (TestRank rank = new TestRank(folder, program)) {
            assertEquals(new RankOutcome(Kind.EXITED, 3, ""), rank.run());
            assertEquals("", rank.err());
            awaitThreads(rank);
        }
    }

    @Test
    void shouldEndTheRankThatRaisesASignalThatEndsAProcess() {
        try (TestRank rank = new TestRank(folder, "Signal")) {
            assertEquals(new RankOutcome(Kind.EXITED, 128 + 15, ""), rank.run());
        }
    }

    @Test
    void shouldBoundThreadsAndEndThoseThatSwallowInterrupts() throws InterruptedException {
        try (TestRank rank = new TestRank(folder, "Floods", "platform")) {
            assertEquals(new RankOutcome(Kind.EXITED, 0, ""), rank.run());
            assertEquals("100 too many threads: job has 100 threads on this node, limit=tutti.node.threads; start fewer, or raise the limit in the "
                + "node's configuration\n", rank.out());
            awaitThreads(rank);
        }
    }

    @Test
    void shouldBoundVirtualThreadsAndEndThoseThatSwallowInterrupts() throws InterruptedException {
        try (TestRank rank = new TestRank(folder, "Floods", "virtual")) {
            assertEquals(new RankOutcome(Kind.EXITED, 0, ""), rank.run());
            assertEquals("3200 too many threads: job has 3200 virtual threads on this node, limit=tutti.node.threads*32; start fewer, or raise the "
                + "limit in the node's configuration\n", rank.out());
            awaitThreads(rank);
        }
    }

    @Test
    void shouldNotCountThreadsThatHaveEnded() {
        try (TestRank rank = new TestRank(folder, "Few")) {
            assertEquals(new RankOutcome(Kind.RETURNED, 0, ""), rank.run());
        }
    }

    @Test
    void shouldRefuseAModuleOnAnyThread() throws Exception {
        final Object module = moduleLoader.loadClass("Module").getConstructor().newInstance();
        final String text = "module must not end the JVM: module=acme 1.2.3, method=";
        assertEquals(text + "exit, argument=4", assertThrows(SecurityException.class, ((Runnable) module)::run).getMessage());
        assertEquals(text + "halt, argument=5", assertThrows(SecurityException.class, () -> ((IntConsumer) module).accept(5)).getMessage());
        final IntConsumer reference = (IntConsumer) moduleLoader.loadClass("Module").getMethod("reference").invoke(null);
        assertEquals(text + "exit, argument=6", assertThrows(SecurityException.class, () -> reference.accept(6)).getMessage());
        final CompletionException later = assertThrows(CompletionException.class, CompletableFuture.runAsync((Runnable) module)::join);
        assertEquals(text + "exit, argument=4", later.getCause().getMessage());
        final InvocationTargetException reflected = assertThrows(InvocationTargetException.class,
            () -> Runnable.class.getMethod("run").invoke(module));
        assertEquals(text + "exit, argument=4", reflected.getCause().getMessage());
    }
}
