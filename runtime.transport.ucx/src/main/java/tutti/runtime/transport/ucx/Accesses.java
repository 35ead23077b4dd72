package tutti.runtime.transport.ucx;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The accesses of a link to its peer's memory.
 *
 * <pre>
 * submitted -> (heap: waits for native memory) -> active -> (put: unflushed -> flushing) -> ended -> told
 * </pre>
 *
 * <p>A put has taken effect when the endpoint was flushed after it. One flush at a time is under way, for all puts that had ended before it.
 *
 * <p><b>Threads.</b> Any thread submits accesses and keys to destroy. All else is done under the link's lock. {@link #refuse} may follow the end of
 * the link on any thread: each access is taken from the queue once.
 */
final class Accesses {
    private static final long PIECE = 256 << 10;
    private static final int PIECES = 8;
    private static final long OPERANDS = 2 * Long.BYTES + UcxContext.REQUEST_BYTES;

    private final Arena arena;
    private final Queue<Access> submitted = new ConcurrentLinkedQueue<>();
    private final Queue<RemoteKey> closedKeys = new ConcurrentLinkedQueue<>();
    private final Set<RemoteKey> keys = new HashSet<>();
    private final ArrayDeque<MemorySegment> freePieces = new ArrayDeque<>();
    private final ArrayDeque<MemorySegment> freeOperands = new ArrayDeque<>();
    private int pieces;
    private final ArrayDeque<Access> waiting = new ArrayDeque<>();
    private final List<Access> active = new ArrayList<>();
    private List<Access> unflushed = new ArrayList<>();
    private List<Access> flushing = new ArrayList<>();
    private long flush;
    private final ArrayDeque<Access> ended = new ArrayDeque<>();

    Accesses(final Arena arena) {
        this.arena = arena;
    }

    /** Adds an access, which is posted by the holder of the lock. Any thread. */
    void submit(final Access access) {
        submitted.add(access);
    }

    /** Adds a key that is used no more. Any thread. */
    void submitClosed(final RemoteKey key) {
        closedKeys.add(key);
    }

    /** Returns whether something was submitted that is not posted. Any thread. */
    boolean isUnposted() {
        return !submitted.isEmpty() || !closedKeys.isEmpty();
    }

    /** Returns whether nothing is under way. */
    boolean isIdle() {
        return active.isEmpty() && waiting.isEmpty() && unflushed.isEmpty() && flushing.isEmpty() && ended.isEmpty() && submitted.isEmpty();
    }

    /** Posts what was submitted. Tells nobody. */
    void post(final Worker worker, final UcxContext context) {
        for (RemoteKey key = closedKeys.poll(); key != null; key = closedKeys.poll()) {
            keys.remove(key);
            key.destroy();
        }
        for (Access access = submitted.poll(); access != null; access = submitted.poll()) {
            int status = access.key().unpack(worker);
            if (status != Ucp.OK) {
                access.fail("UCX does not accept the key of the memory: " + Ucp.text(status), null);
                ended.add(access);
                continue;
            }
            keys.add(access.key());
            if (access.kind().isAtomic()) {
                MemorySegment operands = freeOperands.poll();
                access.setStaging(operands == null ? arena.allocate(OPERANDS, Long.BYTES) : operands);
                start(access, worker, context);
            } else if (!access.needsPieces()) {
                start(access, worker, context);
            } else {
                waiting.add(access);
            }
        }
        startWaiting(worker, context);
    }

    private void startWaiting(final Worker worker, final UcxContext context) {
        while (!waiting.isEmpty()) {
            MemorySegment free = freePieces.poll();
            if (free == null) {
                if (pieces == PIECES) {
                    return;
                }
                pieces++;
                free = arena.allocate(PIECE, 4096);
            }
            Access access = waiting.remove();
            access.setStaging(free);
            start(access, worker, context);
        }
    }

    private void start(final Access access, final Worker worker, final UcxContext context) {
        access.post(worker, context);
        if (!advance(access, worker, context)) {
            active.add(access);
        }
    }

    /** Continues with the next piece as long as pieces end; returns whether the access is no longer active. */
    private boolean advance(final Access access, final Worker worker, final UcxContext context) {
        while (access.hasEnded()) {
            if (access.isComplete()) {
                releaseStaging(access);
                if (access.kind() == Access.Kind.PUT && !access.isFailed()) {
                    unflushed.add(access);
                } else {
                    ended.add(access);
                }
                return true;
            }
            access.post(worker, context);
        }
        return false;
    }

    private void releaseStaging(final Access access) {
        MemorySegment staging = access.staging();
        if (staging != null) {
            (access.kind().isAtomic() ? freeOperands : freePieces).push(staging);
            access.setStaging(null);
        }
    }

    /** Looks which accesses have ended, and posts what follows. */
    void reap(final Worker worker, final UcxContext context) {
        if (!active.isEmpty()) {
            int kept = 0;
            // pieces that end post others, and no access is added here
            for (int i = 0; i < active.size(); i++) {
                Access access = active.get(i);
                if (!advance(access, worker, context)) {
                    active.set(kept++, access);
                }
            }
            active.subList(kept, active.size()).clear();
            startWaiting(worker, context);
        }
        flush(worker, context);
    }

    private void flush(final Worker worker, final UcxContext context) {
        while (!flushing.isEmpty() || !unflushed.isEmpty()) {
            if (flushing.isEmpty()) {
                List<Access> empty = flushing;
                flushing = unflushed;
                unflushed = empty;
                flush = Ucp.flush(worker.endpoint(), context.sendParams());
            }
            int status = Ucp.finish(flush);
            if (status == Ucp.IN_PROGRESS) {
                return;
            }
            flush = 0;
            for (Access access : flushing) {
                if (status != Ucp.OK) {
                    access.fail("UCX has failed: " + Ucp.text(status), null);
                }
                ended.add(access);
            }
            flushing.clear();
        }
    }

    /** Returns whether an access has ended that nobody was told of. */
    boolean hasEnded() {
        return !ended.isEmpty();
    }

    /** Removes the next access to tell of; null when there is none. */
    @Nullable
    Access nextEnded() {
        return ended.poll();
    }

    /** Removes an access that has ended; returns whether it had. */
    boolean removeEnded(final Access access) {
        return !ended.isEmpty() && ended.remove(access);
    }

    /** Looks, once the endpoint is closed, which accesses libucp has completed; returns whether it has completed all. */
    boolean isSettled() {
        boolean settled = true;
        for (Access access : active) {
            if (access.isPending() && !access.hasEnded()) {
                settled = false;
            }
        }
        if (Ucp.isRequest(flush)) {
            if (Ucp.finish(flush) == Ucp.IN_PROGRESS) {
                settled = false;
            } else {
                flush = 0;
            }
        }
        return settled;
    }

    /** Releases what libucp has not completed, and all keys, before the worker is destroyed. */
    void release() {
        active.forEach(Access::release);
        if (Ucp.isRequest(flush)) {
            Ucp.free(flush);
        }
        flush = 0;
        keys.forEach(RemoteKey::destroy);
        keys.clear();
    }

    /** Fails all accesses, and makes them ended. Called when the worker is destroyed. */
    void failAll(final String reason, final @Nullable Throwable cause) {
        List<Access> all = new ArrayList<>(active);
        all.addAll(waiting);
        all.addAll(unflushed);
        all.addAll(flushing);
        active.clear();
        waiting.clear();
        unflushed.clear();
        flushing.clear();
        all.forEach(a -> a.fail(reason, cause));
        ended.addAll(all);
    }

    /** Removes an access that was not posted, to be refused; null when there is none. Any thread, after the end of the link. */
    @Nullable
    Access refuse() {
        return submitted.poll();
    }
}
