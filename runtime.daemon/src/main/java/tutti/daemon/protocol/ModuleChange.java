package tutti.daemon.protocol;

import java.util.List;
import java.util.Objects;

/**
 * A change of the modules of a cluster.
 *
 * @param kind    what is to be done
 * @param name    of the module; null where the file tells
 * @param version of the module; null for all, and where the file tells
 * @param file    the bundle; null where none is brought
 * @param nodes   the nodes that are changed; empty for all
 * @param verify  whether the module's plans are proved before it comes
 */
public record ModuleChange(Kind kind, String name, String version, ProgramFile file, List<String> nodes, boolean verify) {

    /** Kinds of changes. */
    public enum Kind {
        /** A module comes; older versions go once every node of the cluster has a newer one. */
        INSTALL,
        /** A module comes in the place of all other versions. */
        UPDATE,
        /** A module goes. */
        UNINSTALL,
        /** The version that was there before the last change comes back in the place of all others. */
        ROLLBACK
    }

    /** Checks that what the kind needs is there. */
    public ModuleChange {
        Objects.requireNonNull(kind, "kind");
        nodes = List.copyOf(nodes);
        final boolean brings = kind == Kind.INSTALL || kind == Kind.UPDATE;
        if (brings == (file == null) || brings == (name != null)) {
            throw new IllegalArgumentException("change makes no sense: kind=" + kind + ", name=" + name + ", file=" + file);
        }
    }

    /** The same for nodes that need not prove again what was proved. */
    public ModuleChange verified() {
        return new ModuleChange(kind, name, version, file, nodes, false);
    }
}
