package tutti.runtime.context;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Predicate;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;

/**
 * The ranks that are lost, of the job and of connected ones, as one of its nodes knows them: whoever watches a group is told of those in it. Safe for
 * any thread.
 *
 * <p><b>Threads.</b> The lock of this object guards the losses and the listeners, and is held for one access. Listeners are called without it, each
 * loss once to each listener; two losses may be told at the same time.
 */
public final class RankLosses {
    /** Is notified of ranks that are lost. */
    @FunctionalInterface
    interface Listener {
        /**
         * Reports that ranks have failed or left.
         *
         * @param numbers their numbers on this node
         * @param why     the error of calls that need them
         */
        void lost(BitSet numbers, MpiFailure why);
    }

    private record Loss(BitSet numbers, MpiFailure why) {}

    private final List<Loss> losses = new ArrayList<>();
    private final BitSet all = new BitSet();
    private final Map<Listener, Group> listeners = new WeakHashMap<>();

    /** Creates the losses of a job that has lost no rank. */
    public RankLosses() {}

    /** Notifies the listener of ranks of a group that are lost, now or later, as long as something else refers to the listener. */
    void watch(final Group group, final Listener listener) {
        final List<Loss> already;
        synchronized (this) {
            listeners.put(listener, group);
            already = losses.stream().filter(loss -> hasSome(group, loss.numbers())).toList();
        }
        already.forEach(loss -> listener.lost(loss.numbers(), loss.why()));
    }

    /** Ends the notifications of a listener. */
    synchronized void unwatch(final Listener listener) {
        listeners.remove(listener);
    }

    /**
     * Adds ranks that are lost; those that were lost before are ignored. Returns when everybody who watches them has been told.
     *
     * @param numbers their numbers on this node
     * @param why     the error of calls that need them
     * @return those that were not lost before
     */
    public BitSet add(final BitSet numbers, final MpiFailure why) {
        final BitSet added = (BitSet) numbers.clone();
        final List<Listener> affected = new ArrayList<>();
        synchronized (this) {
            added.andNot(all);
            if (added.isEmpty()) {
                return added;
            }
            all.or(added);
            losses.add(new Loss(added, why));
            listeners.forEach((listener, group) -> {
                if (hasSome(group, added)) {
                    affected.add(listener);
                }
            });
        }
        affected.forEach(listener -> listener.lost(added, why));
        return added;
    }

    /** Returns whether somebody watches a group that satisfies a condition. */
    public synchronized boolean isWatched(final Predicate<Group> which) {
        return listeners.values().stream().anyMatch(which);
    }

    /** Forgets losses: the numbers in that range may be those of other ranks from now on, which nobody watches yet. */
    public synchronized void forget(final int from, final int to) {
        all.clear(from, to);
        for (final Iterator<Loss> i = losses.iterator(); i.hasNext();) {
            final BitSet numbers = i.next().numbers();
            final int first = numbers.nextSetBit(0);
            if (first >= from && first < to) {
                i.remove();
            }
        }
    }

    private static boolean hasSome(final Group group, final BitSet numbers) {
        for (int number = numbers.nextSetBit(0); number >= 0; number = numbers.nextSetBit(number + 1)) {
            if (group.rankOf(number) != Group.UNDEFINED) {
                return true;
            }
        }
        return false;
    }
}
