package tutti.runtime.process.snapshot;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.logging.ConsoleHandler;
import java.util.logging.Filter;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;

/**
 * The loggers of {@code java.util.logging}, with their levels, filters and handlers. A new logger is a difference if it has a handler, a filter, or a
 * level that the configuration does not give it.
 *
 * <p>Fields are read, since the root logger creates its handlers when it is asked for them.
 *
 * @param configuration the properties of the log manager
 * @param loggers       the settings of the loggers, by name
 * @param handlers      the settings of their handlers
 */
record LoggingState(Map<Object, Object> configuration, Map<String, Settings> loggers, List<HandlerSettings> handlers) implements Examined {
    private static final String LOGGER = "java.util.logging.Logger";
    private static final String DATA = LOGGER + "$ConfigurationData";
    private static final JdkField PROPERTIES = new JdkField("java.util.logging.LogManager", "props");
    private static final JdkField CONFIG = new JdkField(LOGGER, "config");
    private static final JdkField LEVEL = new JdkField(DATA, "levelObject");
    private static final JdkField FILTER = new JdkField(DATA, "filter");
    private static final JdkField USES_PARENT = new JdkField(DATA, "useParentHandlers");
    private static final JdkField HANDLERS = new JdkField(DATA, "handlers");
    static final List<JdkField> FIELDS = List.of(PROPERTIES, CONFIG, LEVEL, FILTER, USES_PARENT, HANDLERS);
    private static final Settings UNSET = new Settings(null, null, true, List.of());
    private static final String ROOT = "";

    /** Settings of a logger. The values are compared by identity, except the list. */
    record Settings(@Nullable Object level, @Nullable Object filter, boolean usesParent, List<?> handlers) {
        static Settings of(final Logger logger) {
            final Object data = Objects.requireNonNull(CONFIG.get(logger), "logger has no configuration");
            final Object handlers = HANDLERS.get(data);
            return new Settings(LEVEL.get(data), FILTER.get(data), !Boolean.FALSE.equals(USES_PARENT.get(data)),
                handlers instanceof final List<?> list ? List.copyOf(list) : List.of());
        }

        /** Compares by identity, since a program may have set objects of its classes. */
        boolean isSame(final Settings other) {
            return level == other.level && filter == other.filter && usesParent == other.usesParent && sameHandlers(other);
        }

        private boolean sameHandlers(final Settings other) {
            return handlers.size() == other.handlers.size() && handlers.stream().allMatch(h -> other.handlers.stream().anyMatch(o -> o == h));
        }

        /** Returns whether only the handlers that the root logger has by default were added. */
        boolean addsDefaultHandlers(final Settings before) {
            return before.handlers.isEmpty() && level == before.level && filter == before.filter
                && handlers.stream().allMatch(h -> h.getClass() == ConsoleHandler.class && HandlerSettings.of((Handler) h).isDefault());
        }
    }

    /** Settings of a handler of the JDK or of a bundle. */
    record HandlerSettings(Handler handler, @Nullable Level level, @Nullable Formatter formatter, @Nullable Filter filter) {
        static HandlerSettings of(final Handler handler) {
            return new HandlerSettings(handler, handler.getLevel(), handler.getFormatter(), handler.getFilter());
        }

        boolean isSame() {
            final HandlerSettings now = of(handler);
            return now.level == level && now.formatter == formatter && now.filter == filter;
        }

        boolean isDefault() {
            return level == Level.INFO && formatter != null && formatter.getClass() == SimpleFormatter.class && filter == null;
        }
    }

    static Examined now() {
        if (ModuleLayer.boot().findModule("java.logging").isEmpty()) {
            return NOTHING;
        }
        FIELDS.forEach(JdkField::open);
        final Map<String, Settings> loggers = settings();
        final List<HandlerSettings> handlers = new ArrayList<>();
        loggers.values().forEach(s -> s.handlers().forEach(h -> handlers.add(HandlerSettings.of((Handler) h))));
        return new LoggingState(configurationNow(), loggers, handlers);
    }

    private static Map<Object, Object> configurationNow() {
        return PROPERTIES.get(LogManager.getLogManager()) instanceof final Properties properties ? new HashMap<>(properties) : Map.of();
    }

    private static Map<String, Settings> settings() {
        final LogManager manager = LogManager.getLogManager();
        final Map<String, Settings> settings = new HashMap<>();
        for (final String name : Collections.list(manager.getLoggerNames())) {
            final Logger logger = manager.getLogger(name);
            if (logger != null) {
                settings.put(name, Settings.of(logger));
            }
        }
        return settings;
    }

    @Override
    public List<String> differences() {
        final List<String> found = new ArrayList<>();
        if (!configuration.equals(configurationNow())) {
            found.add("configuration of java.util.logging has changed");
        }
        settings().forEach((name, now) -> {
            final Settings before = loggers.get(name);
            final boolean isSame = now.isSame(before == null ? byConfiguration(name, now) : before);
            if (!isSame && !(name.equals(ROOT) && before != null && now.addsDefaultHandlers(before))) {
                found.add("logger " + (before == null ? "is new" : "has changed") + ": name=" + name + ", level=" + now.level() + ", handlers="
                    + now.handlers().stream().map(Origin::text).toList());
            }
        });
        handlers.stream().filter(h -> !h.isSame()).forEach(h -> found.add("handler of java.util.logging has changed: " + Origin.text(h.handler())));
        return found;
    }

    /** Returns the settings that a new logger has by the configuration. */
    private Settings byConfiguration(final String name, final Settings now) {
        return configuration.containsKey(name + ".level") ? new Settings(now.level(), null, true, List.of()) : UNSET;
    }

    /** Returns true: a logger that nobody refers to is collected with its handlers. */
    @Override
    public boolean mayGo() {
        return true;
    }
}
