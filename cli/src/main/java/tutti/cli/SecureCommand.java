package tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Role;

/** {@code tutti secure}: makes what a cluster needs to know who may do what. */
@Command(name = "secure", mixinStandardHelpOptions = true, description = "Makes the secrets or certificates of a cluster.",
    subcommands = {SecureCommand.Init.class, SecureCommand.Node.class, SecureCommand.User.class}, synopsisSubcommandLabel = "COMMAND")
final class SecureCommand {

    private SecureCommand() {}

    /** The folder that the commands share. */
    static final class Folder {
        @Option(names = "--dir", paramLabel = "FOLDER", defaultValue = "tutti-secrets",
            description = "folder of the files; by default ${DEFAULT-VALUE}")
        private Path dir;

        private CommandFailure failure(final IOException e) {
            return new CommandFailure(ExitStatus.FAILED, "file cannot be written: folder=" + dir + ": " + e.getMessage(), e);
        }
    }

    /** {@code tutti secure init}: makes a secret per role, or a certificate authority. */
    @Command(name = "init", mixinStandardHelpOptions = true, description = {"Makes a secret per role: observe, run, change, node.",
        "Nodes need that for role node. Users get the file of their role, and set TUTTI_SECRET to its path.",
        "With --certificates it makes the authority of a cluster instead, whose links are encrypted;",
        "'tutti secure node' and 'tutti secure user' then make the certificates."})
    static final class Init implements Runnable {
        @Mixin
        private Folder folder;

        @Option(names = "--certificates", description = "make a certificate authority")
        private boolean certificates;

        @Option(names = "--days", paramLabel = "N", defaultValue = "3650",
            description = "how long the authority is valid; by default ${DEFAULT-VALUE}")
        private int days;

        @Override
        public void run() {
            try {
                if (certificates) {
                    System.out.println(new CertificateAuthority(folder.dir).create(days));
                    return;
                }
                final ClusterSecret secret = ClusterSecret.random();
                for (final Role role : Role.values()) {
                    if (Files.exists(file(role))) {
                        throw new CommandFailure(ExitStatus.FAILED, "there is a secret already: " + file(role)
                            + "; nothing was made. Delete the folder to make new ones");
                    }
                }
                for (final Role role : Role.values()) {
                    secret.derive(role).write(file(role));
                    System.out.println(file(role));
                }
            } catch (final IOException e) {
                throw folder.failure(e);
            }
        }

        private Path file(final Role role) {
            return folder.dir.resolve(role + ".secret");
        }
    }

    /** {@code tutti secure node}: makes certificates of nodes. */
    @Command(name = "node", mixinStandardHelpOptions = true, description = "Makes the certificate of each node, NAME.node.p12.")
    static final class Node implements Runnable {
        @Mixin
        private Folder folder;

        @Option(names = "--days", paramLabel = "N", defaultValue = "825", description = "how long it is valid; by default ${DEFAULT-VALUE}")
        private int days;

        @Parameters(arity = "1..*", paramLabel = "NAME", description = "name of a node")
        private List<String> names;

        @Override
        public void run() {
            issue(folder, names, Role.NODE, days);
        }
    }

    /** {@code tutti secure user}: makes certificates of users. */
    @Command(name = "user", mixinStandardHelpOptions = true, description = "Makes the certificate of each user, NAME.ROLE.p12.")
    static final class User implements Runnable {
        @Mixin
        private Folder folder;

        @Option(names = "--role", required = true, paramLabel = "ROLE", description = "observe, run, change or node")
        private String role;

        @Option(names = "--days", paramLabel = "N", defaultValue = "825", description = "how long it is valid; by default ${DEFAULT-VALUE}")
        private int days;

        @Parameters(arity = "1..*", paramLabel = "NAME", description = "name of a user")
        private List<String> names;

        @Override
        public void run() {
            try {
                issue(folder, names, Role.parse(role), days);
            } catch (final IllegalArgumentException e) {
                throw new CommandFailure(ExitStatus.USAGE, e.getMessage(), e);
            }
        }
    }

    private static void issue(final Folder folder, final List<String> names, final Role role, final int days) {
        try {
            for (final String name : names) {
                System.out.println(new CertificateAuthority(folder.dir).issue(name, role, days));
            }
        } catch (final IOException e) {
            throw folder.failure(e);
        }
    }
}
