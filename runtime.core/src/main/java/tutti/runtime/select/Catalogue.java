package tutti.runtime.select;

import java.util.List;

/**
 * What a node offers at one moment.
 *
 * @param epoch   grows with every change on that node
 * @param modules in the order of name, version and digest
 */
public record Catalogue(long epoch, List<ModuleId> modules) {
    /** Sorts a copy. */
    public Catalogue {
        modules = modules.stream().sorted().toList();
    }
}
