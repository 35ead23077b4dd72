package tutti.coll.tck.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(120)
class CpuLimitTest {
    private final CpuLimit limit = new CpuLimit("code", Duration.ofMillis(400));
    private final CountDownLatch end = new CountDownLatch(1);

    private void spin() {
        while (end.getCount() > 0) {
            Thread.onSpinWait();
        }
    }

    private void sleep() {
        try {
            end.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldWaitForTheEndOfTheCode() throws InterruptedException {
        assertEquals(CpuLimit.Verdict.ENDED, limit.await(limit.start("code", () -> assertEquals(1, end.getCount()))::join));
    }

    @Test
    void shouldEndTheWaitForCodeThatHasUsedItsProcessorTime() throws InterruptedException {
        final CpuLimit.Verdict verdict = limit.await(limit.start("code", this::spin)::join);
        end.countDown();
        assertEquals("400 ms of processor time", limit.text(verdict));
    }

    @Test
    void shouldCountTheThreadsThatTheCodeStarts() throws InterruptedException {
        final CpuLimit.Verdict verdict = limit.await(limit.start("code", () -> {
            new Thread(this::spin).start();
            sleep();
        })::join);
        end.countDown();
        assertEquals(CpuLimit.Verdict.USED, verdict);
    }

    @Test
    void shouldEndTheWaitForCodeThatWaitsForEver() throws InterruptedException {
        final Thread thread = limit.start("code", this::sleep);
        assertEquals("200 ms of waiting", limit.text(limit.await(thread::join)));
        limit.interrupt();
        thread.join();
    }

    @Test
    void shouldWaitLongerForCodeThatCouldRun() throws InterruptedException {
        final ReentrantLock start = new ReentrantLock();
        final AtomicInteger looks = new AtomicInteger();
        final Object monitor = new Object();
        final CpuLimit.Verdict verdict;
        synchronized (monitor) {
            final Thread thread = limit.start("code", () -> {
                synchronized (monitor) {
                    start.lock();
                }
            });
            verdict = limit.await(time -> {
                looks.incrementAndGet();
                return thread.join(time);
            });
        }
        assertEquals("2400 ms of waiting for locks or for input", limit.text(verdict));
        assertTrue(looks.get() >= 48, looks::toString);
    }

    private static void signal(final Process process, final String signal) throws InterruptedException {
        try {
            if (new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor() != 0) {
                // it has ended since it was looked at
                process.waitFor();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldWaitForAProcessThatIsStoppedMostOfTheTime() throws Exception {
        final Process process = new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done").start();
        try {
            final AtomicInteger looks = new AtomicInteger();
            signal(process, "STOP");
            final CpuLimit of = CpuLimit.of(process.toHandle(), Duration.ofSeconds(5));
            assertEquals(CpuLimit.Verdict.ENDED, of.await(time -> {
                final boolean runs = looks.incrementAndGet() % 5 == 0;
                if (runs) {
                    signal(process, "CONT");
                }
                final boolean isOver = process.waitFor(time);
                if (runs && !isOver) {
                    signal(process, "STOP");
                }
                return isOver;
            }));
            assertTrue(looks.get() >= 5, looks::toString);
        } finally {
            process.destroyForcibly();
        }
    }
}
