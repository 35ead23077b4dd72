package tutti.runtime.module;

import java.util.List;

/**
 * The modules that a node offers at one moment.
 *
 * @param epoch   a number that grows with every change on that node
 * @param modules the modules in the order of name, version and digest
 * @param quarantine modules that the node knows to be in quarantine, and those of which it was lifted
 */
public record Catalogue(long epoch, List<ModuleId> modules, List<QuarantinedModule> quarantine) {
    /** Copies and sorts the list. */
    public Catalogue {
        modules = modules.stream().sorted().toList();
        quarantine = List.copyOf(quarantine);
    }

    /** Creates the catalogue of a node that knows no module in quarantine. */
    public Catalogue(final long epoch, final List<ModuleId> modules) {
        this(epoch, modules, List.of());
    }
}
