package tutti.runtime.select;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.osgi.util.converter.Converter;
import org.osgi.util.converter.Converters;
import tutti.runtime.policy.UserPreferences;

/**
 * The parameters of a job, bound to the annotation types of its modules once per job and node. It keeps these types, which are
 * classes of the modules.
 *
 * <p><b>Threads.</b> The maps are concurrent. The first thread binds a type while others that ask for it wait; threads that read the
 * same element for the first time get equal values.
 */
final class ModuleParameters {
    private final Map<String, String> parameters;
    private final ConcurrentMap<Key, Annotation> bound = new ConcurrentHashMap<>();

    private record Key(String pid, Class<? extends Annotation> type) {}

    ModuleParameters(final Map<String, String> parameters) {
        this.parameters = parameters;
    }

    /** Returns the parameters by name. */
    Map<String, String> all() {
        return parameters;
    }

    /** Returns these parameters with other values for a module, by name without its prefix. */
    ModuleParameters with(final String module, final Map<String, String> values) {
        final Map<String, String> replaced = new HashMap<>(parameters);
        values.forEach((name, value) -> replaced.put(UserPreferences.parameterOf(module, name), value));
        return new ModuleParameters(Map.copyOf(replaced));
    }

    /** Returns these parameters with what was bound to types of these class loaders. */
    ModuleParameters keptFor(final Set<ClassLoader> loaders) {
        final ModuleParameters kept = new ModuleParameters(parameters);
        bound.forEach((key, value) -> {
            if (loaders.contains(key.type().getClassLoader())) {
                kept.bound.put(key, value);
            }
        });
        return kept;
    }

    /** Returns the parameters of a PID as an instance of an annotation type. */
    <A extends Annotation> A of(final String pid, final Class<A> type) {
        // the other ranks wait for the first one: if each of a thousand bound the type, it would take seconds
        return type.cast(bound.computeIfAbsent(new Key(pid, type), key -> bind(pid, type)));
    }

    private <A extends Annotation> A bind(final String pid, final Class<A> type) {
        final Map<String, String> own = new HashMap<>();
        parameters.forEach((name, value) -> {
            if (name.startsWith(pid + ".")) {
                own.put(name.substring(pid.length() + 1), value);
            }
        });
        // a new converter for each type, since a converter may retain classes of the module
        final Converter converter = Converters.newConverterBuilder().build();
        final A converted = converter.convert(own).to(type);
        return type.cast(
            Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Elements(converted, Proxy.getInvocationHandler(converted))));
    }

    /** Keeps the values of an annotation's elements, which the converter converts at each access. */
    private static final class Elements implements InvocationHandler {
        private final Annotation converted;
        private final InvocationHandler conversion;
        private final ConcurrentMap<String, Object> values = new ConcurrentHashMap<>();

        Elements(final Annotation converted, final InvocationHandler conversion) {
            this.converted = converted;
            this.conversion = conversion;
        }

        @Override
        public Object invoke(final Object proxy, final Method method, final Object[] arguments) throws Throwable {
            // an array belongs to the caller
            if (arguments != null || method.getReturnType().isArray()) {
                return conversion.invoke(converted, method, arguments);
            }
            Object value = values.get(method.getName());
            if (value == null) {
                value = conversion.invoke(converted, method, arguments);
                values.put(method.getName(), value);
            }
            return value;
        }
    }
}
