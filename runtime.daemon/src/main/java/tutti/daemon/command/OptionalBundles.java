package tutti.daemon.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;
import tutti.daemon.launch.FelixContainer;
import tutti.daemon.protocol.ExitStatus;

/** What a node's container starts only when it is told to: File Install on a folder, and a Gogo console. */
final class OptionalBundles {
    @Option(names = "--load", paramLabel = "DIR",
        description = "load what is in that folder, and let go of what is taken away from it: bundles of modules, and configurations NAME.cfg")
    private Path load;

    @Option(names = "--console", description = "open a Gogo console on standard input and output; among its commands are tutti:nodes, "
        + "tutti:modules, tutti:jobs and tutti:explain")
    private boolean console;

    /** Framework properties that they go by. */
    Map<String, String> properties(final Path temporary) {
        return load == null ? Map.of("gosh.args", "--noshutdown") : Map.ofEntries(
            // the end of the console's input is not the end of the node
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

    /** Refuses a folder that cannot be one; makes one that is missing. */
    void check() {
        try {
            if (load != null) {
                Files.createDirectories(load);
            }
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, "not a folder: --load " + load, e);
        }
    }

    /** Starts what works without anybody. */
    void start(final FelixContainer container) throws IOException {
        if (load != null) {
            container.install(Installation.optional("org.apache.felix.fileinstall"));
        }
    }

    /** Starts what talks to somebody, when the node is ready. */
    void talk(final FelixContainer container) throws IOException {
        if (console) {
            container.install(Installation.optional("org.apache.felix.gogo.runtime", "org.apache.felix.gogo.command",
                "org.apache.felix.gogo.shell"));
        }
    }
}
