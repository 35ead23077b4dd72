package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.RankClasses;

/** The classes of all {@link RankClasses} services together. The first service that names a package provides it. Immutable. */
final class SharedClasses {
    private final Map<String, ClassLoader> owners = new HashMap<>();
    private final Set<String> perRank = new HashSet<>();

    SharedClasses(final Collection<? extends RankClasses> sources) {
        for (final RankClasses source : sources) {
            source.packages().forEach(name -> owners.putIfAbsent(name, source.loader()));
            source.perRank().forEach(perRank::add);
        }
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

    /** Returns the bytes of a class that every rank defines for itself. */
    byte[] bytes(final String className, final ClassLoader owner) throws ClassNotFoundException {
        final String file = className.replace('.', '/').concat(".class");
        try (InputStream in = owner.getResourceAsStream(file)) {
            if (in == null) {
                throw new ClassNotFoundException(className);
            }
            return in.readAllBytes();
        } catch (final IOException e) {
            throw new ClassNotFoundException(className, e);
        }
    }
}
