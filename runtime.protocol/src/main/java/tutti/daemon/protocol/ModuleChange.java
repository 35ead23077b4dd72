package tutti.daemon.protocol;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Change of the modules of a cluster.
 *
 * @param kind    kind of the change
 * @param name    name of the module; null when the change has a file
 * @param version version of the module; null for all versions, and when the change has a file
 * @param file    bundle to install; null for kinds without a file
 * @param nodes   names of the nodes to change; empty for all
 * @param verify  whether the module's plans are verified before it is installed
 * @param force   whether a module may replace one that offers more operations
 */
public record ModuleChange(Kind kind, @Nullable String name, @Nullable String version, @Nullable ProgramFile file, List<String> nodes,
    boolean verify, boolean force) {

    /** Kinds of changes. */
    public enum Kind {
        /** Installs a module; older versions are removed once every node of the cluster has a newer one. */
        INSTALL,
        /** Installs a module and removes all other versions. */
        UPDATE,
        /** Installs a module beside the version in use, in quarantine: running jobs try it. */
        TRY,
        /** Removes a module. */
        UNINSTALL,
        /** Removes a version of a module, of which nothing is kept for a rollback. */
        DROP,
        /** Restores the version before the last change and removes all others. */
        ROLLBACK
    }

    /** Checks that the values which the kind needs are present. */
    public ModuleChange {
        Objects.requireNonNull(kind, "kind");
        nodes = List.copyOf(nodes);
        final boolean hasFile = kind == Kind.INSTALL || kind == Kind.UPDATE || kind == Kind.TRY;
        if (hasFile == (file == null) || hasFile == (name != null)) {
            // Cause: a breach of the protocol. Remedy: run the same release everywhere, or report it.
            throw new IllegalArgumentException("invalid change: kind=" + kind + ", name=" + name + ", file=" + file);
        }
    }

    /** Returns the same change without verification, for nodes that follow the one that verified it. */
    public ModuleChange verified() {
        return new ModuleChange(kind, name, version, file, nodes, false, force);
    }
}
