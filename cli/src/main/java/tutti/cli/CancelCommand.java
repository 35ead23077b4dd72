package tutti.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tutti cancel}: ends a job. */
@Command(name = "cancel", mixinStandardHelpOptions = true, description = "Ends a job; its run has status 7.")
final class CancelCommand implements Runnable {
    @Mixin
    private ConnectOption connect;

    @Parameters(paramLabel = "JOB", description = "the job's id, as tutti ps shows it")
    private String job;

    @Override
    public void run() {
        try (Client client = connect.open()) {
            client.ask(daemon -> daemon.cancel(job));
        }
    }
}
