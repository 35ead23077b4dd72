package tutti.runtime.collective;

import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.datatype.Op;

/**
 * The persistent calls of one communicator that this rank has prepared and not freed. Safe for any thread.
 *
 * <p>Ranks start them in any order, so each has an {@link EpochSequence} of its own, whose steps are its starts.
 */
final class PersistentCalls {
    private static final long NONE = Long.MAX_VALUE;

    private final CommContext comm;
    private final Epochs epochs;
    private final Set<PersistentCollective> all = ConcurrentHashMap.newKeySet();

    PersistentCalls(final CommContext comm, final Epochs epochs) {
        this.comm = comm;
        this.epochs = epochs;
    }

    void add(final PersistentCollective prepared) {
        all.add(prepared);
    }

    /** Forgets a call that was freed. */
    void remove(final PersistentCollective freed) {
        all.remove(freed);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns how often each was started, by its number. */
    Map<Long, Long> starts() {
        return all.stream().collect(Collectors.toMap(p -> (long) p.number(), PersistentCollective::starts));
    }

    /**
     * Agrees for each call that was prepared before a number on the start with which the next epoch serves it, together with all ranks. A call that
     * a rank has freed stays where it is: the others start it as often as that rank has, at the most.
     */
    void move(final long before, final Epoch next) {
        epochs.await(epochs.reached(before));
        // from now on every rank answers soon, and has prepared what the others have
        comm.liveExchanges().combine(new long[1], Op.MAX);
        long last = -1;
        while (true) {
            final PersistentCollective own = after(last, before);
            final long[] number = {own == null ? NONE : own.number()};
            comm.liveExchanges().combine(number, Op.MAX);
            if (number[0] == NONE) {
                return;
            }
            last = number[0];
            final PersistentCollective moved = of(last);
            final long[] start = {moved == null ? NONE : moved.propose()};
            comm.liveExchanges().combine(start, Op.MAX);
            if (moved != null) {
                moved.decide(start[0], next);
            }
        }
    }

    /** Returns the call with a number; null if this rank has freed it. */
    @Nullable
    PersistentCollective of(final long number) {
        return after(number - 1, number + 1);
    }

    /** Returns the first call that was prepared after a number and that is wanted; null if there is none. */
    @Nullable
    PersistentCollective after(final long number, final Predicate<PersistentCollective> isWanted) {
        return all.stream().filter(p -> p.number() > number).filter(isWanted).min(Comparator.comparingInt(PersistentCollective::number)).orElse(null);
    }

    /** Returns the first call that was prepared after a number and before another one; null if there is none. */
    private @Nullable PersistentCollective after(final long number, final long before) {
        return all.stream().filter(p -> p.number() > number && p.number() < before).min(Comparator.comparingInt(PersistentCollective::number))
            .orElse(null);
    }
}
