package tutti.daemon.modules;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.protocol.Protocol;

/**
 * Settlement of a change whose coordinator is lost to this node: asks the other nodes of the change for its phase there, and carries it out or undoes
 * it, as they do. Goes on until it is decided. Safe for any thread.
 *
 * <p>A node votes once: it has committed, or it votes against the change, and keeps the vote over a restart. More than half of the votes carry the
 * change out; half of them undo it. A node that has not voted follows one that has committed; otherwise it votes against the change, when all others
 * that live have answered. So the nodes that are left decide without those that are lost, and these follow when they are back.
 */
public final class ChangeSettlement {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeSettlement.class);
    private static final long FIRST_MILLIS = 100;
    private static final long LAST_MILLIS = 2_000;

    private final String self;
    private final StoreChanges changes;
    private final Peers peers;
    private final AtomicBoolean running = new AtomicBoolean();
    private final Semaphore news = new Semaphore(0);
    private volatile boolean closed;

    /** Access of a settlement to the other nodes. */
    @FunctionalInterface
    public interface Peers {
        /** Asks those of the nodes that live for the phase of a change. Blocks. */
        Answers ask(String change, Collection<String> nodes);
    }

    /**
     * Answers of the other nodes of a change.
     *
     * @param phases     phases on those that have answered
     * @param isComplete whether the others are lost, so that no other one will answer soon
     */
    public record Answers(List<ChangePhase> phases, boolean isComplete) {
        /** Copies the phases. */
        public Answers {
            phases = List.copyOf(phases);
        }
    }

    /** Next step of a node that settles a change. */
    enum Action {
        /** Finishes the change: it is decided. */
        FINISH,
        /** Undoes the change: it is decided. */
        UNDO,
        /** Votes for the change. */
        COMMIT,
        /** Votes against the change. */
        REFUSE,
        /** Asks again. */
        WAIT
    }

    /** Creates the settlement of a node. It begins with a change of the node's last run when it is woken. */
    public ChangeSettlement(final String self, final ModuleStore store, final Peers peers) {
        this.self = self;
        this.changes = store.changes();
        this.peers = peers;
        changes.listen(this::wake);
    }

    /** Returns whether a change is decided by the votes of nodes that have committed. */
    static boolean isCommitted(final int votes, final int nodes) {
        return 2 * votes > nodes;
    }

    /**
     * Returns what a node does.
     *
     * @param own    phase on the node
     * @param others answers of the others
     * @param nodes  number of the nodes of the change
     */
    static Action next(final ChangePhase own, final Answers others, final int nodes) {
        final List<ChangePhase> all = new ArrayList<>(others.phases());
        all.add(own);
        final int committed = Collections.frequency(all, ChangePhase.COMMITTED);
        final int undone = Collections.frequency(all, ChangePhase.UNDONE);
        if (all.contains(ChangePhase.FINISHED) || isCommitted(committed, nodes)) {
            return Action.FINISH;
        }
        // no coordinator can have got all nodes to prepare the change, or to commit it, where it is unknown or half of the nodes refuse it
        if (all.contains(ChangePhase.UNKNOWN) || 2 * undone >= nodes) {
            return Action.UNDO;
        }
        if (own != ChangePhase.PREPARED) {
            return Action.WAIT;
        }
        if (committed > 0) {
            return Action.COMMIT;
        }
        return !all.contains(ChangePhase.LED) && others.isComplete() ? Action.REFUSE : Action.WAIT;
    }

    /** Settles the change that is not decided, if there is one; called when there may be, and when nodes come or go. Returns at once. */
    public void wake() {
        changes.lackNodes(false);
        news.release();
        start();
    }

    private void start() {
        if (!closed && changes.unsettled() != null && running.compareAndSet(false, true)) {
            Thread.ofVirtual().name("tutti-change-settlement").inheritInheritableThreadLocals(false).start(() -> {
                try {
                    settle();
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    running.set(false);
                }
                // a change that was left meanwhile
                start();
            });
        }
    }

    private void settle() throws InterruptedException {
        String change = "";
        long pause = FIRST_MILLIS;
        for (UnfinishedChange open = changes.unsettled(); open != null && !closed; open = changes.unsettled()) {
            if (!open.id().equals(change)) {
                change = open.id();
                pause = FIRST_MILLIS;
                LOG.info("change {} of modules has lost its coordinator and is settled with: nodes={}, phase={}", change, open.nodes(), open.phase());
            }
            if (!act(open)) {
                news.drainPermits();
                news.tryAcquire(pause, TimeUnit.MILLISECONDS);
                pause = Math.min(2 * pause, LAST_MILLIS);
            }
        }
    }

    /** Carries out the next action; returns false when it must be tried again later. */
    private boolean act(final UnfinishedChange open) throws InterruptedException {
        final Answers others = peers.ask(open.id(), open.nodes().stream().filter(n -> !n.equals(self)).toList());
        try {
            switch (next(open.phase(), others, open.nodes().size())) {
                case FINISH -> changes.decide(open.id(), true);
                case UNDO -> changes.decide(open.id(), false);
                case COMMIT -> changes.vote(open.id(), true);
                case REFUSE -> changes.vote(open.id(), false);
                case WAIT -> {
                    changes.lackNodes(others.isComplete() && !others.phases().contains(ChangePhase.LED));
                    return false;
                }
            }
            return true;
        } catch (final IOException e) {
            // Cause: a node of an interrupted [change](modules.md#when-a-node-is-killed-during-a-change) does not answer; it is tried again. Remedy:
            // start that node again.
            LOG.warn("change {} of modules cannot be settled yet: {}", open.id(), Protocol.oneLine(e));
            changes.lackNodes(true);
            return false;
        }
    }

    /** Ends the settlement; a change that is not decided is settled in the next run. */
    public void close() {
        closed = true;
        news.release();
    }
}
