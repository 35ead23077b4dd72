package tutti.cli;

import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;
import tutti.daemon.command.SimilarNames;
import tutti.daemon.node.ExitStatus;

/**
 * The {@code tutti} command. It loads no more classes than a command line needs, since most of a short command's time is loading them: the parser
 * reads the annotations of the one command that is named, and of all for help and errors.
 */
@Command(name = "tutti", mixinStandardHelpOptions = true, versionProvider = Main.Version.class,
    description = "Runs parallel programs written against the MPI model on a cluster of OSGi containers.",
    synopsisSubcommandLabel = "COMMAND")
public final class Main implements Runnable {
    /** Names of all commands, in the order of the help. */
    static final List<String> COMMANDS =
        List.of("run", "daemon", "start", "nodes", "modules", "ps", "info", "page", "doctor", "cancel", "checkpoint", "checkpoints", "explain",
            "tune",
            "bench", "install",
            "update", "uninstall", "rollback", "secure", "stop");

    private static final String NO_COMMAND = "no such command: ";

    @Spec
    private CommandSpec spec;

    /** Provides the line that {@code --version} prints. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {version()};
        }
    }

    private static String version() {
        return "tutti " + Installation.version();
    }

    /** Returns the class of a command, without loading the others. */
    static Class<?> command(final String name) {
        return switch (name) {
            case "run" -> RunCommand.class;
            case "daemon" -> DaemonCommand.class;
            case "start" -> StartCommand.class;
            case "nodes" -> NodesCommand.class;
            case "modules" -> ModulesCommand.class;
            case "ps" -> PsCommand.class;
            case "info" -> InfoCommand.class;
            case "page" -> PageCommand.class;
            case "doctor" -> DoctorCommand.class;
            case "cancel" -> CancelCommand.class;
            case "checkpoint" -> CheckpointCommand.class;
            case "checkpoints" -> CheckpointsCommand.class;
            case "explain" -> ExplainCommand.class;
            case "tune" -> TuneCommand.class;
            case "bench" -> BenchCommand.class;
            case "install" -> ChangeCommand.Install.class;
            case "update" -> ChangeCommand.Update.class;
            case "uninstall" -> ChangeCommand.Uninstall.class;
            case "rollback" -> ChangeCommand.Rollback.class;
            case "secure" -> SecureCommand.class;
            case "stop" -> StopCommand.class;
            default -> throw new IllegalArgumentException("no such command: " + name);
        };
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "command missing");
    }

    /** Runs a command line and ends the JVM with its status. */
    public static void main(final String[] args) {
        if (args.length > 0 && COMMANDS.contains(args[0]) && !args[0].equals("daemon")) {
            Client.prepare();
        }
        System.exit(execute(new PrintWriter(System.err, true, System.err.charset()), args));
    }

    /** Returns the parser with all commands, from which the build makes the completion of shells and the manual pages. */
    public static CommandLine commandLine() {
        return commandLine(COMMANDS);
    }

    private static CommandLine commandLine(final List<String> names) {
        final CommandLine line = new CommandLine(new Main());
        names.forEach(name -> line.addSubcommand(name, command(name)));
        return line;
    }

    /** Runs a command line; errors go to {@code err}. Returns the exit status. */
    static int execute(final PrintWriter err, final String... args) {
        if (List.of(args).equals(List.of("--version"))) {
            System.out.println(version());
            return ExitStatus.OK;
        }
        final boolean named = args.length > 0 && COMMANDS.contains(args[0]);
        final CommandLine line = commandLine(named ? List.of(args[0]) : COMMANDS);
        line.setErr(err);
        if (line.getSubcommands().containsKey("run")) {
            // arguments after the program are passed to the program
            line.getSubcommands().get("run").setStopAtPositional(true);
        }
        // a word that begins with @ may be one of the program
        line.setExpandAtFiles(false);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler((e, a) -> {
            final String message = String.valueOf(e instanceof UnmatchedArgumentException u ? unmatched(u) : e.getMessage());
            // a suggestion needs no more help
            err.println("tutti: " + message + (message.endsWith("?") || message.startsWith(NO_COMMAND) ? ""
                : "; try: " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help"));
            return ExitStatus.USAGE;
        });
        line.setExecutionExceptionHandler((e, l, r) -> CommandFailure.report(err, e));
        return line.execute(args);
    }

    /** Returns what is wrong with an argument that is neither an option nor a command, with what was probably meant. */
    private static @Nullable String unmatched(final UnmatchedArgumentException e) {
        final CommandLine line = e.getCommandLine();
        final String name = e.getUnmatched().getFirst();
        if (e.isUnknownOption()) {
            return e.getMessage() + SimilarNames.nearest(name.replaceFirst("=.*", ""), line.getCommandSpec().optionsMap().keySet());
        }
        return line.getSubcommands().isEmpty() ? e.getMessage()
            : NO_COMMAND + line.getCommandSpec().qualifiedName().replaceFirst("^tutti ?(.+)?", "$1 ").stripLeading() + name
                + SimilarNames.suggestion(name, line.getSubcommands().keySet());
    }
}
