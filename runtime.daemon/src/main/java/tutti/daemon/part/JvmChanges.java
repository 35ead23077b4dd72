package tutti.daemon.part;

import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/**
 * Changes of the modules of a part whose ranks run in a job JVM: keeps the modules of the node installed that the JVM uses, and has the JVM install
 * what the node offers before the part there leases it. Safe for any thread.
 */
final class JvmChanges {
    private final Node node;
    /** Modules of the node that the JVM may use, by the number of their change; 0 has those with which the part began. Guarded by this object. */
    private final NavigableMap<Integer, NodeModules.Pinned> pins = new TreeMap<>();
    /** Number of the last change that is complete. */
    private int complete;
    private boolean isClosed;

    /** The modules of the node. */
    interface Node {
        /** Pins the modules that the node offers now. */
        NodeModules.Pinned pin();

        /** Returns the modules that the node offers, with their bundles. */
        OfferedModules offered() throws IOException;
    }

    /** Creates a part without modules. */
    JvmChanges(final Node node) {
        this.node = node;
    }

    /** Pins the modules with which the part begins; returns them. */
    OfferedModules begin() throws IOException {
        return pin(0);
    }

    private OfferedModules pin(final int change) throws IOException {
        final NodeModules.Pinned pinned = node.pin();
        synchronized (this) {
            if (isClosed) {
                pinned.close();
                // Cause: a job ended while its modules were changed.
                throw new IOException("the part has ended");
            }
            pins.put(change, pinned);
        }
        return node.offered();
    }

    /** Releases the modules of a change that the job does not use. */
    synchronized void keep(final int change, final List<ModuleId> used) {
        final NodeModules.Pinned pinned = pins.get(change);
        if (pinned != null) {
            pinned.keep(used);
        }
    }

    /** Has the JVM install what the node offers now, and the part there lease it. */
    CompletionStage<Catalogue> lease(final int change, final PartJvm jvm, final JobPart part) {
        try {
            return jvm.offer(pin(change)).thenCompose(done -> part.lease(change));
        } catch (final IOException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    /** Has the part accept the modules of a change. */
    CompletionStage<Void> agree(final int change, final AgreedModules agreement, final int self, final JobPart part) {
        return part.agree(change, agreement).thenRun(() -> keep(change, agreement.keptOn(self)));
    }

    /** Has the part use the modules of a change. */
    CompletionStage<Void> change(final int change, final JobPart part) {
        return part.change(change).thenRun(() -> {
            synchronized (this) {
                complete = Math.max(complete, change);
            }
        });
    }

    /** Has the part release what it has leased for a change. */
    void abandon(final int change, final JobPart part) {
        part.abandon(change);
        final NodeModules.@Nullable Pinned pinned;
        synchronized (this) {
            pinned = pins.remove(change);
        }
        if (pinned != null) {
            pinned.close();
        }
    }

    /** Releases what the part does not use any more. A change that is not complete keeps its modules, which the part may have leased later. */
    synchronized void released(final List<ModuleId> kept) {
        pins.headMap(complete, true).values().forEach(p -> p.keep(kept));
    }

    /** Releases all modules. Idempotent. */
    void close() {
        final List<NodeModules.Pinned> all;
        synchronized (this) {
            isClosed = true;
            all = List.copyOf(pins.values());
            pins.clear();
        }
        all.forEach(NodeModules.Pinned::close);
    }
}
