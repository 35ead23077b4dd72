package tutti.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tutti.daemon.protocol.ExitStatus;
import tutti.daemon.protocol.Protocol;

/** The {@code tutti} command. */
@Command(name = "tutti", mixinStandardHelpOptions = true, versionProvider = Main.Version.class,
    description = "Runs parallel programs written against the MPI model on a cluster of OSGi containers.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {RunCommand.class, DaemonCommand.class, NodesCommand.class, ModulesCommand.class, PsCommand.class, InfoCommand.class,
        CancelCommand.class, ExplainCommand.class, TuneCommand.class, ChangeCommand.Install.class, ChangeCommand.Update.class,
        ChangeCommand.Uninstall.class,
        ChangeCommand.Rollback.class, StopCommand.class})
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Reads the version from the manifest of the jar, which the build writes. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"tutti " + Objects.requireNonNullElse(Main.class.getPackage().getImplementationVersion(), "(not from a jar)")};
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "command missing");
    }

    /** Runs a command line and ends the JVM with its status. */
    public static void main(final String[] args) {
        if (List.of(args).contains(DaemonCommand.UNTIL_INPUT_ENDS)) {
            InputEnd.watch();
        }
        System.exit(execute(new PrintWriter(System.err, true), args));
    }

    /** Runs a command line; errors go to {@code err}. Returns the exit status. */
    static int execute(final PrintWriter err, final String... args) {
        final CommandLine line = new CommandLine(new Main());
        line.setErr(err);
        // arguments after the program are passed to the program
        line.getSubcommands().get("run").setStopAtPositional(true);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler((e, a) -> {
            err.println("tutti: " + e.getMessage() + "; try: " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help");
            return ExitStatus.USAGE;
        });
        line.setExecutionExceptionHandler((e, l, r) -> {
            if (e instanceof CommandFailure f) {
                err.println("tutti: " + f.getMessage());
                return f.status();
            }
            err.println("tutti: " + Protocol.oneLine(e));
            return ExitStatus.FAILED;
        });
        return line.execute(args);
    }
}
