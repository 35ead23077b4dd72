package tutti.daemon.channel;

import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.security.Needs;
import tutti.daemon.security.Role;

/**
 * Method of an interface that a {@link Conversation} calls or serves. It is looked at once, when the interface is first used.
 *
 * @param method    the method
 * @param name      its name in frames, {@code Interface.method}
 * @param arguments types of its arguments, without a stream
 * @param hasStream whether its last argument is a stream
 * @param result    type of its result; {@code void} for a notice
 * @param needs     role that the caller needs; null for methods that say nothing
 * @param handle    takes the object that serves it and all arguments in an array, and returns the stage of the result
 */
record CallMethod(Method method, String name, List<Type> arguments, boolean hasStream, Type result, @Nullable Role needs,
    MethodHandle handle) {
    private static final ClassValue<Map<String, CallMethod>> TABLES = new ClassValue<>() {
        @Override
        protected Map<String, CallMethod> computeValue(final Class<?> type) {
            return read(type);
        }
    };

    /** Returns the methods of an interface, by their names in frames. */
    static Map<String, CallMethod> of(final Class<?> type) {
        return TABLES.get(type);
    }

    private static Map<String, CallMethod> read(final Class<?> type) {
        if (!type.isInterface()) {
            // Cause: an internal error. Remedy: report it.
            throw new IllegalArgumentException("no interface: " + type.getName());
        }
        final Map<String, CallMethod> all = new HashMap<>();
        for (final Method method : type.getMethods()) {
            if (!method.isDefault() && all.put(type.getSimpleName() + "." + method.getName(), read(type, method)) != null) {
                // Cause: an internal error. Remedy: report it.
                throw new IllegalArgumentException("two methods of one name: " + method);
            }
        }
        return Map.copyOf(all);
    }

    private static CallMethod read(final Class<?> type, final Method method) {
        final List<Type> arguments = new ArrayList<>(Arrays.asList(method.getGenericParameterTypes()));
        final boolean hasStream = arguments.remove(InputStream.class);
        if (hasStream && method.getParameterTypes()[arguments.size()] != InputStream.class) {
            // Cause: an internal error. Remedy: report it.
            throw new IllegalArgumentException("the stream is not the last argument: " + method);
        }
        final Type result = switch (method.getGenericReturnType()) {
            case final ParameterizedType p when p.getRawType() == CompletionStage.class -> p.getActualTypeArguments()[0];
            case final Type t when t == void.class && !hasStream -> t;
            // Cause: an internal error. Remedy: report it.
            default -> throw new IllegalArgumentException("a call returns a CompletionStage, a notice without a stream nothing: " + method);
        };
        final Needs needs = method.isAnnotationPresent(Needs.class) ? method.getAnnotation(Needs.class) : type.getAnnotation(Needs.class);
        try {
            final MethodHandle handle = MethodHandles.privateLookupIn(type, MethodHandles.lookup()).unreflect(method)
                .asSpreader(Object[].class, method.getParameterCount())
                .asType(MethodType.methodType(Object.class, Object.class, Object[].class));
            return new CallMethod(method, type.getSimpleName() + "." + method.getName(), List.copyOf(arguments), hasStream, result,
                needs == null ? null : needs.value(), handle);
        } catch (final IllegalAccessException e) {
            // Cause: an internal error. Remedy: report it.
            throw new IllegalArgumentException("cannot be called: " + method, e);
        }
    }

    /** Returns whether the method has no result: it is called in the order of frames, and must not block. */
    boolean isNotice() {
        return result == void.class;
    }

    /** Calls the method on an object. */
    @Nullable
    Object call(final Object on, final @Nullable Object[] with) throws Throwable {
        return handle.invokeExact(on, with);
    }
}
