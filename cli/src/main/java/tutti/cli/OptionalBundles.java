package tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;
import tutti.cli.launch.FelixContainer;
import tutti.daemon.node.ExitStatus;

/** Bundles that a node's container starts only on request: File Install on a folder, and a Gogo console. */
final class OptionalBundles {
    @Option(names = "--load", paramLabel = "DIR",
        description = "load the module bundles and configurations NAME.cfg in that folder, and unload those that are deleted from it")
    private Path load;

    @Option(names = "--console", description = "open a Gogo console on standard input and output; among its commands are tutti:nodes, "
        + "tutti:modules, tutti:jobs and tutti:explain")
    private boolean console;

    /** Returns the framework properties that configure the bundles. */
    Map<String, String> properties(final Path temporary) {
        return load == null ? Map.of("gosh.args", "--noshutdown") : Map.ofEntries(
            // the node must not stop when the console's input ends
            Map.entry("gosh.args", "--noshutdown"),
            Map.entry("felix.fileinstall.dir", load.toAbsolutePath().normalize().toString()),
            Map.entry("felix.fileinstall.tmpdir", temporary.toString()),
            Map.entry("felix.fileinstall.poll", "1000"),
            Map.entry("felix.fileinstall.noInitialDelay", "true"),
            Map.entry("felix.fileinstall.subdir.mode", "skip"),
            Map.entry("felix.fileinstall.enableConfigSave", "false"),
            // standard output is for ranks and the console
            Map.entry("felix.fileinstall.log.default", "jul"),
            Map.entry("felix.fileinstall.log.level", "2"));
    }

    /** Checks the folder of {@code --load}; creates it when it is missing. */
    void check() {
        try {
            if (load != null) {
                Files.createDirectories(load);
            }
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, "not a folder: --load " + load, e);
        }
    }

    /** Installs File Install, if requested. */
    void startFileInstall(final FelixContainer container) throws IOException {
        if (load != null) {
            container.install(Installation.optional("org.apache.felix.fileinstall"));
        }
    }

    /** Starts the console, if requested; called when the node is ready. */
    void startConsole(final FelixContainer container) throws IOException {
        if (console) {
            container.install(Installation.optional("org.apache.felix.gogo.runtime", "org.apache.felix.gogo.command",
                "org.apache.felix.gogo.shell"));
        }
    }
}
