package tutti.daemon.control;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.osgi.framework.Bundle;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import tutti.coll.CollModule;
import tutti.daemon.protocol.ModuleInfo;
import tutti.daemon.protocol.ProgramSender;

/** The collective modules that are active in this container, with the digests of their bundles. Safe for any thread. */
@Component(service = ActiveModules.class)
public final class ActiveModules {
    private static final String REFERENCE = "reference:";

    private final Map<Long, ModuleInfo> modules = new ConcurrentSkipListMap<>();

    @Reference(name = "modules", service = CollModule.class, cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC,
        policyOption = ReferencePolicyOption.GREEDY)
    void add(final ServiceReference<CollModule> reference) {
        final Bundle bundle = reference.getBundle();
        final Object version = reference.getProperty(CollModule.VERSION);
        modules.put((Long) reference.getProperty("service.id"), new ModuleInfo((String) reference.getProperty(CollModule.NAME),
            version == null ? bundle.getVersion().toString() : version.toString(), digest(bundle), bundle.getSymbolicName()));
    }

    void remove(final ServiceReference<CollModule> reference) {
        modules.remove((Long) reference.getProperty("service.id"));
    }

    private static String digest(final Bundle bundle) {
        final String location = bundle.getLocation();
        final MessageDigest digest = ProgramSender.sha256();
        try (InputStream in = URI.create(location.startsWith(REFERENCE) ? location.substring(REFERENCE.length()) : location).toURL().openStream()) {
            digest.update(in.readAllBytes());
            return ProgramSender.hex(digest);
        } catch (final IOException | IllegalArgumentException e) {
            // shown as unknown: the file it was installed from is gone
            return "";
        }
    }

    List<ModuleInfo> list() {
        return List.copyOf(modules.values());
    }
}
