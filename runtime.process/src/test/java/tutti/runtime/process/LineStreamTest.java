package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LineStreamTest {
    private final List<String> handedOver = new ArrayList<>();
    private final LineStream stream =
        new LineStream(false, (error, bytes, offset, length) -> handedOver.add(new String(bytes, offset, length, StandardCharsets.UTF_8)), () -> {});

    private void write(final String text) {
        final byte[] bytes = ("<" + text + ">").getBytes(StandardCharsets.UTF_8);
        stream.write(bytes, 1, bytes.length - 2);
    }

    @Test
    void shouldHandOverWholeLines() throws InterruptedException {
        write("a");
        write("b\nc");
        stream.write('\n');
        write("d\ne\nf");
        assertEquals(List.of("ab\n", "c\n", "d\ne\n"), handedOver);
        assertTrue(stream.finish(100));
        assertEquals("f", handedOver.getLast());
    }

    @Test
    void shouldHandOverALongLineInPieces() throws InterruptedException {
        final String most = "x".repeat(LineStream.MAX_PARTIAL);
        write(most);
        assertEquals(List.of(), handedOver);
        write("y");
        assertEquals(List.of(most + "y"), handedOver);
        write(most + "zz");
        write("\n");
        assertEquals(List.of(most + "y", most + "zz", "\n"), handedOver);
        assertTrue(stream.finish(100));
        assertEquals(3, handedOver.size());
    }

    @Test
    void shouldDropWhatIsWrittenForARankThatHasEnded() throws InterruptedException {
        write("kept");
        stream.refuse();
        write("lost\n");
        assertTrue(stream.finish(100));
        assertEquals(List.of("kept"), handedOver);
    }

    @Test
    void shouldNotWaitForEverForAWriterThatStaysInTheOutput() throws InterruptedException {
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch leave = new CountDownLatch(1);
        final LineStream stuck = new LineStream(true, (error, bytes, offset, length) -> {
            inside.countDown();
            try {
                leave.await();
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, () -> {});
        final Thread writer = Thread.ofPlatform().start(() -> stuck.write('\n'));
        inside.await();
        assertFalse(stuck.finish(10));
        leave.countDown();
        writer.join();
        assertTrue(stuck.finish(10));
    }
}
