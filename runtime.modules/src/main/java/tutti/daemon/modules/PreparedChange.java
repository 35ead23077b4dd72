package tutti.daemon.modules;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.module.ModuleId;

/**
 * Change that a node has prepared.
 *
 * @param module   the module that it installs; null when it only removes modules
 * @param replaced modules that the node removes at the end of the change
 * @param unproved why the node has proved the module itself and not in a process of its own; empty when it has not
 */
record PreparedChange(@Nullable ModuleId module, List<ModuleId> replaced, String unproved) {
    PreparedChange {
        replaced = List.copyOf(replaced);
        Objects.requireNonNull(unproved, "unproved");
    }
}
