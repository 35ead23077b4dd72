package tutti.runtime.access;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The words of a rank's memory in a window: which ranks hold a lock on it, whether elements are being combined, and signals between this rank and
 * each other one. JVMs of one host may map them, so that a lock which nobody else has costs no message, and a signal none if nobody waits for it.
 *
 * <pre>
 *  0       8          64     68       72       76       80
 *  +-------+----------+------+--------+--------+--------+-----
 *  | locks | combined | lock | signal | signal | signal | ...     a lock and three signals of each rank
 *  +-------+----------+------+--------+--------+--------+-----
 * </pre>
 *
 * <p>The word of locks has the number of shared ones, a bit for an exclusive one, and a bit that says that ranks wait in the queue of the owner's
 * JVM: then only the {@link WindowLocks} grant locks, in order. A signal is 1 when it was given, and 2 when its receiver waits for a message instead.
 * Words are 0 at first.
 *
 * <p><b>Threads.</b> Safe for any thread of any JVM that maps the words. The byte of a rank belongs to this rank, or to who carries out its frames.
 */
public final class MemoryWords {
    private static final long QUEUED = 1L << 63;
    private static final long EXCLUSIVE = 1L << 62;
    private static final long COMBINED = 8;
    private static final long ORIGINS = 64;
    /** Bytes of a rank. */
    private static final long ORIGIN = 4 * Integer.BYTES;
    private static final int GIVEN = 1;
    private static final int EXPECTED = 2;
    /** Looks at the word while another JVM combines elements, before the thread sleeps. */
    private static final int LOOKS = 1_000;
    private static final long PAUSE_NANOS = 20_000;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle SIGNAL = ValueLayout.JAVA_INT.varHandle();

    private final MemorySegment words;
    private final int ranks;
    /** True where other JVMs map the words. */
    private final boolean isShared;
    /** Says that the job has ended, and with it perhaps the JVM that combines elements. */
    private final BooleanSupplier isEnded;
    private final ReentrantLock combining = new ReentrantLock();

    /** The outcome of a call of {@link MemoryWords#release}. */
    public enum Release {
        /** The rank held no lock. */
        NOT_HELD,
        /** The lock has ended. */
        RELEASED,
        /** The lock has ended, and ranks wait for one in the owner's queue. */
        AWAITED
    }

    private MemoryWords(final MemorySegment words, final int ranks, final boolean isShared, final BooleanSupplier isEnded) {
        this.words = words;
        this.ranks = ranks;
        this.isShared = isShared;
        this.isEnded = isEnded;
    }

    /** Returns words of one JVM alone, for the ranks of a window. */
    public static MemoryWords ofJvm(final int ranks) {
        return new MemoryWords(MemorySegment.ofArray(new long[(int) (bytes(ranks) / Long.BYTES)]), ranks, false, () -> false);
    }

    /**
     * Returns words that JVMs of a host share.
     *
     * @param mapped  {@link #bytes} of mapped memory, at a multiple of 64
     * @param isEnded says that no other JVM need be waited for any more
     */
    public static MemoryWords ofHost(final MemorySegment mapped, final int ranks, final BooleanSupplier isEnded) {
        return new MemoryWords(mapped, ranks, true, isEnded);
    }

    /** Returns the length of the words in bytes, a multiple of 64. */
    public static long bytes(final int ranks) {
        return ORIGINS + (ranks * ORIGIN + ORIGINS - 1) / ORIGINS * ORIGINS;
    }

    /** Locks the memory for a rank, unless other ranks hold it or wait for it. */
    public boolean tryHold(final int origin, final boolean isExclusive) {
        return hold(origin, isExclusive, QUEUED);
    }

    /** Locks the memory for the rank that has waited longest, unless other ranks hold it. */
    boolean tryHoldQueued(final int origin, final boolean isExclusive) {
        return hold(origin, isExclusive, 0);
    }

    private boolean hold(final int origin, final boolean isExclusive, final long refused) {
        checkRank(origin);
        long now;
        do {
            now = (long) WORD.getVolatile(words, 0L);
            if ((now & (refused | EXCLUSIVE)) != 0 || isExclusive && now != (now & QUEUED)) {
                return false;
            }
        } while (!WORD.compareAndSet(words, 0L, now, isExclusive ? now | EXCLUSIVE : now + 1));
        words.set(ValueLayout.JAVA_BYTE, lockOf(origin), (byte) (isExclusive ? 2 : 1));
        return true;
    }

    /** Ends the lock of a rank. */
    public Release release(final int origin) {
        checkRank(origin);
        final byte held = words.get(ValueLayout.JAVA_BYTE, lockOf(origin));
        if (held == 0) {
            return Release.NOT_HELD;
        }
        words.set(ValueLayout.JAVA_BYTE, lockOf(origin), (byte) 0);
        long now;
        long next;
        do {
            now = (long) WORD.getVolatile(words, 0L);
            next = held == 1 ? now - 1 : now & ~EXCLUSIVE;
        } while (!WORD.compareAndSet(words, 0L, now, next));
        return next == QUEUED ? Release.AWAITED : Release.RELEASED;
    }

    private void checkRank(final int origin) {
        if (origin < 0 || origin >= ranks) {
            throw new IllegalArgumentException("rank of a window out of range: rank=" + origin + ", size=" + ranks);
        }
    }

    private static long lockOf(final int origin) {
        return ORIGINS + origin * ORIGIN;
    }

    private static long signal(final int origin, final int number) {
        return lockOf(origin) + Integer.BYTES * (number + 1L);
    }

    /**
     * Gives a signal. What this thread wrote before is there for who takes it.
     *
     * @param origin the other rank
     * @param number 0, 1 or 2
     * @return false when a message is needed: because one is expected, or an earlier signal has not been taken
     */
    public boolean trySignal(final int origin, final int number) {
        return SIGNAL.compareAndSet(words, signal(origin, number), 0, GIVEN);
    }

    /** Takes a signal; returns whether it was given. */
    public boolean tryTake(final int origin, final int number) {
        return (int) SIGNAL.getOpaque(words, signal(origin, number)) == GIVEN && SIGNAL.compareAndSet(words, signal(origin, number), GIVEN, 0);
    }

    /** Says that a message is expected, unless the signal was given meanwhile; returns whether it was not. */
    public boolean tryExpect(final int origin, final int number) {
        return SIGNAL.compareAndSet(words, signal(origin, number), 0, EXPECTED);
    }

    /** Says that the message has been received. */
    public void received(final int origin, final int number) {
        SIGNAL.compareAndSet(words, signal(origin, number), EXPECTED, 0);
    }

    /** Says whether ranks wait for a lock. */
    void setQueued(final boolean isQueued) {
        if (isQueued) {
            WORD.getAndBitwiseOr(words, 0L, QUEUED);
        } else {
            WORD.getAndBitwiseAnd(words, 0L, ~QUEUED);
        }
    }

    /** Returns whether an exclusive lock is held. */
    boolean isExclusive() {
        return ((long) WORD.getVolatile(words, 0L) & EXCLUSIVE) != 0;
    }

    /** Returns the ranks that hold a lock, in order of ranks. */
    List<Integer> holders() {
        final List<Integer> holders = new ArrayList<>();
        for (int r = 0; r < ranks && ((long) WORD.getVolatile(words, 0L) & ~QUEUED) != 0; r++) {
            if (words.get(ValueLayout.JAVA_BYTE, lockOf(r)) != 0) {
                holders.add(r);
            }
        }
        return holders;
    }

    /** Waits until no other thread combines elements of the memory, and keeps others from that. */
    void beginCombining() {
        combining.lock();
        if (isShared && !WORD.compareAndSet(words, COMBINED, 0L, 1L)) {
            awaitOtherJvm();
        }
    }

    private void awaitOtherJvm() {
        int looks = 0;
        while ((long) WORD.getOpaque(words, COMBINED) != 0 || !WORD.compareAndSet(words, COMBINED, 0L, 1L)) {
            if (++looks < LOOKS) {
                Thread.onSpinWait();
            } else if (isEnded.getAsBoolean()) {
                combining.unlock();
                throw new MpiFailure(ErrorClass.OTHER, "job has ended while another rank combined elements of a window");
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Lets others combine elements. */
    void endCombining() {
        if (isShared) {
            WORD.setRelease(words, COMBINED, 0L);
        }
        combining.unlock();
    }
}
