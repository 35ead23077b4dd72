package tutti.runtime.module;

import java.util.List;

/**
 * The modules that a node offers at one moment.
 *
 * @param epoch   a number that grows with every change on that node
 * @param modules the modules in the order of name, version and digest
 */
public record Catalogue(long epoch, List<ModuleId> modules) {
    /** Copies and sorts the list. */
    public Catalogue {
        modules = modules.stream().sorted().toList();
    }
}
