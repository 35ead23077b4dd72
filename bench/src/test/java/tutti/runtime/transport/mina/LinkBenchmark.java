package tutti.runtime.transport.mina;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
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
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;

/** Measures a frame over a link on loopback that is polled. One thread sends and polls, so this is processor time without any wake-up. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class LinkBenchmark {

    private static final int HEADER = 48;

    /** Bytes of the payload. */
    @Param({"8", "1024", "65536"})
    public int bytes;

    private final byte[] header = new byte[HEADER];
    private final Counter sender = new Counter();
    private final Counter receiver = new Counter();
    private MinaTransport near;
    private MinaTransport far;
    private Link out;
    private Link in;
    private MemorySegment payload;

    /** Counts frames, and copies them as a receive does. */
    private final class Counter implements LinkHandler {
        private long frames;

        @Override
        public void frame(final Link link, final MemorySegment memory, final long offset, final int length) {
            MemorySegment.copy(memory, offset + HEADER, payload, 0, length - HEADER);
            frames++;
        }

        @Override
        public boolean isWakeUpNeeded() {
            return false;
        }

        @Override
        public void writable(final Link link) {
            // the benchmark tries again
        }

        @Override
        public void closed(final Link link, final Throwable cause) {
            // at the end
        }
    }

    @Setup
    public void connect() throws IOException {
        payload = MemorySegment.ofArray(new byte[bytes]);
        near = new MinaTransport();
        far = new MinaTransport();
        final Listener listener = far.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (link, hello) -> {
            in = link;
            return receiver;
        });
        out = near.connect(listener.address(), new Hello("bench", new byte[0]), sender, Duration.ofSeconds(10));
    }

    @Benchmark
    public long sendAndReceive() {
        final long before = receiver.frames;
        while (!out.trySend(header, HEADER, payload, 0, bytes)) {
            out.poll();
        }
        while (receiver.frames == before) {
            in.poll();
            out.poll();
        }
        return receiver.frames;
    }

    /** Measures a poll of a link on which nothing has arrived. */
    @Benchmark
    public boolean pollInVain() {
        return in.poll();
    }

    @TearDown
    public void close() {
        near.close();
        far.close();
    }
}
