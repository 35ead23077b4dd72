package tutti.runtime.process;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The redirection of a process-wide member of the JDK to the method of {@link RankSystem} that replaces it.
 *
 * @param tag        tag of the constant that names the member: a field or a method
 * @param opcode     opcode of the instruction that uses the member
 * @param handleKind kind of a method handle that refers to the member
 * @param method     name of the method of {@link RankSystem}, which is static
 * @param descriptor descriptor of that method; it has the same effect on the stack as the instruction
 */
record Redirection(int tag, int opcode, int handleKind, String method, String descriptor) {
    static final int FIELD = 9;
    static final int METHOD = 10;
    static final int GETSTATIC = 0xb2;
    static final int INVOKEVIRTUAL = 0xb6;
    static final int INVOKESTATIC = 0xb8;
    static final int REF_GETSTATIC = 2;
    static final int REF_INVOKEVIRTUAL = 5;
    static final int REF_INVOKESTATIC = 6;

    private static final String SYSTEM = "java/lang/System";
    private static final String RUNTIME = "java/lang/Runtime";
    private static final String THREAD = "java/lang/Thread";
    private static final Map<String, Map<String, Redirection>> BY_OWNER = new HashMap<>();

    static {
        addStatic(SYSTEM, "exit", "(I)V");
        addStatic(SYSTEM, "setOut", "(Ljava/io/PrintStream;)V");
        addStatic(SYSTEM, "setErr", "(Ljava/io/PrintStream;)V");
        addStatic(SYSTEM, "setIn", "(Ljava/io/InputStream;)V");
        addField("out", "Ljava/io/PrintStream;");
        addField("err", "Ljava/io/PrintStream;");
        addField("in", "Ljava/io/InputStream;");
        addVirtual("exit", "(I)V");
        addVirtual("halt", "(I)V");
        addVirtual("addShutdownHook", "(Ljava/lang/Thread;)V");
        addVirtual("removeShutdownHook", "(Ljava/lang/Thread;)Z");
        addStatic(THREAD, "setDefaultUncaughtExceptionHandler", "(Ljava/lang/Thread$UncaughtExceptionHandler;)V");
        addStatic(THREAD, "getDefaultUncaughtExceptionHandler", "()Ljava/lang/Thread$UncaughtExceptionHandler;");
    }

    private static void addStatic(final String owner, final String name, final String descriptor) {
        add(owner, name, descriptor, new Redirection(METHOD, INVOKESTATIC, REF_INVOKESTATIC, name, descriptor));
    }

    private static void addVirtual(final String name, final String descriptor) {
        final String withReceiver = "(L" + RUNTIME + ";" + descriptor.substring(1);
        add(RUNTIME, name, descriptor, new Redirection(METHOD, INVOKEVIRTUAL, REF_INVOKEVIRTUAL, name, withReceiver));
    }

    private static void addField(final String name, final String descriptor) {
        add(SYSTEM, name, descriptor, new Redirection(FIELD, GETSTATIC, REF_GETSTATIC, name, "()" + descriptor));
    }

    private static void add(final String owner, final String name, final String descriptor, final Redirection redirection) {
        BY_OWNER.computeIfAbsent(owner, o -> new HashMap<>()).put(name + descriptor, redirection);
    }

    /** Returns whether some member of a class, given by its internal name, is redirected. */
    static boolean concerns(final String owner) {
        return BY_OWNER.containsKey(owner);
    }

    /** Returns the redirection of a member, or null when the member is not redirected. */
    static @Nullable Redirection of(final String owner, final String name, final String descriptor) {
        return BY_OWNER.getOrDefault(owner, Map.of()).get(name + descriptor);
    }
}
