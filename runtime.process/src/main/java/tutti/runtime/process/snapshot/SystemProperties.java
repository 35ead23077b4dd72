package tutti.runtime.process.snapshot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;

/**
 * The system properties. Their values are not told, since they may be secret.
 *
 * @param properties the properties that the JVM uses
 * @param before     their entries at the snapshot
 */
record SystemProperties(Properties properties, Map<Object, Object> before) implements Examined {
    static SystemProperties now() {
        // sets user.timezone, the first time
        TimeZone.getDefault();
        final Properties now = System.getProperties();
        return new SystemProperties(now, new HashMap<>(now));
    }

    @Override
    public List<String> differences() {
        if (System.getProperties() != properties) {
            return List.of("system properties have been replaced");
        }
        final List<String> found = new ArrayList<>();
        properties.forEach((key, value) -> {
            final Object then = Origin.isProgram(key) ? null : before.get(key);
            if (then == null || !then.equals(value)) {
                found.add("system property " + (then == null ? "is new: " : "has changed: ") + Origin.text(key));
            }
        });
        before.keySet().stream().filter(key -> !properties.containsKey(key))
            .forEach(key -> found.add("system property is gone: " + Origin.text(key)));
        return found;
    }
}
