package tutti.daemon.channel;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of pipes whose writers and readers wait for each other. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BytePipeTest {
    private static final int LIMIT = 100;

    private final BytePipe pipe = new BytePipe(LIMIT);
    private final List<Thread> threads = new ArrayList<>();

    /** Runs code on a new thread; returns when the thread waits, or has ended. */
    private <T> FutureTask<T> start(final Callable<T> code) {
        final FutureTask<T> task = new FutureTask<>(code);
        final Thread thread = Thread.ofPlatform().daemon().start(task);
        threads.add(thread);
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(2)).until(() -> switch (thread.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> true;
            default -> false;
        });
        return task;
    }

    private static <T> T get(final FutureTask<T> task) throws Exception {
        return task.get(60, TimeUnit.SECONDS);
    }

    private static byte[] filled(final int bytes, final int value) {
        final byte[] piece = new byte[bytes];
        Arrays.fill(piece, (byte) value);
        return piece;
    }

    @AfterEach
    void release() {
        pipe.close();
    }

    @Test
    void shouldCarryPiecesOfAllSizesInTheirOrder() throws Exception {
        final Random random = new Random(7);
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        final FutureTask<byte[]> reading = start(() -> {
            final ByteArrayOutputStream read = new ByteArrayOutputStream();
            final byte[] buffer = new byte[17];
            for (int n = pipe.read(buffer, 3, 13); n >= 0; n = pipe.read(buffer, 3, 13)) {
                assertTrue(n > 0, "an empty piece was read");
                read.write(buffer, 3, n);
            }
            return read.toByteArray();
        });
        for (final int bytes : new int[] {1, 0, 3, LIMIT - 1, LIMIT, LIMIT + 1, 16_385, 0, 5}) {
            final byte[] piece = new byte[bytes];
            random.nextBytes(piece);
            all.write(piece);
            assertTrue(pipe.put(piece));
        }
        pipe.end();
        assertArrayEquals(all.toByteArray(), get(reading));
        assertEquals(-1, pipe.read());
    }

    @Test
    void shouldLetAWriterWaitWhileThePipeIsFull() throws Exception {
        assertTrue(pipe.put(filled(LIMIT - 1, 1)));
        assertTrue(pipe.put(filled(3 * LIMIT, 2)), "a piece of any size fits while the pipe is not full");
        final FutureTask<Boolean> waiting = start(() -> pipe.put(filled(1, 3)));
        assertFalse(waiting.isDone());
        assertEquals(LIMIT - 1, pipe.readNBytes(LIMIT - 1).length);
        assertFalse(waiting.isDone(), "the pipe is still full");
        assertEquals(3 * LIMIT, pipe.readNBytes(3 * LIMIT).length);
        assertTrue(get(waiting));
        assertEquals(3, pipe.read());
    }

    @Test
    void shouldAddAPieceWithoutWaiting() throws Exception {
        assertTrue(pipe.put(filled(LIMIT, 1)));
        assertTrue(pipe.add(filled(LIMIT, 2)));
        pipe.end();
        assertEquals(2 * LIMIT, pipe.readAllBytes().length);
        assertFalse(pipe.add(new byte[1]));
    }

    @Test
    void shouldServeWritersInTheOrderOfTheirCalls() throws Exception {
        assertTrue(pipe.put(filled(LIMIT, 0)));
        final List<FutureTask<Boolean>> writers = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            final byte[] piece = filled(i == 1 ? LIMIT : 1, i);
            writers.add(start(() -> pipe.put(piece)));
        }
        pipe.skipNBytes(LIMIT);
        pipe.skipNBytes(LIMIT - 1);
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5}, pipe.readNBytes(5));
        for (final FutureTask<Boolean> writer : writers) {
            assertTrue(get(writer));
        }
    }

    @Test
    void shouldTellWritersThatTheReaderHasClosed() throws Exception {
        assertTrue(pipe.put(filled(LIMIT, 0)));
        final FutureTask<Boolean> first = start(() -> pipe.put(new byte[1]));
        final FutureTask<Boolean> second = start(() -> pipe.put(new byte[1]));
        pipe.close();
        assertFalse(get(first));
        assertFalse(get(second));
        assertFalse(pipe.put(new byte[1]));
        assertFalse(pipe.add(new byte[1]));
        assertEquals("the stream is closed", assertThrows(IOException.class, pipe::read).getMessage());
    }

    @Test
    void shouldReleaseAReaderWhenThePipeIsClosed() {
        final FutureTask<Integer> reading = start(pipe::read);
        assertFalse(reading.isDone());
        pipe.close();
        assertEquals("the stream is closed", assertThrows(ExecutionException.class, () -> get(reading)).getCause().getMessage());
    }

    @Test
    void shouldDropWhatIsWrittenAfterTheEnd() throws Exception {
        assertTrue(pipe.put(filled(LIMIT, 1)));
        final FutureTask<Boolean> waiting = start(() -> pipe.put(new byte[1]));
        pipe.end();
        assertFalse(get(waiting));
        assertFalse(pipe.put(new byte[1]));
        assertArrayEquals(filled(LIMIT, 1), pipe.readAllBytes());
    }

    @Test
    void shouldFailAfterWhatIsInThePipe() throws Exception {
        assertTrue(pipe.put(new byte[] {7}));
        pipe.fail(new IOException("node is lost"));
        pipe.end();
        pipe.fail(new IOException("later"));
        assertEquals(7, pipe.read());
        assertEquals("node is lost", assertThrows(IOException.class, pipe::read).getMessage());
        assertEquals("node is lost", assertThrows(IOException.class, pipe::read).getMessage());
    }

    @Test
    void shouldNotFailAfterItsEnd() throws Exception {
        pipe.end();
        pipe.fail(new IOException("later"));
        assertEquals(-1, pipe.read());
    }

    @Test
    void shouldReleaseAnInterruptedWriterAndServeTheNext() throws Exception {
        assertTrue(pipe.put(filled(LIMIT, 0)));
        final FutureTask<Boolean> first = start(() -> pipe.put(new byte[] {1}));
        final FutureTask<Boolean> second = start(() -> pipe.put(new byte[] {2}));
        threads.getFirst().interrupt();
        assertInstanceOf(InterruptedException.class, assertThrows(ExecutionException.class, () -> get(first)).getCause());
        pipe.skipNBytes(LIMIT);
        assertTrue(get(second));
        assertEquals(2, pipe.read());
    }
}
