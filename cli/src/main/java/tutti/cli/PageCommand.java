package tutti.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tutti.daemon.protocol.Message;
import tutti.daemon.security.ClusterSecret;

/** {@code tutti page}: prints the address of the live page of a node. */
@Command(name = "page", mixinStandardHelpOptions = true,
    description = "Prints the address of the live page that a daemon serves which was started with --page, to open in a browser on its host. The "
        + "address has a token in it, with which everybody there can see the page.")
final class PageCommand implements Runnable {
    @Mixin
    private ConnectOption connect;

    @Override
    public void run() {
        try (Client client = connect.open()) {
            final String page = client.request(new Message.FindPage());
            System.out.println(page.contains("?") || !(client.contact().secret() instanceof final ClusterSecret secret) ? page
                : page + "?token=" + secret.pageToken());
        }
    }
}
