package tutti.runtime.process;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The main method of a program, found by the rules of the {@code java} command (JLS 12.1.4). */
final class MainMethod {
    private static final String NAME = "main";

    private final Class<?> owner;
    private final Method method;
    /** Makes the object whose method is called; null when the method is static. */
    private final @Nullable Constructor<?> constructor;

    private MainMethod(final Class<?> owner, final Method method, final @Nullable Constructor<?> constructor) {
        this.owner = owner;
        this.method = method;
        this.constructor = constructor;
    }

    /**
     * Finds the main method of a class: {@code main(String[])} before {@code main()}, declared or inherited, not private, static or not.
     *
     * @throws ProgramException when there is none, or none that can be called; the message says why
     */
    static MainMethod of(final Class<?> owner) throws ProgramException {
        final Method withArgs = find(owner, owner, String[].class);
        final Method method = withArgs != null ? withArgs : find(owner, owner);
        if (method == null) {
            throw new ProgramException("class has no main method: class=" + owner.getName()
                + "; declare public static void main(String[] args), or void main()");
        }
        method.setAccessible(true);
        return new MainMethod(owner, method, Modifier.isStatic(method.getModifiers()) ? null : constructor(owner));
    }

    private static @Nullable Method find(final Class<?> main, final Class<?> start, final Class<?>... parameters) {
        for (Class<?> at = start; at != null; at = at.getSuperclass()) {
            final Method own = declared(main, at, parameters);
            if (own != null) {
                return own;
            }
            for (final Class<?> implemented : at.getInterfaces()) {
                final Method inherited = find(main, implemented, parameters);
                if (inherited != null && !Modifier.isStatic(inherited.getModifiers())) {
                    return inherited;
                }
            }
        }
        return null;
    }

    private static @Nullable Method declared(final Class<?> main, final Class<?> at, final Class<?>... parameters) {
        try {
            final Method found = at.getDeclaredMethod(NAME, parameters);
            final int modifiers = found.getModifiers();
            final boolean isAccessible = at == main || Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers)
                || at.getPackageName().equals(main.getPackageName());
            return isAccessible && !Modifier.isPrivate(modifiers) && !Modifier.isAbstract(modifiers)
                && found.getReturnType() == void.class ? found : null;
        } catch (final NoSuchMethodException e) {
            return null;
        }
    }

    private static Constructor<?> constructor(final Class<?> owner) throws ProgramException {
        if (Modifier.isAbstract(owner.getModifiers())) {
            throw new ProgramException("main is not static and its class is abstract: class=" + owner.getName());
        }
        try {
            final Constructor<?> found = owner.getDeclaredConstructor();
            if (!Modifier.isPrivate(found.getModifiers())) {
                found.setAccessible(true);
                return found;
            }
        } catch (final NoSuchMethodException e) {
            throw new ProgramException("main is not static and its class has no constructor without parameters: class=" + owner.getName());
        }
        throw new ProgramException("main is not static and the constructor of its class is private: class=" + owner.getName());
    }

    /** Calls the main method on the current thread. Throws its exceptions. */
    void invoke(final List<String> args) throws Throwable {
        try {
            final Object instance = constructor == null ? null : constructor.newInstance();
            if (method.getParameterCount() == 0) {
                method.invoke(instance);
            } else {
                method.invoke(instance, (Object) args.toArray(new String[0]));
            }
        } catch (final InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public String toString() {
        return owner.getName() + "." + method.getName();
    }
}
