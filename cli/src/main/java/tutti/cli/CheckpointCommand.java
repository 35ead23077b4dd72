package tutti.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tutti checkpoint}: saves the state of a job. */
@Command(name = "checkpoint", mixinStandardHelpOptions = true,
    description = "Saves the state of a running job at the next point of its program, a call of Checkpoint.here; the job goes on.")
final class CheckpointCommand implements Runnable {
    private static final double MILLIS = 1000;

    @Mixin
    private ConnectOption connect;

    @Option(names = "--timeout", paramLabel = "S", defaultValue = "60", description = "how long to wait until the job is saved, by default 60 s")
    private double timeout;

    @Parameters(paramLabel = "JOB", description = "the job's id, as tutti ps shows it")
    private String job;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        if (!(timeout > 0) || timeout > Integer.MAX_VALUE / MILLIS) {
            throw new ParameterException(spec.commandLine(), "timeout out of range: --timeout " + timeout + ", min=0 (exclusive)");
        }
        final long millis = Math.max(1, Math.round(timeout * MILLIS));
        try (Client client = connect.open()) {
            final String saved = client.ask(daemon -> daemon.checkpoint(job, millis));
            System.out.println(saved);
        }
    }
}
