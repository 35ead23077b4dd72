package tutti.daemon.command;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.LineNumberInfo;
import java.lang.reflect.AccessFlag;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.SourceVersion;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Compiler of a source file and of the source files that it uses. */
final class SourceCompiler {
    private static final Pattern PACKAGE = Pattern.compile("^\\s*package\\s+([\\w.]+)\\s*;", Pattern.MULTILINE);

    private SourceCompiler() {}

    /**
     * Compiles a source file, with those that its lines {@code //SOURCES} name. Other classes are looked up first in the source files beside it, in
     * the folders of their packages, as the {@code java} launcher does (JEP 458), then on the class path. As for the launcher, public classes of the
     * file may have any name, and the first class of the file that has a main method is run.
     *
     * @param options options of the compiler
     * @param classes folder for the class files; it exists
     * @return the name of the class to run
     * @throws IOException when it does not compile, or a file that it names is missing; the message has the errors of the compiler
     */
    static String compile(final Path source, final List<Path> classPath, final List<String> options, final Path classes) throws IOException {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            // Cause: a source file cannot be compiled.
            throw new IOException("this Java has no compiler: use a JDK, not a JRE");
        }
        final String text = Files.isReadable(source) ? Files.readString(source) : "";
        final List<String> all = new ArrayList<>(List.of("-proc:none", "-g", "-Xprefer:source"));
        all.addAll(options);
        final StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            files.setLocationFromPaths(StandardLocation.CLASS_PATH, classPath);
            files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
            files.setLocationFromPaths(StandardLocation.SOURCE_PATH, root(source, text).stream().toList());
            final List<JavaFileObject> sources = new ArrayList<>(List.of(new LaunchedFile(source, text)));
            files.getJavaFileObjectsFromPaths(ScriptDirectives.sources(source)).forEach(sources::add);
            if (!compiler.getTask(messages, files, null, all, null, sources).call()) {
                throw new IOException("program does not compile: " + source + "\n" + messages.toString().stripTrailing());
            }
        } catch (final IllegalArgumentException e) {
            throw new IOException("program does not compile: " + source + ": " + e.getMessage(), e);
        }
        return mainClass(source, packageOf(text), classes);
    }

    /** Returns the folder of the unnamed package, if the source file is in the folder of its own package. */
    private static Optional<Path> root(final Path source, final String text) {
        final Path folder = Objects.requireNonNull(source.toAbsolutePath().normalize().getParent());
        final String name = packageOf(text);
        if (name.isEmpty()) {
            return Optional.of(folder);
        }
        final Path relative = Path.of(name.replace('.', '/'));
        return folder.endsWith(relative) ? Optional.of(folder.resolve("../".repeat(relative.getNameCount())).normalize()) : Optional.empty();
    }

    private static String packageOf(final String text) {
        final Matcher name = PACKAGE.matcher(text);
        return name.find() ? name.group(1) : "";
    }

    private static String mainClass(final Path source, final String packageName, final Path classes) throws IOException {
        final Map<String, ClassModel> models = new LinkedHashMap<>();
        for (final Path file : FolderFiles.of(classes)) {
            final ClassModel model = ClassFile.of().parse(file);
            models.put(model.thisClass().asInternalName().replace('/', '.'), model);
        }
        final List<String> own = models.entrySet().stream().filter(e -> isOf(source, packageName, e.getKey(), e.getValue()))
            .sorted(Comparator.comparingInt(e -> firstLine(e.getValue()))).map(Map.Entry::getKey).toList();
        return own.stream().filter(name -> hasMain(name, models))
            // the class path may have its superclass, with a main method
            .findFirst().or(() -> own.stream().filter(name -> isDerived(models.get(name))).findFirst())
            .orElseThrow(() -> new IOException("no main method in " + source
                + ": declare public static void main(String[] args), or void main()"));
    }

    /** Returns whether a class is a top-level class of a file. */
    private static boolean isOf(final Path source, final String packageName, final String name, final ClassModel model) {
        return model.findAttribute(Attributes.sourceFile()).filter(f -> source.endsWith(f.sourceFile().stringValue())).isPresent()
            && model.findAttribute(Attributes.nestHost()).isEmpty() && name.substring(0, Math.max(0, name.lastIndexOf('.'))).equals(packageName);
    }

    /** Returns the first line of a class that has code: top-level classes do not overlap. */
    private static int firstLine(final ClassModel model) {
        return model.methods().stream().flatMap(m -> m.code().stream()).flatMap(c -> c.findAttribute(Attributes.lineNumberTable()).stream())
            .flatMap(t -> t.lineNumbers().stream()).mapToInt(LineNumberInfo::lineNumber).min().orElse(Integer.MAX_VALUE);
    }

    private static boolean isDerived(final @Nullable ClassModel model) {
        return model != null && model.superclass().filter(c -> !c.asInternalName().startsWith("java/")).isPresent();
    }

    private static boolean hasMain(final String name, final Map<String, ClassModel> models) {
        final ClassModel model = models.get(name.replace('/', '.'));
        return model != null && (model.methods().stream().anyMatch(SourceCompiler::isMain)
            || model.superclass().filter(c -> hasMain(c.asInternalName(), models)).isPresent()
            || model.interfaces().stream().anyMatch(i -> hasMain(i.asInternalName(), models)));
    }

    private static boolean isMain(final MethodModel method) {
        return method.methodName().equalsString("main") && !method.flags().has(AccessFlag.PRIVATE) && !method.flags().has(AccessFlag.ABSTRACT)
            && (method.methodType().equalsString("([Ljava/lang/String;)V") || method.methodType().equalsString("()V"));
    }

    /** The source file that is run, in which public classes may have any name. A first line that names the interpreter is left out. */
    private static final class LaunchedFile extends SimpleJavaFileObject {
        private final Path source;
        private final String text;

        LaunchedFile(final Path source, final String text) {
            super(source.toUri(), Kind.SOURCE);
            this.source = source;
            this.text = text.startsWith("#!") ? "//" + text : text;
        }

        @Override
        public boolean isNameCompatible(final String simpleName, final Kind kind) {
            return kind == Kind.SOURCE && SourceVersion.isIdentifier(simpleName);
        }

        @Override
        public String getName() {
            return source.toString();
        }

        @Override
        public CharSequence getCharContent(final boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
