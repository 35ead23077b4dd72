package tutti.daemon.command;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.protocol.JobInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Wire;

/** {@code tutti ps}. */
@Command(name = "ps", mixinStandardHelpOptions = true, description = "Lists the jobs of a cluster.")
final class PsCommand implements Runnable {
    @Mixin
    private Connect connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public void run() {
        try (Client client = connect.open()) {
            final List<JobInfo> jobs = client.ask(new Message.Describe(), Message.ClusterState.class).nodes().stream()
                .flatMap(r -> r.jobs().stream()).toList();
            if (json) {
                System.out.println(Wire.pretty(jobs));
                return;
            }
            final Tabular table = new Tabular("JOB", "STATE", "RANKS", "NODES", "MODULES", "PROGRAM", "AGE", "BY", "AT");
            jobs.forEach(j -> table.row(j.id(), j.state(), j.ranks(), String.join(",", j.nodes()), String.join(", ", j.modules()), j.program(),
                NodesCommand.age(j.since()), j.launchedBy(), j.launchedAt()));
            System.out.print(table);
        }
    }
}
