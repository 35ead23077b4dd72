package tutti.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Role;

/** {@code tutti page}: prints the address of the live page of a node. */
@Command(name = "page", mixinStandardHelpOptions = true,
    description = "Prints the address of the live page that a daemon serves which was started with --page, to open in a browser on its host. The "
        + "address has a token in it, with which everybody there may do on the page what its role allows.")
final class PageCommand implements Runnable {
    @Mixin
    private ConnectOption connect;

    @Option(names = "--role", paramLabel = "ROLE",
        description = {"what the page may be used for: observe; run, also to plan calls; change, also to change modules;",
            "by default as much as the role of your secret allows"})
    private @Nullable String role;

    @Override
    public void run() {
        final Role wanted = wanted();
        try (Client client = connect.open()) {
            final String page = client.ask(daemon -> wanted == null ? daemon.page() : daemon.pageFor(wanted));
            System.out.println(client.contact().secret() instanceof final ClusterSecret secret && !page.contains("#")
                ? page + "#token=" + token(secret, wanted) : page);
        }
    }

    private @Nullable Role wanted() {
        if (role == null) {
            return null;
        }
        try {
            final Role parsed = Role.parse(role);
            if (!Role.CHANGE.includes(parsed)) {
                throw new CommandFailure(ExitStatus.USAGE, "no page for role " + parsed + ": --role is one of observe, run, change");
            }
            return parsed;
        } catch (final IllegalArgumentException e) {
            throw new CommandFailure(ExitStatus.USAGE, "no such role: --role " + role + ", expected observe, run or change", e);
        }
    }

    private static String token(final ClusterSecret secret, final @Nullable Role wanted) {
        final Role given = Role.CHANGE.includes(secret.role()) ? secret.role() : Role.CHANGE;
        return secret.derive(wanted == null ? given : wanted).pageToken();
    }
}
