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
}
