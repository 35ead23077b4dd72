package tutti.runtime.shm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The slots in which one rank exposes its calls on one communicator. Calls have numbers. Call {@code n} uses slot {@code n} modulo the number of
 * slots, exclusively until it has ended.
 *
 * <p><b>Memory order.</b> An execution that awaits a post of this rank either polls the mark of its slot, or registers a {@link SlotWatch} here
 * and returns. It then reads the mark once more. A posting thread stores the mark, then checks for watches. Both have a full fence between the
 * two steps. So either the posting thread sees the watch, or the execution sees the mark and {@linkplain #wake wakes} the watches here itself,
 * including its own.
 *
 * <p><b>Threads.</b> The owner of this rank's mailbox exposes, ends and records calls and notifies; any other thread reads, registers and wakes.
 * Stores with release publish a segment, the data of an ended call, and a recorded call, to loads with acquire. Nobody waits.
 */
public final class RankSlots {
    private static final VarHandle BUFFERS = MethodHandles.arrayElementVarHandle(ExposedBuffers[].class);
    private static final VarHandle SEGMENTS;
    private static final VarHandle WATCHES = MethodHandles.arrayElementVarHandle(SlotWatch[].class);
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    static {
        try {
            SEGMENTS = MethodHandles.lookup().findVarHandle(RankSlots.class, "segments", SegmentSlots[].class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int mask;
    /** The buffers of the first segment of the call in each slot. */
    private final ExposedBuffers[] buffers;
    /** The slots by segment. Replaced by a longer array when a plan has more segments. */
    private SegmentSlots[] segments;
    /** The number of the last call that ended in each slot. */
    private final long[] ended;
    /** The number and the signature of the last call that began in each slot. */
    private final long[] numbers;
    private final long[] calls;
    private final SlotWatch[] watches;
    /** Set when the rank posts nothing any more. */
    private volatile boolean left;
    /** Set when it reads nothing any more, either. */
    private volatile boolean lost;
    /** Slots of the rank for persistent collectives, which leave with these. Guarded by the object. */
    private final List<WeakReference<RankSlots>> followers = new ArrayList<>(0);

    RankSlots(final int count) {
        mask = count - 1;
        buffers = new ExposedBuffers[count];
        segments = new SegmentSlots[] {new SegmentSlots(count)};
        ended = new long[count];
        numbers = new long[count];
        calls = new long[count];
        Arrays.fill(ended, -1);
        Arrays.fill(numbers, -1);
        watches = new SlotWatch[count];
    }

    private int indexOf(final long number) {
        return (int) number & mask;
    }

    /** Returns the slots of a segment; null when no plan of this rank had such a segment. */
    public @Nullable SegmentSlots segment(final int index) {
        final SegmentSlots[] all = (SegmentSlots[]) SEGMENTS.getAcquire(this);
        return index < all.length ? all[index] : null;
    }

    /** Makes slots for segments with indices below {@code count}. For any thread. */
    public void addSegments(final int count) {
        SegmentSlots[] before;
        SegmentSlots[] more;
        do {
            before = (SegmentSlots[]) SEGMENTS.getAcquire(this);
            if (count <= before.length) {
                return;
            }
            more = Arrays.copyOf(before, count);
            for (int i = before.length; i < count; i++) {
                more[i] = new SegmentSlots(ended.length);
            }
        } while (!SEGMENTS.compareAndSet(this, before, more));
    }

    /** Exposes the buffers of a call's first segment, before the call begins. */
    public void expose(final long number, final ExposedBuffers exposed) {
        final int index = indexOf(number);
        if (buffers[index] != exposed) {
            BUFFERS.setRelease(buffers, index, exposed);
        }
    }

    /** Records that a call has ended, before its memory is used again. */
    public void end(final long number) {
        LONGS.setRelease(ended, indexOf(number), number);
    }

    /** Returns whether a call has ended. */
    public boolean hasEnded(final long number) {
        return (long) LONGS.getAcquire(ended, indexOf(number)) - number >= 0;
    }

    /** Returns whether a call has ended, or the rank is lost: it reads nothing any more. */
    boolean hasEndedOrIsLost(final long number) {
        return hasEnded(number) || lost;
    }

    /** Returns whether the rank has left: it is lost, or the communicator was revoked. */
    public boolean hasLeft() {
        return left;
    }

    /**
     * Records that the rank posts nothing any more, and wakes all watches. For any thread.
     *
     * @param isLost whether it reads nothing any more, either
     */
    void leave(final boolean isLost) {
        if (left && (lost || !isLost)) {
            return;
        }
        lost |= isLost;
        left = true;
        final List<WeakReference<RankSlots>> all;
        synchronized (followers) {
            all = List.copyOf(followers);
        }
        VarHandle.fullFence();
        for (int slot = 0; slot <= mask; slot++) {
            wake(slot);
        }
        for (final WeakReference<RankSlots> f : all) {
            final RankSlots follower = f.get();
            if (follower != null) {
                follower.leave(isLost);
            }
        }
    }

    /** Makes other slots of the rank leave with these. */
    void follow(final RankSlots other) {
        synchronized (followers) {
            followers.removeIf(f -> f.get() == null);
            followers.add(new WeakReference<>(other));
        }
        if (left) {
            other.leave(lost);
        }
    }

    /** Returns the buffers of the first segment of the call in a call's slot, possibly of another call; null when there are none. */
    public ExposedBuffers buffers(final long number) {
        return (ExposedBuffers) BUFFERS.getAcquire(buffers, indexOf(number));
    }

    /**
     * Records which call begins, whether or not it shares memory, for ranks that await a post in another call of that number.
     *
     * @param call signature of this rank's call, not 0
     */
    public void recordCall(final long number, final long call) {
        final int index = indexOf(number);
        LONGS.setRelease(numbers, index, -1L);
        LONGS.setRelease(calls, index, call);
        LONGS.setRelease(numbers, index, number);
    }

    /** Returns the signature of the call that this rank began with a number; 0 when it is not known. */
    public long recordedCall(final long number) {
        final int index = indexOf(number);
        final long call = (long) LONGS.getAcquire(numbers, index) == number ? (long) LONGS.getAcquire(calls, index) : 0;
        return (long) LONGS.getAcquire(numbers, index) == number ? call : 0;
    }

    /** Registers a watch with a call. The caller must read the mark again afterwards. */
    public void register(final long number, final SlotWatch watch) {
        final int index = indexOf(number);
        watch.markRegistered();
        SlotWatch top;
        do {
            top = (SlotWatch) WATCHES.getVolatile(watches, index);
            watch.nextWatch = top;
        } while (!WATCHES.compareAndSet(watches, index, top, watch));
        VarHandle.fullFence();
    }

    /** Wakes the watches of a call. Called after the mark of its slot was stored, the call was recorded, or it has ended. */
    public void notifyPosted(final long number) {
        VarHandle.fullFence();
        if (WATCHES.getOpaque(watches, indexOf(number)) != null) {
            wake(number);
        }
    }

    /** Takes and wakes all watches registered with a call. */
    public void wake(final long number) {
        SlotWatch watch = (SlotWatch) WATCHES.getAndSet(watches, indexOf(number), null);
        while (watch != null) {
            final SlotWatch following = watch.nextWatch;
            watch.nextWatch = null;
            watch.wake();
            watch = following;
        }
    }
}
