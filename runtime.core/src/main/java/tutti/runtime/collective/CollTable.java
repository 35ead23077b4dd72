package tutti.runtime.collective;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.Checkpointable;
import tutti.coll.advanced.CollSubComm;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.CommExchanges;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.module.ModuleId;
import tutti.runtime.select.Decision;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.LiveModules;
import tutti.runtime.select.Selection;
import tutti.runtime.select.Selector;

/**
 * The collective table of a communicator for some epochs of it: the modules that were selected, and the hidden sub-communicators. These are made by
 * modules, or for the local group of an intercommunicator.
 *
 * <p>A duplicate shares the selection, and has hidden communicators of its own that take the places of those that the modules know.
 *
 * <p><b>Threads.</b> The thread that creates the communicator, or changes its modules, writes the selection; for COMM_SELF the thread that uses it
 * first. The field is volatile. A call that meets the release finds the modules or none; the lock of this object makes the late selection and the
 * release happen once.
 */
final class CollTable {
    private static final int MAX_DEPTH = 4;

    private final CommContext comm;
    private final int depth;
    /** Names of the modules that should serve where they can, as the module asked that made this hidden communicator; else empty. */
    private final List<String> preferred;
    private final List<SubCommunicator> subs = new CopyOnWriteArrayList<>();
    private @Nullable SubCommunicator local;
    /** Number of splits that created the hidden communicators; equal on all ranks. */
    private int splits;
    /** The context ids of the hidden communicators of a duplicate, by split; null where each was allotted by its leader. */
    private long @Nullable [] hiddenContexts;
    /** The lock that a thread holds while modules plan, so that they never plan at the same time for a communicator and its duplicates. */
    private Object planning = new Object();
    private volatile @Nullable Selection selection;
    /** Number of the change of the job's modules by which they were selected; negative while they are not. */
    private volatile int change = -1;
    /** The modules that a duplicate takes over, as they were when the duplication began; null for others. */
    private @Nullable Served original;
    /** Called when the first call has selected the modules; null unless that has yet to happen. Guarded by this object. */
    private @Nullable Runnable whenSelected;
    /** The trial in the shadow of the table; null if there is none. Written before the table serves. */
    private @Nullable Canary canary;
    /** Set when the modules are released; what is selected later is released at once. Guarded by this object. */
    private boolean released;

    /** The modules of a communicator and its hidden communicators. */
    private record Served(Selection selection, Object planning, int splits, List<SubCommunicator> subs, @Nullable SubCommunicator local) {}

    /**
     * Creates a table without modules.
     *
     * @param depth     number of communicators that the communicator is nested in
     * @param preferred names of the modules that should serve where they can
     */
    CollTable(final CommContext comm, final int depth, final List<String> preferred) {
        this.comm = comm;
        this.depth = depth;
        this.preferred = preferred;
    }

    /** Returns the names of the modules that should serve where they can. */
    List<String> preferred() {
        return preferred;
    }

    /** Returns the number of communicators that the communicator is nested in. */
    int depth() {
        return depth;
    }

    /** Selects from the modules of a job, together with all ranks. If that fails, it releases those of the hidden communicators. */
    void select(final JobModules modules, final SelectionExchange exchange) {
        original = null;
        boolean done = false;
        try {
            keep(Selector.select(modules, exchange, comm.owner().threadLevel()));
            done = true;
        } finally {
            if (!done) {
                subs.forEach(sub -> sub.engine().release());
            }
        }
    }

    private synchronized void keep(final Selection selected) {
        if (released) {
            selected.release();
        } else {
            selection = selected;
            change = selected.modules().change();
        }
    }

    /**
     * Lets the first call select modules: for a communicator of one rank, whose selection involves no other rank.
     *
     * @param then called when they are selected
     */
    synchronized void selectWhenUsed(final Runnable then) {
        whenSelected = then;
    }

    private @Nullable Selection selectLate() {
        final Runnable selected;
        synchronized (this) {
            selected = whenSelected;
            if (selected == null) {
                return selection;
            }
            whenSelected = null;
            try (LiveModules.Hold held = comm.owner().job().live().hold()) {
                final JobModules newest = held.of(held.newest());
                select(newest, SelectionExchange.ofCreation(comm, this, newest));
            }
        }
        selected.run();
        return selection;
    }

    /** Remembers what a communicator has of which this is a duplicate, whose hints may be changed in the meantime. */
    void inherit(final CollTable from) {
        comm.setHints(from.comm.hints());
        original = new Served(from.selection(), from.planning, from.splits, List.copyOf(from.subs), from.local);
    }

    /** Takes over the modules of the communicator of which this is a duplicate, with hidden communicators of these context ids. */
    void share(final long[] contexts) {
        final Served served = Objects.requireNonNull(original, "original of a duplicate");
        original = null;
        keep(served.selection.share());
        planning = served.planning;
        splits = served.splits;
        hiddenContexts = contexts;
        for (final SubCommunicator sub : served.subs) {
            final SubCommunicator duplicate = sub.duplicate(comm, contexts);
            add(duplicate);
            local = sub == served.local ? duplicate : local;
        }
    }

    Selection selection() {
        final Selection selected = selection;
        return selected != null ? selected : Objects.requireNonNull(selectLate(), "communicator was released");
    }

    /** Returns the number of the change of the job's modules by which those of the table were selected; negative while they are not. */
    int change() {
        return change;
    }

    /** Returns the modules of the job from which those of the table were selected. */
    JobModules modules() {
        return selection().modules();
    }

    /** Returns whether duplicates share the selection: its modules allow it, and no hidden communicator has others in it. Equal on all ranks. */
    boolean servesDuplicates() {
        return selection().servesDuplicates();
    }

    /** Returns whether no hidden communicator of this rank has hidden communicators itself. */
    boolean isFlat() {
        return subs.stream().allMatch(sub -> sub.engine().table().subs.isEmpty());
    }

    /** Returns the number of context ids that the hidden communicators of a duplicate need. */
    int splits() {
        return splits;
    }

    Object planning() {
        return planning;
    }

    /** Counts a split of the communicator, on ranks without a colour, too. Returns the number of earlier ones. */
    int countSplit() {
        return splits++;
    }

    /**
     * Creates a hidden communicator of some ranks of this rank's group, together with them.
     *
     * @param name    its name within this communicator
     * @param split   from {@link #countSplit}
     * @param from    the modules of the job from which it selects
     * @param modules names of the modules that should serve where they can
     */
    SubCommunicator sub(final String name, final int split, final long context, final int[] ranks, final JobModules from,
        final List<String> modules) {
        if (depth == MAX_DEPTH) {
            throw new IllegalStateException("sub-communicators nested too deeply: max=" + MAX_DEPTH + ", communicator=" + comm.name());
        }
        final CollectiveEngine engine = new CollectiveEngine(comm.hidden(name, context, ranks), depth + 1, modules);
        engine.openHidden(from);
        final SubCommunicator sub = new SubCommunicator(engine, ranks, split);
        add(sub);
        return sub;
    }

    private synchronized void add(final SubCommunicator sub) {
        subs.add(sub);
        if (released) {
            sub.engine().release();
        }
    }

    /** Creates the hidden communicator of this rank's group of an intercommunicator. */
    void makeLocal(final long context, final JobModules from) {
        local = sub("local", countSplit(), context, Group.first(comm.size()).worldRanks(), from, List.of());
    }

    /** Creates the hidden communicator of this rank's group in an exchange, which allots its context id. */
    void makeLocal(final CommExchanges exchanges, final JobModules from) {
        final int group = comm.members().isFirst() ? 0 : 1;
        final long[] allotted = {Long.MIN_VALUE, Long.MIN_VALUE};
        if (comm.rank() == 0) {
            allotted[group] = comm.owner().contexts().allot();
        }
        exchanges.combine(allotted, Op.MAX);
        for (final long context : allotted) {
            ContextIds.check(context);
        }
        makeLocal(allotted[group], from);
    }

    /** Returns this rank's group of an intercommunicator as an intracommunicator. */
    SubCommunicator local() {
        return Objects.requireNonNull(local);
    }

    /**
     * Returns the decision that serves an operation.
     *
     * @throws MpiFailure when no module is selected, since the communicator was released
     */
    <C extends Call> Decision<C> decision(final Operation<C> operation) {
        Selection selected = selection;
        if (selected == null) {
            selected = selectLate();
            if (selected == null) {
                throw unserved(operation);
            }
        }
        return selected.of(operation);
    }

    /**
     * Returns the algorithm that serves a call.
     *
     * @throws MpiFailure when there is none
     */
    <C extends Call> Selection.SelectedAlgorithm<C> algorithm(final Operation<C> operation, final C call) {
        final Selection.SelectedAlgorithm<C> chosen = decision(operation).of(call);
        if (chosen == null) {
            throw unserved(operation);
        }
        return chosen;
    }

    /** Returns why an algorithm serves calls of an operation that {@link #algorithm} returned. */
    <C extends Call> String reason(final Operation<C> operation, final Selection.SelectedAlgorithm<C> chosen) {
        return decision(operation).reason(chosen);
    }

    private MpiFailure unserved(final Operation<?> operation) {
        // Cause: neither a module of the job nor the fallback module takes the call.
        return new MpiFailure(ErrorClass.OTHER, "no module serves " + operation + " on " + comm
            + ": install one, or check that basic is active on node " + comm.owner().nodeName());
    }

    /** Returns whether a call of a rank of a communicator moves no data on any rank, so that nothing is planned for it. */
    static <C extends Call> boolean isEmpty(final CommContext comm, final Operation<C> operation, final C call, final int rank) {
        return operation.skipsEmpty() && !comm.isInter() && call.sendBytes(rank) == 0 && call.recvBytes(rank) == 0;
    }

    /**
     * Returns the engine of a hidden communicator.
     *
     * @throws IllegalArgumentException when it was not made from this communicator
     */
    CollectiveEngine engineOf(final CollSubComm group) {
        for (final SubCommunicator sub : subs) {
            if (sub.original() == group) {
                return sub.engine();
            }
        }
        throw new IllegalArgumentException("not a sub-communicator of " + comm.name() + ": group=" + group);
    }

    /** Returns the modules that have state here, or on a hidden communicator, which they do not save at checkpoints. */
    Stream<ModuleId> notCheckpointable() {
        final Selection selected = selection;
        return Stream.concat(selected == null ? Stream.empty() : selected.notCheckpointable().stream(),
            subs.stream().flatMap(sub -> sub.engine().notCheckpointable().stream()));
    }

    /** Carries out a step of a checkpoint in all modules that have one. */
    void checkpoint(final Consumer<Checkpointable> step) {
        final Selection selected = selection;
        if (selected != null) {
            selected.checkpoint(step);
        }
        subs.forEach(sub -> sub.engine().checkpoint(step));
        if (canary != null) {
            canary.checkpoint(step);
        }
    }

    /** Sets the trial in the shadow of the table, before the table serves. */
    void setCanary(final @Nullable Canary begun) {
        canary = begun;
    }

    /** Returns the trial in the shadow of the table; null if there is none. */
    @Nullable
    Canary canary() {
        return canary;
    }

    /** Returns whether a hidden communicator of a duplicate has one of the {@link #hiddenContexts}. */
    boolean isDuplicated(final SubCommunicator sub) {
        return hiddenContexts != null && sub.split() < hiddenContexts.length;
    }

    /** Returns the hidden communicators. */
    List<SubCommunicator> subs() {
        return subs;
    }

    /** Releases the modules, and those of the hidden communicators. Idempotent. */
    synchronized void release() {
        released = true;
        whenSelected = null;
        final Selection selected = selection;
        selection = null;
        if (selected != null) {
            selected.release();
        }
        subs.forEach(sub -> sub.engine().release());
        if (canary != null) {
            canary.release();
        }
    }
}
