package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests containers that the launcher of Felix starts: runs every command of the guide's page about them, and changes modules on them. */
@Tag("nightly")
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class FelixIT {
    static final String PAGE = "felix.md";
    private static final Pattern PORT = Pattern.compile("127\\.0\\.0\\.1:7\\d{3}");
    private static final Pattern STORAGE = Pattern.compile("-Dorg\\.osgi\\.framework\\.storage=\\S*/(\\w+)");
    private static final String STORAGES = "dist/target/try";

    @TempDir
    private Path dir;
    /** Addresses instead of those of the page. */
    private final Map<String, String> addresses = new HashMap<>();
    /** Containers by the names of their storages, which are those of their nodes. */
    private final Map<String, Container> containers = new TreeMap<>();

    /** A container and the command that started it. */
    private record Container(String command, Process process, Path output) {}

    @AfterEach
    void close() throws InterruptedException {
        for (final Container c : containers.values()) {
            c.process().destroy();
        }
        for (final Container c : containers.values()) {
            if (!c.process().waitFor(60, TimeUnit.SECONDS)) {
                c.process().destroyForcibly();
            }
        }
    }

    private static ConditionFactory awaitSoon() {
        return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100));
    }

    private static String freeAddress() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return "127.0.0.1:" + socket.getLocalPort();
        } catch (final IOException e) {
            throw new IllegalStateException("no free port", e);
        }
    }

    /** Returns the address that stands for a port of the page. */
    private String address(final int port) {
        return addresses.computeIfAbsent("127.0.0.1:" + port, a -> freeAddress());
    }

    private void run(final Page.Step step) throws Exception {
        for (final String line : step.commands()) {
            final String command = PORT.matcher(line).replaceAll(m -> address(Integer.parseInt(m.group().substring(m.group().indexOf(':') + 1))))
                .replace(STORAGES, dir.resolve("try").toString());
            if (command.startsWith("java ")) {
                start(command);
            } else if (command.startsWith("./tutti ")) {
                awaitNodes();
                tutti(command.substring("./tutti ".length()).split(" "));
            } else {
                assertEquals(0, bash(command).start().waitFor(), command);
            }
        }
    }

    private ProcessBuilder bash(final String command) throws IOException {
        final ProcessBuilder builder = new ProcessBuilder("bash", "-c", command).directory(ProjectPaths.DIR.toFile()).redirectErrorStream(true);
        builder.environment().merge("PATH", Path.of(System.getProperty("java.home"), "bin").toString(),
            (path, jdk) -> jdk + File.pathSeparator + path);
        builder.environment().put("JDK_JAVA_OPTIONS", "-XX:+UseSerialGC " + TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS"));
        return builder.redirectOutput(Files.createTempFile(dir, "command", ".out").toFile());
    }

    private void start(final String command) throws IOException {
        final Matcher storage = STORAGE.matcher(command);
        assertTrue(storage.find(), command);
        final ProcessBuilder builder = bash("exec " + command);
        containers.put(storage.group(1), new Container(command, builder.start(), builder.redirectOutput().file().toPath()));
    }

    /** Waits until the nodes of all containers are one cluster. */
    private void awaitNodes() {
        if (containers.isEmpty()) {
            return;
        }
        awaitSoon().untilAsserted(() -> {
            for (final Container c : containers.values()) {
                assertTrue(c.process().isAlive(), () -> output(c));
            }
            for (int port = 7001; port <= 7000 + containers.size(); port++) {
                final TuttiScript.Result nodes = CommandInJvm.run("nodes", "--connect", address(port));
                assertEquals(List.copyOf(containers.keySet()),
                    nodes.out().lines().skip(1).map(l -> l.substring(0, l.indexOf(' '))).toList(), nodes::toString);
            }
        });
    }

    private static String output(final Container container) {
        try {
            return Files.readString(container.output());
        } catch (final IOException e) {
            return e.toString();
        }
    }

    private static String tutti(final String... args) throws Exception {
        final TuttiScript.Result r = args.length == 1 ? TuttiScript.run(ProjectPaths.DIR, args)
            : CommandInJvm.run(Arrays.stream(args).map(a -> a.replaceFirst("^(examples|dist)/", ProjectPaths.DIR + "/$1/")).toArray(String[]::new));
        assertEquals(0, r.status(), r::toString);
        return r.out();
    }

    /** Returns the versions of module hub, with the nodes that have them. */
    private String hub() throws Exception {
        final List<String> held = new ArrayList<>();
        for (final JsonNode m : new ObjectMapper().readTree(tutti("modules", "--json", "--connect", address(7001)))) {
            if (m.get("name").asText().equals("hub")) {
                held.add(m.get("version").asText() + " on " + StreamSupport.stream(m.get("nodes").spliterator(), false).map(JsonNode::asText)
                    .collect(Collectors.joining(",")));
            }
        }
        return String.join("; ", held);
    }

    private void runJobWithHub() throws Exception {
        final String out = tutti("run", "--connect", address(7003), "-n", "6", "-p", "coll.bcast=hub", "examples/Pi.java");
        assertEquals(7, out.lines().count(), out);
    }

    @Test
    void shouldBecomeAClusterInContainersOfAnotherLauncher() throws Exception {
        final List<Page.Step> steps = Page.steps(ProjectPaths.DIR.resolve("docs/guide").resolve(PAGE));
        assertEquals(5, steps.size());
        run(steps.get(0));
        run(steps.get(1));
        run(steps.get(2));
        final ModuleBundles modules = new ModuleBundles(dir);
        final String first = hub();
        assertTrue(first.endsWith(" on a,b,c"), first);
        tutti("update", "--connect", address(7002), modules.hub("1.1.0").toString());
        assertEquals("1.1.0 on a,b,c", hub());
        runJobWithHub();
        tutti("rollback", "hub", "--connect", address(7003));
        assertEquals(first, hub());
        tutti("update", "--no-verify", "--connect", address(7002), modules.hub("1.2.0").toString());
        containers.forEach((name, c) -> assertTrue(!output(c).contains("ERROR"), () -> output(c)));

        // as after a loss of power: the framework finds its bundles in the storage
        final Container b = containers.get("b");
        b.process().destroyForcibly().waitFor();
        awaitSoon().until(() -> hub().equals("1.2.0 on a,c"));
        start(b.command());
        awaitNodes();
        // a framework that starts with its bundles may start the module after the node
        awaitSoon().untilAsserted(() -> assertEquals("1.2.0 on a,b,c", hub(), () -> output(containers.get("b"))));
        runJobWithHub();

        run(steps.get(3));
        awaitNodes();
        final Container d = containers.get("d");
        final Writer console = d.process().outputWriter(StandardCharsets.UTF_8);
        console.write("tutti:nodes\n");
        console.flush();
        awaitSoon().untilAsserted(() -> assertTrue(output(d).contains("\nc     " + address(7003)), () -> output(d)));
        final Path configuration = dir.resolve("try/load/tutti.node.cfg");
        Files.writeString(configuration, Files.readString(configuration).replace("name=d", "name=e"));
        awaitSoon().untilAsserted(() -> {
            final String nodes = tutti("nodes", "--connect", address(7001));
            assertTrue(nodes.lines().anyMatch(l -> l.startsWith("e ")), () -> nodes + output(d));
        });
        Files.writeString(configuration, Files.readString(configuration).replace("name=e", "name=d"));

        run(steps.get(4));
        for (int port = 7001; port <= 7004; port++) {
            final String address = address(port);
            awaitSoon().until(() -> CommandInJvm.run("nodes", "--connect", address).status() == 3);
        }
        containers.values().forEach(c -> assertTrue(c.process().isAlive(), () -> output(c)));
    }
}
