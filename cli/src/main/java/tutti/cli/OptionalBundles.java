package tutti.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tutti.cli.launch.FelixContainer;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeProperties;

/** Bundles that a node's container starts only on request: transports, File Install on a folder, the live page, metrics, and a Gogo console. */
final class OptionalBundles {
    private static final int MAX_PORT = 65_535;

    @Option(names = "--load", paramLabel = "DIR",
        description = "load the module bundles and configurations NAME.cfg in that folder, and unload those that are deleted from it")
    private @Nullable Path load;

    @Option(names = "--console", description = "open a Gogo console on standard input and output; among its commands are tutti:nodes, "
        + "tutti:modules, tutti:ps, tutti:info, tutti:doctor, tutti:cancel and tutti:checkpoints, with the options of the command line")
    private boolean console;

    @Option(names = "--page", paramLabel = "PORT", description = "serve a live page of the cluster on that port of the loopback address, 0 for any "
        + "free one; tutti page prints its address")
    private @Nullable Integer page;

    @Option(names = "--metrics", paramLabel = "HOST:PORT",
        description = "serve metrics for Prometheus at http://HOST:PORT/metrics, which is an address of "
            + "loopback; port 0 is any free port")
    private @Nullable String metrics;

    /** Returns the framework properties that configure the bundles. */
    Map<String, String> properties(final Path temporary) {
        final Map<String, String> properties = new HashMap<>();
        // the node must not stop when the console's input ends
        properties.put("gosh.args", "--noshutdown");
        if (page != null) {
            properties.put(NodeProperties.PAGE_PORT, page.toString());
        }
        if (metrics != null) {
            properties.put("tutti.metrics.listen", ConnectOption.parse(metrics).toString());
        }
        if (load != null) {
            properties.putAll(Map.of("felix.fileinstall.dir", load.toAbsolutePath().normalize().toString(),
                "felix.fileinstall.tmpdir", temporary.toString(),
                "felix.fileinstall.poll", "1000",
                "felix.fileinstall.noInitialDelay", "true",
                "felix.fileinstall.subdir.mode", "skip",
                "felix.fileinstall.enableConfigSave", "false",
                // standard output is for ranks and the console
                "felix.fileinstall.log.default", "jul",
                "felix.fileinstall.log.level", "2"));
        }
        return properties;
    }

    /** Checks the options; creates the folder of {@code --load} when it is missing. */
    void check() {
        if (page != null && (page < 0 || page > MAX_PORT)) {
            throw new CommandFailure(ExitStatus.USAGE, "port out of range: --page " + page + ", range=0.." + MAX_PORT);
        }
        for (final Path transport : transports()) {
            if (!Files.isRegularFile(transport)) {
                throw new CommandFailure(ExitStatus.USAGE, "the distribution has no such transport: " + NodeProperties.TRANSPORTS + "="
                    + System.getProperty(NodeProperties.TRANSPORTS) + ": " + transport.getFileName()
                    + " is missing in " + transport.getParent() + "; put a bundle of your own into the --load folder");
            }
        }
        try {
            if (load != null) {
                Files.createDirectories(load);
            }
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, "not a folder: --load " + load, e);
        }
    }

    private static List<Path> transports() {
        final String schemes = System.getProperty(NodeProperties.TRANSPORTS, "");
        return Arrays.stream(schemes.split(",")).map(String::strip).filter(s -> !s.isEmpty())
            .flatMap(s -> Installation.optional("tutti.runtime.transport." + s).stream()).toList();
    }

    /** Installs transports, the live page, the metrics and File Install, if requested; called when the node is ready. */
    void start(final FelixContainer container) throws IOException {
        container.install(transports());
        if (page != null || System.getProperty(NodeProperties.PAGE_PORT) != null) {
            container.install(Installation.optional("tutti.web"));
        }
        if (metrics != null) {
            container.install(Installation.optional("tutti.metrics"));
        }
        if (load != null) {
            container.install(Installation.optional("org.apache.felix.fileinstall"));
        }
    }

    /** Starts the console on standard output, if requested; called when the node is ready. */
    void startConsole(final FelixContainer container, final PrintStream out) throws IOException {
        if (console) {
            System.setOut(out);
            container.install(Installation.optional("org.apache.felix.gogo.runtime", "org.apache.felix.gogo.command",
                "org.apache.felix.gogo.shell"));
        }
    }
}
