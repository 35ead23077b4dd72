package tutti.runtime.host;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleReference;
import org.osgi.framework.wiring.BundleWiring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads all classes of bundles on one thread, before many ranks need them at the same time.
 *
 * <p>The framework reads and parses a class on each thread that asks for it before it is defined. Hundreds of ranks on few cores, which begin
 * alike, would do the same work hundreds of times.
 *
 * <p>For one thread.
 */
final class BundleClasses {
    private static final Logger LOG = LoggerFactory.getLogger(BundleClasses.class);

    private final Set<Bundle> bundles = new HashSet<>();

    /** Adds the bundle of a class loader; a loader that is not of a bundle adds none. */
    void add(final ClassLoader loader) {
        if (loader instanceof BundleReference reference) {
            bundles.add(reference.getBundle());
        }
    }

    /** Loads the classes that the bundles contain, without initializing them. Returns how many could be loaded. */
    int load() {
        int loaded = 0;
        for (final Bundle bundle : bundles) {
            final BundleWiring wiring = bundle.adapt(BundleWiring.class);
            if (wiring != null) {
                for (final String file : wiring.listResources("/", "*.class",
                    BundleWiring.LISTRESOURCES_LOCAL | BundleWiring.LISTRESOURCES_RECURSE)) {
                    loaded += load(wiring, file).isPresent() ? 1 : 0;
                }
            }
        }
        return loaded;
    }

    private static Optional<Class<?>> load(final BundleWiring wiring, final String file) {
        try {
            return Optional.of(wiring.getClassLoader().loadClass(file.substring(0, file.length() - ".class".length()).replace('/', '.')));
        } catch (final ClassNotFoundException | LinkageError e) {
            // for example a class that needs an optional package: whoever uses it gets the same error
            LOG.debug("class is not loaded: file={}", file, e);
            return Optional.empty();
        }
    }
}
