package tutti.runtime.collective;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.schedule.SlotAllocator;
import tutti.runtime.select.CommHints;

/**
 * The epochs of one communicator at one rank, and the number of its collective calls. An epoch is closed when its last execution is returned. A table
 * that has been replaced is released with the last epoch that it serves.
 *
 * <p><b>Threads.</b> Safe for any thread. The lock of this object guards the open epochs and their tables.
 */
final class Epochs {
    private final CommContext comm;
    private final SlotAllocator slots = new SlotAllocator();
    /** Number of calls and duplications, which are steps of one order. */
    private final AtomicLong steps = new AtomicLong();
    private final AtomicLong duplications = new AtomicLong();
    /** How calls wait: one object, so that a call allocates nothing. */
    private final EpochSequence.Waiting waiting = this::await;
    /** The epochs of calls. */
    private final EpochSequence<Epoch> sequence;
    /** The epochs of persistent calls when they are prepared, which may begin with the next epoch before other calls do. */
    private final EpochSequence<Epoch> prepared;
    /** The open epochs of each table that is not released. */
    private final Map<CollTable, List<Epoch>> open = new LinkedHashMap<>();
    /** Statistics of the caches that were closed. */
    private CacheStatistics closed = CacheStatistics.NONE;
    private boolean isReleased;

    /** Creates the first epoch, whose modules the table does not have yet. */
    Epochs(final CommContext comm, final CollTable table) {
        this.comm = comm;
        final Epoch first = make(table);
        this.sequence = new EpochSequence<>(first);
        this.prepared = new EpochSequence<>(first);
    }

    private synchronized Epoch make(final CollTable table) {
        if (isReleased) {
            table.release();
        }
        final Epoch epoch = Epoch.of(comm, table, slots);
        open.computeIfAbsent(table, t -> new ArrayList<>()).add(epoch);
        return epoch;
    }

    /** Returns the number of the next call, and counts it. */
    long count() {
        return steps.getAndIncrement();
    }

    /** Returns the number of a duplication, and counts it; waits until its epoch is known, whose cache must be told of its end. */
    long countDuplication() {
        duplications.getAndIncrement();
        final long step = count();
        of(step);
        return step;
    }

    /** Returns the number of calls that have begun, without duplications. */
    long begun() {
        return steps.get() - duplications.get();
    }

    /** Returns the number of calls that have begun, after everything that this thread has written is visible to those that begin later. */
    long fence() {
        return steps.getAndAdd(0);
    }

    /** Returns the epoch of a call that the calling thread has counted; waits where the ranks have yet to agree on it. */
    Epoch of(final long call) {
        return sequence.at(call, waiting);
    }

    /** Returns the epoch in which a persistent call begins that the calling thread has counted; waits as {@link #of}. */
    Epoch ofPrepared(final long call) {
        return prepared.at(call, waiting);
    }

    /** Returns the epoch of the latest calls of which it is known. */
    Epoch last() {
        return sequence.last();
    }

    /** Returns the number of the first call of that epoch. */
    long firstOfLast() {
        return sequence.firstOfLast();
    }

    /** Returns how threads of the rank wait for an agreement. */
    EpochSequence.Waiting waiting() {
        return waiting;
    }

    void await(final CompletionStage<?> until) {
        comm.owner().await(until, PendingWait.Kind.SELECTION, null);
    }

    /**
     * Proposes the call with which the next epoch begins, see {@link EpochSequence#propose}. To be called after {@link #proposePrepared}, so that no
     * call is prepared in the last epoch after the calls of that have ended.
     */
    long propose(final long window) {
        return sequence.propose(this::fence, window);
    }

    /** Proposes the first persistent call that is prepared in the next epoch; see {@link EpochSequence#propose}. */
    long proposePrepared() {
        return prepared.propose(this::fence, 0);
    }

    /**
     * Begins an epoch with a table that replaces all others, with calls that all ranks have agreed on.
     *
     * @param first         the first call
     * @param firstPrepared the first persistent call that is prepared in it
     */
    Epoch replace(final long first, final long firstPrepared, final CollTable table) {
        final Epoch next = begin(first, firstPrepared, table);
        final List<CollTable> unused;
        synchronized (this) {
            unused = open.entrySet().stream().filter(t -> t.getKey() != table && t.getValue().isEmpty()).map(Map.Entry::getKey).toList();
        }
        unused.forEach(this::release);
        return next;
    }

    /** Begins an epoch with a table that is to stay beside others, for calls from the next one on; all ranks are at the same call. */
    void turnTo(final CollTable table) {
        final long firstPrepared = proposePrepared();
        begin(propose(0), firstPrepared, table);
    }

    private Epoch begin(final long first, final long firstPrepared, final CollTable table) {
        final Epoch last = sequence.last();
        final long since = sequence.firstOfLast();
        final Epoch next = make(table);
        sequence.decide(first, next);
        prepared.decide(firstPrepared, next);
        last.cache().close(first - since, () -> closed(last));
        return next;
    }

    /** Ends an epoch: all its executions are returned. */
    private void closed(final Epoch epoch) {
        final CollTable table = epoch.table();
        sequence.forget(epoch);
        prepared.forget(epoch);
        final boolean isUnused;
        synchronized (this) {
            closed = closed.plus(epoch.cache().statistics().countersOnly());
            final List<Epoch> epochs = open.get(table);
            isUnused = epochs != null && epochs.remove(epoch) && epochs.isEmpty() && isReplaced(table);
        }
        if (isUnused) {
            // code of modules runs on a thread of the rank
            comm.owner().lifecycle().helpers().execute(() -> release(table));
        }
    }

    /** Returns whether the modules of a table are not those of the latest epoch. */
    private boolean isReplaced(final CollTable table) {
        return table.change() != sequence.last().table().change();
    }

    private void release(final CollTable table) {
        synchronized (this) {
            if (open.remove(table) == null) {
                return;
            }
        }
        table.release();
        DeferredCommFree.freeHidden(table);
    }

    /** Returns the table of an epoch, of the same modules of the job as the latest one, that was selected by such hints; null if there is none. */
    synchronized @Nullable CollTable selectedBy(final CommHints hints) {
        return open.keySet().stream().filter(t -> t.selection().hints().selectsAs(hints) && !isReplaced(t)).findFirst().orElse(null);
    }

    /** Makes calls fail that wait for an agreement which has failed. */
    void fail(final MpiFailure failure) {
        sequence.fail(failure);
        prepared.fail(failure);
    }

    /** Returns a stage that completes when a number of calls has begun. */
    CompletionStage<Void> reached(final long number) {
        return sequence.reached(number, this::fence);
    }

    /** Returns all tables that are not released. */
    synchronized List<CollTable> tables() {
        return List.copyOf(open.keySet());
    }

    /** Returns the statistics of all caches, of the hidden communicators, too. */
    CacheStatistics statistics() {
        CacheStatistics sum = ownStatistics();
        for (final CollTable table : tables()) {
            for (final SubCommunicator sub : table.subs()) {
                sum = sum.plus(sub.engine().statistics());
            }
        }
        return sum;
    }

    /** Returns the statistics of the caches of the communicator alone. */
    synchronized CacheStatistics ownStatistics() {
        CacheStatistics sum = closed;
        for (final List<Epoch> epochs : open.values()) {
            for (final Epoch epoch : epochs) {
                sum = sum.plus(epoch.cache().statistics());
            }
        }
        return sum;
    }

    /** Releases the modules of all tables, and of those that are added later. Idempotent. */
    void release() {
        synchronized (this) {
            isReleased = true;
        }
        tables().forEach(CollTable::release);
    }
}
