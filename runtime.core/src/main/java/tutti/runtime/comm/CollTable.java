package tutti.runtime.comm;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.select.Selection;
import tutti.runtime.select.Selector;

/**
 * Who serves the collectives of a communicator: the modules that were selected for it, and the hidden communicators of some of its ranks that were
 * made out of it, by modules or as the group of an intercommunicator.
 */
final class CollTable {
    private static final int MAX_DEPTH = 4;

    private final Communicator comm;
    private final int depth;
    private final List<SubCommunicator> subs = new CopyOnWriteArrayList<>();
    private SubCommunicator local;
    private Selection selection;

    /** Without modules, within so many communicators. */
    CollTable(final Communicator comm, final int depth) {
        this.comm = comm;
        this.depth = depth;
    }

    /** How many communicators it is made within. */
    int depth() {
        return depth;
    }

    /** Has modules selected, together with all ranks. */
    void select() {
        selection = Selector.select(comm.owner().job().modules(), new SelectionExchange(comm), comm.owner().threadLevel());
    }

    Selection selection() {
        return selection;
    }

    /** Makes a hidden communicator of some of the ranks of this rank's group, together with them. */
    SubCommunicator sub(final String name, final int context, final int[] ranks) {
        if (depth == MAX_DEPTH) {
            throw new IllegalStateException("sub-communicators within sub-communicators: depth=" + MAX_DEPTH + ", communicator=" + comm.name());
        }
        final SubCommunicator sub = new SubCommunicator(Communicator.hidden(comm, name, context, ranks, depth + 1), ranks);
        subs.add(sub);
        return sub;
    }

    /** Makes the hidden communicator of this rank's group of an intercommunicator. */
    void makeLocal(final int context) {
        local = sub("local", context, Group.first(comm.size()).worldRanks());
    }

    /** This rank's group of an intercommunicator as an intracommunicator. */
    SubCommunicator local() {
        return local;
    }

    /** Whether a hidden communicator was made out of this one. */
    boolean owns(final SubCommunicator sub) {
        return subs.contains(sub);
    }

    /** The hidden communicators. */
    List<SubCommunicator> subs() {
        return subs;
    }

    /** Lets go of the modules, and of those of the hidden communicators. Idempotent. */
    synchronized void release() {
        final Selection s = selection;
        selection = null;
        if (s != null) {
            s.release();
        }
        subs.forEach(sub -> sub.comm().service().release());
    }

    /** What the caches of schedules did and hold, of the communicator and the hidden ones. */
    CacheStatistics figures() {
        CacheStatistics sum = comm.engine().figures();
        for (final SubCommunicator sub : subs) {
            sum = sum.plus(sub.comm().service().figures());
        }
        return sum;
    }
}
