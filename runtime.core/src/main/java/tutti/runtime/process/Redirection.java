package tutti.runtime.process;

import java.util.HashMap;
import java.util.Map;

/**
 * A member of the JDK that belongs to the process, and the method of {@link RankSystem} that serves the rank in its place.
 *
 * @param tag        of the constant that names the member: a field or a method
 * @param opcode     of the instruction that uses it
 * @param handleKind of a method handle that refers to it
 * @param method     the method of {@link RankSystem}, always static
 * @param descriptor of that method; it takes and leaves on the stack what the instruction takes and leaves
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
        final String taking = "(L" + RUNTIME + ";" + descriptor.substring(1);
        add(RUNTIME, name, descriptor, new Redirection(METHOD, INVOKEVIRTUAL, REF_INVOKEVIRTUAL, name, taking));
    }

    private static void addField(final String name, final String descriptor) {
        add(SYSTEM, name, descriptor, new Redirection(FIELD, GETSTATIC, REF_GETSTATIC, name, "()" + descriptor));
    }

    private static void add(final String owner, final String name, final String descriptor, final Redirection redirection) {
        BY_OWNER.computeIfAbsent(owner, o -> new HashMap<>()).put(name + descriptor, redirection);
    }

    /** Whether some member of a class, by internal name, is redirected. */
    static boolean concerns(final String owner) {
        return BY_OWNER.containsKey(owner);
    }

    /** What serves a member, or null when it is left alone. */
    static Redirection of(final String owner, final String name, final String descriptor) {
        return BY_OWNER.get(owner).get(name + descriptor);
    }
}
