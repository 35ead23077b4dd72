package tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Role;

/** {@code tutti secure}: makes what a cluster needs to know who may do what. */
@Command(name = "secure", mixinStandardHelpOptions = true, description = "Makes the secrets of a cluster.", subcommands = SecureCommand.Init.class,
    synopsisSubcommandLabel = "COMMAND")
final class SecureCommand {

    /** {@code tutti secure init}: makes a secret per role. */
    @Command(name = "init", mixinStandardHelpOptions = true, description = {"Makes a secret per role: observe, run, change, node.",
        "Nodes need that for role node. Users get the file of their role, and set TUTTI_SECRET to its path."})
    static final class Init implements Runnable {
        @Option(names = "--dir", paramLabel = "FOLDER", defaultValue = "tutti-secrets",
            description = "folder of the files; by default ${DEFAULT-VALUE}")
        private Path dir;

        @Override
        public void run() {
            final ClusterSecret secret = ClusterSecret.random();
            try {
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
                throw new CommandFailure(ExitStatus.FAILED, "secret cannot be written: folder=" + dir + ": " + e.getMessage(), e);
            }
        }

        private Path file(final Role role) {
            return dir.resolve(role + ".secret");
        }
    }
}
