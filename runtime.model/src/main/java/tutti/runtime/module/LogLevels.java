package tutti.runtime.module;

import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Levels of the loggers of a job, which are job parameters.
 *
 * <ul>
 * <li>{@code log.coll.ring=debug} is the level of module {@code ring};
 * <li>{@code log.coll=info} is that of modules without a level of their own;
 * <li>{@code log.select=info} is that of the selection of modules for communicators.
 * </ul>
 * Without a parameter a level is {@code warning}.
 *
 * @param parameters the job's parameters
 */
public record LogLevels(Map<String, String> parameters) {
    /** Name of the parameter with the level of all modules. */
    public static final String MODULES = "log.coll";
    /** Name of the parameter with the level of the selection. */
    public static final String SELECTION = "log.select";

    /** Returns the name of the parameter with the level of a module. */
    public static String parameterOf(final String module) {
        return MODULES + "." + module;
    }

    /** Returns the level of a module. */
    public Level ofModule(final String module) {
        return level(parameters.getOrDefault(parameterOf(module), parameters.getOrDefault(MODULES, name(Level.WARNING))));
    }

    /** Returns the level of the selection. */
    public Level ofSelection() {
        return level(parameters.getOrDefault(SELECTION, name(Level.WARNING)));
    }

    /** Returns what is wrong with a level, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        return Arrays.stream(Level.values()).anyMatch(l -> name(l).equals(value)) ? null
            : "no level; there are " + Arrays.stream(Level.values()).map(LogLevels::name).collect(Collectors.joining(", "));
    }

    private static Level level(final String value) {
        return Level.valueOf(value.toUpperCase(Locale.ROOT));
    }

    /** Returns the name of a level as parameters have it. */
    public static String name(final Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }
}
