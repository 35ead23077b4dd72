package tutti.daemon.control;

import java.util.Collection;
import java.util.List;
import org.osgi.framework.Version;
import tutti.coll.QueryResult;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeCatalogue;
import tutti.runtime.registry.Lease;
import tutti.runtime.registry.ModuleProvider;
import tutti.runtime.registry.OfferedModule;

/** Module provider of a node with one module, which declines all operations. */
public final class OneModule implements NodeCatalogue, ModuleProvider, Lease {
    static final ModuleId ID = new ModuleId("basic", new Version(1, 0, 0), "00");

    @Override
    public Lease lease() {
        return this;
    }

    @Override
    public Catalogue catalogue() {
        return new Catalogue(1, List.of(ID));
    }

    @Override
    public Catalogue extend() {
        return catalogue();
    }

    @Override
    public List<OfferedModule> keep(final List<ModuleId> modules, final Collection<ModuleId> needed) {
        return modules.stream().map(m -> new OfferedModule(m, comm -> new QueryResult.Declined("a test"))).toList();
    }

    @Override
    public void close() {
        // the module is not released
    }
}
