package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.tools.attach.VirtualMachine;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.apache.felix.hc.api.HealthCheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;
import org.osgi.util.tracker.ServiceTracker;

/** Tests what operators see: the log file of a node, the history of jobs, and metrics. */
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class OperationsIT {
    private static final Pattern URL = Pattern.compile("metrics of node a: (http://127\\.0\\.0\\.1:\\d+/metrics)");

    @TempDir
    private Path dir;

    private List<String> logged() throws Exception {
        return Files.readAllLines(dir.resolve("a/log/tutti.log"));
    }

    private void awaitLogged(final String regex) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(
            () -> assertTrue(logged().stream().anyMatch(l -> l.matches("\\d{4}-\\S+ INFO  \\S+: " + regex)), () -> {
                try {
                    return regex + " is not in\n" + String.join("\n", logged());
                } catch (final Exception e) {
                    return e.toString();
                }
            }));
    }

    private static List<String> all(final String address) throws Exception {
        return CommandInJvm.run("ps", "--all", "--connect", address).out().lines().skip(1).toList();
    }

    private String metrics() throws Exception {
        final Matcher url = URL.matcher(String.join("\n", logged()));
        assertTrue(url.find());
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url.group(1))).build(), HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    @Tag("nightly")
    @Test
    void shouldLogCountAndRememberJobsAndNodes() throws Exception {
        TuttiScript.writeProgram(dir, "Good", "");
        TuttiScript.writeProgram(dir, "Bad", "if (rank == 1) { throw new IllegalStateException(\"boom\"); } MPI.COMM_WORLD.barrier();");
        final List<String> ended;
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a", "--dir", dir.resolve("a").toString(), "--metrics", "127.0.0.1:0")) {
            try (TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address)) {
                assertEquals(0, CommandInJvm.run("run", "--connect", a.address, "-n", "2", dir.resolve("Good.java").toString()).status());
                assertEquals(1, CommandInJvm.run("run", "--connect", b.address, "-n", "2", dir.resolve("Bad.java").toString()).status());
                assertEquals(2, all(b.address).size());
                assertTrue(all(a.address).get(1).matches("b-\\d+-\\S+ +1 +2 +a,b .*Bad.java .*rank 1 on node b failed: java.lang.IllegalState.*"),
                    all(a.address)::toString);
                assertEquals("b", new ObjectMapper().readTree(CommandInJvm.run("ps", "--all", "--json", "--connect", a.address).out()).get(1)
                    .get("launchedAt").asText());
                b.process.destroyForcibly();
                awaitLogged("node b is lost: .*, nodes=1, reason=.*");
            }
            awaitLogged("node b joined: .*, nodes=2");
            awaitLogged("job a-1-\\S+ started: program=\\S+Good.java, ranks=2, nodes=a,b, by=.*");
            awaitLogged("job a-1-\\S+ ended: status=0, seconds=[0-9.]+, program=.*");
            ended = all(a.address);
            assertEquals(1, ended.size(), ended::toString);
            final List<String> metrics = metrics().lines().toList();
            for (final String line : List.of("tutti_jobs_ended_total{node=\"a\",status=\"0\"} 1.0", "tutti_nodes_lost_total{node=\"a\"} 1.0")) {
                assertTrue(metrics.contains(line), () -> line + " is not in\n" + String.join("\n", metrics));
            }
        }
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a", "--dir", dir.resolve("a").toString())) {
            assertEquals(ended, all(a.address));
            try (RawLink link = new RawLink(a.port())) {
                assertEquals("", link.send(RawLink.command(a.port(), "observe")).answer());
                final CommandInJvm.Running stop = CommandInJvm.start("stop", "--connect", a.address);
                link.rest();
                assertTrue(Files.notExists(dir.resolve("a/container")), "a link of a command ends when the process ends");
                assertEquals(0, stop.end().status());
            }
            assertTrue(a.process.waitFor(60, TimeUnit.SECONDS));
            assertEquals("", a.err.get(60, TimeUnit.SECONDS), "the console has nothing of what is in the file");
        }
    }

    /** Returns the value of a line of the page of metrics. */
    private long metric(final String line) throws Exception {
        return metrics().lines().filter(l -> l.startsWith(line + " ")).map(l -> (long) Double.parseDouble(l.substring(line.length() + 1)))
            .findFirst().orElseThrow();
    }

    private static void send(final TuttiScript.Daemon at, final Path program, final int messages) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run("run", "--connect", at.address, "-n", "2", "--map", "node", program.toString(),
            Integer.toString(messages));
        assertEquals(0, r.status(), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldCountMessagesAndBytesAndShowThemByJmxToo() throws Exception {
        TuttiScript.writeProgram(dir, "Sends", """
            byte[] data = new byte[1000];
            for (int i = 0; i < Integer.parseInt(args[0]); i++) {
                if (rank == 0) { MPI.COMM_WORLD.send(data, data.length, MPI.BYTE, 1, 0); }
                else { MPI.COMM_WORLD.recv(data, data.length, MPI.BYTE, 0, 0); }
            }""");
        final Path program = dir.resolve("Sends.java");
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a", "--dir", dir.resolve("a").toString(), "--metrics", "127.0.0.1:0");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address)) {
            send(a, program, 5);
            final long messages = metric("tutti_messages_sent_total{node=\"a\"}");
            final long bytes = metric("tutti_messages_sent_bytes_total{node=\"a\"}");
            assertTrue(messages >= 5 && bytes >= 5_000, () -> messages + " messages, " + bytes + " bytes");
            // the same again, and 10 messages more
            send(a, program, 15);
            await().atMost(Duration.ofSeconds(60)).until(() -> metric("tutti_jobs_ended_total{node=\"a\",status=\"0\"}") == 2);
            assertEquals(2 * messages + 10, metric("tutti_messages_sent_total{node=\"a\"}"));
            assertEquals(2 * bytes + 10_000, metric("tutti_messages_sent_bytes_total{node=\"a\"}"));
            final JsonNode nodes = new ObjectMapper().readTree(CommandInJvm.run("info", "--json", "--connect", b.address).out());
            assertEquals(2 * bytes + 10_000, nodes.get(0).get("messages").get("sentBytes").asLong(), nodes::toPrettyString);
            assertTrue(nodes.get(1).get("messages").get("receivedBytes").asLong() >= 20_000, nodes::toPrettyString);

            final VirtualMachine vm = VirtualMachine.attach(Long.toString(a.process.pid()));
            try (JMXConnector jmx = JMXConnectorFactory.connect(new JMXServiceURL(vm.startLocalManagementAgent()))) {
                final MBeanServerConnection beans = jmx.getMBeanServerConnection();
                final ObjectName node = new ObjectName("tutti:type=Node,name=a");
                assertEquals(a.address, beans.getAttribute(node, "Address"));
                assertEquals(2, beans.getAttribute(node, "Nodes"));
                assertEquals(2L, beans.getAttribute(node, "JobsStarted"));
                assertEquals(2 * messages + 10, beans.getAttribute(node, "MessagesSent"));
                beans.invoke(new ObjectName("java.lang:type=Memory"), "gc", null, null);
                await().atMost(Duration.ofSeconds(60)).until(() -> metrics().contains("\njvm_gc_pause_seconds_sum{"));
                assertTrue(beans.getAttribute(node, "MetricsAddress").toString().matches("http://127\\.0\\.0\\.1:\\d+/metrics"));
            } finally {
                vm.detach();
            }
        }
    }

    @Tag("nightly")
    @Test
    void shouldHaveAHealthCheckInAContainerThatHasTheirInterface() throws Exception {
        System.setProperty("tutti.metrics.listen", "127.0.0.1:0");
        try (NativeNode node = new NativeNode(dir, ProjectPaths.jarOf(HealthCheck.class), ProjectPaths.OPTIONAL.resolve("tutti.metrics.jar"))) {
            final String address = node.awaitAddress();
            final BundleContext context = node.context();
            final ServiceTracker<Object, Object> checks = new ServiceTracker<>(context, context.createFilter("(hc.tags=tutti)"), null);
            checks.open(true);
            final Object check = checks.waitForService(60_000);
            assertEquals("Tutti node", checks.getServiceReference().getProperty("hc.name"));
            final Object result = check.getClass().getMethod("execute").invoke(check);
            final String text = result.toString();
            assertTrue(text.contains("node n listens on " + address + ": nodes=1, jobs=0, ranks=0"), text);
            assertEquals("OK", result.getClass().getMethod("getStatus").invoke(result).toString(), text);
        } finally {
            System.clearProperty("tutti.metrics.listen");
        }
    }

    @Test
    void shouldExamineThisMachineWhereNoNodeAnswers() throws Exception {
        final TuttiScript.Result alone = CommandInJvm.run("doctor", "--dir", dir.toString());
        assertTrue(alone.out().contains("ok       port 127.0.0.1:0: a node can listen at 127.0.0.1:"), alone::toString);
        assertTrue(alone.out().endsWith("warning  cluster: no node was asked; start one with: tutti daemon --name a; examine a cluster with: "
            + "tutti doctor --connect HOST:PORT\n"), alone::toString);
        final TuttiScript.Result none = CommandInJvm.run("doctor", "--connect", "127.0.0.1:1");
        assertEquals(3, none.status(), none::toString);
        assertTrue(none.out().contains("error    cluster: no node answers at 127.0.0.1:1; start one there with: tutti daemon "), none::toString);
    }
}
