package tutti.runtime.process;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.process.owner.RankOutcome.Kind;

@Timeout(120)
@ExtendWith(RankStreamsExtension.class)
class RankLeakTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void compile() {
        Programs.compile(folder, Map.of("Leaky", """
            import java.util.concurrent.*;
            class Leaky {
                static final byte[] STATIC = new byte[100_000];
                static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();
                public static void main(String[] args) throws Exception {
                    LOCAL.set(new Leaky());
                    Runtime.getRuntime().addShutdownHook(new Thread(() -> { }));
                    Thread.setDefaultUncaughtExceptionHandler((t, e) -> { });
                    System.setOut(new java.io.PrintStream(System.out) { });
                    CompletableFuture.runAsync(() -> { }).completeOnTimeout(null, 10, TimeUnit.MILLISECONDS).get();
                    ExecutorService pool = Executors.newFixedThreadPool(2);
                    pool.submit(() -> STATIC).get();
                    pool.shutdown();
                    Thread.startVirtualThread(() -> { try { Thread.sleep(100_000); } catch (InterruptedException e) { } });
                    if (args[0].equals("fail")) { throw new IllegalStateException("kept by nobody"); }
                    System.out.println("in");
                    if (args[0].equals("sleep")) { Thread.sleep(100_000); }
                }
            }
            """));
    }

    private static WeakReference<ClassLoader> run(final String how, final Kind expected, final List<RankProcess> kept) {
        final TestRank rank = new TestRank(folder, "Leaky", how);
        rank.process.start();
        if (expected == Kind.CANCELLED) {
            rank.awaitOut("in");
            rank.process.terminate("enough");
        }
        assertEquals(expected, rank.end().kind());
        rank.classPath.close();
        kept.add(rank.process);
        return new WeakReference<>(rank.release());
    }

    @Test
    void shouldReleaseTheLoadersOfThirtyRanks() {
        final List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        final List<RankProcess> kept = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            loaders.add(run("return", Kind.RETURNED, kept));
            loaders.add(run("fail", Kind.FAILED, kept));
            loaders.add(run("sleep", Kind.CANCELLED, kept));
        }
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            System.gc();
            assertEquals(0, loaders.stream().filter(loader -> loader.get() != null).count());
        });
        assertEquals(30, kept.size());
    }
}
