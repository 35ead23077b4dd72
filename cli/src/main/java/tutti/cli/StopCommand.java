package tutti.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.protocol.Message;

/** {@code tutti stop}: stops daemons. */
@Command(name = "stop", mixinStandardHelpOptions = true, description = "Stops the daemons of a cluster, or one of them.")
final class StopCommand implements Runnable {
    @Mixin
    private ConnectOption connect;

    @Option(names = "--node", paramLabel = "NAME", description = "stop only that node")
    private String node;

    @Override
    public void run() {
        try (Client client = connect.open()) {
            client.request(new Message.Stop(node));
        }
    }
}
