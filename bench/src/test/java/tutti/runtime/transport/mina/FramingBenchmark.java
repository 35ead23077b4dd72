package tutti.runtime.transport.mina;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Measures a frame through the outbound buffer, a channel in memory and the frame reader. One thread writes and reads. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class FramingBenchmark {

    private static final int HEADER = 48;

    /** Bytes of the payload. */
    @Param({"8", "1024", "65536"})
    public int bytes;

    private final byte[] header = new byte[HEADER];
    private final Loopback channel = new Loopback();
    private final OutboundBuffer outbound = new OutboundBuffer(channel, () -> {});
    private final FrameReader reader = new FrameReader();
    private MemorySegment payload;

    @Setup
    public void allocate() {
        payload = MemorySegment.ofArray(new byte[bytes]);
    }

    @Benchmark
    public int sendAndReceive() throws IOException {
        outbound.offer(header, HEADER, payload, 0, bytes);
        int length = -1;
        while (length < 0) {
            reader.fill(channel);
            length = reader.wholeFrame();
        }
        reader.consume(WireFormat.FRAME_HEADER + length);
        return length;
    }

    @TearDown
    public void close() {
        outbound.close();
        reader.close();
    }

    /** Channel that returns what was written to it. */
    private static final class Loopback implements ByteChannel {
        private final ByteBuffer queued = ByteBuffer.allocateDirect(2 * WireFormat.MAX_FRAME);

        @Override
        public int write(final ByteBuffer from) {
            final int count = from.remaining();
            queued.put(from);
            return count;
        }

        @Override
        public int read(final ByteBuffer into) {
            queued.flip();
            final int count = Math.min(queued.remaining(), into.remaining());
            into.put(queued.slice(0, count));
            queued.position(count);
            queued.compact();
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // nothing to close
        }
    }
}
