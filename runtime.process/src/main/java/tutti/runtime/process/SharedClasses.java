package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.CallBridge;
import tutti.runtime.process.owner.RankClasses;

/**
 * The classes of all {@link RankClasses} services together, for the ranks of a job on this node. The first service that names a package provides
 * it.
 *
 * <p><b>Threads.</b> Safe for any thread. The first thread that asks for the bytes of a class reads them, while others that ask for them wait.
 */
public final class SharedClasses {
    private final Map<String, ClassLoader> owners = new HashMap<>();
    private final Set<String> perRank = new HashSet<>();
    private final ConcurrentMap<String, byte[]> bytes = new ConcurrentHashMap<>();
    private final Collection<? extends RankClasses> services;

    /** Collects the classes of services. */
    public SharedClasses(final Collection<? extends RankClasses> sources) {
        services = List.copyOf(sources);
        for (final RankClasses source : sources) {
            source.packages().forEach(name -> owners.putIfAbsent(name, source.loader()));
            source.perRank().forEach(perRank::add);
        }
    }

    /** Makes the ranks define the classes through which calls are intercepted, before the ranks start. Returns the classes. */
    public List<CallBridge> intercept() {
        final List<CallBridge> bridges = new ArrayList<>();
        for (final RankClasses source : services) {
            final CallBridge bridge = source.bridge();
            if (bridge != null) {
                bytes.put(bridge.className(), bridge.bytes());
                perRank.add(bridge.className());
                bridges.add(bridge);
            }
        }
        return bridges;
    }

    /** Returns the loader of the package's classes, or null when the package is not shared. */
    @Nullable
    ClassLoader owner(final String packageName) {
        return owners.get(packageName);
    }

    /** Returns whether every rank defines that class of a shared package for itself. */
    boolean isPerRank(final String className) {
        return perRank.contains(className);
    }

    /** Returns the bytes of a class that every rank defines for itself; they are read once for all ranks. */
    byte[] bytes(final String className, final ClassLoader owner) throws ClassNotFoundException {
        try {
            return bytes.computeIfAbsent(className, name -> read(name, owner));
        } catch (final UncheckedIOException e) {
            throw new ClassNotFoundException(className, e);
        }
    }

    private static byte[] read(final String className, final ClassLoader owner) {
        final String file = className.replace('.', '/').concat(".class");
        try (InputStream in = owner.getResourceAsStream(file)) {
            if (in == null) {
                throw new IOException("file is missing: file=" + file);
            }
            return in.readAllBytes();
        } catch (final IOException e) {
            throw new UncheckedIOException("class cannot be read: class=" + className, e);
        }
    }
}
