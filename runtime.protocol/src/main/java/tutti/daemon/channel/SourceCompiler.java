package tutti.daemon.channel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Compiler of a source file and of the source files that it uses, in memory. */
public final class SourceCompiler {
    private static final Pattern PACKAGE = Pattern.compile("^\\s*package\\s+([\\w.]+)\\s*;", Pattern.MULTILINE);

    /**
     * Result of a compilation.
     *
     * @param classes   class files by class name, in the order of compilation
     * @param mainClass name of the class to run
     */
    public record Compiled(Map<String, byte[]> classes, String mainClass) {}

    private SourceCompiler() {}

    /**
     * Compiles a source file, with those that its lines {@code //SOURCES} name. Other classes are looked up first in the source files beside it, in
     * the folders of their packages, as the {@code java} launcher does (JEP 458), then on the class path.
     *
     * @throws IOException when it does not compile, or a file that it names is missing; the message has the errors of the compiler
     */
    public static Compiled compile(final Path source, final List<Path> classPath) throws IOException {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IOException("this Java has no compiler: use a JDK, not a JRE");
        }
        final List<Path> sources = new ArrayList<>(List.of(source));
        sources.addAll(ScriptDirectives.sources(source));
        final StringWriter messages = new StringWriter();
        final Map<String, byte[]> classes = new LinkedHashMap<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            files.setLocationFromPaths(StandardLocation.CLASS_PATH, classPath);
            files.setLocationFromPaths(StandardLocation.SOURCE_PATH, root(source).stream().toList());
            final boolean good = compiler.getTask(messages, new MemoryFileManager(files, classes), null,
                List.of("-proc:none", "-g", "-Xprefer:source"), null,
                files.getJavaFileObjectsFromPaths(sources)).call();
            if (!good) {
                throw new IOException("program does not compile: " + source + "\n" + messages.toString().stripTrailing());
            }
        }
        return new Compiled(classes, mainClass(source, classes));
    }

    /** Returns the libraries that a source file asks JBang for by {@code //DEPS}, without those of Tutti, which nodes have. */
    public static List<String> dependencies(final Path source) throws IOException {
        return ScriptDirectives.dependencies(source);
    }

    /** Returns the folder of the unnamed package, if the source file is in the folder of its own package. */
    private static Optional<Path> root(final Path source) throws IOException {
        final Path folder = Objects.requireNonNull(source.toAbsolutePath().normalize().getParent());
        final Matcher name = PACKAGE.matcher(Files.isReadable(source) ? Files.readString(source) : "");
        if (!name.find()) {
            return Optional.of(folder);
        }
        final Path relative = Path.of(name.group(1).replace('.', '/'));
        return folder.endsWith(relative) ? Optional.of(folder.resolve("../".repeat(relative.getNameCount())).normalize()) : Optional.empty();
    }

    private static String mainClass(final Path source, final Map<String, byte[]> classes) throws IOException {
        final String file = source.getFileName().toString();
        final String expected = file.substring(0, file.length() - ".java".length());
        String first = null;
        for (final Map.Entry<String, byte[]> c : classes.entrySet()) {
            if (hasMain(c.getValue())) {
                if (c.getKey().equals(expected) || c.getKey().endsWith("." + expected)) {
                    return c.getKey();
                }
                first = first == null ? c.getKey() : first;
            }
        }
        if (first == null) {
            throw new IOException("no main method in " + source + ": expected public static void main(String[] args)");
        }
        return first;
    }

    private static boolean hasMain(final byte[] bytes) {
        final ClassModel model = ClassFile.of().parse(bytes);
        return model.methods().stream().anyMatch(m -> m.methodName().equalsString("main")
            && (m.methodType().equalsString("([Ljava/lang/String;)V") || m.methodType().equalsString("()V")));
    }

    /** File manager that stores class files in a map. */
    private static final class MemoryFileManager extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, byte[]> classes;

        MemoryFileManager(final JavaFileManager files, final Map<String, byte[]> classes) {
            super(files);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(final Location location, final String className, final JavaFileObject.Kind kind,
            final FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + className.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return new ByteArrayOutputStream() {
                        @Override
                        public void close() {
                            classes.put(className, toByteArray());
                        }
                    };
                }
            };
        }
    }
}
