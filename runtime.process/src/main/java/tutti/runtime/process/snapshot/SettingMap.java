package tutti.runtime.process.snapshot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A map of the JDK whose entries a program may set.
 *
 * @param name    the name of the field
 * @param map     the map
 * @param before  its entries at the snapshot
 * @param isCache whether the JDK adds entries itself, so that only values of a program's class are differences
 */
record SettingMap(JdkField name, Map<?, ?> map, Map<Object, Object> before, boolean isCache) implements Examined {
    private static final String CONNECTION = "java.net.URLConnection";
    private static final List<JdkField> SETTINGS = List.of(new JdkField("java.security.Security", "props"),
        new JdkField(CONNECTION, "defaultCaching"), new JdkField("jdk.internal.misc.Signal", "handlers"),
        new JdkField("java.lang.ProcessEnvironment", "theEnvironment"));
    private static final List<JdkField> CACHES = List.of(new JdkField("java.net.URL", "handlers"), new JdkField(CONNECTION, "handlers"));

    /** Returns the maps to examine, each with its present entries once it is asked for. */
    static Stream<Supplier<Examined>> all() {
        return Stream.concat(SETTINGS.stream().map(f -> () -> of(f, false)), CACHES.stream().map(f -> () -> of(f, true)));
    }

    private static Examined of(final JdkField name, final boolean isCache) {
        if (!(name.get(null) instanceof final Map<?, ?> map)) {
            return NOTHING;
        }
        synchronized (map) {
            return new SettingMap(name, map, new HashMap<>(map), isCache);
        }
    }

    @Override
    public List<String> differences() {
        final List<String> found = new ArrayList<>();
        synchronized (map) {
            map.forEach((key, value) -> {
                if (isCache ? Origin.isProgram(value) : Origin.isProgram(key) || !Objects.equals(before.get(key), value)) {
                    found.add(name + " has a new or changed entry: " + text(key));
                }
            });
            before.keySet().stream().filter(key -> !isCache && !map.containsKey(key))
                .forEach(key -> found.add(name + " has lost an entry: " + text(key)));
        }
        return found;
    }

    private static String text(final Object key) {
        return Origin.isProgram(key) ? Origin.text(key) : key.toString();
    }
}
