package tutti.runtime.process;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
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
            class Caught {
                public static void main(String[] args) {
                    try { try { System.exit(3); } finally { System.exit(4); } } catch (Throwable t) { } finally { System.out.print(""); }
                    while (true) { }
                }
            }
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
                public static void main(String[] args) { Runtime.getRuntime().addShutdownHook(new Thread(() -> { while (true) { } })); }
            }
            class OwnHook {
                public static void main(String[] args) throws Exception {
                    Thread hook = new Thread(() -> System.out.println("by itself"), "early");
                    Runtime.getRuntime().addShutdownHook(hook);
                    hook.start();
                    hook.join();
                }
            }
            class Prints { public static void main(String[] args) { System.out.println("in"); } }
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
    }

    @ParameterizedTest
    @ValueSource(strings = {"Plain", "OfRuntime", "Reference", "BoundReference", "UnboundReference", "Initializer", "OtherThread", "VirtualThread",
        "Pool", "Caught"})
    void shouldEndTheRank(final String program) {
        try (TestRank rank = new TestRank(folder, program)) {
            assertEquals(new RankOutcome(Kind.EXITED, 3, ""), rank.run());
            assertEquals("", rank.out());
            assertEquals("", rank.err());
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
    void shouldNotWaitForEverForAShutdownHook() {
        try (TestRank rank = new TestRank(folder, "EndlessHook")) {
            assertEquals(new RankOutcome(Kind.RETURNED, 0, ""), rank.run());
            assertEquals(0, RankThreads.of(rank.process).size());
        }
        log.assertLine("shutdown hooks of a rank did not end in time: job=job, rank=0, limit=2000 ms");
    }

    @Test
    void shouldNotStartAShutdownHookThatTheProgramHasStarted() {
        try (TestRank rank = new TestRank(folder, "OwnHook")) {
            assertEquals(new RankOutcome(Kind.RETURNED, 0, ""), rank.run());
            assertEquals("by itself\n", rank.out());
        }
        log.assertLine("shutdown hook of a rank was started by the program: job=job, rank=0, thread=early");
    }

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
        log.assertLine(
            "threads of a rank cannot be stopped and are left behind: job=job, rank=0, threads=1, first=tutti-job-rank0, state=BLOCKED, at=");
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
