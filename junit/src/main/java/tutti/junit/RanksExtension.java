package tutti.junit;

import java.io.NotSerializableException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import tutti.junit.rank.TestRequest;

/** Runs the methods that {@link Ranks} annotates on ranks, in place of JUnit's JVM. */
final class RanksExtension implements InvocationInterceptor {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(RanksExtension.class);
    private static final int MOST_NODES = 26;
    private static final int MOST_RANKS = 4096;
    private static final String TIMEOUT = "tutti.junit.timeout";

    @Override
    public void interceptTestMethod(final Invocation<Void> invocation, final ReflectiveInvocationContext<Method> method,
        final ExtensionContext context) throws Throwable {
        invocation.skip();
        run(method, context);
    }

    @Override
    public void interceptTestTemplateMethod(final Invocation<Void> invocation, final ReflectiveInvocationContext<Method> method,
        final ExtensionContext context) throws Throwable {
        invocation.skip();
        run(method, context);
    }

    @Override
    public <T> T interceptTestFactoryMethod(final Invocation<T> invocation, final ReflectiveInvocationContext<Method> method,
        final ExtensionContext context) {
        throw new ExtensionConfigurationException(
            "@Ranks does not run test factories: method=" + method.getExecutable() + "; use @ParameterizedTest");
    }

    @Override
    public void interceptBeforeEachMethod(final Invocation<Void> invocation, final ReflectiveInvocationContext<Method> method,
        final ExtensionContext context) {
        invocation.skip();
    }

    @Override
    public void interceptAfterEachMethod(final Invocation<Void> invocation, final ReflectiveInvocationContext<Method> method,
        final ExtensionContext context) {
        invocation.skip();
    }

    @Override
    public void interceptBeforeAllMethod(final Invocation<Void> invocation, final ReflectiveInvocationContext<Method> method,
        final ExtensionContext context) {
        invocation.skip();
    }

    @Override
    public void interceptAfterAllMethod(final Invocation<Void> invocation, final ReflectiveInvocationContext<Method> method,
        final ExtensionContext context) {
        invocation.skip();
    }

    private static void run(final ReflectiveInvocationContext<Method> invoked, final ExtensionContext context) throws Throwable {
        final Method method = invoked.getExecutable();
        final Ranks ranks = annotation(method, context.getRequiredTestClass());
        check(ranks, method);
        final TestRequest request = new TestRequest(context.getRequiredTestClass().getName(), method.getDeclaringClass().getName(), method.getName(),
            Arrays.stream(method.getParameterTypes()).map(Class::getName).toList(), new ArrayList<>(invoked.getArguments()));
        final List<String> parameters = new ArrayList<>();
        if (Arrays.stream(ranks.parameters()).noneMatch(p -> p.startsWith("check="))) {
            parameters.addAll(List.of("-p", "check=full"));
        }
        Arrays.stream(ranks.parameters()).forEach(p -> parameters.addAll(List.of("-p", p)));
        try (RankJob job = new RankJob(cluster(context, ranks.nodes()), request, ranks.value())) {
            job.run(parameters, Integer.getInteger(TIMEOUT, ranks.timeoutSeconds()), context.getRequiredTestClass().getClassLoader());
        } catch (final NotSerializableException e) {
            throw new ExtensionConfigurationException("an argument of a test on ranks is not serializable: method=" + method + ", class="
                + e.getMessage() + "; ranks take strings, numbers, enums, paths, and others that are Serializable", e);
        }
    }

    /** Returns the nodes, which all tests of this JVM share that need as many; others in place of those that a test has ended. */
    private static RankCluster cluster(final ExtensionContext context, final int nodes) {
        final ExtensionContext.Store store = context.getRoot().getStore(NAMESPACE);
        synchronized (RanksExtension.class) {
            final RankCluster known = store.get(nodes, RankCluster.class);
            if (known != null && known.isAlive()) {
                return known;
            }
            if (known != null) {
                known.close();
                store.remove(nodes);
            }
            final RankCluster started = RankCluster.start(nodes);
            store.put(nodes, started);
            return started;
        }
    }

    private static Ranks annotation(final Method method, final Class<?> testClass) {
        Optional<Ranks> found = AnnotationSupport.findAnnotation(method, Ranks.class);
        for (Class<?> type = testClass; found.isEmpty() && type != null; type = type.getEnclosingClass()) {
            found = AnnotationSupport.findAnnotation(type, Ranks.class);
        }
        return found.orElseThrow(() -> new ExtensionConfigurationException("no @Ranks on " + method + " or its class"));
    }

    private static void check(final Ranks ranks, final Method method) {
        refuse(ranks.value() < 1 || ranks.value() > MOST_RANKS, "value=" + ranks.value() + ", range=1.." + MOST_RANKS, method);
        final int most = Math.min(MOST_NODES, ranks.value());
        refuse(ranks.nodes() < 1 || ranks.nodes() > most, "nodes=" + ranks.nodes() + ", range=1.." + most, method);
        refuse(ranks.timeoutSeconds() < 1, "timeoutSeconds=" + ranks.timeoutSeconds() + ", min=1", method);
        for (final String parameter : ranks.parameters()) {
            refuse(parameter.indexOf('=') < 1, "parameters=" + parameter + ", expected KEY=VALUE", method);
        }
    }

    private static void refuse(final boolean bad, final String why, final Method method) {
        if (bad) {
            throw new ExtensionConfigurationException("@Ranks out of range: " + why + ", method=" + method);
        }
    }
}
