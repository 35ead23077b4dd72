package tutti.runtime.window;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import tutti.runtime.access.AccessRequest;
import tutti.runtime.comm.Communicator;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.request.Request;

/**
 * The epochs of a window on one of its ranks: decides which targets the rank may access, and what begins and ends that. An access epoch is open for
 * this rank's accesses, an exposure epoch for those of a group of ranks to its memory.
 *
 * <p>A call that ends an epoch ends it whatever has failed, since other ranks wait for its barrier, message or unlock; then it throws the first
 * failure.
 *
 * <p><b>Threads.</b> One thread at a time begins and ends epochs; other threads of the rank may access what is open, and flush: one after the other.
 */
final class WindowEpochs {
    /** The access epoch that is open. */
    private enum Access {
        NONE("none"), FENCE("fence"), GROUP("start"), LOCKS("lock"), LOCK_ALL("lockAll");

        private final String text;

        Access(final String text) {
            this.text = text;
        }
    }

    private final Communicator inner;
    private final WindowTarget[] targets;
    private final List<WindowTarget> all;
    private final EpochSignals signals;
    private final ReentrantLock flushing = new ReentrantLock();
    /** True where the ranks meet at a fence by signals. */
    private final boolean canMeet;
    private Access access = Access.NONE;
    /** Ranks that this rank has locked, or to which it has access as a group. */
    private final BitSet open = new BitSet();
    /** Ranks among these that were locked with {@link Window#NOCHECK}: nobody else locks them, so no lock is requested. */
    private final BitSet unchecked = new BitSet();
    /** The signals by which the ranks end their accesses, to which this rank's memory is exposed. */
    private List<EpochSignals.Expected> exposed = List.of();
    private boolean isExposed;

    WindowEpochs(final Communicator inner, final WindowTarget[] targets) {
        this.inner = inner;
        this.targets = targets;
        this.all = List.of(targets);
        this.signals = new EpochSignals(inner.context(), targets);
        this.canMeet = EpochSignals.canMeet(targets);
    }

    /** Returns the epochs that are open, for users. */
    String text() {
        final String ranks = access == Access.GROUP || access == Access.LOCKS ? " " + open : "";
        return access == Access.NONE && isExposed ? "post" : access.text + ranks + (isExposed ? " and post" : "");
    }

    /** Refuses a rank that is none of the window. */
    void checkRank(final int rank) {
        if (rank < 0 || rank >= targets.length) {
            throw new MpiFailure(ErrorClass.RANK, "rank out of range: rank=" + rank + ", size=" + targets.length);
        }
    }

    /** Returns a target that may be accessed now. */
    WindowTarget target(final int rank) {
        checkRank(rank);
        final boolean isOpen = switch (access) {
            case NONE -> false;
            case FENCE, LOCK_ALL -> true;
            case GROUP, LOCKS -> open.get(rank);
        };
        if (!isOpen) {
            // Cause: accesses are made in epochs. Remedy: `fence`, `start` or `lock` before.
            throw new MpiFailure(ErrorClass.RMA_SYNC, "target cannot be accessed in this epoch: target=" + rank + ", epoch=" + access.text);
        }
        return targets[rank];
    }

    /** Ends the epoch of a fence together with all ranks, when the window is freed; refuses it when another epoch is open. */
    FirstFailure close() {
        checkNone("free");
        final FirstFailure failure = flush(all);
        failure.of(() -> inner.engine().blocking().barrier());
        return failure;
    }

    /** Refuses a call when an epoch is open, other than that of a fence. */
    private void checkNone(final String call) {
        if (access != Access.NONE && access != Access.FENCE || isExposed) {
            throw wrongEpoch(call);
        }
    }

    /** Returns the error of a call that the open epochs do not allow. */
    private MpiFailure wrongEpoch(final String call) {
        // Cause: epochs do not overlap, and what ends one needs one. Remedy: the calls of the [table](windows.md#epochs).
        return new MpiFailure(ErrorClass.RMA_SYNC, "call does not fit to the epoch: call=" + call + ", epoch=" + access.text + ", posted="
            + isExposed);
    }

    private static void checkAssertion(final int assertion, final int allowed) {
        if ((assertion & ~allowed) != 0) {
            // Cause: the call has other assertions. Remedy: 0, or a sum of those of the call.
            throw new MpiFailure(ErrorClass.ASSERT, "assertion out of range: assertion=" + assertion + ", allowed bits=" + allowed);
        }
    }

    /** Ends an epoch and begins the next one, together with all ranks. */
    void fence(final int assertion) {
        checkAssertion(assertion, Window.NOSTORE | Window.NOPUT | Window.NOPRECEDE | Window.NOSUCCEED);
        checkNone("fence");
        final FirstFailure failure = flush(all);
        failure.of(canMeet ? signals::meet : inner.engine().blocking()::barrier);
        access = (assertion & Window.NOSUCCEED) != 0 ? Access.NONE : Access.FENCE;
        failure.raise();
    }

    /** Completes the accesses to a target. */
    private void flush(final WindowTarget of) {
        if (of.isLocal()) {
            VarHandle.releaseFence();
        } else {
            oneByOne(() -> flush(List.of(of))).raise();
        }
    }

    /** Lets threads flush one by one: what one of them waits for may be the access of another one, whose flush must not end before. */
    private FirstFailure oneByOne(final Supplier<FirstFailure> flush) {
        flushing.lock();
        try {
            return flush.get();
        } finally {
            flushing.unlock();
        }
    }

    /** Completes the accesses to some targets. */
    private static FirstFailure flush(final List<WindowTarget> of) {
        final FirstFailure failure = new FirstFailure();
        startFlush(of, failure).forEach(failure::await);
        return failure;
    }

    /** Starts to complete the accesses to some targets. */
    private static List<Request> startFlush(final List<WindowTarget> of, final FirstFailure failure) {
        of.forEach(t -> t.prepareFlush(failure));
        final List<Request> started = new ArrayList<>();
        of.forEach(t -> t.startFlush(started));
        return started;
    }

    /** Completes the accesses to some targets, and ends the locks on them. */
    private static FirstFailure unlock(final List<WindowTarget> of) {
        final FirstFailure failure = new FirstFailure();
        of.forEach(t -> t.prepareUnlock(failure));
        final List<Request> started = new ArrayList<>();
        of.forEach(t -> t.startUnlock(started));
        started.forEach(failure::await);
        return failure;
    }

    private static FirstFailure flushLocal(final List<WindowTarget> of) {
        final FirstFailure failure = new FirstFailure();
        of.forEach(t -> t.flushLocal(failure));
        return failure;
    }

    private int[] ranks(final Group group) {
        final int[] ranks = new int[group.size()];
        final Group members = inner.context().group();
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = members.rankOf(group.worldRank(i));
            if (ranks[i] == Group.UNDEFINED) {
                // Cause: the group is not a part of the window's group. Remedy: a group of `getGroup`.
                throw new MpiFailure(ErrorClass.GROUP, "group has a rank that is not in the window: index=" + i);
            }
        }
        return ranks;
    }

    /** Begins to access the memory of some ranks; waits until each has let this rank. */
    void start(final Group group, final int assertion) {
        checkAssertion(assertion, Window.NOCHECK);
        if (access != Access.NONE && access != Access.FENCE) {
            throw wrongEpoch("start");
        }
        final int[] ranks = ranks(group);
        for (final int r : ranks) {
            signals.posted(r).await();
        }
        open.clear();
        for (final int r : ranks) {
            open.set(r);
        }
        access = Access.GROUP;
    }

    /** Ends the accesses that {@link #start} began: they have taken effect. */
    void complete() {
        if (access != Access.GROUP) {
            throw wrongEpoch("complete");
        }
        final FirstFailure failure = new FirstFailure();
        final List<Request> flushes = startFlush(open.stream().mapToObj(r -> targets[r]).toList(), failure);
        // a signal follows the accesses, so it need not wait for the answers
        for (int r = open.nextSetBit(0); r >= 0; r = open.nextSetBit(r + 1)) {
            final int to = r;
            failure.of(() -> signals.complete(to));
        }
        open.clear();
        access = Access.NONE;
        flushes.forEach(failure::await);
        failure.raise();
    }

    /** Lets some ranks access this rank's memory; does not wait. */
    void post(final Group group, final int assertion) {
        checkAssertion(assertion, Window.NOCHECK | Window.NOSTORE | Window.NOPUT);
        if (isExposed) {
            throw wrongEpoch("post");
        }
        final int[] ranks = ranks(group);
        final List<EpochSignals.Expected> completes = new ArrayList<>();
        for (final int r : ranks) {
            completes.add(signals.completed(r));
            signals.post(r);
        }
        exposed = completes;
        isExposed = true;
    }

    /** Waits until the ranks that this rank let access its memory have completed their accesses. */
    void await() {
        checkExposed();
        final FirstFailure failure = new FirstFailure();
        exposed.forEach(s -> failure.of(s::await));
        isExposed = false;
        exposed = List.of();
        failure.raise();
    }

    /** Returns whether these ranks have completed their accesses; if so, they may not access the memory any more. */
    boolean test() {
        checkExposed();
        for (final EpochSignals.Expected s : exposed) {
            if (!s.test()) {
                return false;
            }
        }
        isExposed = false;
        exposed = List.of();
        return true;
    }

    private void checkExposed() {
        if (!isExposed) {
            // Cause: the rank has not let others access its memory. Remedy: `post` before.
            throw new MpiFailure(ErrorClass.RMA_SYNC, "no exposure epoch is open");
        }
    }

    /** Begins to access the memory of a rank, alone or together with others that lock it so. */
    void lock(final boolean isExclusive, final int rank, final int assertion) {
        checkAssertion(assertion, Window.NOCHECK);
        if (access != Access.NONE && access != Access.FENCE && access != Access.LOCKS) {
            throw wrongEpoch("lock");
        }
        if (rank != Reserved.PROC_NULL) {
            checkRank(rank);
            if (access == Access.LOCKS && open.get(rank)) {
                // Cause: the rank has the lock. Remedy: `unlock` before.
                throw new MpiFailure(ErrorClass.RMA_SYNC, "target is locked already: target=" + rank);
            }
            if (assertion != Window.NOCHECK) {
                targets[rank].startLock(isExclusive).await();
            }
            if (access != Access.LOCKS) {
                open.clear();
            }
            open.set(rank);
            unchecked.set(rank, assertion == Window.NOCHECK);
            access = Access.LOCKS;
        }
    }

    /** Ends the accesses to the memory of a rank: they have taken effect. */
    void unlock(final int rank) {
        if (rank == Reserved.PROC_NULL) {
            return;
        }
        checkRank(rank);
        if (access != Access.LOCKS || !open.get(rank)) {
            throw new MpiFailure(ErrorClass.RMA_SYNC, "target is not locked: target=" + rank);
        }
        final FirstFailure failure = unchecked.get(rank) ? flush(List.of(targets[rank])) : unlock(List.of(targets[rank]));
        open.clear(rank);
        if (open.isEmpty()) {
            access = Access.NONE;
        }
        failure.raise();
    }

    /** Begins to access the memory of all ranks, together with others. */
    void lockAll(final int assertion) {
        checkAssertion(assertion, Window.NOCHECK);
        if (access != Access.NONE && access != Access.FENCE) {
            throw wrongEpoch("lockAll");
        }
        unchecked.set(0, targets.length, assertion == Window.NOCHECK);
        final List<AccessRequest> started = new ArrayList<>();
        for (final WindowTarget t : assertion == Window.NOCHECK ? new WindowTarget[0] : targets) {
            started.add(t.startLock(false));
        }
        final FirstFailure failure = new FirstFailure();
        started.forEach(failure::await);
        if (failure.hasFailed()) {
            unlock(IntStream.range(0, targets.length).filter(r -> !started.get(r).hasFailed()).mapToObj(all::get).toList());
            failure.raise();
        }
        access = Access.LOCK_ALL;
    }

    /** Ends the accesses that {@link #lockAll} began: they have taken effect. */
    void unlockAll() {
        if (access != Access.LOCK_ALL) {
            throw wrongEpoch("unlockAll");
        }
        final FirstFailure failure = unchecked.isEmpty() ? unlock(all) : flush(all);
        access = Access.NONE;
        failure.raise();
    }

    /** Refuses a call when this rank has no lock. */
    void checkPassive(final String call) {
        if (access != Access.LOCKS && access != Access.LOCK_ALL) {
            throw wrongEpoch(call);
        }
    }

    private void checkLocked(final String call, final int rank) {
        checkPassive(call);
        checkRank(rank);
        if (access == Access.LOCKS && !open.get(rank)) {
            throw new MpiFailure(ErrorClass.RMA_SYNC, "target is not locked: target=" + rank);
        }
    }

    /** Completes the accesses to a rank that this one has locked: they have taken effect. */
    void flush(final int rank) {
        checkLocked("flush", rank);
        flush(targets[rank]);
    }

    /** Completes the accesses to all ranks that this one has locked. */
    void flushAll() {
        checkPassive("flushAll");
        oneByOne(() -> flush(all)).raise();
    }

    /** Waits until the buffers of the accesses to a rank may be used. */
    void flushLocal(final int rank) {
        checkLocked("flushLocal", rank);
        oneByOne(() -> flushLocal(List.of(targets[rank]))).raise();
    }

    /** Waits until the buffers of all accesses may be used. */
    void flushLocalAll() {
        checkPassive("flushLocalAll");
        oneByOne(() -> flushLocal(all)).raise();
    }
}
