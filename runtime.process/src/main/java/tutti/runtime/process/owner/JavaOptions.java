package tutti.runtime.process.owner;

import java.util.List;
import java.util.Map;

/**
 * Options of the {@code java} command that a rank takes for itself, although it shares its JVM with others.
 *
 * @param properties system properties, which the classes of the program find besides those of the JVM
 * @param assertions switches of assertions, in their order: {@code -ea} or {@code -da}, with {@code :CLASS} or {@code :PACKAGE...}
 * @param opens      packages of modules of the JDK that are open to the program, {@code MODULE/PACKAGE}
 * @param exports    packages of modules of the JDK that are exported to the program, {@code MODULE/PACKAGE}
 * @param modules    modules that the JVM must have
 * @param preview    whether the JVM must have preview features enabled
 */
public record JavaOptions(Map<String, String> properties, List<String> assertions, List<String> opens, List<String> exports,
    List<String> modules, boolean preview) {
    /** No options. */
    public static final JavaOptions NONE = new JavaOptions(Map.of(), List.of(), List.of(), List.of(), List.of(), false);

    /** Copies the collections. */
    public JavaOptions {
        properties = Map.copyOf(properties);
        assertions = List.copyOf(assertions);
        opens = List.copyOf(opens);
        exports = List.copyOf(exports);
        modules = List.copyOf(modules);
    }
}
