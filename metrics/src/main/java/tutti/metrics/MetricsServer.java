package tutti.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Serves the page {@code /metrics} of a registry over HTTP, in the text format of Prometheus or in that of OpenMetrics. */
final class MetricsServer implements AutoCloseable {
    static final String PATH = "/metrics";
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int OK = 200;

    private final PrometheusMeterRegistry registry;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("tutti-metrics-", 0).factory());

    /**
     * Starts to serve.
     *
     * @throws IOException when it cannot listen there
     */
    MetricsServer(final PrometheusMeterRegistry registry, final InetSocketAddress address) throws IOException {
        this.registry = registry;
        this.server = HttpServer.create(address, 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(final HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals(PATH)) {
                answer(exchange, NOT_FOUND, "text/plain", "metrics are at " + PATH + "\n");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                answer(exchange, NOT_ALLOWED, "text/plain", "only GET is allowed\n");
            } else {
                final String accepted = exchange.getRequestHeaders().getFirst("Accept");
                final String type = accepted != null && accepted.contains("application/openmetrics-text") ? OpenMetricsTextFormatWriter.CONTENT_TYPE
                    : PrometheusTextFormatWriter.CONTENT_TYPE;
                answer(exchange, OK, type, registry.scrape(type));
            }
        }
    }

    private static void answer(final HttpExchange exchange, final int status, final String type, final String text) throws IOException {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** Returns the address of the page. */
    String url() {
        final InetSocketAddress at = server.getAddress();
        final String host = at.getAddress().getHostAddress();
        return "http://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + at.getPort() + PATH;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
