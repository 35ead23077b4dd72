package tutti.runtime.access;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

/**
 * Stress tests of the accesses of two origins to one {@link WindowPart}: accumulates and swaps are atomic, puts are under locks. The second origin is
 * one of another JVM, which maps the memory and its words.
 */
public class WindowStress {
    /** Ranks of the window: the target, and two that access its memory. */
    private static final int ORIGINS = 3;
    private static final BoundReduction SUM = Op.SUM.bind(Datatype.INT);
    private static final BoundReduction READ = Op.NO_OP.bind(Datatype.LONG);
    private static final BoundReduction REPLACE = Op.REPLACE.bind(Datatype.LONG);

    /** The part of a target: integers that are 0 at first. */
    private abstract static class Target {
        private final int[] numbers = new int[4];
        private final MemorySegment words = MemorySegment.ofArray(new long[(int) (MemoryWords.bytes(ORIGINS) / Long.BYTES)]);
        private final WindowPart part = new WindowPart(map());
        private final WindowMemory mapped = map();

        /** Returns the memory as one JVM of the host has it. */
        private WindowMemory map() {
            return WindowMemory.of(0, MemorySegment.ofArray(numbers), MemoryWords.ofHost(words, ORIGINS, () -> false));
        }

        /** Returns the memory as an origin accesses it. */
        final WindowMemory memory(final int origin) {
            return origin == 1 ? part.memory() : mapped;
        }

        /** Runs an action under a lock of an origin, at once or when it is granted. */
        final void locked(final int origin, final boolean isExclusive, final Runnable action) {
            if (memory(origin).words().tryHold(origin, isExclusive)) {
                action.run();
                unlock(origin);
            } else {
                part.locks().request(origin, isExclusive, () -> {
                    action.run();
                    unlock(origin);
                });
            }
        }

        private void unlock(final int origin) {
            if (memory(origin).words().release(origin) == MemoryWords.Release.AWAITED) {
                part.locks().grantNext();
            }
        }

        /** Returns an element, which nobody changes. */
        final int number(final int index) {
            return numbers[index];
        }

        private static MemorySegment of(final int... values) {
            return MemorySegment.ofArray(values);
        }

        /** Adds a number to the first element; returns what was there. */
        final int add(final int origin, final int number) {
            final MemorySegment before = of(-1);
            memory(origin).accumulate(SUM, 0, Integer.BYTES, of(number), 0, before, 0);
            return first(before);
        }

        /** Adds a number to two elements. */
        final void addToBoth(final int origin, final int number) {
            memory(origin).accumulate(SUM, 0, 2 * Integer.BYTES, of(number, number), 0, null, 0);
        }

        /** Adds a number to the first and the third element, which are not in one block; returns what the first one was. */
        final int addApart(final int origin, final int number) {
            final byte[] runs = new byte[DataRuns.BYTES];
            final DataRuns.Cursor cursor = DataRuns.of(Datatype.vector(2, 1, 2, Datatype.INT), 1).cursor();
            final int count = cursor.takeElements(0, runs, 0, 1, 2 * Integer.BYTES, Integer.BYTES);
            final MemorySegment before = of(-1, -1);
            memory(origin).accumulateRuns(SUM, MemorySegment.ofArray(runs), 0, count, 2 * Integer.BYTES, of(number, number), 0, before, 0);
            return first(before);
        }

        /** Replaces the first element if it has a value; returns what was there. */
        final int swap(final int origin, final int wanted, final int next) {
            final MemorySegment before = of(-1);
            memory(origin).swap(Integer.BYTES, 0, of(wanted), 0, of(next), 0, before, 0);
            return first(before);
        }

        private static int first(final MemorySegment of) {
            return of.get(ValueLayout.JAVA_INT, 0);
        }

        /** Reads the first two elements without atomicity; returns them. */
        final int[] get(final int origin) {
            final int[] got = new int[2];
            memory(origin).read(0, 0, 2 * Integer.BYTES, 1, MemorySegment.ofArray(got), 0);
            return got;
        }

        /** Writes the first two elements without atomicity. */
        final void put(final int origin, final int one, final int two) {
            memory(origin).write(0, 0, 2 * Integer.BYTES, 1, of(one, two), 0);
        }
    }

    /** Two origins add to one element, and read what was there before. */
    @JCStressTest
    @Outcome(id = {"0, 1, 3", "2, 0, 3"}, expect = ACCEPTABLE, desc = "one came first, and the other one added to its sum")
    @Outcome(expect = FORBIDDEN, desc = "a sum was lost, or both read the same")
    @State
    public static class FetchAndAdd extends Target {
        @Actor
        public void first(final III_Result r) {
            r.r1 = add(1, 1);
        }

        @Actor
        public void second(final III_Result r) {
            r.r2 = add(2, 2);
        }

        @Arbiter
        public void end(final III_Result r) {
            r.r3 = number(0);
        }
    }

    /** Two origins accumulate to the same elements of one block. */
    @JCStressTest
    @Outcome(id = "11, 11", expect = ACCEPTABLE, desc = "each element has both sums")
    @Outcome(expect = FORBIDDEN, desc = "a sum was lost")
    @State
    public static class AccumulateBlock extends Target {
        @Actor
        public void first() {
            addToBoth(1, 1);
        }

        @Actor
        public void second() {
            addToBoth(2, 10);
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = number(0);
            r.r2 = number(1);
        }
    }

    /** One origin adds to elements with a gap between, another one to the first of them. */
    @JCStressTest
    @Outcome(id = {"0, 1, 3", "2, 0, 3"}, expect = ACCEPTABLE, desc = "one came first, and the other one added to its sum")
    @Outcome(expect = FORBIDDEN, desc = "a sum was lost, or both read the same")
    @State
    public static class AccumulateApart extends Target {
        @Actor
        public void first(final III_Result r) {
            r.r1 = addApart(1, 1);
        }

        @Actor
        public void second(final III_Result r) {
            r.r2 = add(2, 2);
        }

        @Arbiter
        public void end(final III_Result r) {
            r.r3 = number(0);
        }
    }

    /** Two origins replace the same value. */
    @JCStressTest
    @Outcome(id = {"0, 1, 1", "2, 0, 2"}, expect = ACCEPTABLE, desc = "one replaced it, and the other one read its value")
    @Outcome(expect = FORBIDDEN, desc = "both replaced it, or none")
    @State
    public static class CompareAndSwap extends Target {
        @Actor
        public void first(final III_Result r) {
            r.r1 = swap(1, 0, 1);
        }

        @Actor
        public void second(final III_Result r) {
            r.r2 = swap(2, 0, 2);
        }

        @Arbiter
        public void end(final III_Result r) {
            r.r3 = number(0);
        }
    }

    /** One origin replaces a value, while another one adds to it. */
    @JCStressTest
    @Outcome(id = "0, 5, 6", expect = ACCEPTABLE, desc = "replaced, then added")
    @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "added, so that the value was another one")
    @Outcome(expect = FORBIDDEN, desc = "one of them was in the middle of the other one")
    @State
    public static class SwapAndAdd extends Target {
        @Actor
        public void swaps(final III_Result r) {
            r.r1 = swap(1, 0, 5);
        }

        @Actor
        public void adds(final III_Result r) {
            r.r2 = add(2, 1);
        }

        @Arbiter
        public void end(final III_Result r) {
            r.r3 = number(0);
        }
    }

    /** One origin replaces an element of 8 bytes, while another one reads it atomically. */
    @JCStressTest
    @Outcome(id = {"0, 0", "1, 1"}, expect = ACCEPTABLE, desc = "before or after")
    @Outcome(expect = FORBIDDEN, desc = "the element was torn")
    @State
    public static class ReplaceAndRead extends Target {
        @Actor
        public void replaces() {
            memory(1).accumulate(REPLACE, 0, Long.BYTES, MemorySegment.ofArray(new int[] {1, 1}), 0, null, 0);
        }

        @Actor
        public void reads(final II_Result r) {
            final int[] got = new int[2];
            memory(2).accumulate(READ, 0, Long.BYTES, MemorySegment.NULL, 0, MemorySegment.ofArray(got), 0);
            r.r1 = got[0];
            r.r2 = got[1];
        }
    }

    /** Two origins read and write under exclusive locks: what is done with a lock runs when it is granted, on either thread. */
    @JCStressTest
    @Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(expect = FORBIDDEN, desc = "both had the lock, or one was not granted")
    @State
    public static class PutUnderExclusiveLocks extends Target {
        private void increment(final int origin) {
            locked(origin, true, () -> {
                final int[] got = get(origin);
                put(origin, got[0] + 1, got[1] + 1);
            });
        }

        @Actor
        public void first() {
            increment(1);
        }

        @Actor
        public void second() {
            increment(2);
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = number(0);
            r.r2 = number(1);
        }
    }

    /** One origin writes two elements under an exclusive lock, while another one reads them under a shared one. */
    @JCStressTest
    @Outcome(id = {"0, 0", "7, 7"}, expect = ACCEPTABLE, desc = "before or after")
    @Outcome(expect = FORBIDDEN, desc = "both had a lock, or one was not granted")
    @State
    public static class ReadUnderASharedLock extends Target {
        private int[] seen = {-1, -1};

        @Actor
        public void writes() {
            locked(1, true, () -> put(1, 7, 7));
        }

        @Actor
        public void reads() {
            locked(2, false, () -> seen = get(2));
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = seen[0];
            r.r2 = seen[1];
        }
    }
}
