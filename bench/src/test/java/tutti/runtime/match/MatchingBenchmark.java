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

/** Measures a message of 8 bytes through a mailbox, behind a number of receives or messages that do not match. One thread sends and receives. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class MatchingBenchmark {
    private static final int BYTES = 8;
    private static final int TAG = 7;
    private static final int OTHER_TAG = 8;

    /** Number of entries before the one that matches. */
    @Param({"0", "16", "256"})
    public int depth;

    private final MemorySegment data = MemorySegment.ofArray(new long[1]);
    private final MemorySegment target = MemorySegment.ofArray(new long[1]);
    private final Send send = new Send();
    private final Receive receive = new Receive();
    private Mailbox postedFirst;
    private Mailbox sentFirst;
    private long completed;
    private final CompletionHandler handler = op -> completed++;

    @Setup
    public void fill() {
        postedFirst = new Mailbox();
        sentFirst = new Mailbox();
        for (int i = 0; i < depth; i++) {
            postedFirst.submit(prepared(new Receive(), OTHER_TAG));
            sentFirst.submit(prepared(new Send(), OTHER_TAG));
        }
    }

    private Send prepared(final Send op, final int tag) {
        op.arm(handler, null, 0);
        op.envelope(0, 0, tag, BYTES);
        op.message(data, 0, 0, false);
        return op;
    }

    private Receive prepared(final Receive op, final int tag) {
        op.arm(handler, null, 0);
        op.want(0, 0, tag);
        op.into(target, 0, BYTES);
        return op;
    }

    /** The receive is in the posted receive queue when the message arrives. */
    @Benchmark
    public long posted() {
        postedFirst.submit(prepared(receive, TAG));
        postedFirst.submit(prepared(send, TAG));
        return completed;
    }

    /** The message is in the unexpected message queue when the receive is posted. */
    @Benchmark
    public long unexpected() {
        sentFirst.submit(prepared(send, TAG));
        sentFirst.submit(prepared(receive, TAG));
        return completed;
    }
}
