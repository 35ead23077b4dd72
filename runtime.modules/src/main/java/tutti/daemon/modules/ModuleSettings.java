package tutti.daemon.modules;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Settings of the modules of a node. Published as a service while the node runs. */
public interface ModuleSettings {

    /** Returns the folder for the bundles and the state of the store. */
    Path moduleFolder();

    /** Returns the file with the certificates whose holders may sign modules; null when modules need not be signed. */
    @Nullable
    Path moduleSigners();

    /** Returns how many modules may be installed at most. */
    int maxModules();
}
