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
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/**
 * Changes of the modules of a store, one at a time.
 *
 * <p>{@link #prepare} does everything of a change that can fail, and writes a record of the change, and the states to which it leads, to disk.
 * {@link #commit} then offers the module to jobs, and {@link #finish} removes what it replaces; {@link #undo} restores the previous state. Each
 * replaces the state on disk first, so a node that is restarted continues where it was. A change lasts from {@link #prepare} until it is finished or
 * undone; when its coordinator is lost before, {@link ChangeSettlement} decides it. Safe for any thread.
 */
final class StoreChanges {
    private static final Logger LOG = LoggerFactory.getLogger(StoreChanges.class);
    private static final long LOCK_SECONDS = 5;
    private static final long LED_SECONDS = 20;

    private final NodeModules registry;
    private final StoreBundles bundles;
    private final ChangePreparation preparation;
    private final Quarantine quarantine;
    private final OfferedModules offers;
    private final CurrentState state;
    /** Held while a change is led by a coordinator, or is not decided. */
    private final Semaphore changeLock;
    /** Lock of the outcomes of changes that no coordinator leads. */
    private final Object settling = new Object();
    /** Id of the change that a coordinator leads; null when there is none. */
    private @Nullable String led;
    /** The prepared change; null when there is none, and after a restart. */
    private @Nullable StagedChange staged;
    private volatile Runnable onUnsettled = () -> {
        // nobody listens yet
    };

    StoreChanges(final NodeModules registry, final StoreBundles bundles, final ChangePreparation preparation, final Quarantine quarantine,
        final OfferedModules offers, final CurrentState state, final Semaphore changeLock) {
        this.registry = registry;
        this.bundles = bundles;
        this.preparation = preparation;
        this.quarantine = quarantine;
        this.offers = offers;
        this.state = state;
        this.changeLock = changeLock;
        if (state.get().change() != null) {
            changeLock.acquireUninterruptibly();
        }
    }

    /**
     * Prepares a change, which the caller leads until {@link #endLead}. Blocks, for about 50 s at most, while other changes are in progress and
     * while the bundle's code runs.
     *
     * @param change   id of the change
     * @param nodes    names of all nodes of the change
     * @param what     what is changed
     * @param incoming the bundle's file, which is moved; null when the change has no file
     * @throws IOException when the change cannot be prepared; then nothing has changed, and {@link #endLead} must not be called
     */
    StagedChange prepare(final String change, final List<String> nodes, final ModuleChange what, final @Nullable Path incoming)
        throws IOException, InterruptedException {
        return prepare(change, nodes, what.force(), () -> preparation.prepare(what, incoming));
    }

    /** Prepares an installation as {@link #prepare} does, verifies the module in this JVM, and names the steps before they begin. */
    StagedChange prepareHere(final ModuleChange what, final Path incoming, final ModuleStore.Steps steps)
        throws IOException, InterruptedException {
        return prepare("proof", List.of("proof"), what.force(), () -> preparation.prepareHere(what, incoming, steps));
    }

    /** Preparation of a change, on this node. */
    @FunctionalInterface
    private interface Prepared {
        StagedChange run() throws IOException, InterruptedException;
    }

    private StagedChange prepare(final String change, final List<String> nodes, final boolean force, final Prepared preparing)
        throws IOException, InterruptedException {
        beginLead(change, force);
        boolean ready = false;
        try {
            final StagedChange next = preparing.run();
            try {
                record(change, nodes, next);
            } catch (final IOException e) {
                drop(next);
                throw e;
            }
            ready = true;
            return next;
        } finally {
            if (!ready) {
                endLead();
            }
        }
    }

    /** Waits until no other change is in progress. With force, a change that is still not decided then ends as this node has voted. */
    private void beginLead(final String change, final boolean force) throws IOException, InterruptedException {
        if (!awaitOthers()) {
            final UnfinishedChange open = unsettled();
            if (open == null) {
                throw new IOException("another change of modules is in progress");
            }
            if (!force) {
                throw new IOException("change " + open.id() + " is not decided, since too few of its nodes answer: nodes="
                    + String.join(",", open.nodes()) + "; start these nodes, or decide it for this one with: --force");
            }
            decide(open.id(), open.phase() == ChangePhase.COMMITTED);
            if (!changeLock.tryAcquire(LOCK_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("another change of modules is in progress");
            }
        }
        synchronized (this) {
            led = change;
        }
    }

    /** Waits for a change that a coordinator leads as long as it may take, and less for one that is not decided; returns whether it is over. */
    private boolean awaitOthers() throws InterruptedException {
        for (long i = 0; i < LED_SECONDS; i += LOCK_SECONDS) {
            if (changeLock.tryAcquire(LOCK_SECONDS, TimeUnit.SECONDS)) {
                return true;
            }
            if (unsettled() != null) {
                return false;
            }
        }
        return false;
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
    private synchronized void record(final String change, final List<String> nodes, final StagedChange next) throws IOException {
        final StoreState before = state.get().content();
        final StoreState committed = next.id() == null || next.file() == null ? before : before.withActive(next.id(), next.file());
        StoreState after = committed;
        for (final ModuleId m : next.replaced()) {
            final Bundle bundle = registry.bundleOf(m);
            if (bundle != null) {
                after = after.previous(m, StoreBundles.file(bundle), !bundles.isOwn(bundle));
            }
        }
        final UnfinishedChange open = new UnfinishedChange(change, nodes, ChangePhase.PREPARED, before, committed, after);
        final StoreState now = state.get();
        state.begin(now.in(open), now.in(open.in(ChangePhase.COMMITTED)), now.finished(open));
        staged = next;
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
        offers.follow(before);
        if (committed != null && committed.id() != null && committed.liftsQuarantine()) {
            quarantine.lift(committed.id());
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
        offers.follow(before);
        if (!forward && last != null) {
            drop(last);
        }
        before.files().distinct().forEach(f -> offers.deleteUnneeded(Path.of(f)));
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
                offers.deleteUnneeded(failed.file());
            }
        }
    }

    /**
     * Stops to offer modules to jobs. Each is uninstalled when the last job that uses it ends. The file of the last retired module of a name is
     * kept for a rollback.
     */
    void retire(final Collection<ModuleId> modules) throws IOException, InterruptedException {
        if (!changeLock.tryAcquire(LOCK_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("another change of modules is in progress");
        }
        try {
            final StoreState before = state.get();
            StoreState next = before;
            for (final ModuleId id : modules) {
                final Bundle bundle = registry.bundleOf(id);
                if (bundle != null) {
                    next = next.previous(id, StoreBundles.file(bundle), !bundles.isOwn(bundle));
                }
            }
            if (!next.equals(before)) {
                state.replace(next);
                offers.follow(before);
                before.files().forEach(f -> offers.deleteUnneeded(Path.of(f)));
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
        final boolean isLocked = unsettled() == null && changeLock.tryAcquire(LOCK_SECONDS, TimeUnit.SECONDS);
        try {
            code.run();
        } finally {
            if (isLocked) {
                changeLock.release();
            }
        }
    }
}
