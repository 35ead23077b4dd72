package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;

/** Stores for tests of what is around them. */
public final class ModuleStores {
    private ModuleStores() { }

    /** A store that no bundle comes to. */
    public static ModuleStore without(final Path folder) throws IOException {
        return new ModuleStore(null, null, folder.resolve("modules"));
    }
}
