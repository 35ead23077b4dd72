package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.collective.Collectives;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/**
 * Tests how much garbage calls leave. It runs in a JVM of its own, since the compiler's work depends on what a JVM has run before, and with C2,
 * which other unit tests do without: alone it is run with {@code -Dunit.jvm=-XX:+TieredCompilation}.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GarbageTest {

    @Test
    void shouldAllocateNothingWhenBlockingCallsUseTheSameBuffersAgain() throws Exception {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Ranks.run(1, 1, List.of(new BasicModule()), rank -> {
            final Communicator c = rank.world();
            final ByteBuffer direct = ByteBuffer.allocateDirect(800);
            final double[] data = new double[100];
            final double[] got = new double[100];
            final Collectives<Request> calls = c.engine().blocking();
            long least = Long.MAX_VALUE;
            // the status of a receive, and a few message buffers that a collection removed
            final long most = 1000 * 32 + 2000;
            // records are hashed without garbage once that is compiled, which takes longer on busy cores
            final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (least > most && System.nanoTime() < end) {
                final long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 1000; i++) {
                    calls.allreduce(data, got, 100, Datatype.DOUBLE, Op.SUM);
                    calls.bcast(direct, 800, Datatype.BYTE, 0);
                    calls.barrier();
                    calls.reduce(data, got, 100, Datatype.DOUBLE, Op.SUM, 0);
                    calls.scan(data, got, 100, Datatype.DOUBLE, Op.SUM);
                    calls.reduceScatterBlock(data, got, 100, Datatype.DOUBLE, Op.SUM);
                    calls.gather(data, 100, Datatype.DOUBLE, got, 100, Datatype.DOUBLE, 0);
                    calls.scatter(data, 100, Datatype.DOUBLE, got, 100, Datatype.DOUBLE, 0);
                    calls.allgather(data, 100, Datatype.DOUBLE, got, 100, Datatype.DOUBLE);
                    calls.alltoall(data, 100, Datatype.DOUBLE, got, 100, Datatype.DOUBLE);
                    c.messages().send(SendMode.STANDARD, data, 100, Datatype.DOUBLE, 0, 1);
                    c.messages().recv(direct, 100, Datatype.DOUBLE, 0, 1);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertTrue(least <= most, "bytes=" + least);
        });
    }
}
