package tutti.runtime.datatype;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.error.MpiFailure;

class SegmentCacheTest {
    private final SegmentCache cache = new SegmentCache();

    @Test
    void shouldGiveTheSameSegmentForTheSameBuffer() {
        final Object[] buffers = {new double[4], new int[4], ByteBuffer.allocateDirect(8), ByteBuffer.allocate(8)};
        final MemorySegment[] first = new MemorySegment[buffers.length];
        for (int i = 0; i < buffers.length; i++) {
            first[i] = cache.of(buffers[i]);
        }
        for (int i = 0; i < buffers.length; i++) {
            assertSame(first[i], cache.of(buffers[i]));
        }
    }

    @Test
    void shouldTellEqualBuffersApart() {
        final ByteBuffer buffer = ByteBuffer.allocate(16);
        assertEquals(16, cache.of(buffer).byteSize());
        assertEquals(8, cache.of(buffer.slice(8, 8)).byteSize());
        assertNotSame(cache.of(new byte[4]), cache.of(new byte[4]));
    }

    @Test
    void shouldCopyBooleansEachTime() {
        final boolean[] values = {true};
        final MemorySegment first = cache.of(values);
        values[0] = false;
        assertNotSame(first, cache.of(values));
        assertEquals(0, cache.of(values).get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void shouldServeMoreBuffersThanItRemembers() {
        for (int i = 1; i < 100; i++) {
            assertEquals(i, cache.of(new byte[i]).byteSize());
        }
    }

    @Test
    void shouldRefuseWhatMemoryRefuses() {
        assertThrows(MpiFailure.class, () -> cache.of(null));
        assertThrows(MpiFailure.class, () -> cache.of("text"));
    }

    @Test
    @Timeout(60)
    void shouldPinNoMemory() {
        final WeakReference<Object> array = remembered();
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return array.refersTo(null);
        });
        assertThrows(MpiFailure.class, () -> cache.of(null));
        Reference.reachabilityFence(cache);
    }

    private WeakReference<Object> remembered() {
        final Object array = new byte[1000];
        cache.of(array);
        return new WeakReference<>(array);
    }
}
