import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.TextTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Writes the second part of docs/glossary.md: every top-level type of the main sources with the first sentence of its Javadoc. With
 * {@code --check} it changes nothing and ends with status 1 when the page is out of date.
 *
 * <p>Usage, in the project's folder: {@code java cnf/Glossary.java [--check]}, with JDK 25.
 */
public final class Glossary {
    private static final Path PAGE = Path.of("docs/glossary.md");
    private static final String MARK = "## Types\n";
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    private Glossary() {
    }

    public static void main(final String[] args) throws IOException {
        final String page = Files.readString(PAGE);
        final String terms = page.substring(0, page.indexOf(MARK));
        final String types = types();
        final String current = terms + MARK + types;
        final List<String> unknown = terms.lines().filter(l -> l.startsWith("| ")).map(l -> l.split(" \\| ", 3)[2])
            .flatMap(named -> NAME.matcher(named).results().map(m -> m.group(1))).filter(t -> !types.contains("\n| `" + t + "` |")).toList();
        if (!unknown.isEmpty()) {
            System.err.println("docs/glossary.md names types that do not exist: " + unknown);
            System.exit(1);
        }
        if (!List.of(args).contains("--check")) {
            Files.writeString(PAGE, current);
        } else if (!current.equals(page)) {
            System.err.println("docs/glossary.md does not list the types as the sources have them; run: java cnf/Glossary.java");
            System.exit(1);
        }
    }

    private static String types() throws IOException {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            final JavacTask task = (JavacTask) compiler.getTask(null, files, d -> {}, List.of("-proc:none"), null,
                files.getJavaFileObjectsFromPaths(sources()));
            final DocTrees docs = DocTrees.instance(task);
            final Map<String, Map<String, String>> packages = new TreeMap<>();
            for (final CompilationUnitTree unit : task.parse()) {
                for (final Tree declaration : unit.getTypeDecls()) {
                    if (declaration instanceof ClassTree type) {
                        final boolean isPublic = type.getModifiers().getFlags().contains(Modifier.PUBLIC);
                        packages.computeIfAbsent(unit.getPackageName() + " (" + bundle(unit) + ")", p -> new TreeMap<>())
                            .put(type.getSimpleName().toString(), (isPublic ? "public" : "") + " | " + meaning(docs, unit, type));
                    }
                }
            }
            final StringBuilder text = new StringBuilder("\nEvery type of the main sources. `java cnf/Glossary.java` writes this part.\n");
            packages.forEach((name, types) -> {
                text.append("\n### ").append(name).append("\n\n| type | | meaning |\n|---|---|---|\n");
                types.forEach((type, meaning) -> text.append("| `").append(type).append("` | ").append(meaning).append(" |\n"));
            });
            return text.toString();
        }
    }

    private static String bundle(final CompilationUnitTree unit) {
        return Path.of("").toAbsolutePath().relativize(Path.of(unit.getSourceFile().toUri())).getName(0).toString();
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> bundles = Files.list(Path.of("."))) {
            return bundles.map(b -> b.resolve("src/main/java")).filter(Files::isDirectory).flatMap(Glossary::javaFiles).sorted().toList();
        }
    }

    private static Stream<Path> javaFiles(final Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(f -> f.toString().endsWith(".java") && !f.endsWith("package-info.java")).toList().stream();
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String meaning(final DocTrees docs, final CompilationUnitTree unit, final ClassTree type) {
        final var comment = docs.getDocCommentTree(TreePath.getPath(unit, type));
        if (comment == null) {
            return "";
        }
        final StringBuilder text = new StringBuilder();
        for (final DocTree part : comment.getFirstSentence()) {
            text.append(switch (part) {
                case TextTree plain -> plain.getBody();
                case LiteralTree code -> "`" + code.getBody().getBody() + "`";
                case LinkTree link -> "`" + (link.getLabel().isEmpty() ? link.getReference().getSignature().replaceFirst("^#", "").replace('#', '.')
                    : String.join("", link.getLabel().stream().map(Object::toString).toList())) + "`";
                default -> part.toString();
            });
        }
        return text.toString().replaceAll("\\s+", " ").replace("|", "\\|").strip();
    }
}
