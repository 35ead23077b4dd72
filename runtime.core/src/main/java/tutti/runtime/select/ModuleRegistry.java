package tutti.runtime.select;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import tutti.coll.CollModule;

/** The modules that are active on this node now. They come and go; a job takes a snapshot when it starts. Safe for any thread. */
@Component(service = ModuleRegistry.class)
public final class ModuleRegistry {
    private final Map<Long, OfferedModule> modules = new ConcurrentSkipListMap<>();

    @Reference(name = "modules", cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC,
        policyOption = ReferencePolicyOption.GREEDY)
    void add(final CollModule module, final ServiceReference<CollModule> reference) {
        final Object version = reference.getProperty(CollModule.VERSION);
        modules.put((Long) reference.getProperty("service.id"), new OfferedModule((String) reference.getProperty(CollModule.NAME),
            version != null ? version.toString() : reference.getBundle().getVersion().toString(), module));
    }

    void remove(final ServiceReference<CollModule> reference) {
        modules.remove((Long) reference.getProperty("service.id"));
    }

    /** The modules of this moment, in the order of name and version. */
    public List<OfferedModule> snapshot() {
        return modules.values().stream().sorted().toList();
    }
}
