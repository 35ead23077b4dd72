package tutti.runtime.collective;

import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.schedule.ScheduleCache;

/**
 * The classes of calls of one epoch that are tuned. A class is made by the first of its calls, whichever form that has; empty for a communicator
 * whose calls are not tuned.
 *
 * <p>For the calls of the program on a communicator, which MPI lets begin one after the other.
 */
final class TunedClasses {
    private static final TunedClass<?>[] NONE = {};
    private static final int SIZES = Long.SIZE;
    private static final CallTuning.Kind[] KINDS = CallTuning.Kind.values();

    private final CollTable table;
    private final ScheduleCache cache;
    /** The classes by operation; null before the first. */
    private TunedClass<?> @Nullable [][] classes;

    /**
     * What the calls of a class have in common: on all ranks the same.
     *
     * @param operation the operation
     * @param number    number of the kind and size of the calls
     */
    record Key(Operation<?> operation, int number) implements Comparable<Key> {
        CallTuning.Kind kind() {
            return KINDS[number / SIZES];
        }

        /** Returns the bytes of the calls: 0, 1, 2 to 3, 4 to 7 and so on. */
        LongRange bytes() {
            final int size = number % SIZES;
            return size == 0 ? LongRange.only(0) : new LongRange(1L << size - 1, (1L << size - 1) * 2 - 1);
        }

        @Override
        public int compareTo(final Key other) {
            return Comparator.comparing((Key k) -> k.operation().id()).thenComparingInt(Key::number).compare(this, other);
        }
    }

    TunedClasses(final CollTable table, final ScheduleCache cache) {
        this.table = table;
        this.cache = cache;
    }

    /** Returns the number of the kind and size of calls; negative where not every rank knows the size. */
    private static int number(final Operation<?> operation, final Call call) {
        final long bytes = MessageBytes.of(operation, call);
        return bytes < 0 ? -1 : kind(call.reduction()).ordinal() * SIZES + SIZES - Long.numberOfLeadingZeros(bytes);
    }

    private static CallTuning.Kind kind(final @Nullable Reduction reduction) {
        return reduction == null || reduction.isPredefined() ? CallTuning.Kind.USUAL
            : reduction.isCommutative() ? CallTuning.Kind.NOT_PREDEFINED : CallTuning.Kind.NOT_COMMUTATIVE;
    }

    /** Returns the key of the usual calls of an operation and size. */
    static Key key(final Operation<?> operation, final long bytes) {
        return new Key(operation, SIZES - Long.numberOfLeadingZeros(bytes));
    }

    /** Returns the class of a call that begins, which is made if there is none; null for a call that is not tuned. */
    <C extends Call> @Nullable TunedClass<C> of(final OnlineTuning tuning, final Operation<C> operation, final C call) {
        final int number = number(operation, call);
        if (number < 0) {
            return null;
        }
        final TunedClass<C> found = find(operation, number);
        return found != null ? found : add(tuning, operation, call, number);
    }

    private <C extends Call> TunedClass<C> add(final OnlineTuning tuning, final Operation<C> operation, final C call, final int number) {
        TunedClass<?>[][] all = classes;
        if (all == null) {
            all = new TunedClass<?>[Operation.values().size()][];
            Arrays.fill(all, NONE);
            classes = all;
        }
        final TunedClass<C> made = new TunedClass<>(tuning, table, cache, new Key(operation, number), operation, call);
        final TunedClass<?>[] others = all[operation.ordinal()];
        final TunedClass<?>[] more = Arrays.copyOf(others, others.length + 1);
        more[others.length] = made;
        all[operation.ordinal()] = more;
        return made;
    }

    /** Returns the class of a call; null when there is none. */
    <C extends Call> @Nullable TunedClass<C> find(final Operation<C> operation, final C call) {
        return find(operation, number(operation, call));
    }

    @SuppressWarnings("unchecked")
    private <C extends Call> @Nullable TunedClass<C> find(final Operation<C> operation, final int number) {
        final TunedClass<?>[][] all = classes;
        if (all != null) {
            for (final TunedClass<?> c : all[operation.ordinal()]) {
                if (c.key().number() == number) {
                    return (TunedClass<C>) c;
                }
            }
        }
        return null;
    }
}
