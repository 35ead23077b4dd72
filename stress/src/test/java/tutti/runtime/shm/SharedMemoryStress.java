package tutti.runtime.shm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import tutti.coll.Buffer;
import tutti.runtime.match.Mailbox;
import tutti.runtime.model.MpiFailure;

/** Stress tests of the flags of shared memory: {@link SegmentSlots} and {@link RankSlots}. */
public class SharedMemoryStress {
    private static final long CALL = 1;
    /** The next number changes the sign of the mark. */
    private static final long BEFORE_SIGN = (1L << 63 - SegmentSlots.SHIFT - 1) - 1;
    /** The next mark is 0. */
    private static final long BEFORE_ZERO = (1L << 64 - SegmentSlots.SHIFT) - 1;

    /** A rank that posts once in the call after {@code before}, and a rank that reads its data. */
    private abstract static class Post {
        private final ExposedBuffers buffers = new ExposedBuffers(
            new PlanSegment(0, 0, 1, Buffer.SEND.at(0, 4), Buffer.RECV.at(0, 4), Buffer.SCRATCH.at(0, 0), Buffer.SHARED.at(0, 0)),
            new ExposedBuffers[1]);
        private final RankSlots slots = new RankSlots(RankSlotTable.SLOTS);
        private final SegmentSlots progress = slots.segment(0);
        private final int[] data = new int[1];
        private final MemorySegment memory = MemorySegment.ofArray(data);
        private final long number;

        Post(final long before) {
            number = before + 1;
            progress.begin(before, CALL, 1);
            progress.post(before, false);
        }

        final void post() {
            slots.expose(number, buffers);
            buffers.begin(memory, memory, null);
            progress.begin(number, CALL, 1);
            data[0] = 1;
            progress.post(number, false);
        }

        /** Returns the data if the post was made; else -1. */
        final int read() {
            final long mark = progress.mark(number);
            final long wanted = SegmentSlots.mark(number, 1);
            return SegmentSlots.sameCall(mark, wanted) && mark - wanted >= 0 && progress.call(number) == CALL
                ? slots.buffers(number).memory(Buffer.SEND).get(ValueLayout.JAVA_INT, 0) : -1;
        }
    }

    /** A reader that sees the post sees the data. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "not posted yet")
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "posted, with the data")
    @Outcome(expect = FORBIDDEN, desc = "posted without the data or without the memory")
    @State
    public static class PostPublishes extends Post {
        public PostPublishes() {
            super(0);
        }

        @Actor
        public void posts() {
            post();
        }

        @Actor
        public void reads(final I_Result r) {
            r.r1 = read();
        }
    }

    /** As {@link PostPublishes}, where the mark changes its sign. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "not posted yet")
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "posted, with the data")
    @Outcome(expect = FORBIDDEN, desc = "posted without the data or without the memory")
    @State
    public static class PostPublishesAtSignChange extends Post {
        public PostPublishesAtSignChange() {
            super(BEFORE_SIGN);
        }

        @Actor
        public void posts() {
            post();
        }

        @Actor
        public void reads(final I_Result r) {
            r.r1 = read();
        }
    }

    /** As {@link PostPublishes}, where the mark wraps around to 0. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "not posted yet")
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "posted, with the data")
    @Outcome(expect = FORBIDDEN, desc = "posted without the data or without the memory")
    @State
    public static class PostPublishesAtWrapAround extends Post {
        public PostPublishesAtWrapAround() {
            super(BEFORE_ZERO);
        }

        @Actor
        public void posts() {
            post();
        }

        @Actor
        public void reads(final I_Result r) {
            r.r1 = read();
        }
    }

    /** A rank registers a watch and reads the mark again, while the other posts: the watch is woken once. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "woken, and the data was there")
    @Outcome(expect = FORBIDDEN, desc = "never woken, woken twice, or woken before the data was there")
    @State
    public static class WatchIsWoken {
        private final RankSlots slots = new RankSlots(RankSlotTable.SLOTS);
        private final SegmentSlots progress = slots.segment(0);
        private final Watch watch = new Watch();
        private int data;

        public WatchIsWoken() {
            progress.begin(0, CALL, 1);
        }

        @Actor
        public void posts() {
            data = 1;
            progress.post(0, false);
            slots.notifyPosted(0);
        }

        @Actor
        public void watches() {
            slots.register(0, watch);
            if (progress.mark(0) - SegmentSlots.mark(0, 1) >= 0) {
                slots.wake(0);
            }
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = watch.times;
            r.r2 = watch.seen;
        }

        private final class Watch extends SlotWatch {
            private int times;
            private int seen;

            Watch() {
                super(new Mailbox());
            }

            @Override
            protected boolean isNeeded() {
                return true;
            }

            @Override
            protected void woken() {
                times++;
                seen = data;
            }

            @Override
            protected void onFailure(final MpiFailure why) {
                throw why;
            }
        }
    }

    /** A slot passes from one call to another while a rank asks for the calls recorded in it. */
    @JCStressTest
    @Outcome(id = {"0, 0", "0, 22", "11, 0", "11, 22"}, expect = ACCEPTABLE, desc = "each number gives its own call or none")
    @Outcome(expect = FORBIDDEN, desc = "a number gives the call of another number")
    @State
    public static class RecordedCall {
        private final RankSlots slots = new RankSlots(RankSlotTable.SLOTS);

        public RecordedCall() {
            slots.recordCall(0, 11);
        }

        @Actor
        public void records() {
            slots.recordCall(RankSlotTable.SLOTS, 22);
        }

        @Actor
        public void asks(final II_Result r) {
            r.r1 = (int) slots.recordedCall(0);
            r.r2 = (int) slots.recordedCall(RankSlotTable.SLOTS);
        }
    }

    /** A rank that sees that a call has ended sees what the other rank wrote in it. */
    @JCStressTest
    @Outcome(id = {"0, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE, desc = "an ended call has left its data")
    @Outcome(expect = FORBIDDEN, desc = "ended, but without its data")
    @State
    public static class EndPublishes {
        private final RankSlots slots = new RankSlots(RankSlotTable.SLOTS);
        private int data;

        @Actor
        public void ends() {
            data = 1;
            slots.end(0);
        }

        @Actor
        public void asks(final II_Result r) {
            r.r1 = slots.hasEnded(0) ? 1 : 0;
            r.r2 = data;
        }
    }

    /** A rank reuses shared memory while another one still reads it. */
    @JCStressTest
    @Outcome(id = {"1, 0", "1, 1"}, expect = ACCEPTABLE, desc = "the reader found the data of its call")
    @Outcome(expect = FORBIDDEN, desc = "overwritten before it was read")
    @State
    public static class SharedMemoryIsReusedAfterItWasRead {
        private final RankSlots owner = new RankSlots(RankSlotTable.SLOTS);
        private final RankSlots reader = new RankSlots(RankSlotTable.SLOTS);
        private final SegmentSlots slots = owner.segment(0);
        private final SharedReservation reservation = new SharedReservation(CALL, Integer.BYTES, null, reader);

        public SharedMemoryIsReusedAfterItWasRead() {
            slots.reserve(0, reservation).set(ValueLayout.JAVA_INT, 0, 1);
        }

        @Actor
        public void writes(final II_Result r) {
            if (slots.isFree(RankSlotTable.SLOTS)) {
                slots.reserve(RankSlotTable.SLOTS, reservation).set(ValueLayout.JAVA_INT, 0, 2);
                r.r2 = 1;
            }
        }

        @Actor
        public void reads(final II_Result r) {
            r.r1 = slots.isReserved(0) ? slots.sharedMemory(0).get(ValueLayout.JAVA_INT, 0) : 0;
            reader.end(0);
        }
    }

    /** A rank waits for the readers of its shared memory while they end their calls: it learns that the memory is free. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "woken when the memory was free")
    @Outcome(expect = FORBIDDEN, desc = "not woken when the memory was free")
    @State
    public static class WatchOfReadersIsWoken {
        private final RankSlots one = new RankSlots(RankSlotTable.SLOTS);
        private final RankSlots other = new RankSlots(RankSlotTable.SLOTS);
        private final SegmentSlots slots = new RankSlots(RankSlotTable.SLOTS).segment(0);
        private final FreeWatch watch = new FreeWatch();

        public WatchOfReadersIsWoken() {
            slots.reserve(0, new SharedReservation(CALL, Integer.BYTES, null, one, other));
        }

        @Actor
        public void endsOne() {
            one.end(0);
            one.notifyPosted(0);
        }

        @Actor
        public void endsOther() {
            other.end(0);
            other.notifyPosted(0);
        }

        @Actor
        public void watches() {
            slots.watchReaders(RankSlotTable.SLOTS, watch);
        }

        @Arbiter
        public void end(final I_Result r) {
            r.r1 = watch.free;
        }

        private final class FreeWatch extends SlotWatch {
            private int free;

            FreeWatch() {
                super(new Mailbox());
            }

            @Override
            protected boolean isNeeded() {
                return true;
            }

            @Override
            protected void woken() {
                if (slots.isFree(RankSlotTable.SLOTS)) {
                    free = 1;
                } else {
                    slots.watchReaders(RankSlotTable.SLOTS, this);
                }
            }

            @Override
            protected void onFailure(final MpiFailure why) {
                throw why;
            }
        }
    }
}
