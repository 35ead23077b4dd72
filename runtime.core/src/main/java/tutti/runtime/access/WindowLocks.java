package tutti.runtime.access;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The locks of ranks on the memory of one rank: one exclusive lock, or several shared ones. {@link MemoryWords} say who holds them. Ranks that
 * cannot have one at once wait here, in the owner's JVM; they are granted in order, so that shared locks do not keep an exclusive one waiting for
 * ever. Safe for any thread; grants are told without a lock held.
 */
public final class WindowLocks {
    private final MemoryWords words;
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    private record Waiting(int origin, boolean isExclusive, Runnable granted) {}

    WindowLocks(final MemoryWords words) {
        this.words = words;
    }

    /** Requests a lock for a rank, and tells when it is granted: at once, or on the thread that ends the lock before. */
    public void request(final int origin, final boolean exclusive, final Runnable granted) {
        if (words.tryHold(origin, exclusive)) {
            granted.run();
            return;
        }
        synchronized (this) {
            waiting.add(new Waiting(origin, exclusive, granted));
            words.setQueued(true);
        }
        grantNext(); // a lock may have ended before its holder could see that one waits
    }

    /** Ends the lock of a rank; returns whether it had one. */
    public boolean release(final int origin) {
        final MemoryWords.Release released = words.release(origin);
        if (released == MemoryWords.Release.AWAITED) {
            grantNext();
        }
        return released != MemoryWords.Release.NOT_HELD;
    }

    /** Grants locks to ranks that wait, because a lock has ended. */
    public void grantNext() {
        grant().forEach(Runnable::run);
    }

    private synchronized List<Runnable> grant() {
        final List<Runnable> granted = new ArrayList<>(1);
        Waiting next;
        while ((next = waiting.peek()) != null && words.tryHoldQueued(next.origin, next.isExclusive)) {
            waiting.poll();
            granted.add(next.granted);
        }
        if (waiting.isEmpty()) {
            words.setQueued(false);
        }
        return granted;
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
        return new Held(words.holders(), words.isExclusive(), waiting.stream().map(Waiting::origin).toList());
    }
}
