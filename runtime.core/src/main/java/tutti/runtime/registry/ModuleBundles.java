package tutti.runtime.registry;

import org.osgi.framework.Bundle;
import org.osgi.framework.BundleReference;
import org.osgi.framework.namespace.PackageNamespace;
import org.osgi.framework.wiring.BundleWiring;
import tutti.coll.CollModule;

/** Tells the bundles of modules from others, before and after their services are registered. */
final class ModuleBundles {
    private static final String SPI = CollModule.class.getPackageName();

    private ModuleBundles() {}

    /** Returns the name and version of the bundle whose classes a loader defines; null unless it is a bundle that uses the module SPI. */
    static String moduleOf(final ClassLoader loader) {
        final Bundle bundle = loader instanceof BundleReference reference ? reference.getBundle() : null;
        final BundleWiring wiring = bundle == null ? null : bundle.adapt(BundleWiring.class);
        return wiring != null && wiring.getRequiredWires(PackageNamespace.PACKAGE_NAMESPACE).stream()
            .anyMatch(wire -> SPI.equals(wire.getCapability().getAttributes().get(PackageNamespace.PACKAGE_NAMESPACE)))
                ? bundle.getSymbolicName() + " " + bundle.getVersion()
                : null;
    }
}
