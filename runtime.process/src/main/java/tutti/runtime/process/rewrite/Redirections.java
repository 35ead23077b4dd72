package tutti.runtime.process.rewrite;

import java.io.File;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.CallBridge;

/** The members that a {@link ClassRewriter} redirects to the methods of one class. Immutable. */
public final class Redirections {
    /** Classes whose static methods can be replaced, by methods of the same name and type. */
    private static final List<Class<?>> STATIC = List.of(System.class, Thread.class, ClassLoader.class, Boolean.class, Integer.class, Long.class,
        Executors.class);
    /** Classes whose virtual methods can be replaced, by methods whose first parameter is the object. */
    private static final Set<Class<?>> VIRTUAL = Set.of(Runtime.class, File.class);
    /** Fields of {@link System} that can be replaced, by methods without parameters. */
    private static final Set<String> FIELDS = Set.of("in", "out", "err");

    private final String target;
    private final Map<String, Map<String, Redirection>> byOwner = new HashMap<>();
    private final Map<String, String> subclasses = new HashMap<>();

    /** Creates an empty table of redirections to a class, given by its internal name. */
    private Redirections(final String target) {
        this.target = target;
    }

    /** Returns the redirections of the calls that a class stands in for. */
    public static Redirections to(final CallBridge bridge) {
        final Redirections all = new Redirections(bridge.className().replace('.', '/'));
        for (final CallBridge.BridgedCall c : bridge.calls()) {
            all.add(c.owner(), c.name(), c.descriptor(), c.isStatic() ? Redirection.ofStatic(c.method(), c.stands())
                : Redirection.ofVirtual(c.method(), c.stands()));
        }
        return all;
    }

    /**
     * Returns the redirections of process-wide members of the JDK to the public methods of a class.
     *
     * @param replacement has a method of the same name and type for each member
     * @param subclass    is created in the place of its superclass, and has the same constructors
     */
    public static Redirections to(final Class<?> replacement, final Class<?> subclass) {
        final Redirections all = new Redirections(internalName(replacement));
        Stream.of(replacement.getDeclaredMethods()).filter(m -> Modifier.isPublic(m.getModifiers())).forEach(all::addReplacedBy);
        all.subclasses.put(internalName(subclass.getSuperclass()), internalName(subclass));
        return all;
    }

    /** Adds the redirection of the member of the JDK that a method replaces. */
    private void addReplacedBy(final Method method) {
        final MethodType type = MethodType.methodType(method.getReturnType(), method.getParameterTypes());
        final String name = method.getName();
        if (type.parameterCount() > 0 && VIRTUAL.contains(type.parameterType(0))) {
            add(internalName(type.parameterType(0)), name, type.dropParameterTypes(0, 1).descriptorString(),
                Redirection.ofVirtual(name, type.descriptorString()));
        } else if (FIELDS.contains(name)) {
            add(internalName(System.class), name, type.returnType().descriptorString(), Redirection.ofField(name, type.descriptorString()));
        } else {
            final Class<?> owner = STATIC.stream().filter(c -> has(c, name, type)).findFirst()
                .orElseThrow(() -> new NoSuchElementException("replaces no member: " + method));
            add(internalName(owner), name, type.descriptorString(), Redirection.ofStatic(name, type.descriptorString()));
        }
    }

    private static boolean has(final Class<?> owner, final String name, final MethodType type) {
        return Stream.of(owner.getDeclaredMethods()).anyMatch(m -> m.getName().equals(name) && List.of(m.getParameterTypes())
            .equals(type.parameterList()));
    }

    private static String internalName(final Class<?> type) {
        return type.getName().replace('.', '/');
    }

    private void add(final String owner, final String name, final String descriptor, final Redirection redirection) {
        byOwner.computeIfAbsent(owner, o -> new HashMap<>()).put(name + descriptor, redirection);
    }

    /** Returns the subclass whose objects programs create in the place of a class, by internal names; null when there is none. */
    @Nullable
    String subclass(final String owner) {
        return subclasses.get(owner);
    }

    /** Returns the internal name of the class whose methods replace the members. */
    String target() {
        return target;
    }

    /** Returns whether some member of a class, given by its internal name, is redirected. */
    boolean concerns(final String owner) {
        return byOwner.containsKey(owner);
    }

    /** Returns the redirection of a member, or null when the member is not redirected. */
    @Nullable
    Redirection of(final String owner, final String name, final String descriptor) {
        return byOwner.getOrDefault(owner, Map.of()).get(name + descriptor);
    }
}
