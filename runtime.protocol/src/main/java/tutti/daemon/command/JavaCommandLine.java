package tutti.daemon.command;

import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.RankProgram;

/**
 * What a command line of {@code java} means: a class, jar or source file with its arguments, and options.
 *
 * @param kind      kind of the program
 * @param program   name of the class, or path of the jar or source file
 * @param args      its arguments
 * @param classPath elements of the class path, as they were written; null when the line has none
 * @param options   options that each rank takes for itself
 * @param compile   options for the compiler of a source file
 * @param jvm       options that a JVM takes when it starts alone
 */
public record JavaCommandLine(Kind kind, String program, List<String> args, @Nullable List<String> classPath, RankProgram.Options options,
    List<String> compile, List<String> jvm) {
    /** Options with a value in the next word; those with two hyphens may have it behind an equals sign. */
    private static final Set<String> VALUED = Set.of("-cp", "-classpath", "--class-path", "-jar", "-p", "--module-path", "--upgrade-module-path",
        "--add-modules", "--add-reads", "--add-exports", "--add-opens", "--limit-modules", "--patch-module", "--enable-native-access", "--source",
        "-m", "--module", "-d", "--describe-module");
    private static final Set<String> MODULES = Set.of("-m", "--module", "-p", "--module-path");
    /** Options with which {@code java} runs no program. */
    private static final Set<String> NO_PROGRAM = Set.of("-version", "--version", "-help", "--help", "-h", "-?", "-X", "--help-extra", "--dry-run",
        "--list-modules", "--validate-modules", "-d", "--describe-module");
    private static final Pattern JVM = Pattern.compile("-X.+|-(verbose|agentlib|agentpath|javaagent|splash)(:.*)?|-(server|client|esa|dsa)"
        + "|-(en|dis)ablesystemassertions|--(upgrade-module-path|add-reads|limit-modules|patch-module|finalization|illegal-native-access"
        + "|sun-misc-unsafe-memory-access)(=.*)?|-(no-)?showversion|--(no-)?show-version|-show-module-resolution|--show-module-resolution");

    /** Text in quotes, which may lack their end. */
    private static final Pattern QUOTED = Pattern.compile("(?s)\"((?:\\\\.|[^\"\\\\]++)*+)\"?|'((?:\\\\.|[^'\\\\]++)*+)'?");
    /** Word or comment of a file with arguments. */
    private static final Pattern WORD = Pattern.compile("#[^\\n]*|(?:" + QUOTED + "|[^\\s\"']++)++");
    private static final Pattern ESCAPED = Pattern.compile("(?s)\\\\(.)");

    /** Kinds of programs. */
    public enum Kind {
        /** A class of the class path. */
        CLASS,
        /** A jar with the name of its main class. */
        JAR,
        /** A source file. */
        SOURCE
    }

    /** Copies the lists. */
    public JavaCommandLine {
        args = List.copyOf(args);
        classPath = classPath == null ? null : List.copyOf(classPath);
        compile = List.copyOf(compile);
        jvm = List.copyOf(jvm);
    }

    /** Returns whether a word of a command line is the {@code java} command. */
    public static boolean isJava(final String word) {
        return word.replaceFirst(".*[/\\\\]", "").matches("java(\\.exe)?");
    }

    /**
     * Reads the words of a command line, behind {@code java}.
     *
     * @param read finds the file of a path
     * @throws IOException when the line names no program, or has an option that {@code java} does not know; the message says which
     */
    public static JavaCommandLine parse(final List<String> words, final UnaryOperator<Path> read) throws IOException {
        return new Parser(words, read).parse();
    }

    /** Returns the options with which a JVM must start that runs this program and nothing else. */
    public List<String> jvmOptions() {
        final List<String> all = new ArrayList<>(jvm);
        if (options.preview()) {
            all.add("--enable-preview");
        }
        options.modules().forEach(m -> all.add("--add-modules=" + m));
        return all;
    }

    /** Returns the options of the JVM as text for messages; empty when there are none. */
    public String ignored() {
        return jvm.isEmpty() ? "" : "ignored, since ranks share the JVM of their node: " + String.join(" ", jvm)
            + "; start the node with them: TUTTI_DAEMON_OPTS";
    }

    /** State of the reading of one line. */
    private static final class Parser {
        private final Deque<String> words;
        private final UnaryOperator<Path> read;
        private final Map<String, String> properties = new LinkedHashMap<>();
        private final List<String> assertions = new ArrayList<>();
        private final List<String> opens = new ArrayList<>();
        private final List<String> exports = new ArrayList<>();
        private final List<String> modules = new ArrayList<>();
        private final List<String> compile = new ArrayList<>();
        private final List<String> jvm = new ArrayList<>();
        private @Nullable List<String> classPath;
        private boolean preview;
        private boolean source;
        private @Nullable String release;
        private @Nullable String jar;

        Parser(final List<String> words, final UnaryOperator<Path> read) {
            this.words = new ArrayDeque<>(words);
            this.read = read;
        }

        JavaCommandLine parse() throws IOException {
            boolean filesAreRead = true;
            while (jar == null && !words.isEmpty() && (words.getFirst().startsWith("-") || filesAreRead && words.getFirst().startsWith("@"))) {
                final String word = words.remove();
                filesAreRead &= !word.equals("--disable-@files");
                if (word.startsWith("@")) {
                    insert(word.substring(1));
                } else if (!word.equals("--disable-@files")) {
                    option(word);
                }
            }
            final String program = jar != null ? jar : words.poll();
            if (program == null) {
                throw new IOException("java without a program: name a class, -jar FILE or a source file");
            }
            final Kind kind = jar != null ? Kind.JAR : source || program.endsWith(".java") ? Kind.SOURCE : Kind.CLASS;
            if (release != null || preview) {
                compile.addAll(List.of("--source", release == null ? Integer.toString(Runtime.version().feature()) : release));
            }
            return new JavaCommandLine(kind, program, List.copyOf(words), classPath,
                new RankProgram.Options(properties, assertions, opens, exports, modules, preview), compile, jvm);
        }

        private void option(final String word) throws IOException {
            final int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            final String name = equals < 0 ? word : word.substring(0, equals);
            if (NO_PROGRAM.contains(name) || MODULES.contains(name)) {
                throw new IOException(MODULES.contains(name) ? "ranks have no module path: " + word
                    + "; give the jars of the modules as class path and name the class: java -cp 'DIR/*' CLASS"
                    : "java " + word + " runs no program");
            }
            final String value = equals >= 0 ? word.substring(equals + 1) : VALUED.contains(name) ? value(name) : "";
            switch (name) {
                case "-cp", "-classpath", "--class-path" -> classPath = List.of(value.split(File.pathSeparator));
                case "-jar" -> jar = value;
                case "--source" -> {
                    source = true;
                    release = value;
                }
                case "--enable-preview" -> {
                    preview = true;
                    compile.add(word);
                }
                case "--add-modules" -> {
                    modules.addAll(List.of(value.split(",")));
                    compile.add(name + "=" + value);
                }
                case "--add-exports" -> {
                    exports.add(packageOf(name, value));
                    compile.add(name + "=" + value);
                }
                case "--add-opens" -> opens.add(packageOf(name, value));
                // every node permits it
                case "--enable-native-access" -> {}
                default -> switchOf(word, name, value);
            }
        }

        private void switchOf(final String word, final String name, final String value) throws IOException {
            if (word.startsWith("-D")) {
                final int equals = word.indexOf('=');
                properties.put(word.substring(2, equals < 0 ? word.length() : equals), equals < 0 ? "" : word.substring(equals + 1));
            } else if (word.matches("-(ea|da|(en|dis)ableassertions)(:.+)?")) {
                assertions.add(word.replace("-enableassertions", "-ea").replace("-disableassertions", "-da"));
            } else if (JVM.matcher(word).matches()) {
                jvm.add(value.isEmpty() || name.length() < word.length() ? word : name + "=" + value);
            } else {
                throw new IOException("java has no such option: " + word);
            }
        }

        /** Returns the package that an option opens or exports, {@code MODULE/PACKAGE}; a program is never another module than the unnamed one. */
        private static String packageOf(final String name, final String value) throws IOException {
            if (!value.matches("[^/=]+/[^/=]+(=.+)?")) {
                throw new IOException("expected " + name + "=MODULE/PACKAGE=ALL-UNNAMED: " + value);
            }
            return value.replaceFirst("=.*", "");
        }

        private String value(final String name) throws IOException {
            final String value = words.poll();
            if (value == null) {
                throw new IOException("value missing: java " + name);
            }
            return value;
        }

        /** Puts the words of a file before those that are left. */
        private void insert(final String file) throws IOException {
            final List<String> found = words(Files.readString(read.apply(Path.of(file)), Charset.defaultCharset()));
            found.reversed().forEach(words::push);
        }

        /** Splits the text of a file with arguments: quotes hold spaces, a backslash in quotes makes the next character plain, # begins a comment. */
        private static List<String> words(final String text) {
            return WORD.matcher(text).results().map(MatchResult::group).filter(word -> !word.startsWith("#"))
                .map(word -> QUOTED.matcher(word).replaceAll(Parser::unquoted)).toList();
        }

        private static String unquoted(final MatchResult quoted) {
            final String text = Objects.requireNonNullElse(quoted.group(1), quoted.group(2));
            return Matcher.quoteReplacement(ESCAPED.matcher(text).replaceAll("$1"));
        }
    }
}
