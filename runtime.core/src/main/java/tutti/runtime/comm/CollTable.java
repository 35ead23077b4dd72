package tutti.runtime.comm;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.select.Selection;
import tutti.runtime.select.Selector;

/**
 * The collective table of a communicator: the modules that were selected for it, and its hidden sub-communicators. These are made by modules, or
 * for the local group of an intercommunicator.
 */
final class CollTable {
    private static final int MAX_DEPTH = 4;

    private final Communicator comm;
    private final int depth;
    private final List<SubCommunicator> subs = new CopyOnWriteArrayList<>();
    private SubCommunicator local;
    private Selection selection;

    /**
     * Creates a table without modules.
     *
     * @param depth number of communicators that the communicator is nested in
     */
    CollTable(final Communicator comm, final int depth) {
        this.comm = comm;
        this.depth = depth;
    }

    /** Returns the number of communicators that the communicator is nested in. */
    int depth() {
        return depth;
    }

    /** Selects modules, together with all ranks. */
    void select() {
        selection = Selector.select(comm.owner().job().modules(), new SelectionExchange(comm), comm.owner().threadLevel());
    }

    Selection selection() {
        return selection;
    }

    /** Creates a hidden communicator of some ranks of this rank's group, together with them. */
    SubCommunicator sub(final String name, final int context, final int[] ranks) {
        if (depth == MAX_DEPTH) {
            throw new IllegalStateException("sub-communicators nested too deeply: max=" + MAX_DEPTH + ", communicator=" + comm.name());
        }
        final SubCommunicator sub = new SubCommunicator(Communicator.hidden(comm, name, context, ranks, depth + 1), ranks);
        subs.add(sub);
        return sub;
    }

    /** Creates the hidden communicator of this rank's group of an intercommunicator. */
    void makeLocal(final int context) {
        local = sub("local", context, Group.first(comm.size()).worldRanks());
    }

    /** Returns this rank's group of an intercommunicator as an intracommunicator. */
    SubCommunicator local() {
        return local;
    }

    /** Returns whether a hidden communicator was made from this one. */
    boolean owns(final SubCommunicator sub) {
        return subs.contains(sub);
    }

    /** Returns the hidden communicators. */
    List<SubCommunicator> subs() {
        return subs;
    }

    /** Releases the modules, and those of the hidden communicators. Idempotent. */
    synchronized void release() {
        final Selection s = selection;
        selection = null;
        if (s != null) {
            s.release();
        }
        subs.forEach(sub -> sub.comm().collTable().release());
    }

    /** Returns the statistics of the schedule caches of the communicator and its hidden communicators. */
    CacheStatistics statistics() {
        CacheStatistics sum = comm.engine().statistics();
        for (final SubCommunicator sub : subs) {
            sum = sum.plus(sub.comm().collTable().statistics());
        }
        return sum;
    }
}
