package tutti.runtime.access;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The locks of ranks on the memory of one rank: one exclusive lock, or several shared ones. Requests are granted in order, so that shared locks do
 * not keep an exclusive one waiting for ever. Safe for any thread; grants are told without a lock held.
 */
public final class WindowLocks {
    /** Ranks of the window that hold a lock. */
    private final List<Integer> holders = new ArrayList<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private boolean isExclusive;

    private record Waiting(int origin, boolean isExclusive, Runnable granted) {}

    /** Requests a lock for a rank, and tells when it is granted: at once, or on the thread that ends the lock before. */
    public void request(final int origin, final boolean exclusive, final Runnable granted) {
        synchronized (this) {
            if (!waiting.isEmpty() || !isFree(exclusive)) {
                waiting.add(new Waiting(origin, exclusive, granted));
                return;
            }
            hold(origin, exclusive);
        }
        granted.run();
    }

    private boolean isFree(final boolean exclusive) {
        return holders.isEmpty() || !exclusive && !isExclusive;
    }

    private void hold(final int origin, final boolean exclusive) {
        holders.add(origin);
        isExclusive = exclusive;
    }

    /** Ends the lock of a rank; returns whether it had one. */
    public boolean release(final int origin) {
        final List<Runnable> granted = new ArrayList<>(1);
        synchronized (this) {
            if (!holders.remove((Integer) origin)) {
                return false;
            }
            grant(granted);
        }
        granted.forEach(Runnable::run);
        return true;
    }

    private void grant(final List<Runnable> granted) {
        Waiting next;
        while ((next = waiting.peek()) != null && isFree(next.isExclusive)) {
            waiting.poll();
            hold(next.origin, next.isExclusive);
            granted.add(next.granted);
        }
    }

    /**
     * The locks at a moment. Ranks are those of the window.
     *
     * @param holders     ranks that hold a lock
     * @param isExclusive whether it is exclusive
     * @param waiting     ranks that wait for one, in order
     */
    public record Held(List<Integer> holders, boolean isExclusive, List<Integer> waiting) {}

    /** Returns who holds a lock, and who waits for one. */
    public synchronized Held held() {
        return new Held(List.copyOf(holders), !holders.isEmpty() && isExclusive, waiting.stream().map(Waiting::origin).toList());
    }
}
