package tutti.runtime.process;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutcome.Kind;

@Timeout(120)
@ExtendWith(RankStreamsExtension.class)
class RankExitTest {
    private static final String MARK = "tutti.test.mark";
    private static final String LEFT =
        "threads of a rank have not ended and are left to the end of this JVM: job=job, rank=0, threads=1, first=";

    @TempDir
    static Path folder;
    @RegisterExtension
    private final LogLines log = new LogLines(RankShutdown.class);

    @BeforeAll
    static void compile() {
        Programs.compile(folder, Map.of("Exits", """
            import java.util.concurrent.*;
            import java.util.function.*;
            class Plain { public static void main(String[] args) { System.exit(3); } }
            class OfRuntime { public static void main(String[] args) { Runtime.getRuntime().exit(3); } }
            class Reference { public static void main(String[] args) { IntConsumer exit = System::exit; exit.accept(3); } }
            class BoundReference { public static void main(String[] args) { IntConsumer exit = Runtime.getRuntime()::exit; exit.accept(3); } }
            class UnboundReference {
                public static void main(String[] args) {
                    ObjIntConsumer<Runtime> halt = Runtime::halt;
                    halt.accept(Runtime.getRuntime(), 3);
                }
            }
            class Initializer { static { System.exit(3); } public static void main(String[] args) { } }
            class OtherThread {
                public static void main(String[] args) throws Exception {
                    new Thread(() -> new Thread(() -> System.exit(3)).start()).start();
                    Thread.sleep(60_000);
                }
            }
            class VirtualThread {
                public static void main(String[] args) throws Exception {
                    Thread.startVirtualThread(() -> System.exit(3));
                    Thread.sleep(60_000);
                }
            }
            class Pool {
                public static void main(String[] args) throws Exception {
                    ForkJoinPool.commonPool().submit(() -> System.exit(3));
                    Executors.newFixedThreadPool(2).submit(() -> 1).get();
                    Thread.sleep(60_000);
                }
            }
            class Switches {
                static int pick(int n, String s) {
                    switch (n) { case 1: return 10; case 2: return 20; case 3: return 30; default: }
                    switch (n) { case 100: return 1; case 100_000: return 2; default: }
                    switch (s) { case "exit": System.exit(n); return 7; default: return 0; }
                }
                public static void main(String[] args) {
                    int wide = 0;
                    for (int i = 0; i < 40_000; i += 1_000) { wide += i; }
                    System.exit(pick(1, "") + pick(100_000, "") + pick(7, "") == 12 ? pick(42, "exit") : wide);
                }
            }
            """));
        compileThreads();
        compileHooks();
    }

    private static void compileThreads() {
        Programs.compile(folder, Map.of("Threads", """
            import java.util.concurrent.*;
            class Caught {
                public static void main(String[] args) {
                    try { System.exit(3); } catch (Throwable t) { Marks.leave("caught"); } finally { Marks.leave("finally"); }
                    Marks.leave("returned");
                }
            }
            class CaughtHalt {
                public static void main(String[] args) {
                    try { Runtime.getRuntime().halt(3); } catch (Throwable t) { Marks.leave("caught"); } finally { Marks.leave("finally"); }
                    Marks.leave("returned");
                }
            }
            class CaughtElsewhere {
                public static void main(String[] args) throws Exception {
                    new Thread(() -> Caught.main(args)).start();
                    Thread.startVirtualThread(() -> Caught.main(args));
                    CompletableFuture.runAsync(() -> Caught.main(args));
                    Thread.sleep(60_000);
                }
            }
            class CaughtPrint {
                public static void main(String[] args) throws Exception {
                    var prints = new Thread(() -> {
                        try { while (true) { System.out.println("out"); } } catch (Throwable t) { Marks.leave("caught"); }
                        finally { Marks.leave("finally"); }
                    });
                    prints.start();
                    System.exit(3);
                }
            }
            class Late {
                public static void main(String[] args) {
                    CompletableFuture.runAsync(() -> {
                        while (System.getProperty("tutti.test.end") == null) { Thread.onSpinWait(); }
                        Marks.leave("late");
                        Caught.main(args);
                    });
                    System.exit(3);
                }
            }
            class Marks {
                /** Tells the tests, which have the same properties of the JVM. */
                static void leave(String mark) { System.setProperty("tutti.test.mark", mark); }
            }
            class Interrupted {
                public static void main(String[] args) throws Exception {
                    var sleeping = new CountDownLatch(1);
                    var sleeps = new Thread(() -> {
                        sleeping.countDown();
                        try { Thread.sleep(100_000); } catch (InterruptedException e) { Marks.leave("interrupted"); }
                    });
                    sleeps.start();
                    sleeping.await();
                    System.exit(0);
                }
            }
            class Idle {
                public static void main(String[] args) throws Exception {
                    Executors.newFixedThreadPool(1).submit(() -> 1).get();
                    System.exit(0);
                }
            }
            class Spins {
                public static void main(String[] args) throws Exception {
                    new Thread(() -> { while (System.getProperty("tutti.test.end") == null) { } }, "spins").start();
                    System.exit(0);
                }
            }
            """));
    }

    private static void compileHooks() {
        Programs.compile(folder, Map.of("Hooked", """
            import java.util.concurrent.*;
            class Hooks {
                public static void main(String[] args) throws Exception {
                    Thread removed = new Thread(() -> System.out.println("removed"));
                    Runtime.getRuntime().addShutdownHook(removed);
                    Runtime.getRuntime().addShutdownHook(new Thread(() -> { System.out.println("hook"); System.exit(5); }));
                    if (!Runtime.getRuntime().removeShutdownHook(removed)) { throw new IllegalStateException(); }
                    if (args.length > 0) { Runtime.getRuntime().halt(4); }
                }
            }
            class EndlessHook {
                public static void main(String[] args) {
                    Runtime.getRuntime().addShutdownHook(new Thread(() -> { while (true) { try { Thread.sleep(9_000); } catch (Exception e) { } } }));
                }
            }
            class OwnHook {
                public static void main(String[] args) throws Exception {
                    Thread hook = new Thread(() -> System.out.println("by itself"), "early");
                    Runtime.getRuntime().addShutdownHook(hook);
                    hook.start();
                    hook.join();
                }
            }
            class LoadedHook {
                public static class Hooks implements Runnable {
                    public void run() {
                        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook of a loaded class")));
                    }
                }
                public static void main(String[] args) throws Exception {
                    var here = LoadedHook.class.getProtectionDomain().getCodeSource().getLocation();
                    var loader = new java.net.URLClassLoader(new java.net.URL[] {here}, LoadedHook.class.getClassLoader()) {
                        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                            synchronized (this) {
                                var known = findLoadedClass(name);
                                return known != null ? known : name.startsWith("LoadedHook$") ? findClass(name) : super.loadClass(name, resolve);
                            }
                        }
                    };
                    ((Runnable) loader.loadClass("LoadedHook$Hooks").getConstructor().newInstance()).run();
                    if (args.length > 0) { Runtime.getRuntime().halt(4); }
                }
            }
            class Deletes {
                public static void main(String[] args) throws Exception {
                    var folder = java.nio.file.Files.createTempDirectory("deleted").toFile();
                    var file = new java.io.File(folder, "file");
                    file.createNewFile();
                    java.util.stream.Stream.of(folder, file).forEach(java.io.File::deleteOnExit);
                    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(file.exists() + " " + folder)));
                    if (args.length > 0) { Runtime.getRuntime().halt(4); }
                }
            }
            class Prints { public static void main(String[] args) { System.out.println("in"); } }
            """));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Plain", "OfRuntime", "Reference", "BoundReference", "UnboundReference", "Initializer", "OtherThread", "VirtualThread",
        "Pool"})
    void shouldEndTheRank(final String program) {
        try (TestRank rank = new TestRank(folder, program)) {
            assertEquals(new RankOutcome(Kind.EXITED, 3, ""), rank.run());
            assertEquals("", rank.out());
            assertEquals("", rank.err());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Caught", "CaughtHalt", "CaughtElsewhere", "CaughtPrint"})
    void shouldNotUnwindTheThreadThatEndsTheRankNorOthers(final String program) {
        try (TestRank rank = new TestRank(folder, program)) {
            assertEquals(new RankOutcome(Kind.EXITED, 3, ""), rank.run());
            assertEquals("", rank.err());
            assertEquals(List.of(), RankThreads.running(RankThreads.of(rank.process)).stream().map(Thread::getName).toList());
        }
        assertNull(System.getProperty(MARK));
    }

    @Test
    void shouldNotUnwindASharedThreadThatEndsTheRankAfterItsEnd() {
        try (TestRank rank = new TestRank(folder, "Late")) {
            assertEquals(new RankOutcome(Kind.EXITED, 3, ""), rank.run());
            final long before = blockedWorkers();
            System.setProperty("tutti.test.end", "true");
            await().atMost(Duration.ofSeconds(60)).until(() -> System.getProperty(MARK) != null && blockedWorkers() > before);
            assertEquals("late", System.getProperty(MARK));
        } finally {
            System.clearProperty("tutti.test.end");
            System.clearProperty(MARK);
        }
    }

    private static long blockedWorkers() {
        return Thread.getAllStackTraces().keySet().stream().filter(t -> t instanceof ForkJoinWorkerThread && EndedThread.isBlocked(t)).count();
    }

    @Test
    void shouldStayBlockedWhenTheThreadThatEndedTheRankIsInterrupted() throws InterruptedException {
        try (TestRank rank = new TestRank(folder, "Caught")) {
            rank.run();
            final Thread main = RankThreads.of(rank.process).getFirst();
            for (int i = 0; i < 100; i++) {
                main.interrupt();
                LockSupport.unpark(main);
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> !main.isInterrupted() && EndedThread.isBlocked(main));
        }
        assertNull(System.getProperty(MARK));
    }

    @Test
    void shouldInterruptOtherThreads() {
        try (TestRank rank = new TestRank(folder, "Interrupted")) {
            assertEquals(new RankOutcome(Kind.EXITED, 0, ""), rank.run());
            await().atMost(Duration.ofSeconds(60)).until(() -> "interrupted".equals(System.getProperty(MARK)));
        } finally {
            System.clearProperty(MARK);
        }
    }

    @Test
    void shouldLeaveAThreadThatDoesNotEndAndTellOfIt() throws InterruptedException {
        try (TestRank rank = new TestRank(folder, "Spins")) {
            assertEquals(new RankOutcome(Kind.EXITED, 0, ""), rank.run());
            final Thread left = RankThreads.running(RankThreads.of(rank.process)).getFirst();
            assertEquals("spins", left.getName());
            System.setProperty("tutti.test.end", "true");
            left.join();
        } finally {
            System.clearProperty("tutti.test.end");
        }
        log.assertLine(LEFT + "spins, state=RUNNABLE, at=");
    }

    @Test
    void shouldNotLogIdleThreads() {
        try (TestRank rank = new TestRank(folder, "Idle")) {
            assertEquals(new RankOutcome(Kind.EXITED, 0, ""), rank.run());
            assertEquals(1, RankThreads.running(RankThreads.of(rank.process)).size());
        }
        assertEquals(List.of(), log.lines());
    }

    @Test
    void shouldRunHooksThatClassesOfOwnLoadersRegister() {
        try (TestRank rank = new TestRank(folder, "LoadedHook")) {
            assertEquals(new RankOutcome(Kind.RETURNED, 0, ""), rank.run());
            assertEquals("hook of a loaded class\n", rank.out());
        }
    }

    @Test
    void shouldNotRunHooksThatClassesOfOwnLoadersRegisterOnHalt() {
        try (TestRank rank = new TestRank(folder, "LoadedHook", "halt")) {
            assertEquals(new RankOutcome(Kind.EXITED, 4, ""), rank.run());
            assertEquals("", rank.out());
        }
    }

    @Test
    void shouldDeleteFilesAfterTheHooksAndTheLatestFirst() {
        try (TestRank rank = new TestRank(folder, "Deletes")) {
            assertEquals(new RankOutcome(Kind.RETURNED, 0, ""), rank.run());
            assertTrue(rank.out().startsWith("true "), rank.out());
            assertFalse(new File(rank.out().substring("true ".length()).strip()).exists());
        }
    }

    @Test
    void shouldRunShutdownHooksOnReturn() {
        try (TestRank rank = new TestRank(folder, "Hooks")) {
            assertEquals(new RankOutcome(Kind.RETURNED, 0, ""), rank.run());
            assertEquals("hook\n", rank.out());
        }
    }

    @Test
    void shouldNotRunShutdownHooksOnHalt() {
        try (TestRank rank = new TestRank(folder, "Hooks", "halt")) {
            assertEquals(new RankOutcome(Kind.EXITED, 4, ""), rank.run());
            assertEquals("", rank.out());
        }
    }

    @Test
    void shouldWaitForAShutdownHookUntilTheJobIsEnded() {
        try (TestRank rank = new TestRank(folder, "EndlessHook")) {
            rank.process.start();
            await().atMost(Duration.ofSeconds(60)).until(() -> RankThreads.of(rank.process).stream()
                .anyMatch(t -> t.getState() == Thread.State.TIMED_WAITING));
            assertFalse(rank.process.ended().toCompletableFuture().isDone());
            rank.process.terminate("enough");
            assertEquals(new RankOutcome(Kind.RETURNED, 0, ""), rank.end());
        }
        log.assertLine("shutdown hooks of a rank did not end in time: job=job, rank=0, limit=500 ms");
    }

    @Test
    void shouldNotStartAShutdownHookThatTheProgramHasStarted() {
        try (TestRank rank = new TestRank(folder, "OwnHook")) {
            assertEquals(new RankOutcome(Kind.RETURNED, 0, ""), rank.run());
            assertEquals("by itself\n", rank.out());
        }
        log.assertLine("shutdown hook of a rank was started by the program: job=job, rank=0, thread=early");
    }

    @Tag("nightly")
    @Test
    void shouldEndARankWhoseOutputNobodyTakes() {
        try (TestRank rank = new TestRank(folder, "Prints")) {
            synchronized (rank) {
                // it writes to this object, and waits for it
                rank.process.start();
                await().atMost(Duration.ofSeconds(60)).until(() -> RankThreads.of(rank.process).stream()
                    .anyMatch(t -> t.getState() == Thread.State.BLOCKED));
                rank.process.terminate("enough");
                assertEquals(new RankOutcome(Kind.CANCELLED, 1, "enough"), rank.end());
            }
        }
        log.assertLine(LEFT + "tutti-job-rank0, state=BLOCKED, at=");
        log.assertLine("output of a rank is incomplete, because the receiver did not accept it: job=job, rank=0");
    }

    @Test
    void shouldFindCallsInCodeWithSwitches() {
        try (TestRank rank = new TestRank(folder, "Switches")) {
            assertEquals(new RankOutcome(Kind.EXITED, 42, ""), rank.run());
        }
    }

    @Test
    void shouldThrowOutsideOfARank() {
        assertEquals("thread belongs to no rank: method=exit, thread=" + Thread.currentThread().getName(),
            assertThrows(IllegalStateException.class, () -> RankSystem.exit(1)).getMessage());
    }
}
