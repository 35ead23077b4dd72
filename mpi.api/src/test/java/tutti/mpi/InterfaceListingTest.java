package tutti.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Package mpi has every listed member, with its name and types, and methods in the classes that are listed to declare them. */
class InterfaceListingTest {
    private final List<String> missing = new ArrayList<>();

    @Test
    void shouldHaveEveryListedClassConstructorMethodAndConstant() throws Exception {
        for (final InterfaceListing.Type type : InterfaceListing.read()) {
            find(type);
        }
        assertEquals("", String.join("\n", missing), () -> missing.size() + " missing");
    }

    @Test
    void shouldReadAllOfTheListing() throws Exception {
        final List<InterfaceListing.Type> types = InterfaceListing.read();
        assertEquals(41, types.size());
        assertTrue(types.stream().mapToInt(t -> t.methods().size()).sum() > 350);
        assertTrue(types.stream().mapToInt(t -> t.fields().size()).sum() > 140);
    }

    private void find(final InterfaceListing.Type listed) throws ReflectiveOperationException {
        final Class<?> type;
        try {
            type = classOf(listed.name());
        } catch (final ClassNotFoundException e) {
            missing.add("class " + listed.name());
            return;
        }
        require(Modifier.isPublic(type.getModifiers()), "public class " + listed.name());
        for (final String parent : listed.parents()) {
            require(classOf(parent).isAssignableFrom(type), listed.name() + " is a " + parent);
        }
        for (final InterfaceListing.Method method : listed.methods()) {
            require(has(type, method), listed.name() + ": " + method);
        }
        for (final InterfaceListing.Field field : listed.fields()) {
            require(Arrays.stream(type.getFields()).anyMatch(f -> matches(f, field)), listed.name() + ": " + field);
        }
    }

    private void require(final boolean holds, final String what) {
        if (!holds) {
            missing.add(what);
        }
    }

    private static boolean has(final Class<?> type, final InterfaceListing.Method listed) {
        if (listed.isConstructor()) {
            return Arrays.stream(type.getConstructors()).anyMatch(c -> matches(c, listed));
        }
        return Arrays.stream(type.getDeclaredMethods()).anyMatch(m -> Modifier.isPublic(m.getModifiers()) && matches(m, listed));
    }

    private static boolean matches(final Constructor<?> constructor, final InterfaceListing.Method listed) {
        return hasSameParameters(constructor, listed);
    }

    private static boolean matches(final Method method, final InterfaceListing.Method listed) {
        return method.getName().equals(listed.name()) && method.getReturnType().equals(type(listed.result()))
            && Modifier.isStatic(method.getModifiers()) == listed.isStatic() && hasSameParameters(method, listed) && throwsNoMore(method, listed);
    }

    private static boolean hasSameParameters(final Executable executable, final InterfaceListing.Method listed) {
        return listed.parameters().stream().map(InterfaceListingTest::type).toList().equals(Arrays.asList(executable.getParameterTypes()));
    }

    /** Returns whether the method throws no checked exception that is not listed. */
    private static boolean throwsNoMore(final Method method, final InterfaceListing.Method listed) {
        return Arrays.stream(method.getExceptionTypes()).allMatch(e -> RuntimeException.class.isAssignableFrom(e)
            || listed.thrown() != null && type(listed.thrown()).isAssignableFrom(e));
    }

    private static boolean matches(final Field field, final InterfaceListing.Field listed) {
        return field.getName().equals(listed.name()) && field.getType().equals(type(listed.type()))
            && Modifier.isStatic(field.getModifiers()) && Modifier.isFinal(field.getModifiers());
    }

    /** Returns the type of that name; a type that no method has if there is none. */
    private static Class<?> type(final String name) {
        if (name.endsWith("[]")) {
            return type(name.substring(0, name.length() - 2)).arrayType();
        }
        try {
            return Class.forPrimitiveName(name) != null ? Class.forPrimitiveName(name) : classOf(name);
        } catch (final ClassNotFoundException e) {
            return InterfaceListingTest.class;
        }
    }

    private static Class<?> classOf(final String name) throws ClassNotFoundException {
        return Class.forName(name, false, MpiClasses.class.getClassLoader());
    }
}
