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
        .add("java/nio/channels/FileChannel", "open", "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;)Ljava/nio/channels/FileChannel;",
            Redirection.ofStatic("openFileChannel", "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;)Ljava/nio/channels/FileChannel;"))
        .add("java/nio/channels/FileChannel", "open",
            "(Ljava/nio/file/Path;Ljava/util/Set;[Ljava/nio/file/attribute/FileAttribute;)Ljava/nio/channels/FileChannel;",
            Redirection.ofStatic("openFileChannel",
                "(Ljava/nio/file/Path;Ljava/util/Set;[Ljava/nio/file/attribute/FileAttribute;)Ljava/nio/channels/FileChannel;"))
        .add("java/nio/channels/AsynchronousFileChannel", "open",
            "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;)Ljava/nio/channels/AsynchronousFileChannel;",
            Redirection.ofStatic("openAsynchronousFileChannel",
                "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;)Ljava/nio/channels/AsynchronousFileChannel;"))
        .add("java/nio/channels/SocketChannel", "open", "()Ljava/nio/channels/SocketChannel;",
            Redirection.ofStatic("openSocketChannel", "()Ljava/nio/channels/SocketChannel;"))
        .add("java/nio/channels/SocketChannel", "open", "(Ljava/net/SocketAddress;)Ljava/nio/channels/SocketChannel;",
            Redirection.ofStatic("openSocketChannel", "(Ljava/net/SocketAddress;)Ljava/nio/channels/SocketChannel;"))
        .add("java/nio/channels/SocketChannel", "open", "(Ljava/net/ProtocolFamily;)Ljava/nio/channels/SocketChannel;",
            Redirection.ofStatic("openSocketChannel", "(Ljava/net/ProtocolFamily;)Ljava/nio/channels/SocketChannel;"))
        .add("java/nio/channels/ServerSocketChannel", "open", "()Ljava/nio/channels/ServerSocketChannel;",
            Redirection.ofStatic("openServerSocketChannel", "()Ljava/nio/channels/ServerSocketChannel;"))
        .add("java/nio/channels/ServerSocketChannel", "open", "(Ljava/net/ProtocolFamily;)Ljava/nio/channels/ServerSocketChannel;",
            Redirection.ofStatic("openServerSocketChannel", "(Ljava/net/ProtocolFamily;)Ljava/nio/channels/ServerSocketChannel;"))
        .add("java/nio/channels/DatagramChannel", "open", "()Ljava/nio/channels/DatagramChannel;",
            Redirection.ofStatic("openDatagramChannel", "()Ljava/nio/channels/DatagramChannel;"))
        .add("java/nio/channels/DatagramChannel", "open", "(Ljava/net/ProtocolFamily;)Ljava/nio/channels/DatagramChannel;",
            Redirection.ofStatic("openDatagramChannel", "(Ljava/net/ProtocolFamily;)Ljava/nio/channels/DatagramChannel;"))
        .add("java/nio/channels/AsynchronousSocketChannel", "open", "()Ljava/nio/channels/AsynchronousSocketChannel;",
            Redirection.ofStatic("openAsynchronousSocketChannel", "()Ljava/nio/channels/AsynchronousSocketChannel;"))
        .add("java/nio/channels/AsynchronousServerSocketChannel", "open", "()Ljava/nio/channels/AsynchronousServerSocketChannel;",
            Redirection.ofStatic("openAsynchronousServerSocketChannel", "()Ljava/nio/channels/AsynchronousServerSocketChannel;"))
        .add("java/nio/channels/Selector", "open", "()Ljava/nio/channels/Selector;",
            Redirection.ofStatic("openSelector", "()Ljava/nio/channels/Selector;"))
        .add("java/nio/channels/Pipe", "open", "()Ljava/nio/channels/Pipe;", Redirection.ofStatic("openPipe", "()Ljava/nio/channels/Pipe;"))
        .add("java/nio/file/Files", "newByteChannel", "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;)Ljava/nio/channels/SeekableByteChannel;",
            Redirection.ofStatic("newByteChannel", "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;)Ljava/nio/channels/SeekableByteChannel;"))
        .add("java/nio/file/Files", "newDirectoryStream", "(Ljava/nio/file/Path;)Ljava/nio/file/DirectoryStream;",
            Redirection.ofStatic("newDirectoryStream", "(Ljava/nio/file/Path;)Ljava/nio/file/DirectoryStream;"))
        .add("java/nio/file/Files", "newDirectoryStream", "(Ljava/nio/file/Path;Ljava/lang/String;)Ljava/nio/file/DirectoryStream;",
            Redirection.ofStatic("newDirectoryStream", "(Ljava/nio/file/Path;Ljava/lang/String;)Ljava/nio/file/DirectoryStream;"))
        .add("java/nio/file/Files", "list", "(Ljava/nio/file/Path;)Ljava/util/stream/Stream;",
            Redirection.ofStatic("listFiles", "(Ljava/nio/file/Path;)Ljava/util/stream/Stream;"))
        .add("java/nio/file/Files", "walk", "(Ljava/nio/file/Path;[Ljava/nio/file/FileVisitOption;)Ljava/util/stream/Stream;",
            Redirection.ofStatic("walkFiles", "(Ljava/nio/file/Path;[Ljava/nio/file/FileVisitOption;)Ljava/util/stream/Stream;"))
        .add("java/nio/file/Files", "walk", "(Ljava/nio/file/Path;I[Ljava/nio/file/FileVisitOption;)Ljava/util/stream/Stream;",
            Redirection.ofStatic("walkFiles", "(Ljava/nio/file/Path;I[Ljava/nio/file/FileVisitOption;)Ljava/util/stream/Stream;"))
        .addVirtual("java/nio/channels/ServerSocketChannel", "accept", "()Ljava/nio/channels/SocketChannel;")
        .addVirtual("java/nio/file/FileSystem", "newWatchService", "()Ljava/nio/file/WatchService;")
        .addVirtual("java/io/FileInputStream", "getChannel", "()Ljava/nio/channels/FileChannel;")
        .addVirtual("java/io/FileOutputStream", "getChannel", "()Ljava/nio/channels/FileChannel;")
        .addVirtual("java/io/RandomAccessFile", "getChannel", "()Ljava/nio/channels/FileChannel;")
        .addVirtual("java/lang/ProcessBuilder", "start", "()Ljava/lang/Process;")
        .addVirtual("java/lang/Runtime", "exec", "(Ljava/lang/String;)Ljava/lang/Process;")
        .addVirtual("java/lang/Runtime", "exec", "(Ljava/lang/String;[Ljava/lang/String;)Ljava/lang/Process;")
        .addVirtual("java/lang/Runtime", "exec", "(Ljava/lang/String;[Ljava/lang/String;Ljava/io/File;)Ljava/lang/Process;")
        .addVirtual("java/lang/Runtime", "exec", "([Ljava/lang/String;)Ljava/lang/Process;")
        .addVirtual("java/lang/Runtime", "exec", "([Ljava/lang/String;[Ljava/lang/String;)Ljava/lang/Process;")
        .addVirtual("java/lang/Runtime", "exec", "([Ljava/lang/String;[Ljava/lang/String;Ljava/io/File;)Ljava/lang/Process;");

    private final String target;
    private final Map<String, Map<String, Redirection>> byOwner = new HashMap<>();

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
