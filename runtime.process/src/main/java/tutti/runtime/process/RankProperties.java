package tutti.runtime.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.RankProgram;

/**
 * The system properties of a rank: those of its own, which are its class path and those of its command line, and those of the JVM. What the program
 * sets changes the rank's own where it has the property, else that of the JVM. Safe for any thread.
 */
final class RankProperties {
    /** The rank's own; an empty value was removed. */
    private final Map<String, Optional<String>> own = new ConcurrentHashMap<>();

    RankProperties(final RankProgram program, final List<Path> classPath) {
        own.put("java.class.path", Optional.of(classPath.stream().map(Path::toString).collect(Collectors.joining(java.io.File.pathSeparator))));
        own.put("sun.java.command", Optional.of(String.join(" ", program.mainClass(), String.join(" ", program.args())).strip()));
        program.options().properties().forEach((name, value) -> own.put(name, Optional.of(value)));
    }

    /** Returns a property, or null. */
    @Nullable
    String get(final String name) {
        final Optional<String> mine = own.get(name);
        return mine == null ? System.getProperty(name) : mine.orElse(null);
    }

    /** Sets a property, or removes it if the value is null; returns its previous value. */
    @Nullable
    String set(final String name, final @Nullable String value) {
        final String before = get(name);
        if (own.computeIfPresent(name, (n, v) -> Optional.ofNullable(value)) == null) {
            if (value == null) {
                System.clearProperty(name);
            } else {
                System.setProperty(name, value);
            }
        }
        return before;
    }

    /** Returns all properties. What is put there or removed is set here; what is set elsewhere later is not seen. */
    Properties all() {
        return new View(this);
    }

    /** The properties at one time, whose changes are those of the rank. */
    private static final class View extends Properties {
        private static final long serialVersionUID = 1L;
        private final transient RankProperties rank;

        View(final RankProperties rank) {
            this.rank = rank;
            System.getProperties().forEach(super::put);
            rank.own.forEach((name, value) -> value.ifPresentOrElse(v -> super.put(name, v), () -> super.remove(name)));
        }

        @Override
        public synchronized @Nullable Object put(final Object name, final Object value) {
            if (name instanceof String n && value instanceof String v) {
                rank.set(n, v);
            } else {
                System.getProperties().put(name, value);
            }
            return super.put(name, value);
        }

        @Override
        public synchronized void putAll(final Map<?, ?> all) {
            all.forEach(this::put);
        }

        @Override
        public synchronized @Nullable Object remove(final Object name) {
            if (name instanceof String n) {
                rank.set(n, null);
            }
            return super.remove(name);
        }
    }
}
