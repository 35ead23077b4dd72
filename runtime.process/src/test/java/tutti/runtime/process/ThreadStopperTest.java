package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutcome.Kind;
import tutti.runtime.process.stop.ThreadStopper;

@Timeout(120)
@ExtendWith(RankStreamsExtension.class)
class ThreadStopperTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void compile() {
        Programs.compile(folder, Map.of("Runaways", """
            import java.util.concurrent.*;
            class Endless {
                public static void main(String[] args) { System.out.println("in"); while (true) { } }
            }
            class Counted {
                static long n;
                public static void main(String[] args) {
                    System.out.println("in");
                    for (int k = 0; k >= 0; k = k + 1 & 0xff) { for (int i = 0; i < 2_000_000_000; i++) { n += i * n ^ k; } }
                }
            }
            class Stubborn {
                public static void main(String[] args) {
                    System.out.println("in");
                    try { while (true) { } } catch (Throwable t) { }
                    while (true) { }
                }
            }
            class Locked {
                static volatile int x;
                public static void main(String[] args) {
                    Object lock = new Object();
                    new Thread(() -> { synchronized (lock) { while (true) { x++; } } }).start();
                    while (x == 0) { Thread.onSpinWait(); }
                    System.out.println("in");
                    synchronized (lock) { System.out.println("never"); }
                }
            }
            class Initializer {
                static int x;
                static { System.out.println("in"); while (x == 0) { } }
                public static void main(String[] args) { }
            }
            class Printing {
                public static void main(String[] args) { while (true) { System.out.println("in"); } }
            }
            class Pool {
                public static void main(String[] args) throws Exception {
                    ExecutorService pool = Executors.newFixedThreadPool(3);
                    for (int i = 0; i < 3; i++) { pool.submit(() -> 1).get(); }
                    new Thread(() -> { while (true) { try { Thread.sleep(100_000); } catch (InterruptedException e) { } } }).start();
                    System.out.println("in");
                }
            }
            class Compute {
                public static void main(String[] args) {
                    var map = new ConcurrentHashMap<Integer, String>();
                    System.out.println("in");
                    while (true) { for (int i = 0; i < 1000; i++) { map.merge(i, "" + i, (x, y) -> y); } }
                }
            }
            """));
    }

    @Test
    void shouldBeAvailableInThisJvm() {
        assertTrue(ThreadStopper.isAvailable());
    }

    private static void ends(final String program) throws InterruptedException {
        try (TestRank rank = new TestRank(folder, program)) {
            rank.process.start();
            rank.awaitOut("in\n");
            rank.process.terminate("stop " + program);
            assertEquals(new RankOutcome(Kind.CANCELLED, 1, "stop " + program), rank.end());
            // on a machine that is busy, the last threads may be stopped after the end was reported
            for (final Thread thread : RankThreads.of(rank.process)) {
                assertTrue(thread.join(Duration.ofSeconds(60)), () -> thread + " " + List.of(thread.getStackTrace()));
            }
        }
    }

    @Test
    void shouldStopAnEndlessLoop() throws InterruptedException {
        ends("Endless");
    }

    @Test
    void shouldStopACountedLoop() throws InterruptedException {
        ends("Counted");
    }

    @Test
    void shouldStopAThreadThatCatchesEverythingOnce() throws InterruptedException {
        ends("Stubborn");
    }

    @Test
    void shouldStopAThreadThatHoldsALockAndThoseThatWaitForIt() throws InterruptedException {
        ends("Locked");
    }

    @Test
    void shouldStopTheInitialisationOfAClass() throws InterruptedException {
        ends("Initializer");
    }

    @Test
    void shouldStopAThreadThatPrintsForEver() throws InterruptedException {
        ends("Printing");
    }

    @Test
    void shouldStopThreadsThatIgnoreInterrupts() throws InterruptedException {
        ends("Pool");
    }

    @Test
    void shouldStopAThreadThatIsMostlyInTheJdk() throws InterruptedException {
        ends("Compute");
    }
}
