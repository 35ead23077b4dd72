package tutti.runtime.process;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.CallBridge;

/** The members that a {@link ClassRewriter} redirects to the methods of one class. */
final class Redirections {
    private static final String SYSTEM = "java/lang/System";
    private static final String RUNTIME = "java/lang/Runtime";
    private static final String THREAD = "java/lang/Thread";
    private static final String PRINT_STREAM = "Ljava/io/PrintStream;";
    private static final String INPUT_STREAM = "Ljava/io/InputStream;";
    private static final String HANDLER = "Ljava/lang/Thread$UncaughtExceptionHandler;";

    /** The process-wide members that programs use, which lead to {@link RankSystem}. */
    static final Redirections OF_PROGRAMS = new Redirections(RankSystem.class.getName().replace('.', '/'))
        .addStatic(SYSTEM, "exit", "(I)V")
        .addStatic(SYSTEM, "setOut", "(" + PRINT_STREAM + ")V")
        .addStatic(SYSTEM, "setErr", "(" + PRINT_STREAM + ")V")
        .addStatic(SYSTEM, "setIn", "(" + INPUT_STREAM + ")V")
        .addStatic(SYSTEM, "getenv", "(Ljava/lang/String;)Ljava/lang/String;")
        .addStatic(SYSTEM, "getenv", "()Ljava/util/Map;")
        .addStatic(SYSTEM, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;")
        .addStatic(SYSTEM, "getProperty", "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;")
        .addStatic(SYSTEM, "getProperties", "()Ljava/util/Properties;")
        .addStatic(SYSTEM, "setProperty", "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;")
        .addStatic(SYSTEM, "clearProperty", "(Ljava/lang/String;)Ljava/lang/String;")
        .addStatic("java/lang/Boolean", "getBoolean", "(Ljava/lang/String;)Z")
        .addStatic("java/lang/Integer", "getInteger", "(Ljava/lang/String;)Ljava/lang/Integer;")
        .addStatic("java/lang/Integer", "getInteger", "(Ljava/lang/String;I)Ljava/lang/Integer;")
        .addStatic("java/lang/Integer", "getInteger", "(Ljava/lang/String;Ljava/lang/Integer;)Ljava/lang/Integer;")
        .addStatic("java/lang/Long", "getLong", "(Ljava/lang/String;)Ljava/lang/Long;")
        .addStatic("java/lang/Long", "getLong", "(Ljava/lang/String;J)Ljava/lang/Long;")
        .addStatic("java/lang/Long", "getLong", "(Ljava/lang/String;Ljava/lang/Long;)Ljava/lang/Long;")
        .addStatic("java/lang/ClassLoader", "getSystemClassLoader", "()Ljava/lang/ClassLoader;")
        .addStatic("java/lang/ClassLoader", "getSystemResource", "(Ljava/lang/String;)Ljava/net/URL;")
        .addStatic("java/lang/ClassLoader", "getSystemResources", "(Ljava/lang/String;)Ljava/util/Enumeration;")
        .addStatic("java/lang/ClassLoader", "getSystemResourceAsStream", "(Ljava/lang/String;)Ljava/io/InputStream;")
        .add(SYSTEM, "out", PRINT_STREAM, Redirection.ofField("out", PRINT_STREAM))
        .add(SYSTEM, "err", PRINT_STREAM, Redirection.ofField("err", PRINT_STREAM))
        .add(SYSTEM, "in", INPUT_STREAM, Redirection.ofField("in", INPUT_STREAM))
        .addVirtual(RUNTIME, "exit", "(I)V")
        .addVirtual(RUNTIME, "halt", "(I)V")
        .addVirtual(RUNTIME, "addShutdownHook", "(Ljava/lang/Thread;)V")
        .addVirtual(RUNTIME, "removeShutdownHook", "(Ljava/lang/Thread;)Z")
        .addStatic(THREAD, "setDefaultUncaughtExceptionHandler", "(" + HANDLER + ")V")
        .addStatic(THREAD, "getDefaultUncaughtExceptionHandler", "()" + HANDLER)
        .addVirtual("java/io/File", "deleteOnExit", "()V")
        .addStatic("java/util/concurrent/Executors", "newWorkStealingPool", "()Ljava/util/concurrent/ExecutorService;")
        .addStatic("java/util/concurrent/Executors", "newWorkStealingPool", "(I)Ljava/util/concurrent/ExecutorService;")
        .addConstructors("java/util/concurrent/ForkJoinPool", RankForkJoinPool.class.getName().replace('.', '/'));

    private final String target;
    private final Map<String, Map<String, Redirection>> byOwner = new HashMap<>();
    private final Map<String, String> subclasses = new HashMap<>();

    /** Creates an empty table of redirections to a class, given by its internal name. */
    Redirections(final String target) {
        this.target = target;
    }

    /** Returns the redirections of the calls that a class stands in for. */
    static Redirections to(final CallBridge bridge) {
        final Redirections all = new Redirections(bridge.className().replace('.', '/'));
        for (final CallBridge.BridgedCall c : bridge.calls()) {
            all.add(c.owner(), c.name(), c.descriptor(), c.isStatic() ? Redirection.ofStatic(c.method(), c.stands())
                : Redirection.ofVirtual(c.method(), c.stands()));
        }
        return all;
    }

    private Redirections addStatic(final String owner, final String name, final String descriptor) {
        return add(owner, name, descriptor, Redirection.ofStatic(name, descriptor));
    }

    private Redirections addVirtual(final String owner, final String name, final String descriptor) {
        return add(owner, name, descriptor, Redirection.ofVirtual(owner, name, descriptor));
    }

    /** Adds the redirection of a member, and returns this table. */
    Redirections add(final String owner, final String name, final String descriptor, final Redirection redirection) {
        byOwner.computeIfAbsent(owner, o -> new HashMap<>()).put(name + descriptor, redirection);
        return this;
    }

    /** Makes programs create objects of a subclass, which has the same constructors. */
    private Redirections addConstructors(final String owner, final String subclass) {
        subclasses.put(owner, subclass);
        return this;
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
