package tutti.runtime.buffer;

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
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

@Timeout(120)
class MessageBufferCacheTest {
    private final MessageBufferCache sides = new MessageBufferCache(() -> true);

    @Test
    void shouldReturnTheSameBufferForTheSameArguments() {
        final Object[] buffers = {new byte[32], ByteBuffer.allocateDirect(32), ByteBuffer.allocate(32), MemorySegment.ofArray(new int[8])};
        final MessageBuffer[] first = new MessageBuffer[2 * buffers.length];
        for (int i = 0; i < buffers.length; i++) {
            first[2 * i] = sides.of(buffers[i], 4, Datatype.INT);
            first[2 * i + 1] = sides.into(buffers[i], 4, Datatype.INT);
        }
        for (int i = 0; i < buffers.length; i++) {
            assertSame(first[2 * i], sides.of(buffers[i], 4, Datatype.INT));
            assertSame(first[2 * i + 1], sides.into(buffers[i], 4, Datatype.INT));
        }
        Reference.reachabilityFence(first);
    }

    @Test
    void shouldDistinguishCallsThatDifferInOneArgument() {
        final ByteBuffer buffer = ByteBuffer.allocate(32);
        final MessageBuffer first = sides.of(buffer, 4, Datatype.INT);
        assertEquals(12, sides.of(buffer, 3, Datatype.INT).bytes());
        assertEquals(32, sides.of(buffer, 4, Datatype.LONG).bytes());
        assertNotSame(first, sides.into(buffer, 4, Datatype.INT));
        assertEquals(16, sides.of(buffer.slice(16, 16), 4, Datatype.INT).memory().byteSize());
        assertSame(first, sides.of(buffer, 4, Datatype.INT));
    }

    @Test
    void shouldRefuseWhatDoesNotFitThoughTheBufferIsKnown() {
        final ByteBuffer readOnly = ByteBuffer.allocateDirect(32).asReadOnlyBuffer();
        final MessageBuffer first = sides.of(readOnly, 4, Datatype.INT);
        assertThrows(MpiFailure.class, () -> sides.into(readOnly, 4, Datatype.INT));
        assertThrows(MpiFailure.class, () -> sides.into(readOnly, 4, Datatype.INT), "what was refused is not remembered");
        // as many bytes as before modulo 2^64
        assertThrows(MpiFailure.class, () -> sides.of(readOnly, 4 + (1L << 62), Datatype.INT));
        assertThrows(MpiFailure.class, () -> sides.of(readOnly, -4, Datatype.INT));
        assertEquals(ErrorClass.TYPE, assertThrows(MpiFailure.class, () -> sides.of(readOnly, 4, null)).errorClass());
        assertEquals(ErrorClass.BUFFER, assertThrows(MpiFailure.class, () -> sides.of(null, 4, Datatype.INT)).errorClass());
        Reference.reachabilityFence(first);
    }

    @Test
    void shouldReadWhatIsCopiedEachTime() {
        final boolean[] values = {true};
        assertNotSame(sides.of(values, 1, Datatype.BOOLEAN), sides.of(values, 1, Datatype.BOOLEAN));
        final Datatype gaps = Datatype.vector(2, 1, 2, Datatype.INT);
        final int[] data = new int[4];
        assertNotSame(sides.of(data, 1, gaps), sides.of(data, 1, gaps));
    }

    @Test
    void shouldServeMoreBuffersThanItRemembers() {
        for (int i = 1; i < 100; i++) {
            assertEquals(i, sides.of(new byte[i], i, Datatype.BYTE).memory().byteSize());
        }
    }

    @Test
    void shouldNotKeepBuffersAlive() {
        final WeakReference<Object> buffer = use();
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            System.gc();
            return buffer.refersTo(null);
        });
        assertEquals(8, sides.of(new double[1], 1, Datatype.DOUBLE).bytes());
    }

    private WeakReference<Object> use() {
        final double[] buffer = new double[1];
        sides.of(buffer, 1, Datatype.DOUBLE);
        sides.into(buffer, 1, Datatype.DOUBLE);
        return new WeakReference<>(buffer);
    }
}
