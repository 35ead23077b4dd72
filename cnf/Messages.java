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
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Writes the tables of the guide's page on messages of nodes and errors of calls from the main sources: the texts that a node logs as warnings and
 * errors, its refusals and failures, and the errors of package mpi. Cause and remedy are those of a comment directly above the text or its statement,
 * {@code // Cause: ... Remedy: ...}; the test is one that has a part of the text. The page says by comments which texts each of its tables has.
 *
 * <p>Usage, in the project's folder: {@code java cnf/Messages.java [--check | --list]}, with JDK 25. {@code --check} ends with status 1 if the page
 * differs, {@code --list} prints all texts.
 */
public final class Messages {
    private static final Path PAGE = Path.of("docs/guide/node-messages.md");
    /** Pages whose tables have refusals and failures, too. */
    private static final List<Path> MORE = List.of(Path.of("docs/guide/messages.md"), Path.of("docs/guide/security.md"));
    /** Begins a table of the page: the kind of its texts, then packages, types or error classes; {@code *} for those that no other table has. */
    private static final Pattern TABLE = Pattern.compile("<!-- texts: (\\w+)((?: \\S+)+) -->");
    private static final String COMMENT = "// ";
    private static final Pattern CAUSE = Pattern.compile("Cause: (.*?)\\.(?= Remedy: |$)");
    private static final Pattern REMEDY = Pattern.compile("Remedy: (.*)\\.$");
    private static final String ANY = "...";
    private static final int MAX_DEPTH = 4;
    private static final int MAX_TEXTS = 40;
    /** Length of a text's literal parts from which on they tell it from others. */
    private static final int DISTINCT = 12;
    /** The error class with which the text of an exception of package mpi begins. */
    private static final String CLASS = "^MPI_[A-Z_.]+: ";
    /** Length of a beginning of successive words of a message that its test has; of a shorter message, all. */
    private static final int WORDS = 24;
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    /** Folders of sources that run on no node, or whose texts are no texts of a node. */
    private static final List<String> OTHERS = List.of("archetype", "bench", "coll.suite", "coll.tck", "dist", "examples", "itest", "junit", "stress",
        "testing");
    /** Folder of the packages whose exceptions reach who asks a node. */
    private static final Path NODE = Path.of("src/main/java/tutti/daemon");
    /** Types that pass texts on which others have made: of these a scan finds nothing. */
    private static final List<String> PASS_ON = List.of("CALL AccessOperation", "CALL CommAttributes", "CALL Datatype", "CALL GroupMeeting",
        "CALL MPIException", "CALL MpiFailure", "CALL Request", "CALL Win", "LOG NodeHealthCheck", "REFUSAL ChangeCoordinator",
        "REFUSAL ClientSession",
        "REFUSAL ClusterCheckpoints", "REFUSAL ClusterModules", "REFUSAL Connector", "REFUSAL ConnectorHandshake",
        "REFUSAL HelloVerifier", "REFUSAL JobCoordinator");

    private Messages() {}

    private enum Kind {
        LOG, CALL, REFUSAL, FAILURE
    }

    /**
     * A text of the sources, in which {@code ...} stands for what a call puts in.
     *
     * @param place  the type, with its package
     * @param bundle the folder of the bundle
     * @param cause  of the comment; empty without
     * @param remedy of the comment; empty without
     */
    private record Text(Kind kind, String text, String place, String bundle, String cause, String remedy) {
        String type() {
            return place.substring(place.lastIndexOf('.') + 1);
        }

        boolean isOpen() {
            return text.endsWith(ANY) && literals(text) == 0;
        }

        /** Returns whether a row of a page for commands has the text, before and behind which the command may print more. */
        boolean isWithin(final String row) {
            return text.equals(row) || literals(row) >= DISTINCT && pattern(row).matcher(text).matches()
                || literals(text) >= DISTINCT && pattern(text).matcher(row).find();
        }

        /** Returns how well a word of a table's comment fits: the length of the error class, package or type; -1 if it does not. */
        int fits(final String word) {
            final boolean fits = place.equals(word) || place.startsWith(word + ".") || text.startsWith("MPI_ERR_" + word + ": ");
            return word.equals("*") ? 0 : fits ? word.length() : -1;
        }
    }

    public static void main(final String[] args) throws IOException {
        final List<String> problems = new ArrayList<>();
        final List<Text> texts = texts(problems);
        if (List.of(args).contains("--list")) {
            texts.stream().map(t -> t.kind() + " " + t.text() + "   <- " + t.type()).sorted().distinct().forEach(System.out::println);
            return;
        }
        texts.stream().filter(t -> t.isOpen() && t.kind() != Kind.FAILURE && !PASS_ON.contains(t.kind() + " " + t.type()))
            .map(t -> "text that cannot be found: write it in the call, " + t.kind() + " of " + t.place()).distinct().forEach(problems::add);
        final String old = Files.readString(PAGE);
        final String page = page(old.lines().toList(), listed(texts), problems);
        if (!problems.isEmpty()) {
            System.err.println(String.join("\n", problems));
            System.exit(1);
        }
        if (!List.of(args).contains("--check")) {
            Files.writeString(PAGE, page);
        } else if (!page.equals(old)) {
            System.err.println(PAGE + " does not have the messages of the sources; write it: java cnf/Messages.java");
            System.exit(1);
        }
    }

    /** Returns the texts that the page has: not those of other pages. Of equal texts the first that has a comment. */
    private static Collection<Text> listed(final List<Text> texts) throws IOException {
        final List<String> more = new ArrayList<>();
        for (final Path p : MORE) {
            Files.readAllLines(p).stream().filter(l -> l.startsWith("| ")).flatMap(l -> QUOTED.matcher(l).results()).map(m -> m.group(1))
                .forEach(more::add);
        }
        final Map<String, Text> listed = new TreeMap<>();
        for (final Text t : texts) {
            if (!t.isOpen() && (t.kind() != Kind.REFUSAL && t.kind() != Kind.FAILURE || more.stream().noneMatch(t::isWithin))) {
                listed.merge(t.kind() + " " + t.text(), t, (first, next) -> (first.cause() + first.remedy()).isEmpty() ? next : first);
            }
        }
        return listed.values();
    }

    /** Returns the page with new tables. */
    private static String page(final List<String> old, final Collection<Text> texts, final List<String> problems) throws IOException {
        final List<Matcher> tables = old.stream().map(TABLE::matcher).filter(Matcher::matches).toList();
        final Map<String, List<Text>> rows = new HashMap<>();
        for (final Text t : texts) {
            int best = -1;
            String table = "";
            for (final Matcher m : tables) {
                for (final String word : m.group(2).strip().split(" ")) {
                    if (m.group(1).equals(t.kind().toString()) && t.fits(word) > best) {
                        best = t.fits(word);
                        table = m.group();
                    }
                }
            }
            if (best < 0) {
                problems.add("no table for " + t.kind() + " of " + t.place() + ": " + t.text());
            }
            rows.computeIfAbsent(table, n -> new ArrayList<>()).add(t);
        }
        final Map<String, String> tests = tests(texts);
        final StringBuilder page = new StringBuilder();
        boolean isOld = false;
        for (final String line : old) {
            isOld &= line.isEmpty() || line.startsWith("|");
            if (!isOld) {
                page.append(line).append('\n');
            }
            if (TABLE.matcher(line).matches()) {
                page.append("\n| message | cause | remedy | test |\n|---|---|---|---|\n");
                for (final Text t : rows.getOrDefault(line, List.of())) {
                    final String test = tests.getOrDefault(t.bundle() + " " + t.text(), "");
                    page.append("| `").append(t.text().replace("|", "\\|")).append("` | ")
                        .append(Stream.of(t.cause(), t.remedy(), test).map(c -> c.isEmpty() ? "–" : c).collect(Collectors.joining(" | ")))
                        .append(" |\n");
                }
                page.append('\n');
                isOld = true;
            }
        }
        return page.toString();
    }

    /** Returns a test that has successive words of a text, one of the same bundle first, by bundle and text. */
    private static Map<String, String> tests(final Collection<Text> texts) throws IOException {
        final Map<String, Set<Text>> wanted = new HashMap<>();
        final Set<Integer> lengths = new TreeSet<>();
        for (final Text t : texts) {
            for (final String words : phrases(t.text())) {
                wanted.computeIfAbsent(words, w -> new HashSet<>()).add(t);
                lengths.add(words.length());
            }
        }
        final Map<String, String> tests = new HashMap<>();
        for (final Path file : sources("src/test/java", List.of())) {
            final String test = Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "").replace("\\\"", "\"");
            for (final int length : lengths) {
                for (int i = 0; i + length <= test.length(); i++) {
                    for (final Text t : wanted.getOrDefault(test.substring(i, i + length), Set.of())) {
                        final String name = file.getFileName().toString().replace(".java", "");
                        final boolean isOwn = file.startsWith(t.bundle());
                        tests.merge(t.bundle() + " " + t.text(), (isOwn ? "0" : "1") + name, (a, b) -> a.compareTo(b) <= 0 ? a : b);
                    }
                }
            }
        }
        tests.replaceAll((text, name) -> name.substring(1));
        return tests;
    }

    /** Returns the beginnings of successive words of a text of which a test must have one. */
    private static List<String> phrases(final String message) {
        final List<String> parts = Stream.of(message.replaceFirst(CLASS, "").split(Pattern.quote(ANY))).map(String::strip).toList();
        final int length = Math.min(WORDS, parts.stream().mapToInt(String::length).max().orElse(0));
        final List<String> phrases = new ArrayList<>();
        for (final String part : parts) {
            for (int i = 0; i + length <= part.length(); i++) {
                if (i == 0 || part.charAt(i - 1) == ' ') {
                    phrases.add(part.substring(i, i + length));
                }
            }
        }
        return phrases;
    }

    private static int literals(final String text) {
        return text.replaceFirst(CLASS, "").replace(ANY, "").strip().length();
    }

    private static Pattern pattern(final String text) {
        return Pattern.compile(Stream.of(text.split(Pattern.quote(ANY), -1)).map(Pattern::quote).collect(Collectors.joining(".*")), Pattern.DOTALL);
    }

    private static List<Text> texts(final List<String> problems) throws IOException {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            final JavacTask task = (JavacTask) compiler.getTask(null, files, d -> {}, List.of("-proc:none"), null,
                files.getJavaFileObjectsFromPaths(sources("src/main/java", OTHERS)));
            final List<Text> texts = new ArrayList<>();
            for (final CompilationUnitTree unit : task.parse()) {
                final Index index = new Index(unit, Trees.instance(task).getSourcePositions());
                index.scan(unit, null);
                new Scanner(texts, index, Path.of(unit.getSourceFile().getName())).scan(unit, null);
                index.unused().forEach(line -> problems.add("comment that is above no text: " + unit.getSourceFile().getName() + ":" + line));
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

    /**
     * A text, and where the longest literal of it is.
     *
     * @param at     offset in the file; -1 for none
     * @param length of that literal
     */
    private record Piece(String text, long at, int length) {
        private static final Piece OPEN = new Piece(ANY, -1, 0);

        Piece plus(final Piece right) {
            return new Piece(collapse(text + right.text), length >= right.length ? at : right.at, Math.max(length, right.length));
        }

        static String collapse(final String text) {
            return text.replaceAll("\\.{3,}", ANY);
        }
    }

    /** The methods of a source file, and the calls of each with the method around them. */
    private static final class Index extends TreeScanner<Void, MethodTree> {
        private final Map<String, List<MethodTree>> methods = new HashMap<>();
        private final Map<String, List<Call>> calls = new HashMap<>();
        private final Map<String, List<ExpressionTree>> fields = new HashMap<>();

        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<String> lines;
        /** The indices of the last lines of comments that have cause or remedy of a text. */
        private final Set<Integer> used = new HashSet<>();

        private record Call(MethodInvocationTree call, MethodTree in) {}

        Index(final CompilationUnitTree unit, final SourcePositions positions) throws IOException {
            this.unit = unit;
            this.positions = positions;
            this.lines = unit.getSourceFile().getCharContent(true).toString().lines().toList();
        }

        /** Returns the words of the comment directly above the line of a text, or else above its statement. */
        String comment(final long at) {
            final String above = above(at);
            return above.isEmpty() ? above(statement(at)) : above;
        }

        /** Returns the words above the line of an offset if they have a cause or a remedy; otherwise an empty text. */
        private String above(final long at) {
            final int line = (int) unit.getLineMap().getLineNumber(at) - 1;
            String words = "";
            for (int i = line - 1; i >= 0 && lines.get(i).strip().startsWith(COMMENT); i--) {
                words = lines.get(i).strip().substring(COMMENT.length()) + (words.isEmpty() ? "" : " " + words);
            }
            if (!CAUSE.matcher(words).find() && !REMEDY.matcher(words).find()) {
                return "";
            }
            used.add(line - 1);
            return words;
        }

        /** Returns the numbers of the lines that begin a comment with a cause or a remedy which no text has. */
        List<Integer> unused() {
            final List<Integer> unused = new ArrayList<>();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).strip().matches(COMMENT + "(Cause|Remedy): .*")) {
                    int last = i;
                    while (lines.get(last + 1).strip().startsWith(COMMENT)) {
                        last++;
                    }
                    if (!used.contains(last)) {
                        unused.add(i + 1);
                    }
                }
            }
            return unused;
        }

        /** Returns the begin of the statement, field or case that has a text. */
        private long statement(final long at) {
            final long[] best = {at, Long.MAX_VALUE};
            new TreeScanner<Void, Void>() {
                @Override
                public Void scan(final Tree tree, final Void none) {
                    if ((tree instanceof StatementTree || tree instanceof CaseTree) && tree.getKind() != Tree.Kind.BLOCK) {
                        final long begin = positions.getStartPosition(unit, tree);
                        final long end = positions.getEndPosition(unit, tree);
                        if (begin <= at && at < end && end - begin < best[1]) {
                            best[0] = begin;
                            best[1] = end - begin;
                        }
                    }
                    return super.scan(tree, none);
                }
            }.scan(unit, null);
            return best[0];
        }

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
        List<Piece> texts(final Tree expression, final MethodTree in, final int depth) {
            if (depth > MAX_DEPTH) {
                return List.of(Piece.OPEN);
            }
            final List<Piece> found = switch (expression) {
                // an unknown name is as good as a name
                case LiteralTree literal -> List.of(literal.getValue() instanceof String && !literal.getValue().equals("?")
                    || literal.getValue() instanceof Character ? piece(literal) : Piece.OPEN);
                case ParenthesizedTree p -> texts(p.getExpression(), in, depth);
                case BinaryTree sum when sum.getKind() == Tree.Kind.PLUS -> texts(sum.getLeftOperand(), in, depth).stream()
                    .flatMap(left -> texts(sum.getRightOperand(), in, depth).stream().map(right -> left.plus(right))).toList();
                case ConditionalExpressionTree c -> all(Stream.of(c.getTrueExpression(), c.getFalseExpression()), in, depth);
                case SwitchExpressionTree s -> all(s.getCases().stream().map(CaseTree::getBody).filter(ExpressionTree.class::isInstance), in, depth);
                case IdentifierTree name -> named(name.getName().toString(), in, depth);
                case MethodInvocationTree call -> methods.getOrDefault(name(call) + "/" + call.getArguments().size(), List.of()).stream()
                    .flatMap(m -> results(m).stream().flatMap(r -> texts(r, m, depth + 1).stream())).toList();
                default -> List.of(Piece.OPEN);
            };
            final Map<String, Piece> byText = new LinkedHashMap<>();
            found.stream().forEach(p -> byText.putIfAbsent(p.text(), p));
            final List<Piece> distinct = List.copyOf(byText.values());
            if (distinct.size() > MAX_TEXTS) {
                return depth == MAX_DEPTH ? List.of(Piece.OPEN) : texts(expression, in, MAX_DEPTH);
            }
            return distinct.isEmpty() ? List.of(Piece.OPEN) : distinct;
        }

        private Piece piece(final LiteralTree literal) {
            final String text = literal.getValue().toString();
            return new Piece(text, positions.getStartPosition(unit, literal), text.length());
        }

        private List<Piece> all(final Stream<? extends Tree> expressions, final MethodTree in, final int depth) {
            return expressions.flatMap(e -> texts(e, in, depth).stream()).toList();
        }

        private List<Piece> named(final String name, final MethodTree in, final int depth) {
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
            return fields.containsKey(name) ? all(fields.get(name).stream(), null, depth + 1) : List.of(Piece.OPEN);
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
    }

    /** Finds the calls that log and that make errors. */
    private static final class Scanner extends TreeScanner<Void, MethodTree> {
        private final List<Text> texts;
        private final Index index;
        private final String place;
        private final String bundle;
        private final boolean isOfNode;

        Scanner(final List<Text> texts, final Index index, final Path file) {
            this.texts = texts;
            this.index = index;
            this.place = index.unit.getPackageName() + "." + file.getFileName().toString().replace(".java", "");
            this.bundle = file.getName(0).toString();
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
            } else if (name.equals("ofLoss")) {
                add(Kind.CALL, "MPI_ERR_PROC_FAILED: ", args.getFirst(), in);
            } else if (name.equals("revoked") && receiver.equals("MpiFailure")) {
                add(Kind.CALL, "MPI_ERR_REVOKED: ", args.getFirst(), in);
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
            final List<Piece> all = index.texts(message, in, 0);
            // a text that is found nowhere beside others is one that was made and scanned elsewhere
            for (final Piece piece : all.stream().filter(t -> !t.text().isBlank() && (all.size() == 1 || !t.text().equals(ANY))).toList()) {
                final String comment = index.comment(piece.at() < 0 ? index.positions.getStartPosition(index.unit, message) : piece.at());
                texts.add(new Text(kind, errorClass + Piece.collapse(piece.text().replace("{}", ANY).replace('\n', ' ')), place, bundle,
                    CAUSE.matcher(comment).results().map(m -> m.group(1)).findFirst().orElse(""),
                    REMEDY.matcher(comment).results().map(m -> m.group(1)).findFirst().orElse("")));
            }
        }
    }
}
