package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.protocol.ModuleChange;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/**
 * Changes of the modules of a store, one at a time.
 *
 * <p>{@link #reserve} begins a change. {@link #prepare} does everything of it that can fail, and writes a record of it, and the states to which it
 * leads, to disk. {@link #commit} then offers the module to jobs, and {@link #finish} removes what it replaces; {@link #undo} restores the previous
 * state. Each replaces the state on disk first, so a node that is restarted continues where it was. A change lasts from {@link #reserve} until it is
 * finished or undone; when its coordinator is lost before, {@link ChangeSettlement} decides it. Safe for any thread.
 */
final class StoreChanges {
    private static final Logger LOG = LoggerFactory.getLogger(StoreChanges.class);
    private static final long LOOK_MILLIS = 50;
    /** How long the end of the store waits for a change: it is asked for, and a restart continues the change. */
    private static final long CLOSE_SECONDS = 5;

    private final NodeModules registry;
    private final StoreBundles bundles;
    private final ChangePreparation preparation;
    private final Quarantine quarantine;
    private final StateFile state;
    /** Held while a change is led by a coordinator, or is not decided. */
    private final Semaphore changeLock;
    /** Lock of the outcomes of changes that no coordinator leads. */
    private final Object settling = new Object();
    /** Whether the change that is not decided waits for nodes that are not there. */
    private volatile boolean lacksNodes;
    /** Id of the change that a coordinator leads; null when there is none. */
    private @Nullable String led;
    /** The prepared change; null when there is none, and after a restart. */
    private @Nullable StagedChange staged;
    private volatile Runnable onUnsettled = () -> {
        // nobody listens yet
    };

    /** Lead of a change by its coordinator. */
    @FunctionalInterface
    interface Lead {
        /** Returns whether the coordinator has undone the change, or is lost. */
        boolean isCancelled();
    }

    StoreChanges(final NodeModules registry, final StoreBundles bundles, final ChangePreparation preparation, final Quarantine quarantine,
        final StateFile state, final Semaphore changeLock) {
        this.registry = registry;
        this.bundles = bundles;
        this.preparation = preparation;
        this.quarantine = quarantine;
        this.state = state;
        this.changeLock = changeLock;
        if (state.get().change() != null) {
            changeLock.acquireUninterruptibly();
        }
    }

    /**
     * Reserves the node for a change, which the caller leads until {@link #endLead}. Blocks while another one is in progress: it is led by a
     * coordinator that lives, or its nodes decide it.
     *
     * @param change id of the change
     * @param force  whether a change that needs nodes which are not there ends as this node has voted
     * @param lead   the lead of the caller
     * @throws IOException when the node is not reserved; then {@link #endLead} must not be called
     */
    void reserve(final String change, final boolean force, final Lead lead) throws IOException, InterruptedException {
        while (!awaitOthers("change " + change, lead)) {
            final UnfinishedChange open = unsettled();
            if (open != null && !force) {
                // Cause: an interrupted [change](modules.md#when-a-node-is-killed-during-a-change).
                throw new IOException("change " + open.id() + " is not decided, since too few of its nodes answer: nodes="
                    + String.join(",", open.nodes()) + "; start these nodes, or decide it for this one with: --force");
            }
            if (open != null) {
                decide(open.id(), open.phase() == ChangePhase.COMMITTED);
            }
        }
        synchronized (this) {
            led = change;
        }
    }

    /** Waits until no other change is in progress, and takes the lock; returns false when one is not decided and needs nodes that are not there. */
    private boolean awaitOthers(final String what, final Lead lead) throws IOException, InterruptedException {
        final LiveWait wait = new LiveWait(what + " of modules waits until another one is over", () -> true, LOG::info);
        do {
            if (changeLock.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                return true;
            }
            if (lacksNodes && unsettled() != null) {
                return false;
            }
        } while (wait.goesOn() && !lead.isCancelled());
        throw new IOException("the change was cancelled");
    }

    /**
     * Prepares a change for which the node is reserved. Blocks while the bundle's code runs.
     *
     * @param change   id of the change
     * @param nodes    names of all nodes of the change
     * @param what     what is changed
     * @param incoming the bundle's file, which is moved; null when the change has no file
     * @throws IOException when the change cannot be prepared; then nothing has changed
     */
    PreparedChange prepare(final String change, final List<String> nodes, final ModuleChange what, final @Nullable Path incoming)
        throws IOException, InterruptedException {
        final StagedChange next = preparation.prepare(what, incoming);
        try {
            record(change, nodes, next, what.kind() != ModuleChange.Kind.DROP);
            final ModuleId module = next.change().module();
            if (next.quarantine() == StagedChange.QuarantineStep.TRY && module != null) {
                quarantine.add(module, Quarantine.ON_TRIAL);
            }
            return next.change();
        } catch (final IOException e) {
            drop(next);
            throw e;
        }
    }

    /**
     * Ends the lead of a change's coordinator: the next change may begin when this one was finished or undone. Otherwise it is left to the listener
     * of {@link #listen}.
     */
    void endLead() {
        synchronized (this) {
            led = null;
            if (state.get().change() == null) {
                changeLock.release();
                return;
            }
        }
        onUnsettled.run();
    }

    /** Sets the listener of changes that no coordinator leads any more and that are not decided. It must not block. */
    void listen(final Runnable listener) {
        onUnsettled = listener;
    }

    /** Sets whether the change that is not decided waits for nodes that are not there: all others were asked. */
    void lackNodes(final boolean isLacking) {
        lacksNodes = isLacking;
    }

    /** Returns the change that is not decided and that no coordinator leads; null when there is none. */
    synchronized @Nullable UnfinishedChange unsettled() {
        return led == null ? state.get().change() : null;
    }

    /** Returns the phase of a change on this node. */
    synchronized ChangePhase phase(final String change) {
        final UnfinishedChange open = state.get().change();
        if (change.equals(led)) {
            return ChangePhase.LED;
        }
        return open != null && open.id().equals(change) ? open.phase()
            : state.get().finished().contains(change) ? ChangePhase.FINISHED : ChangePhase.UNKNOWN;
    }

    /** Writes the record of a prepared change, after the states to which it leads, for which there is space then. */
    private synchronized void record(final String change, final List<String> nodes, final StagedChange next, final boolean keepsReplaced)
        throws IOException {
        final ModuleId module = next.change().module();
        final StoreState before = state.get().content();
        final StoreState committed = module == null || next.file() == null ? before : before.withActive(module, next.file());
        final UnfinishedChange open =
            new UnfinishedChange(change, nodes, ChangePhase.PREPARED, before, committed, without(next.change().replaced(), committed, keepsReplaced));
        final StoreState now = state.get();
        state.begin(now.in(open), now.in(open.in(ChangePhase.COMMITTED)), now.finished(open));
        staged = next;
    }

    /** Returns a state in which modules are kept for a rollback alone, or are not kept. */
    private StoreState without(final Collection<ModuleId> modules, final StoreState state, final boolean isKept) {
        StoreState next = state;
        for (final ModuleId id : modules) {
            final Bundle bundle = registry.bundleOf(id);
            if (bundle != null) {
                next = isKept ? next.previous(id, StoreBundles.file(bundle), !bundles.isOwn(bundle)) : next.dropped(id);
            }
        }
        return next;
    }

    /** Commits the prepared change: offers its module beside those that it replaces. */
    void commit() throws IOException, InterruptedException {
        final StagedChange committed;
        final StoreState before;
        synchronized (this) {
            before = state.get();
            final UnfinishedChange open = before.change();
            if (open == null || open.phase() == ChangePhase.UNDONE) {
                throw new IOException("the change is not prepared");
            }
            if (open.phase() == ChangePhase.COMMITTED) {
                return;
            }
            state.replace(before.in(open.in(ChangePhase.COMMITTED)));
            committed = staged;
        }
        bundles.follow(before);
        if (committed != null && committed.change().module() != null && committed.quarantine() == StagedChange.QuarantineStep.LIFT) {
            quarantine.lift(committed.change().module());
        }
    }

    /** Finishes the change, which most of its nodes have committed: stops to offer what it replaces. Has no effect when it is decided. */
    void finish() throws IOException, InterruptedException {
        end(true);
    }

    /** Undoes the change. Has no effect when it is decided. */
    void undo() throws IOException, InterruptedException {
        end(false);
    }

    private void end(final boolean forward) throws IOException, InterruptedException {
        final StoreState before;
        final StagedChange last;
        synchronized (this) {
            before = state.get();
            final UnfinishedChange open = before.change();
            if (open == null) {
                return;
            }
            state.replace(forward ? before.finished(open) : before.undone(open));
            state.release();
            last = staged;
            staged = null;
        }
        bundles.follow(before);
        if (!forward && last != null) {
            final ModuleId module = last.change().module();
            if (last.quarantine() == StagedChange.QuarantineStep.TRY && module != null) {
                quarantine.endTrial(module);
            }
            drop(last);
        }
        before.files().distinct().forEach(f -> bundles.deleteUnneeded(Path.of(f)));
    }

    /** Votes against the change that is not decided. */
    private synchronized void refuse() throws IOException {
        final UnfinishedChange open = state.get().change();
        if (open != null && open.phase() == ChangePhase.PREPARED) {
            state.replace(state.get().in(open.in(ChangePhase.UNDONE)));
        }
    }

    /** Votes on a change that no coordinator leads and that is not decided. Has no effect on other changes. */
    void vote(final String change, final boolean commit) throws IOException, InterruptedException {
        synchronized (settling) {
            if (isUnsettled(change)) {
                if (commit) {
                    commit();
                } else {
                    refuse();
                }
            }
        }
    }

    /** Finishes or undoes a change that no coordinator leads and that is not decided. Has no effect on other changes. */
    void decide(final String change, final boolean commit) throws IOException, InterruptedException {
        synchronized (settling) {
            if (isUnsettled(change)) {
                try {
                    end(commit);
                } finally {
                    synchronized (this) {
                        if (state.get().change() == null) {
                            changeLock.release();
                        }
                    }
                }
                LOG.info("change {} of modules is {} on this node", change, commit ? "finished" : "undone");
            }
        }
    }

    private boolean isUnsettled(final String change) {
        final UnfinishedChange open = unsettled();
        return open != null && open.id().equals(change);
    }

    /** Removes the bundle of a change that is not carried out. */
    private void drop(final StagedChange failed) throws InterruptedException {
        final StoreBundles.Started started = failed.started();
        if (started != null && !registry.isOffered(started.bundle())) {
            preparation.undo(started);
            if (failed.file() != null) {
                bundles.deleteUnneeded(failed.file());
            }
        }
    }

    /**
     * Stops to offer modules to jobs. Each is uninstalled when the last job that uses it ends. The file of the last retired module of a name is
     * kept for a rollback.
     */
    void retire(final Collection<ModuleId> modules) throws IOException, InterruptedException {
        if (!awaitOthers("removal", () -> false)) {
            // Cause: an interrupted [change](modules.md#when-a-node-is-killed-during-a-change), while old versions are removed. Remedy:
            // repeat the command later.
            throw new IOException("another change of modules is in progress");
        }
        try {
            final StoreState before = state.get();
            final StoreState next = without(modules, before, true);
            if (!next.equals(before)) {
                state.replace(next);
                bundles.follow(before);
                before.files().forEach(f -> bundles.deleteUnneeded(Path.of(f)));
            }
        } finally {
            changeLock.release();
        }
    }

    /** Removal of bundles. */
    @FunctionalInterface
    interface Removal {
        void run() throws InterruptedException;
    }

    /** Runs code while no change is in progress, or after a while in spite of one; a change that is not decided is not waited for. */
    void runAlone(final Removal code) throws InterruptedException {
        final boolean isLocked = unsettled() == null && changeLock.tryAcquire(CLOSE_SECONDS, TimeUnit.SECONDS);
        try {
            code.run();
        } finally {
            if (isLocked) {
                changeLock.release();
            }
        }
    }
}
