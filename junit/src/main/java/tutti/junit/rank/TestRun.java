package tutti.junit.rank;

import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** A test on a rank: an instance of its class, those of the classes around it, and the methods of its life cycle. */
final class TestRun {
    private final TestRequest request;
    private final List<Level> levels = new ArrayList<>();

    /** A test class, or one around it, with its instance. */
    private record Level(Class<?> type, Object instance) {}

    TestRun(final TestRequest request) {
        this.request = request;
    }

    /** Runs the test. Throws what one of its methods throws. */
    void run() throws Throwable {
        final ClassLoader loader = TestRun.class.getClassLoader();
        final Class<?> testClass = Class.forName(request.testClass(), true, loader);
        create(testClass);
        for (final Level level : levels) {
            call(level, BeforeAll.class, HierarchyTraversalMode.TOP_DOWN);
        }
        for (final Level level : levels) {
            call(level, BeforeEach.class, HierarchyTraversalMode.TOP_DOWN);
        }
        final Method test = method(Class.forName(request.declaringClass(), true, loader));
        ReflectionSupport.invokeMethod(test, Modifier.isStatic(test.getModifiers()) ? null : levels.getLast().instance(),
            request.arguments().toArray());
        for (final Level level : levels.reversed()) {
            call(level, AfterEach.class, HierarchyTraversalMode.BOTTOM_UP);
        }
        for (final Level level : levels.reversed()) {
            call(level, AfterAll.class, HierarchyTraversalMode.BOTTOM_UP);
        }
    }

    /** Creates the instances, the outermost first. */
    private void create(final Class<?> type) throws ReflectiveOperationException {
        final Class<?> outer = type.getEnclosingClass();
        final boolean isInner = outer != null && !Modifier.isStatic(type.getModifiers());
        if (isInner) {
            create(outer);
        }
        final Object[] arguments = isInner ? new Object[] {levels.getLast().instance()} : new Object[0];
        final Constructor<?> constructor = Stream.of(type.getDeclaredConstructors()).filter(c -> c.getParameterCount() == arguments.length)
            .findFirst().orElseThrow(() -> new IllegalStateException("constructor of " + type.getName()
                + " has parameters, which ranks do not have: make it one without"));
        levels.add(new Level(type, ReflectionSupport.newInstance(constructor.getDeclaringClass(), arguments)));
    }

    private Method method(final Class<?> declaring) throws NoSuchMethodException {
        return Stream.of(declaring.getDeclaredMethods()).filter(m -> m.getName().equals(request.method())
            && Arrays.stream(m.getParameterTypes()).map(Class::getName).toList().equals(request.parameterTypes())).findFirst()
            .orElseThrow(() -> new NoSuchMethodException(declaring.getName() + "." + request.method() + request.parameterTypes()));
    }

    private static void call(final Level level, final Class<? extends Annotation> annotation, final HierarchyTraversalMode mode) {
        for (final Method method : AnnotationSupport.findAnnotatedMethods(level.type(), annotation, mode)) {
            if (method.getParameterCount() > 0) {
                throw new IllegalStateException("@" + annotation.getSimpleName() + " method " + method + " has parameters, which ranks do not have: "
                    + "only test methods may have some");
            }
            final @Nullable Object target = Modifier.isStatic(method.getModifiers()) ? null : level.instance();
            ReflectionSupport.invokeMethod(method, target);
        }
    }
}
