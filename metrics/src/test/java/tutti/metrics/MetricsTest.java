package tutti.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.ObjectName;
import org.apache.felix.hc.api.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.osgi.framework.Version;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.monitor.LiveCounts;
import tutti.daemon.monitor.NodeCounts;
import tutti.daemon.monitor.NodeMonitor;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeLoad;
import tutti.daemon.node.NodeReport;
import tutti.daemon.node.ProofCounts;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.process.LogLines;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MetricsTest {
    private static final Path GUIDE = Path.of("../docs/guide/metrics.md");
    private static final ModuleId BASIC = new ModuleId("basic", Version.parseVersion("0.1.0"), "");
    private static final Path DASHBOARD = Path.of("../dist/grafana/tutti.json");

    private final AtomicLong time = new AtomicLong();
    private final FixedNode node = new FixedNode();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @RegisterExtension
    private final LogLines log = new LogLines(NodeMetrics.class);

    /** Node with fixed values, which counts how often they are read. */
    private static final class FixedNode implements NodeMonitor {
        private int reads;
        private List<String> warnings = List.of();
        private long heapUsed = 20L << 20;
        private List<QuarantinedModule> quarantine = List.of();

        @Override
        public NodeReport report() {
            reads++;
            return new NodeReport(new NodeInfo("a", "1", "127.0.0.1", 7001, 42, "25", 2, 0), 3,
                new Catalogue(1, List.of(BASIC), quarantine), List.of("tcp"), Map.of(),
                List.of(new JobInfo("a-9", "running", 3, List.of("a"), List.of(), 0, "", "Pi.java", 0, "me", "a")),
                new NodeLoad("0.1.0", heapUsed, 3L << 30, new CacheStatistics(70, 5, 1, 2, 512), new ProofCounts(6, 1, 12_345, Map.of()),
                    new MessageStatistics(40, 4096, 30, 2048)),
                warnings);
        }

        @Override
        public List<NodeReport> reports() {
            return List.of(report());
        }

        @Override
        public List<JobRecord> history() {
            return List.of();
        }

        @Override
        public List<JobRecord> histories() {
            return List.of();
        }

        @Override
        public NodeCounts counts() {
            return new NodeCounts(4, 6, 2, 1, 9, Map.of("0", 5L, "124", 2L, "other", 1L), 7, 1, 1024,
                new LiveCounts(3, Map.of("slow", 1L, "equal", 2L), 90, 4));
        }

        @Override
        public ClusterHealth examine() {
            return new ClusterHealth(List.of(), List.of(), Map.of());
        }
    }

    private static HttpResponse<String> get(final String url, final String method, final String accept) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url)).header("Accept", accept).method(method, HttpRequest.BodyPublishers.noBody())
                .build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    @SuppressWarnings("try")
    private String page() throws IOException, InterruptedException {
        try (NodeMeters meters = new NodeMeters(new NodeSample(node, time::get), registry);
             MetricsServer server = NodeMetrics.serve(registry, "127.0.0.1:0", false)) {
            final HttpResponse<String> open = get(server.url(), "GET", "application/openmetrics-text; version=1.0.0");
            assertTrue(open.headers().firstValue("Content-Type").orElseThrow().startsWith("application/openmetrics-text"), open.toString());
            assertTrue(open.body().endsWith("# EOF\n"));
            assertEquals(405, get(server.url(), "POST", "*/*").statusCode());
            assertEquals(404, get(server.url().replace("/metrics", "/other"), "GET", "*/*").statusCode());
            final HttpResponse<String> text = get(server.url(), "GET", "*/*");
            assertEquals(200, text.statusCode());
            assertTrue(text.headers().firstValue("Content-Type").orElseThrow().startsWith("text/plain"), text.toString());
            return text.body();
        }
    }

    @Test
    void shouldServeWhatTheNodeCountsAndItsHeap() throws Exception {
        final List<String> lines = page().lines().toList();
        for (final String line : List.of("tutti_nodes 4.0", "tutti_nodes_joined_total 6.0", "tutti_nodes_left_total 2.0",
            "tutti_nodes_lost_total 1.0", "tutti_jobs_running 1.0", "tutti_jobs_started_total 9.0", "tutti_jobs_ended_total{status=\"0\"} 5.0",
            "tutti_jobs_ended_total{status=\"1\"} 0.0", "tutti_jobs_ended_total{status=\"124\"} 2.0", "tutti_jobs_ended_total{status=\"other\"} 1.0",
            "tutti_ranks_running 3.0", "tutti_checkpoints_complete_total 7.0", "tutti_checkpoints_failed_total 1.0",
            "tutti_checkpoints_written_bytes_total 1024.0", "tutti_modules 1.0", "tutti_modules_quarantined 0.0",
            "tutti_warnings 0.0", "tutti_schedules_hits_total 70.0", "tutti_schedules_plans_total 5.0", "tutti_schedules_evictions_total 1.0",
            "tutti_schedules_cached 2.0",
            "tutti_messages_received_total 40.0", "tutti_messages_received_bytes_total 4096.0", "tutti_messages_sent_total 30.0",
            "tutti_messages_sent_bytes_total 2048.0", "tutti_schedules_scratch_bytes 512.0", "tutti_proofs_total 6.0",
            "tutti_proofs_wrong_total 1.0")) {
            assertTrue(lines.contains(line), () -> line + " is not in\n" + String.join("\n", lines));
        }
        assertTrue(lines.stream().anyMatch(l -> l.startsWith("jvm_memory_used_bytes{area=\"heap\",id=")), lines::toString);
        assertTrue(lines.stream().anyMatch(l -> l.startsWith("process_uptime_seconds ")), lines::toString);
    }

    private static Set<String> all(final String regex, final String text) {
        return Pattern.compile(regex, Pattern.MULTILINE).matcher(text).results().map(m -> m.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the names that are served when there was a collection of garbage. */
    @SuppressWarnings("try")
    private Set<String> served() throws Exception {
        final CountDownLatch collected = new CountDownLatch(1);
        registry.config().onMeterAdded(m -> {
            if (m.getId().getName().equals("jvm.gc.pause")) {
                collected.countDown();
            }
        });
        try (NodeMeters meters = new NodeMeters(new NodeSample(node, time::get), registry)) {
            System.gc();
            assertTrue(collected.await(60, TimeUnit.SECONDS));
            return all("^(\\w+)[{ ]", registry.scrape());
        }
    }

    @Test
    void shouldServeWhatTheGuideListsAndNothingElseOfTutti() throws Exception {
        final String page = Files.readString(GUIDE);
        final Set<String> served = served();
        assertEquals(served.stream().filter(n -> n.startsWith("tutti_")).collect(Collectors.toCollection(TreeSet::new)),
            all("^\\| `(tutti_\\w+)` \\|", page));
        final Set<String> named = all("`((?:jvm|system|process)_\\w+)\\*?`", page);
        assertTrue(named.size() > 8, named::toString);
        assertEquals(List.of(), named.stream().filter(n -> served.stream().noneMatch(s -> n.endsWith("_") ? s.startsWith(n) : s.equals(n))).toList());
        assertEquals(List.of(), all("(tutti_\\w+)", page.substring(page.indexOf("## Grafana"))).stream().filter(n -> !served.contains(n)).toList());
    }

    @Test
    void shouldServeEveryMetricOfTheDashboard() throws Exception {
        final String dashboard = Files.readString(DASHBOARD);
        final Set<String> named = all("\\b([a-z]+_\\w+)\\{node=~", dashboard);
        named.addAll(all("label_values\\((\\w+),", dashboard));
        assertTrue(named.size() > 15, named::toString);
        final Set<String> served = served();
        assertEquals(List.of(), named.stream().filter(n -> !served.contains(n)).toList());
        // no expression is without a metric that this test looks for
        assertEquals(List.of(), dashboard.lines().filter(l -> l.contains("\"expr\"") && named.stream().noneMatch(l::contains)).toList());
    }

    @Test
    void shouldReadTheNodeOnceASecondAtTheMost() throws Exception {
        page();
        assertEquals(1, node.reads);
        final NodeSample sample = new NodeSample(node, time::get);
        sample.report();
        time.set(999_999_999);
        sample.counts();
        assertEquals(2, node.reads);
        time.set(1_000_000_000);
        sample.counts();
        assertEquals(3, node.reads);
    }

    @Test
    void shouldNotServeBeyondLoopbackUnlessToldToAndGoOnWithoutAPort() throws Exception {
        assertNull(NodeMetrics.serve(registry, "0.0.0.0:0", false));
        assertNull(NodeMetrics.serve(registry, "here", false));
        try (MetricsServer open = NodeMetrics.serve(registry, "0.0.0.0:0", true)) {
            final String taken = "127.0.0.1:" + URI.create(open.url()).getPort();
            assertNull(NodeMetrics.serve(registry, taken, false));
            log.assertLine("metrics are not served: tutti.metrics.listen=" + taken + ": ");
        }
        log.assertLine("metrics are not served: tutti.metrics.listen=0.0.0.0:0: everybody who reaches the address could read it");
        assertTrue(log.lines().stream().allMatch(l -> l.endsWith("; choose another address, port 0 for any port")), log.lines()::toString);
    }

    @Test
    void shouldHaveTheSameInJmx() throws Exception {
        final ObjectName name = new ObjectName("tutti.test:type=Node,name=a");
        ManagementFactory.getPlatformMBeanServer().registerMBean(new NodeStatistics(new NodeSample(node, time::get), "http://x/metrics"), name);
        try {
            assertEquals(1L, ManagementFactory.getPlatformMBeanServer().getAttribute(name, "NodesLost"));
            assertEquals(3, ManagementFactory.getPlatformMBeanServer().getAttribute(name, "RanksRunning"));
            assertEquals("127.0.0.1:7001", ManagementFactory.getPlatformMBeanServer().getAttribute(name, "Address"));
            assertEquals(40L, ManagementFactory.getPlatformMBeanServer().getAttribute(name, "MessagesReceived"));
            assertEquals(2048L, ManagementFactory.getPlatformMBeanServer().getAttribute(name, "MessageBytesSent"));
            final String page = Files.readString(GUIDE);
            assertEquals(Stream.of(ManagementFactory.getPlatformMBeanServer().getMBeanInfo(name).getAttributes()).map(MBeanAttributeInfo::getName)
                .collect(Collectors.toCollection(TreeSet::new)),
                all("`([A-Z]\\w+)`", page.substring(page.indexOf("## JMX"), page.indexOf("## Health"))));
        } finally {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        }
    }

    @Test
    void shouldBeHealthyUntilSomethingNeedsAttention() {
        assertEquals(Result.Status.OK, new NodeHealthCheck(node).execute().getStatus());
        node.warnings = List.of("everybody may do everything; make a secret");
        final Result warned = new NodeHealthCheck(node).execute();
        assertEquals(Result.Status.WARN, warned.getStatus());
        assertTrue(warned.toString().contains("everybody may do everything; make a secret"), warned.toString());
        node.heapUsed = 3L << 30;
        node.quarantine = List.of(new QuarantinedModule(BASIC, "bcast is wrong", 0));
        final String all = new NodeHealthCheck(node).execute().toString();
        assertTrue(all.contains("heap is used up: 3072 of 3072 MiB; give the JVM more: TUTTI_DAEMON_OPTS=-Xmx1g"), all);
        assertTrue(all.contains("module " + BASIC + " is in quarantine: bcast is wrong; update it, or uninstall it"), all);
    }
}
