package tutti.runtime.shm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * What one rank shows of the calls that it is in on one communicator. Calls have numbers; call {@code n} is in slot {@code n} modulo the slots, and
 * is in it alone until it has ended.
 *
 * <p><b>Who waits and who posts.</b> A run that awaits a post of this rank either polls the window's mark, or leaves a {@link SlotWatch} here and
 * goes.
 * It then looks at the mark once more; and who posts stores the mark, then looks for watches, with a full fence between the two on both sides.
 * So either the poster sees the watch, or the run sees the mark and {@linkplain #wake wakes} the watches here itself, its own among them.
 */
public final class RankSlots {
    private static final VarHandle WINDOWS = MethodHandles.arrayElementVarHandle(ShmSlot[].class);
    private static final VarHandle WATCHES = MethodHandles.arrayElementVarHandle(SlotWatch[].class);
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final int mask;
    private final ShmSlot[] windows;
    /** The number of the last call that ended in each slot. */
    private final long[] ended;
    /** The number of the last call that began in each slot, and which call that was. */
    private final long[] numbers;
    private final long[] calls;
    private final SlotWatch[] watches;

    RankSlots(final int slots) {
        mask = slots - 1;
        windows = new ShmSlot[slots];
        ended = new long[slots];
        numbers = new long[slots];
        calls = new long[slots];
        Arrays.fill(ended, -1);
        Arrays.fill(numbers, -1);
        watches = new SlotWatch[slots];
    }

    private int slot(final long number) {
        return (int) number & mask;
    }

    /** Shows a call's window of the first part, which has begun. */
    public void show(final long number, final ShmSlot window) {
        final int slot = slot(number);
        if (windows[slot] != window) {
            WINDOWS.setRelease(windows, slot, window);
        }
    }

    /** Notes that a call has ended, before its windows are used again. */
    public void end(final long number) {
        LONGS.setRelease(ended, slot(number), number);
    }

    /** Whether a call has ended. */
    public boolean hasEnded(final long number) {
        return (long) LONGS.getAcquire(ended, slot(number)) - number >= 0;
    }

    /** The window of the first part of what is in a call's slot, maybe of another call; null when there is nothing. */
    public ShmSlot window(final long number) {
        return (ShmSlot) WINDOWS.getAcquire(windows, slot(number));
    }

    /**
     * Notes which call begins, shared memory or not, for those who await a post in another call of that number.
     *
     * @param call of this rank, not 0
     */
    public void note(final long number, final long call) {
        final int slot = slot(number);
        LONGS.setRelease(numbers, slot, -1L);
        LONGS.setRelease(calls, slot, call);
        LONGS.setRelease(numbers, slot, number);
    }

    /** Which call this rank began with a number; 0 when that is not known. */
    public long noted(final long number) {
        final int slot = slot(number);
        final long call = (long) LONGS.getAcquire(numbers, slot) == number ? (long) LONGS.getAcquire(calls, slot) : 0;
        return (long) LONGS.getAcquire(numbers, slot) == number ? call : 0;
    }

    /** Leaves a watch with a call. Who did must look at the mark again. */
    public void register(final long number, final SlotWatch watch) {
        final int slot = slot(number);
        watch.leave();
        SlotWatch top;
        do {
            top = (SlotWatch) WATCHES.getVolatile(watches, slot);
            watch.below = top;
        } while (!WATCHES.compareAndSet(watches, slot, top, watch));
        VarHandle.fullFence();
    }

    /** After the mark of a call's window was stored, or a call noted: wakes who waits for it. */
    public void posted(final long number) {
        VarHandle.fullFence();
        if (WATCHES.getOpaque(watches, slot(number)) != null) {
            wake(number);
        }
    }

    /** Has all who left a watch with a call look again. */
    public void wake(final long number) {
        SlotWatch watch = (SlotWatch) WATCHES.getAndSet(watches, slot(number), null);
        while (watch != null) {
            final SlotWatch below = watch.below;
            watch.below = null;
            watch.wake();
            watch = below;
        }
    }
}
