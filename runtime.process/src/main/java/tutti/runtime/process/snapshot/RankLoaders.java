package tutti.runtime.process.snapshot;

import java.util.List;
import java.util.ResourceBundle;
import java.util.Set;
import tutti.runtime.process.RankLoader;
import tutti.runtime.process.RankProcess;

/**
 * The class loaders of ranks, which must be collectable: a loader that something refers to keeps the program's classes with their static state.
 *
 * @param before the loaders that were reachable at the snapshot, weakly
 */
record RankLoaders(Set<RankLoader> before) {
    private static final int COLLECTIONS = 3;

    static RankLoaders now() {
        return new RankLoaders(RankLoader.reachable());
    }

    /** Collects garbage, up to three times, and returns the loaders that are still reachable, one element each. */
    List<String> differences(final Deadline deadline) throws InterruptedException {
        // softly cached: a garbage collection clears soft references only when memory is short
        RankLoader.reachable().forEach(ResourceBundle::clearCache);
        List<String> found = reachable();
        for (int i = 0; i < COLLECTIONS && !found.isEmpty() && (i == 0 || !deadline.hasPassed()); i++) {
            GarbageCollection.run(deadline);
            found = reachable();
        }
        return found;
    }

    /** Returns texts, since a reference to a loader would keep it reachable. */
    private List<String> reachable() {
        return RankLoader.reachable().stream().filter(loader -> !before.contains(loader)).map(RankLoaders::text).toList();
    }

    private static String text(final RankLoader loader) {
        final RankProcess process = loader.process();
        return "class loader of a rank is reachable: "
            + (process == null ? "unknown" : "job=" + process.program().job() + ", rank=" + process.program().rank());
    }
}
