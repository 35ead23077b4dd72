package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;

/** Module stores for tests of the classes that use them. */
public final class ModuleStores {
    private ModuleStores() {}

    /** Returns a store without bundles. */
    public static ModuleStore without(final Path folder) throws IOException {
        return new ModuleStore(null, null, folder.resolve("modules"), null, 256, StateFile.Steps.ON_DISK);
    }

    /** Reserves a store for a change, when no other one is in progress; returns what ends the change. */
    public static Runnable reserve(final ModuleStore store, final String change) throws Exception {
        final LocalChange lead = new LocalChange(store);
        lead.reserve(change, false).toCompletableFuture().get();
        return lead::close;
    }
}
