package tutti.runtime.match;

import java.lang.foreign.MemorySegment;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures many outstanding messages of distinct tags, which are matched in the reverse of the order in which they were queued: the time for all of
 * them. One thread sends and receives.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class OutstandingBenchmark {
    private static final int BYTES = 8;

    /** Number of messages that are outstanding at the same time. */
    @Param({"1000", "8000"})
    public int outstanding;

    private final MemorySegment data = MemorySegment.ofArray(new long[1]);
    private final MemorySegment target = MemorySegment.ofArray(new long[1]);
    private final Mailbox mailbox = new Mailbox();
    private Send[] sends;
    private Receive[] receives;
    private long completed;
    private final CompletionHandler handler = op -> completed++;

    @Setup
    public void create() {
        sends = new Send[outstanding];
        receives = new Receive[outstanding];
        for (int i = 0; i < outstanding; i++) {
            sends[i] = new Send();
            receives[i] = new Receive();
        }
    }

    private void send(final int tag) {
        final Send op = sends[tag];
        op.arm(handler, null, 0);
        op.envelope(0, 0, tag, BYTES);
        // synchronous, so that no copies are made
        op.message(data, 0, 0, true);
        mailbox.submit(op);
    }

    private void receive(final int source, final int tag) {
        final Receive op = receives[tag];
        op.arm(handler, null, 0);
        op.want(0, source, tag);
        op.into(target, 0, BYTES);
        mailbox.submit(op);
    }

    /** The receives are in the posted receive queue when the messages arrive. */
    @Benchmark
    public long posted() {
        return posted(0);
    }

    /** As {@link #posted}, with receives of any source. */
    @Benchmark
    public long postedAnySource() {
        return posted(Receive.ANY);
    }

    private long posted(final int source) {
        for (int i = 0; i < outstanding; i++) {
            receive(source, i);
        }
        for (int i = outstanding - 1; i >= 0; i--) {
            send(i);
        }
        return completed;
    }

    /** The messages are in the unexpected message queue when the receives are posted. */
    @Benchmark
    public long unexpected() {
        for (int i = 0; i < outstanding; i++) {
            send(i);
        }
        for (int i = outstanding - 1; i >= 0; i--) {
            receive(0, i);
        }
        return completed;
    }
}
