package tutti.runtime.process;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.runtime.process.owner.RankHooks;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutcome.Kind;
import tutti.runtime.process.owner.RankProgram;

@Timeout(120)
@ExtendWith(RankStreamsExtension.class)
class RankProcessTest {
    private static final RankOutcome RETURNED = new RankOutcome(Kind.RETURNED, 0, "");

    @TempDir
    static Path folder;

    @BeforeAll
    static void compile() {
        Programs.compile(folder, Map.of("Ends", """
            import java.util.concurrent.*;
            class Hello { public static void main(String[] args) { System.out.println("hello " + String.join(",", args)); } }
            class Waits {
                public static void main(String[] args) {
                    new Thread(() -> { try { Thread.sleep(200); } catch (InterruptedException e) { } System.out.println("late"); }).start();
                }
            }
            class LeavesThreads {
                static void sleep() { try { Thread.sleep(60_000); } catch (InterruptedException e) { return; } }
                public static void main(String[] args) throws Exception {
                    Thread t = new Thread(LeavesThreads::sleep);
                    t.setDaemon(true);
                    t.start();
                    Thread.startVirtualThread(LeavesThreads::sleep);
                    Executors.newVirtualThreadPerTaskExecutor().submit(LeavesThreads::sleep);
                    System.out.println("in");
                    while (args.length > 0) { sleep(); }
                }
            }
            class OtherFails {
                public static void main(String[] args) throws Exception {
                    Thread t = new Thread(() -> { throw new IllegalStateException("no matter"); }, "other");
                    t.start();
                    t.join();
                    System.out.println("goes on");
                }
            }
            class Handler {
                public static void main(String[] args) throws Exception {
                    Thread.setDefaultUncaughtExceptionHandler((t, e) -> System.out.println(t.getName() + ": " + e.getMessage()));
                    Thread t = new Thread(() -> { throw new IllegalStateException("mine"); }, "other");
                    t.start();
                    t.join();
                    System.out.println(Thread.getDefaultUncaughtExceptionHandler() != null);
                }
            }
            class Throws {
                public static void main(String[] args) { deeper(); }
                static void deeper() { throw new IllegalStateException("outer", new RuntimeException("inner")); }
            }
            class Blocked { public static void main(String[] args) throws Exception { System.out.println("in"); Thread.sleep(60_000); } }
            class Ignores {
                public static void main(String[] args) {
                    System.out.println("in");
                    while (true) { java.util.concurrent.locks.LockSupport.park(); Thread.interrupted(); }
                }
            }
            class Variables {
                public static void main(String[] args) {
                    var ofMethod = java.util.Optional.of("GREETING").map(System::getenv).orElse("none");
                    var all = System.getenv();
                    System.out.println(System.getenv("GREETING") + ofMethod + all.get("GREETING") + System.getenv("ABSENT")
                        + all.get("PATH").equals(System.getenv("PATH")));
                }
            }
            class Options {
                public static void main(String[] args) throws Exception {
                    System.out.println(System.getProperty("java.class.path") + " " + System.getProperty("sun.java.command"));
                    System.out.println(System.getProperty("own") + System.getProperty("none", "default") + Boolean.getBoolean("flag")
                        + Integer.getInteger("number") + Integer.getInteger("none", 8) + Long.getLong("number") + Long.getLong("own", 9L)
                        + java.util.Optional.of("own").map(System::getProperty).orElse("none"));
                    System.setProperty("own", "mine");
                    System.getProperties().put("number", "0x10");
                    System.clearProperty("flag");
                    java.util.Properties all = System.getProperties();
                    System.out.println(all.getProperty("own") + all.get("number") + all.containsKey("flag") + System.getProperty("number")
                        + System.getProperty("flag") + all.getProperty("java.version").equals(System.getProperty("java.version")));
                    System.out.println(ClassLoader.getSystemResource("Options.class") != null
                        && ClassLoader.getSystemResources("Options.class").hasMoreElements()
                        && ClassLoader.getSystemResourceAsStream("Options.class") != null
                        && ClassLoader.getSystemClassLoader().loadClass("Options") == Options.class);
                    boolean on = false;
                    assert on = true;
                    System.out.println(on);
                    var field = String.class.getDeclaredField("value");
                    field.setAccessible(true);
                    System.out.println(((byte[]) field.get("abc")).length);
                }
            }
            class BadInitializer { static { if (true) { throw new IllegalStateException("bad"); } } public static void main(String[] args) { } }
            """));
        compileDrivers();
    }

    private static void compileDrivers() {
        Programs.compile(folder, Map.of("Shared", """
            import java.util.concurrent.*;
            class Drives implements java.sql.Driver {
                static {
                    try {
                        java.sql.DriverManager.registerDriver(new Drives());
                    } catch (java.sql.SQLException e) {
                        throw new IllegalStateException(e);
                    }
                }
                public Drives() { }
                public java.sql.Connection connect(String url, java.util.Properties info) { return null; }
                public boolean acceptsURL(String url) { return url.equals("jdbc:drives"); }
                public java.sql.DriverPropertyInfo[] getPropertyInfo(String url, java.util.Properties info) { return null; }
                public int getMajorVersion() { return 1; }
                public int getMinorVersion() { return 0; }
                public boolean jdbcCompliant() { return false; }
                public java.util.logging.Logger getParentLogger() { return null; }
                public static void main(String[] args) throws Exception {
                    System.out.println(java.sql.DriverManager.getDriver("jdbc:drives").getMajorVersion());
                }
            }
            class Pools {
                static class Own extends ForkJoinPool { Own() { super(1); } }
                static int number;
                static void check(ExecutorService pool) throws Exception {
                    number++;
                    if (pool.submit(() -> Thread.currentThread().getContextClassLoader()).get() == Pools.class.getClassLoader()) {
                        System.out.print(number);
                    }
                    pool.shutdown();
                }
                public static void main(String[] args) throws Exception {
                    check(new ForkJoinPool());
                    check(new ForkJoinPool(2));
                    check(new ForkJoinPool(1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true));
                    check(new ForkJoinPool(1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true, 1, 2, 1, p -> args.length > 0, 1,
                        TimeUnit.SECONDS));
                    check(Executors.newWorkStealingPool());
                    check(Executors.newWorkStealingPool(2));
                    java.util.function.IntFunction<ForkJoinPool> maker = ForkJoinPool::new;
                    check(maker.apply(2));
                    check(new Own());
                }
            }
            """));
    }

    @Test
    void shouldReturn() {
        try (TestRank rank = new TestRank(folder, "Hello", "a", "b")) {
            assertEquals(RETURNED, rank.run());
            assertEquals("hello a,b\n", rank.out());
            assertEquals("", rank.err());
        }
    }

    @Test
    void shouldFindItsOwnVariablesAndThoseOfTheJvmInItsEnvironment() {
        try (TestRank rank =
            new TestRank(folder, new RankProgram("job", 0, "Variables", List.of(), Map.of("GREETING", "hi"), RankProgram.Options.NONE), null,
                RankHooks.NONE);
             TestRank other = new TestRank(folder, "Variables")) {
            assertEquals(RETURNED, rank.run());
            assertEquals("hihihinulltrue\n", rank.out());
            assertEquals(RETURNED, other.run());
            assertEquals("nullnonenullnulltrue\n", other.out());
        }
    }

    @Test
    void shouldTakeTheOptionsOfItsCommandLine() {
        final RankProgram.Options options =
            new RankProgram.Options(Map.of("own", "of the rank", "flag", "true", "number", "7"), List.of("-ea", "-da:Hello"),
                List.of("java.base/java.lang", "java.base/none", "no.such/x"), List.of(), List.of("java.base"), false);
        try (TestRank rank = new TestRank(folder, new RankProgram("job", 0, "Options", List.of("a", "b"), Map.of(), options), null, RankHooks.NONE);
             TestRank other = new TestRank(folder, "Options")) {
            assertEquals(RETURNED, rank.run());
            assertEquals(folder + " Options a b\nof the rankdefaulttrue7879of the rank\n"
                + "mine0x10false0x10nulltrue\ntrue\ntrue\n3\n", rank.out());
            assertEquals(null, System.getProperty("own"));
            final RankOutcome outcome = other.run();
            assertTrue(outcome.text().contains("InaccessibleObjectException"), outcome + other.out());
            System.clearProperty("own");
            System.clearProperty("number");
        }
    }

    @Test
    void shouldSayWhatTheJvmLacksForTheOptionsOfItsCommandLine() {
        for (final RankProgram.Options options : List.of(new RankProgram.Options(Map.of(), List.of(), List.of(), List.of(), List.of(), true),
            new RankProgram.Options(Map.of(), List.of(), List.of(), List.of(), List.of("jdk.incubator.vector"), false))) {
            try (TestRank rank = new TestRank(folder, new RankProgram("job", 0, "Hello", List.of(), Map.of(), options), null, RankHooks.NONE)) {
                final String missing = options.preview() ? "preview features" : "module jdk.incubator.vector";
                assertEquals("program needs " + missing + ", which the JVM of the node does not have: start the node with TUTTI_DAEMON_OPTS="
                    + (options.preview() ? "--enable-preview" : "--add-modules=jdk.incubator.vector"), rank.run().text());
            }
        }
    }

    @Test
    void shouldWaitForThreadsThatAreNoDaemons() {
        try (TestRank rank = new TestRank(folder, "Waits")) {
            assertEquals(RETURNED, rank.run());
            assertEquals("late\n", rank.out());
        }
    }

    @Test
    void shouldEndDaemonAndVirtualThreadsThatAreLeft() {
        try (TestRank rank = new TestRank(folder, "LeavesThreads")) {
            assertEquals(RETURNED, rank.run());
            await().atMost(Duration.ofSeconds(60)).until(() -> RankThreads.of(rank.process).isEmpty());
        }
    }

    @Test
    void shouldTellOfItsVirtualThreads() {
        try (TestRank rank = new TestRank(folder, "LeavesThreads", "stays")) {
            rank.process.start();
            rank.awaitOut("in");
            final List<Thread> others = rank.process.activity().others();
            assertEquals(2, others.stream().filter(Thread::isVirtual).count(), others.toString());
            assertEquals(3, others.size(), others.toString());
        }
    }

    @Test
    void shouldRegisterTheDriversOfEachRank() throws IOException {
        Files.createDirectories(folder.resolve("META-INF/services"));
        final Path services = Files.writeString(folder.resolve("META-INF/services/java.sql.Driver"), "Drives\nno.such.Driver\n");
        try (TestRank first = new TestRank(folder, "Drives"); TestRank second = new TestRank(folder, "Drives")) {
            assertEquals(RETURNED, first.run());
            assertEquals(RETURNED, second.run());
            assertEquals("1\n", first.out());
            assertEquals("1\n", second.out());
        } finally {
            Files.delete(services);
        }
    }

    @Test
    void shouldGiveWorkersOfItsPoolsItsContextLoader() {
        try (TestRank rank = new TestRank(folder, "Pools")) {
            assertEquals(RETURNED, rank.run());
            assertEquals("1234567", rank.out());
        }
    }

    @Test
    void shouldReportExceptionsOfOtherThreadsAndContinue() {
        try (TestRank rank = new TestRank(folder, "OtherFails")) {
            assertEquals(RETURNED, rank.run());
            assertEquals("goes on\n", rank.out());
            final String expected = "Exception in thread \"other\" java.lang.IllegalStateException: no matter\n\tat OtherFails.";
            assertTrue(rank.err().startsWith(expected), rank.err());
        }
    }

    @Test
    void shouldKeepTheDefaultUncaughtExceptionHandlerToTheRank() {
        final Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        try (TestRank rank = new TestRank(folder, "Handler")) {
            assertEquals(RETURNED, rank.run());
            assertEquals("other: mine\ntrue\n", rank.out());
            assertEquals(before, Thread.getDefaultUncaughtExceptionHandler());
        }
    }

    @Test
    void shouldReportTheStackOfTheProgramAlone() {
        try (TestRank rank = new TestRank(folder, "Throws")) {
            assertEquals(new RankOutcome(Kind.FAILED, 1, """
                java.lang.IllegalStateException: outer
                \tat Throws.deeper(Ends.java:39)
                \tat Throws.main(Ends.java:38)
                Caused by: java.lang.RuntimeException: inner
                \t... 2 more"""), rank.run());
        }
    }

    @Test
    void shouldFailWhenTheMainClassCannotBeInitialised() {
        try (TestRank rank = new TestRank(folder, "BadInitializer")) {
            final RankOutcome end = rank.run();
            assertEquals(Kind.FAILED, end.kind());
            assertTrue(end.text().startsWith("java.lang.ExceptionInInitializerError\n"), end.text());
            assertTrue(end.text().contains("Caused by: java.lang.IllegalStateException: bad"), end.text());
        }
    }

    @Test
    void shouldSayThatTheMainClassIsMissing() {
        try (TestRank rank = new TestRank(folder, "Nowhere")) {
            assertEquals(new RankOutcome(Kind.FAILED, 1, "main class not found: class=Nowhere, class path=[" + folder.getFileName() + "]"),
                rank.run());
        }
    }

    @Test
    void shouldCancelAThreadThatSleeps() {
        try (TestRank rank = new TestRank(folder, "Blocked")) {
            rank.process.start();
            rank.awaitOut("in");
            rank.process.terminate("node lost");
            rank.process.terminate("too late");
            assertEquals(new RankOutcome(Kind.CANCELLED, 1, "node lost"), rank.end());
        }
    }

    @Test
    void shouldCancelBeforeTheStart() {
        try (TestRank rank = new TestRank(folder, "Hello")) {
            rank.process.terminate("not wanted");
            assertEquals(new RankOutcome(Kind.CANCELLED, 1, "not wanted"), rank.end());
            rank.process.start();
            assertEquals("", rank.out());
        }
    }

    @Test
    void shouldWakeThreadsThatRemain() {
        final AtomicReference<String> woken = new AtomicReference<>();
        final RankHooks hooks = new RankHooks() {
            @Override
            public void wake(final String reason) {
                woken.set(reason);
            }
        };
        try (TestRank rank = new TestRank(folder, 0, null, hooks, "Ignores")) {
            rank.process.start();
            rank.awaitOut("in");
            rank.process.terminate("why");
            rank.end();
            assertEquals("why", woken.get());
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"false, FAILED", "true, CANCELLED"})
    void shouldEndWithItsOwnErrorWhenACallFailsThoughTheRankIsBeingCancelled(final boolean byPeer, final Kind expected) {
        final AtomicReference<RankProcess> process = new AtomicReference<>();
        final RankHooks hooks = new RankHooks() {
            @Override
            public void wake(final String reason) {
                process.get().fail(new IllegalStateException("boom"), byPeer);
            }
        };
        try (TestRank rank = new TestRank(folder, 0, null, hooks, "Ignores")) {
            process.set(rank.process);
            rank.process.start();
            rank.awaitOut("in");
            rank.process.terminate("another rank failed");
            assertEquals(expected, rank.end().kind());
            assertEquals(!byPeer, rank.end().text().startsWith("java.lang.IllegalStateException: boom"), rank.end().text());
        }
    }

    @Test
    void shouldRunHooksOnTheMainThreadAndLetThemChangeTheEnd() {
        final StringBuffer calls = new StringBuffer();
        final RankHooks hooks = new RankHooks() {
            @Override
            public void before() {
                calls.append(Thread.currentThread().getName()).append(' ');
            }

            @Override
            public RankOutcome after(final RankOutcome end) {
                calls.append(Thread.currentThread().getName());
                return new RankOutcome(Kind.FAILED, 7, "never finalised");
            }
        };
        try (TestRank rank = new TestRank(folder, 3, null, hooks, "Hello")) {
            assertEquals(new RankOutcome(Kind.FAILED, 7, "never finalised"), rank.run());
            assertEquals("tutti-job-rank3 tutti-job-rank3", calls.toString());
        }
    }

    @Test
    void shouldFailWhenTheHookBeforeMainThrows() {
        final RankHooks hooks = new RankHooks() {
            @Override
            public void before() {
                throw new IllegalStateException("no memory");
            }
        };
        try (TestRank rank = new TestRank(folder, 0, null, hooks, "Hello")) {
            final RankOutcome end = rank.run();
            assertEquals(Kind.FAILED, end.kind());
            assertTrue(end.text().startsWith("java.lang.IllegalStateException: no memory"), end.text());
            assertEquals("", rank.out());
        }
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, names = {"ABORTED", "FAILED"})
    void shouldNotUnwindTheRanksOwnThreadThatAborts(final Kind kind) {
        final AtomicReference<RankProcess> process = new AtomicReference<>();
        final CountDownLatch left = new CountDownLatch(1);
        final RankHooks hooks = new RankHooks() {
            @Override
            public void before() {
                try {
                    if (kind == Kind.ABORTED) {
                        process.get().abort(9);
                    } else {
                        process.get().fail(new IllegalStateException("boom"), false);
                    }
                } finally {
                    left.countDown();
                }
            }
        };
        try (TestRank rank = new TestRank(folder, 0, null, hooks, "Hello")) {
            process.set(rank.process);
            final RankOutcome outcome = rank.run();
            assertEquals(kind, outcome.kind());
            assertEquals(kind == Kind.ABORTED ? 9 : 1, outcome.status());
            assertTrue(outcome.text().startsWith(kind == Kind.ABORTED ? "abort was called: rank=0, status=9"
                : "java.lang.IllegalStateException: boom"), outcome.text());
            assertEquals(1, left.getCount());
        }
    }

    @Test
    void shouldAbortFromOutside() {
        try (TestRank rank = new TestRank(folder, "Ignores")) {
            rank.process.start();
            rank.awaitOut("in");
            rank.process.abort(4);
            assertEquals(Kind.ABORTED, rank.end().kind());
            assertFalse(rank.process.owns(Thread.currentThread()));
        }
    }
}
