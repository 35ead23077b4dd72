import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compares the guide's page on messages of nodes and errors of calls with the main sources. Each text that a node logs as a warning or an
 * error, each refusal and failure of a node, and each text of an error of package mpi has a row. Each row has a text, and the test that it
 * names has a part of it. Ends with status 1 and a list of the differences.
 *
 * <p>Usage, in the project's folder: {@code java cnf/Messages.java [--list]}, with JDK 25. {@code --list} prints all texts instead.
 */
public final class Messages {
    private static final Path PAGE = Path.of("docs/guide/node-messages.md");
    /** Pages whose tables have refusals, too. */
    private static final List<Path> MORE = List.of(Path.of("docs/guide/messages.md"), Path.of("docs/guide/security.md"));
    private static final String ANY = "...";
    private static final int MAX_DEPTH = 4;
    private static final int MAX_TEXTS = 40;
    /** Length of a text's literal parts from which on they tell it from others. */
    private static final int DISTINCT = 12;
    /** The error class with which the text of an exception of package mpi begins. */
    private static final String CLASS = "^MPI_[A-Z_.]+: ";
    /** Length of successive words of a message that its test has; of a message whose words are fewer, all that follow each other. */
    private static final int WORDS = 10;
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\|(?:.*\\| (\\w+|–) \\|)?.*");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    /** Folders of sources that run on no node, or whose texts are no texts of a node. */
    private static final List<String> OTHERS = List.of("archetype", "bench", "coll.suite", "coll.tck", "dist", "examples", "itest", "junit", "stress",
        "testing");
    /** Folder of the packages whose exceptions reach who asks a node. */
    private static final Path NODE = Path.of("src/main/java/tutti/daemon");
    /** Types that pass texts on which others have made: of these a scan finds nothing. */
    private static final List<String> PASS_ON = List.of("CALL CommAttributes", "CALL Datatype", "CALL GroupMeeting", "CALL MPIException",
        "CALL MpiFailure", "CALL Request", "LOG NodeHealthCheck", "REFUSAL ChangeCoordinator", "REFUSAL ClientSession",
        "REFUSAL ClusterCheckpoints", "REFUSAL ClusterModules", "REFUSAL Connector", "REFUSAL HelloVerifier", "REFUSAL JobCoordinator");

    private Messages() {}

    private enum Kind {
        LOG("## The log of a node"), CALL("## Errors of calls"), REFUSAL("## Refusals"), FAILURE("## Failures");

        private final String part;

        Kind(final String part) {
            this.part = part;
        }
    }

    /** A text of the sources, in which {@code ...} stands for what a call puts in. */
    private record Text(Kind kind, String text, String type) {
        /**
         * Returns whether a row has the text: what the row leaves open is in the text, or what the text leaves open is in the row. One that
         * leaves almost all open must be equal.
         */
        boolean isIn(final String row) {
            return text.equals(row) || literals(row) >= DISTINCT && pattern(row).matcher(text).matches()
                || literals(text) >= DISTINCT && pattern(text).matcher(row).matches();
        }

        /** Returns whether a row of a page for commands has the text, before and behind which the command may print more. */
        boolean isWithin(final String row) {
            return isIn(row) || literals(text) >= DISTINCT && pattern(text).matcher(row).find();
        }
    }

    private record Row(String message, String test) {}

    public static void main(final String[] args) throws IOException {
        final List<Text> texts = texts();
        if (List.of(args).contains("--list")) {
            texts.stream().map(t -> t.kind() + " " + t.text() + "   <- " + t.type()).sorted().distinct().forEach(System.out::println);
            return;
        }
        final List<String> page = Files.readAllLines(PAGE);
        final List<String> more = new ArrayList<>();
        for (final Path p : MORE) {
            Files.readAllLines(p).stream().filter(l -> l.startsWith("| ")).flatMap(l -> QUOTED.matcher(l).results()).map(m -> m.group(1))
                .forEach(more::add);
        }
        final TreeSet<String> differences = new TreeSet<>();
        final StringBuilder counts = new StringBuilder();
        final List<Row> all = new ArrayList<>();
        for (final Kind kind : Kind.values()) {
            final List<Text> own = texts.stream().filter(t -> t.kind() == kind).toList();
            final List<Row> rows = rows(page, kind.part);
            for (final Text t : own) {
                if (t.text().endsWith(ANY) && literals(t.text()) == 0) {
                    if (kind != Kind.FAILURE && !PASS_ON.contains(kind + " " + t.type())) {
                        differences.add("text that cannot be found: write it in the call, " + kind + " of " + t.type());
                    }
                } else if (rows.stream().noneMatch(r -> t.isIn(r.message()))
                    && (kind != Kind.REFUSAL && kind != Kind.FAILURE || more.stream().noneMatch(t::isWithin))) {
                    differences.add("no row for " + kind + " of " + t.type() + ": " + t.text());
                }
            }
            rows.stream().filter(r -> own.stream().noneMatch(t -> t.isIn(r.message())))
                .forEach(r -> differences.add("no source for " + kind + ": " + r.message()));
            all.addAll(rows);
            counts.append(kind).append(": texts=").append(own.stream().map(Text::text).distinct().count()).append(", rows=").append(rows.size())
                .append(", with a test=").append(rows.stream().filter(r -> !r.test().equals("–")).count()).append('\n');
        }
        differences.addAll(wrongTests(all));
        if (!differences.isEmpty()) {
            System.err.println(PAGE + " does not list the messages as the sources have them:\n" + String.join("\n", differences));
            System.exit(1);
        }
        System.out.print(counts);
    }

    private static List<Row> rows(final List<String> page, final String part) {
        return page.stream().dropWhile(l -> !l.equals(part)).skip(1).takeWhile(l -> !l.startsWith("## ")).map(ROW::matcher).filter(Matcher::matches)
            .map(m -> new Row(m.group(1).replace("\\|", "|"), m.group(2) == null ? "" : m.group(2))).toList();
    }

    /** Returns the rows whose test does not exist, or does not have a part of the row's message. */
    private static List<String> wrongTests(final List<Row> rows) throws IOException {
        final Map<String, String> tests = new HashMap<>();
        for (final Path test : sources("src/test/java", List.of())) {
            tests.merge(test.getFileName().toString().replace(".java", ""), Files.readString(test).replaceAll("\"\\s*\\+\\s*\"", "")
                .replace("\\\"", "\""), String::concat);
        }
        return rows.stream().filter(r -> !r.test().equals("–") && !hasPart(r.message(), tests.getOrDefault(r.test(), "")))
            .map(r -> "test " + r.test() + " does not have: " + r.message()).toList();
    }

    /** Returns whether a test has successive words of a message. */
    private static boolean hasPart(final String message, final String test) {
        final List<String> parts = Stream.of(message.replaceFirst(CLASS, "").split(Pattern.quote(ANY))).map(String::strip).toList();
        final int length = Math.min(WORDS, parts.stream().mapToInt(String::length).max().orElse(0));
        for (final String part : parts) {
            final String[] words = part.split(" ");
            for (int i = 0; i < words.length; i++) {
                String successive = words[i];
                for (int j = i + 1; j < words.length && successive.length() < length; j++) {
                    successive += " " + words[j];
                }
                if (successive.length() >= length && test.contains(successive)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static int literals(final String text) {
        return text.replaceFirst(CLASS, "").replace(ANY, "").strip().length();
    }

    private static Pattern pattern(final String text) {
        return Pattern.compile(Stream.of(text.split(Pattern.quote(ANY), -1)).map(Pattern::quote).collect(Collectors.joining(".*")), Pattern.DOTALL);
    }

    private static List<Text> texts() throws IOException {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            final JavacTask task = (JavacTask) compiler.getTask(null, files, d -> {}, List.of("-proc:none"), null,
                files.getJavaFileObjectsFromPaths(sources("src/main/java", OTHERS)));
            final List<Text> texts = new ArrayList<>();
            for (final CompilationUnitTree unit : task.parse()) {
                final Index index = new Index();
                index.scan(unit, null);
                new Scanner(texts, index, Path.of(unit.getSourceFile().getName())).scan(unit, null);
            }
            return texts;
        }
    }

    private static List<Path> sources(final String under, final List<String> without) throws IOException {
        final List<Path> sources = new ArrayList<>();
        try (Stream<Path> folders = Files.list(Path.of(""))) {
            for (final Path folder : folders.filter(f -> !without.contains(f.toString())).map(f -> f.resolve(under))
                .filter(Files::isDirectory).sorted().toList()) {
                try (Stream<Path> files = Files.walk(folder)) {
                    files.filter(f -> f.toString().endsWith(".java")).sorted().forEach(sources::add);
                }
            }
        }
        return sources;
    }

    /** The methods of a source file, and the calls of each with the method around them. */
    private static final class Index extends TreeScanner<Void, MethodTree> {
        private final Map<String, List<MethodTree>> methods = new HashMap<>();
        private final Map<String, List<Call>> calls = new HashMap<>();
        private final Map<String, List<ExpressionTree>> fields = new HashMap<>();

        private record Call(MethodInvocationTree call, MethodTree in) {}

        @Override
        public Void visitMethod(final MethodTree method, final MethodTree in) {
            methods.computeIfAbsent(method.getName() + "/" + method.getParameters().size(), n -> new ArrayList<>()).add(method);
            return super.visitMethod(method, method);
        }

        @Override
        public Void visitMethodInvocation(final MethodInvocationTree call, final MethodTree in) {
            calls.computeIfAbsent(name(call) + "/" + call.getArguments().size(), n -> new ArrayList<>()).add(new Call(call, in));
            return super.visitMethodInvocation(call, in);
        }

        @Override
        public Void visitVariable(final VariableTree variable, final MethodTree in) {
            if (in == null && variable.getInitializer() != null) {
                fields.computeIfAbsent(variable.getName().toString(), n -> new ArrayList<>()).add(variable.getInitializer());
            }
            return super.visitVariable(variable, in);
        }

        @Override
        public Void visitAssignment(final AssignmentTree assignment, final MethodTree in) {
            if (assignment.getVariable() instanceof final IdentifierTree name && fields.containsKey(name.getName().toString())) {
                fields.get(name.getName().toString()).add(assignment.getExpression());
            }
            return super.visitAssignment(assignment, in);
        }

        static String name(final MethodInvocationTree call) {
            return call.getMethodSelect() instanceof final MemberSelectTree s ? s.getIdentifier().toString() : call.getMethodSelect().toString();
        }

        /**
         * Returns the texts that an expression may have: one for each branch, each text that a local variable, a method of the file or the
         * callers of the method around it give. What no literal says is {@code ...}.
         */
        List<String> texts(final Tree expression, final MethodTree in, final int depth) {
            if (depth > MAX_DEPTH) {
                return List.of(ANY);
            }
            final List<String> found = switch (expression) {
                // an unknown name is as good as a name
                case LiteralTree literal -> List.of(literal.getValue() instanceof String && !literal.getValue().equals("?")
                    || literal.getValue() instanceof Character ? literal.getValue().toString() : ANY);
                case ParenthesizedTree p -> texts(p.getExpression(), in, depth);
                case BinaryTree sum when sum.getKind() == Tree.Kind.PLUS -> texts(sum.getLeftOperand(), in, depth).stream()
                    .flatMap(left -> texts(sum.getRightOperand(), in, depth).stream().map(right -> left + right)).toList();
                case ConditionalExpressionTree c -> all(Stream.of(c.getTrueExpression(), c.getFalseExpression()), in, depth);
                case SwitchExpressionTree s -> all(s.getCases().stream().map(CaseTree::getBody).filter(ExpressionTree.class::isInstance), in, depth);
                case IdentifierTree name -> named(name.getName().toString(), in, depth);
                case MethodInvocationTree call -> methods.getOrDefault(name(call) + "/" + call.getArguments().size(), List.of()).stream()
                    .flatMap(m -> results(m).stream().flatMap(r -> texts(r, m, depth + 1).stream())).toList();
                default -> List.of(ANY);
            };
            final List<String> distinct = found.stream().map(Index::collapse).distinct().toList();
            if (distinct.size() > MAX_TEXTS) {
                return depth == MAX_DEPTH ? List.of(ANY) : texts(expression, in, MAX_DEPTH);
            }
            return distinct.isEmpty() ? List.of(ANY) : distinct;
        }

        private List<String> all(final Stream<? extends Tree> expressions, final MethodTree in, final int depth) {
            return expressions.flatMap(e -> texts(e, in, depth).stream()).toList();
        }

        private List<String> named(final String name, final MethodTree in, final int depth) {
            if (in != null) {
                for (int i = 0; i < in.getParameters().size(); i++) {
                    final int parameter = i;
                    if (in.getParameters().get(i).getName().contentEquals(name)) {
                        return calls.getOrDefault(in.getName() + "/" + in.getParameters().size(), List.of()).stream()
                            .flatMap(c -> texts(c.call().getArguments().get(parameter), c.in(), depth + 1).stream()).toList();
                    }
                }
                final List<ExpressionTree> values = new ArrayList<>();
                new TreeScanner<Void, Void>() {
                    @Override
                    public Void visitVariable(final VariableTree variable, final Void none) {
                        if (variable.getName().contentEquals(name) && variable.getInitializer() != null) {
                            values.add(variable.getInitializer());
                        }
                        return super.visitVariable(variable, none);
                    }

                    @Override
                    public Void visitAssignment(final AssignmentTree assignment, final Void none) {
                        if (assignment.getVariable().toString().equals(name)) {
                            values.add(assignment.getExpression());
                        }
                        return super.visitAssignment(assignment, none);
                    }
                }.scan(in, null);
                if (!values.isEmpty()) {
                    return all(values.stream(), in, depth + 1);
                }
            }
            return fields.containsKey(name) ? all(fields.get(name).stream(), null, depth + 1) : List.of(ANY);
        }

        private static List<ExpressionTree> results(final MethodTree method) {
            final List<ExpressionTree> results = new ArrayList<>();
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitReturn(final ReturnTree result, final Void none) {
                    if (result.getExpression() != null && result.getExpression().getKind() != Tree.Kind.NULL_LITERAL) {
                        results.add(result.getExpression());
                    }
                    return null;
                }

                @Override
                public Void visitLambdaExpression(final LambdaExpressionTree lambda, final Void none) {
                    return null;
                }
            }.scan(method, null);
            return results;
        }

        private static String collapse(final String text) {
            return text.replaceAll("\\.{3,}", ANY);
        }
    }

    /** Finds the calls that log and that make errors. */
    private static final class Scanner extends TreeScanner<Void, MethodTree> {
        private final List<Text> texts;
        private final Index index;
        private final String type;
        private final boolean isOfNode;

        Scanner(final List<Text> texts, final Index index, final Path file) {
            this.texts = texts;
            this.index = index;
            this.type = file.getFileName().toString().replace(".java", "");
            this.isOfNode = file.getNameCount() > NODE.getNameCount() && file.subpath(1, 1 + NODE.getNameCount()).equals(NODE);
        }

        @Override
        public Void visitMethod(final MethodTree method, final MethodTree in) {
            return super.visitMethod(method, method);
        }

        @Override
        public Void visitMethodInvocation(final MethodInvocationTree call, final MethodTree in) {
            final List<? extends ExpressionTree> args = call.getArguments();
            final String name = Index.name(call);
            final String receiver = call.getMethodSelect() instanceof final MemberSelectTree s ? s.getExpression().toString() : "";
            if (receiver.equalsIgnoreCase("log") && (name.equals("warn") || name.equals("error"))) {
                add(Kind.LOG, "", args.get(args.size() > 1 && args.getFirst().toString().equals("\"{}\"") ? 1 : 0), in);
            } else if (name.equals("unusable") && receiver.endsWith("Datatype")) {
                add(Kind.CALL, "MPI_ERR_TYPE: ", args.getFirst(), in);
            } else if (name.equals("reportedByPeer")) {
                add(Kind.CALL, "MPI_ERR_OTHER: ", args.getFirst(), in);
            } else {
                for (int i = 0; i + 1 < args.size(); i++) {
                    if (args.get(i).toString().startsWith("MPI.ERR_") && !args.get(i + 1).toString().startsWith("MPI.ERR_")) {
                        add(Kind.CALL, args.get(i).toString().replace('.', '_') + ": ", args.get(i + 1), in);
                    }
                }
            }
            return super.visitMethodInvocation(call, in);
        }

        @Override
        public Void visitNewClass(final NewClassTree creation, final MethodTree in) {
            final List<? extends ExpressionTree> args = creation.getArguments();
            switch (creation.getIdentifier().toString()) {
                case "MpiFailure" -> add(Kind.CALL, args.getFirst().toString().matches("ErrorClass\\.[A-Z_]+")
                    ? args.getFirst().toString().replace("ErrorClass.", "MPI_ERR_") + ": " : "MPI_ERR_...: ", args.get(1), in);
                case "IOException", "IllegalArgumentException", "IllegalStateException", "StreamCorruptedException" -> {
                    if (isOfNode && !args.isEmpty()) {
                        add(Kind.FAILURE, "", args.getFirst(), in);
                    }
                }
                case "JobEndedException", "CallFailedException" -> {
                    // other texts were scanned where they are made
                    if (isOfNode && args.get(1).toString().contains("\"")) {
                        add(Kind.FAILURE, "", args.get(1), in);
                    }
                }
                case "RefusedException", "JobRefusedException", "Reply" -> {
                    if (!args.getFirst().toString().contains("ExitStatus.OK")) {
                        add(Kind.REFUSAL, "", args.getLast(), in);
                    }
                }
                default -> {}
            }
            return super.visitNewClass(creation, in);
        }

        private void add(final Kind kind, final String errorClass, final ExpressionTree message, final MethodTree in) {
            final List<String> all = index.texts(message, in, 0);
            // a text that is found nowhere beside others is one that was made and scanned elsewhere
            all.stream().filter(t -> !t.isBlank() && (all.size() == 1 || !t.equals(ANY)))
                .forEach(t -> texts.add(new Text(kind, errorClass + Index.collapse(t.replace("{}", ANY).replace('\n', ' ')), type)));
        }
    }
}
