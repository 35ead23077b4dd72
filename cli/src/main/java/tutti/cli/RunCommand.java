package tutti.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tutti.daemon.command.JavaCommandLine;
import tutti.daemon.protocol.Protocol;

/** {@code tutti run}: runs a program as a job. */
@Command(name = "run", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Runs a program: a .java source file, a .jar with a Main-Class, a class with --cp, or what the words behind java name.",
    exitCodeListHeading = "%nExit status: that of the program, or%n",
    exitCodeList = {"1:a rank failed with an exception", "2:an option, a file or a program cannot be used", "3:no cluster, or a node was lost",
        "4:the nodes do not agree on modules", "5:the secret of the user does not suffice", "7:the job was cancelled", "124:--timeout expired",
        "141:standard output was closed, as by | head"})
final class RunCommand implements Callable<Integer> {
    @Mixin
    private JobOptions job;

    @Option(names = {"--cp", "--class-path", "-cp", "-classpath"}, paramLabel = "PATH",
        description = "jars and folders of the program, as those of java: 'lib/*' are the jars of a folder")
    private @Nullable String classPath;

    @Option(names = "-D", paramLabel = "KEY[=VALUE]", mapFallbackValue = "",
        description = "a system property that the classes of the program find; may be repeated")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Option(names = "--enable-preview", description = "compile with preview features; the nodes of this run have them, too")
    private boolean preview;

    @Option(names = "--add-modules", paramLabel = "NAMES", description = "compile with these modules; the nodes of this run have them, too")
    private @Nullable String addedModules;

    @Option(names = "--timeout", paramLabel = "S", description = "end the job after S seconds, with status 124")
    private @Nullable Double timeout;

    @Mixin
    private RankOptions ranks;

    @Option(names = "--trace", paramLabel = "FILE",
        description = {"write when each task of each collective ran, as JSON that Perfetto opens, or as a",
            "picture if FILE ends in .svg or .png; with -p intercept=trace also messages and waits of the program;",
            "at most the first 20000 events of each rank and a million in total; -p trace=EVENTS sets another limit per rank;",
            "without --trace, -p trace=on has the daemons keep a trace for their live pages"})
    private @Nullable String trace;

    @Option(names = "--restart", paramLabel = "JOB[/N]", description = {"continue from the last checkpoint of that job, or from its checkpoint N;",
        "list them with tutti checkpoints"})
    private @Nullable String restart;

    @Parameters(index = "0", paramLabel = "PROGRAM", description = {"the program to run; java, or a path that ends in it, is followed by words as",
        "java takes them: options, a class, -jar FILE or a source file, and arguments"})
    private String program;

    @Parameters(index = "1..*", paramLabel = "ARG", description = "an argument of the program")
    private List<String> args = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        job.check(trace != null);
        ranks.check(job);
        job.refuse(timeout != null && !(timeout > 0), "timeout out of range: --timeout " + timeout + ", min=0 (exclusive)");
        job.refuse(restart != null && !restart.matches("[^/\\s]+(/[1-9][0-9]{0,8})?"), "no checkpoint: --restart " + restart
            + "; write JOB or JOB/NUMBER, as tutti checkpoints shows them");
        job.refuse(restart != null && !job.isConnected(), "--restart needs --connect: checkpoints are on the nodes of a cluster that runs");
        job.refuse("-".equals(trace), "--trace cannot write to standard output: name a file");
        job.checkOutput("--trace", trace);
        final long millis = timeout == null ? 0 : Math.max(1, Math.round(timeout * 1000));
        final boolean isJava = JavaCommandLine.isJava(program);
        final JavaCommandLine line = line(isJava);
        job.refuse(line.kind() != JavaCommandLine.Kind.CLASS && !Path.of(line.program()).toFile().isFile(),
            CommandFailure.notFound("program", Path.of(line.program())));
        if (job.isConnected() && !job.hasOwnJvms() && !line.ignored().isEmpty()) {
            System.err.println("tutti: " + line.ignored());
        }
        return job.run(new JobOptions.JobRequest(isJava ? line.program() : program, millis, ranks, RunCluster.Tuning.SPEED,
            job.hasOwnJvms() ? List.of() : line.jvmOptions(), null, trace, restart),
            () -> Program.of(line, !isJava, Installation.api(), job.hasOwnJvms()));
    }

    /** Returns the program with its options, as a command line of java has them. */
    private JavaCommandLine line(final boolean isJava) {
        final List<String> words = new ArrayList<>();
        if (classPath != null) {
            words.addAll(List.of("-cp", classPath));
        }
        properties.forEach((key, value) -> words.add("-D" + key + "=" + value));
        if (preview) {
            words.add("--enable-preview");
        }
        if (addedModules != null) {
            words.add("--add-modules=" + addedModules);
        }
        if (!isJava) {
            words.addAll(program.endsWith(".jar") ? List.of("-jar", program) : List.of(program));
        }
        words.addAll(args);
        try {
            final JavaCommandLine line = JavaCommandLine.parse(words, path -> path);
            if (!isJava || line.kind() != JavaCommandLine.Kind.CLASS || line.classPath() != null) {
                return line;
            }
            words.addAll(0, List.of("-cp", Objects.requireNonNullElse(System.getenv("CLASSPATH"), ".")));
            return JavaCommandLine.parse(words, path -> path);
        } catch (final IOException e) {
            throw job.refusal(Protocol.oneLine(e));
        }
    }
}
