package tutti.cli;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.MessageCodec;

/** Options of the commands that list the state of a cluster: {@code --connect} and {@code --json}. */
final class ListingOptions {
    @Mixin
    private ConnectOption connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    /**
     * Asks the cluster for the reports of its nodes and prints them.
     *
     * @param rows  returns what {@code --json} prints, from the reports
     * @param table returns the text to print otherwise
     */
    void print(final Function<List<NodeReport>, Collection<?>> rows, final Function<List<NodeReport>, String> table) {
        print(reports(), rows, table);
    }

    /** Returns the reports of the nodes of the cluster. */
    List<NodeReport> reports() {
        try (Client client = connect.open()) {
            return client.ask(ClusterRequests::nodes);
        }
    }

    /** Prints reports as {@link #print(Function, Function)} does. */
    void print(final List<NodeReport> reports, final Function<List<NodeReport>, Collection<?>> rows,
        final Function<List<NodeReport>, String> table) {
        System.out.print(json ? MessageCodec.pretty(rows.apply(reports)) + "\n" : table.apply(reports));
    }

    /**
     * Makes a request, and prints the answer.
     *
     * @param text returns the text to print without {@code --json}
     */
    <T> void printAnswer(final Client.Request<T> request, final Function<T, String> text) {
        try (Client client = connect.open()) {
            final T value = client.ask(request);
            System.out.print(json ? MessageCodec.pretty(value) + "\n" : text.apply(value));
        }
    }
}
