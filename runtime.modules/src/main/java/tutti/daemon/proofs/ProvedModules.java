package tutti.daemon.proofs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.VirtualModule;
import tutti.runtime.module.ModuleId;

/** The modules of a job that are set up on virtual ranks for its proofs. A released one is disposed when no proof uses it. Safe for any thread. */
final class ProvedModules {
    private static final Logger LOG = LoggerFactory.getLogger(ProvedModules.class);

    private final ConcurrentMap<SetUp, Entry> entries = new ConcurrentHashMap<>();

    /** What a module is set up for. */
    record SetUp(ModuleId module, Map<String, String> parameters, NodeLayout layout) {}

    /** A module that is set up, or is about to be. Its lock guards all fields, and is held while code of the module runs. */
    private static final class Entry {
        private final SetUp setUp;
        private final CompletableFuture<Void> disposed = new CompletableFuture<>();
        private @Nullable VirtualModule module;
        private int users;
        private boolean isReleased;

        Entry(final SetUp setUp) {
            this.setUp = setUp;
        }

        /** Returns the module for a proof, and sets it up first if it is not; null when it is released. */
        synchronized @Nullable VirtualModule enter(final Function<SetUp, VirtualModule> maker) {
            if (isReleased) {
                return null;
            }
            if (module == null) {
                module = maker.apply(setUp);
            }
            users++;
            return module;
        }

        synchronized void leave() {
            users--;
            if (isReleased && users == 0) {
                dispose();
            }
        }

        synchronized void release() {
            isReleased = true;
            if (users == 0) {
                dispose();
            }
        }

        private void dispose() {
            try {
                if (module != null) {
                    module.close();
                }
            } catch (final IllegalStateException e) {
                // Cause: a module threw an exception when a communicator was freed, when a job ended whose plans were
                // [proved](modules.md#what-is-proved-when-it-is-first-used). Remedy: report it to the author of the module.
                LOG.warn("dispose of module {} failed after a proof: {}", setUp.module(), e.getMessage());
            } finally {
                module = null;
                disposed.complete(null);
            }
        }
    }

    /** Runs a proof with a module, which is set up first if it is not. */
    <R> R use(final SetUp setUp, final Function<SetUp, VirtualModule> maker, final Function<VirtualModule, R> proof) {
        while (true) {
            final Entry entry = entries.computeIfAbsent(setUp, Entry::new);
            final VirtualModule module = entry.enter(maker);
            if (module != null) {
                try {
                    return proof.apply(module);
                } finally {
                    entry.leave();
                }
            }
        }
    }

    /** Returns whether no module is set up. */
    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Modules that are removed, and are to be released. */
    record Removed(List<Runnable> releases, CompletableFuture<Void> disposed) {
        /** Disposes those that no proof uses; the others are disposed after their last proof. Runs code of the modules. */
        void release() {
            releases.forEach(Runnable::run);
        }
    }

    /** Removes all modules but some. Further proofs with removed ones set them up again. */
    Removed remove(final List<ModuleId> kept) {
        final List<Runnable> releases = new ArrayList<>();
        final List<CompletableFuture<Void>> disposed = new ArrayList<>();
        entries.forEach((setUp, entry) -> {
            if (!kept.contains(setUp.module()) && entries.remove(setUp, entry)) {
                releases.add(entry::release);
                disposed.add(entry.disposed);
            }
        });
        return new Removed(releases, CompletableFuture.allOf(disposed.toArray(CompletableFuture[]::new)));
    }
}
