package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What all {@link RankClasses} together share with programs; the first that names a package has it. Immutable. */
final class SharedClasses {
    private final Map<String, ClassLoader> owners = new HashMap<>();
    private final Set<String> perRank = new HashSet<>();

    SharedClasses(final Collection<? extends RankClasses> sources) {
        for (final RankClasses source : sources) {
            source.packages().forEach(name -> owners.putIfAbsent(name, source.loader()));
            source.perRank().forEach(perRank::add);
        }
    }

    /** The loader of the package's classes, or null when nobody shares the package. */
    ClassLoader owner(final String packageName) {
        return owners.get(packageName);
    }

    /** Whether every rank defines that class of a shared package for itself. */
    boolean isPerRank(final String className) {
        return perRank.contains(className);
    }

    /** The bytes of a class that every rank defines for itself. */
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
