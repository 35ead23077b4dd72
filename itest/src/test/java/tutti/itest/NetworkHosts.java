package tutti.itest;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Hosts of network namespaces of this machine, by {@code cnf/hosts}, numbered from 1. */
final class NetworkHosts implements AutoCloseable {
    private static final String SCRIPT = ProjectPaths.DIR.resolve("cnf/hosts").toString();
    private static final int REFUSED = 77;

    private final String name;

    private NetworkHosts(final String name) {
        this.name = name;
    }

    /** Makes hosts. Skips the test where namespaces are refused. */
    static NetworkHosts start(final String name, final int hosts) throws Exception {
        final NetworkHosts network = new NetworkHosts(name);
        network.close();
        final Process up = new ProcessBuilder(SCRIPT, "up", name, Integer.toString(hosts)).redirectErrorStream(true).start();
        final String text = new String(up.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assumeTrue(up.waitFor() != REFUSED, text);
        if (up.exitValue() != 0) {
            throw new IOException("no hosts: " + text);
        }
        return network;
    }

    /** Runs a command of the script; returns what it prints. */
    private String run(final String command, final String... arguments) throws IOException, InterruptedException {
        final List<String> line = new ArrayList<>(List.of(SCRIPT, command, name));
        line.addAll(List.of(arguments));
        final Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException(String.join(" ", line) + ": " + text);
        }
        return text;
    }

    String address(final int host) throws IOException, InterruptedException {
        return run("address", Integer.toString(host));
    }

    /** Returns the words that start a command on a host. */
    List<String> on(final int host) {
        return List.of(SCRIPT, "run", name, Integer.toString(host));
    }

    /** Starts the {@code tutti} command of the distribution on a host. */
    Process tutti(final int host, final Path folder, final Map<String, String> environment, final String... arguments) throws IOException {
        final List<String> line = new ArrayList<>(on(host));
        line.add(ProjectPaths.DIR.resolve("dist/target/tutti/bin/tutti").toString());
        line.addAll(List.of(arguments));
        final ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
        builder.environment().putAll(TuttiScript.SHORT_LIVED);
        builder.environment().putAll(environment);
        return builder.start();
    }

    void link(final int host, final String state) throws IOException, InterruptedException {
        run("link", Integer.toString(host), state);
    }

    void cut(final int host, final int other) throws IOException, InterruptedException {
        run("cut", Integer.toString(host), Integer.toString(other));
    }

    /** Drops packets to a host that are longer. */
    void drop(final int host, final int bytes) throws IOException, InterruptedException {
        run("drop", Integer.toString(host), Integer.toString(bytes));
    }

    void heal() throws IOException, InterruptedException {
        run("heal");
    }

    /** Removes the hosts, and ends what runs on them. */
    @Override
    public void close() throws IOException {
        try {
            new ProcessBuilder(SCRIPT, "down", name).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                .waitFor(60, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
