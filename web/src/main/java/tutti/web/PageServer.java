package tutti.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.protocol.MessageCodec;

/**
 * HTTP server of the live page, on the loopback address alone. It answers requests to read and no others.
 *
 * <p><b>Threads.</b> A virtual thread for each request, {@link #MOST_REQUESTS} at most; a listener to events keeps its thread.
 */
final class PageServer implements AutoCloseable {
    /** Most requests at once, listeners to events included. */
    static final int MOST_REQUESTS = 64;

    private static final Logger LOG = LoggerFactory.getLogger(PageServer.class);
    private static final String LOOPBACK = "127.0.0.1";
    private static final int BACKLOG = 64;
    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int MISDIRECTED = 421;
    private static final int UNAVAILABLE = 503;
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String PAGE = "/";
    /** Nothing is loaded but from this server, no script or style is inline, and no other page shows this one in a frame. */
    private static final String POLICY =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'";
    private static final Map<String, Asset> ASSETS = Map.of(PAGE, new Asset("index.html", "text/html; charset=utf-8"), "/page.css",
        new Asset("page.css", "text/css; charset=utf-8"), "/page.js", new Asset("page.js", "text/javascript; charset=utf-8"), "/icon.svg",
        new Asset("icon.svg", "image/svg+xml"), "/api/openapi.json", new Asset("openapi.json", JSON));
    private static final Pattern RANKS = Pattern.compile("/api/jobs/([A-Za-z0-9._-]{1,200})/ranks");

    private final HttpServer server;
    private final ExecutorService threads;
    private final ClusterView cluster;
    private final ClusterSnapshots snapshots;
    private final PageAccess access;
    private final Semaphore requests = new Semaphore(MOST_REQUESTS);
    private final CountDownLatch closing = new CountDownLatch(1);

    /** File of the page. */
    private record Asset(String file, String type) {
        byte[] read() throws IOException {
            try (InputStream in = Objects.requireNonNull(PageServer.class.getResourceAsStream(file), file)) {
                return in.readAllBytes();
            }
        }
    }

    private PageServer(final HttpServer server, final ClusterView cluster) {
        this.server = server;
        this.cluster = cluster;
        this.snapshots = new ClusterSnapshots(cluster);
        // a browser sends a cookie to all ports of a host: nodes of several clusters need different names
        this.access = new PageAccess("tutti_page_" + server.getAddress().getPort(), cluster::isPageToken);
        this.threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("tutti-page").inheritInheritableThreadLocals(false).factory());
    }

    /**
     * Starts a server.
     *
     * @param port port on loopback; 0 for any free one
     * @throws IOException              when the port is taken
     * @throws IllegalArgumentException when the port is out of range
     */
    static PageServer start(final int port, final ClusterView cluster) throws IOException {
        final HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral(LOOPBACK), port), BACKLOG);
        final PageServer page = new PageServer(http, cluster);
        http.setExecutor(page.threads);
        http.createContext(PAGE, page::handle);
        http.start();
        return page;
    }

    /** Returns the address of the page, {@code HOST:PORT}. */
    String address() {
        return LOOPBACK + ":" + server.getAddress().getPort();
    }

    private void handle(final HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!requests.tryAcquire()) {
                refuse(exchange, UNAVAILABLE, "too many requests at once: max=" + MOST_REQUESTS + "; close other pages, and try again");
                return;
            }
            try {
                answer(exchange);
            } finally {
                requests.release();
            }
        } catch (final IOException e) {
            LOG.debug("request of {} was not answered", exchange.getRemoteAddress(), e);
        }
    }

    private void answer(final HttpExchange exchange) throws IOException {
        final Headers headers = exchange.getRequestHeaders();
        final String path = exchange.getRequestURI().getPath();
        if (!PageAccess.isLoopback(headers.get("Host"))) {
            refuse(exchange, MISDIRECTED, "the host of the request is not this node: use http://" + address() + "/");
            return;
        }
        if (!exchange.getRequestMethod().equals("GET")) {
            exchange.getResponseHeaders().set("Allow", "GET");
            refuse(exchange, NOT_ALLOWED, "the page reads only: use GET");
            return;
        }
        final String token = PAGE.equals(path) ? access.queryToken(exchange.getRequestURI().getRawQuery()) : null;
        if (token != null) {
            // with the page itself: after a redirection that another site began a browser does not send the cookie
            exchange.getResponseHeaders().set("Set-Cookie", access.setCookie(token));
        } else if (!access.isAllowed(headers.get("Authorization"), headers.get("Cookie"))) {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            refuse(exchange, UNAUTHORIZED,
                "no token of this cluster: open the address that 'tutti page --connect HOST:PORT' prints, or send its token: "
                    + "Authorization: Bearer TOKEN");
            return;
        }
        try {
            route(exchange, path);
        } catch (final IllegalStateException e) {
            LOG.debug("request cannot be answered", e);
            refuse(exchange, UNAVAILABLE, "the node is stopping: try again when it has started");
        }
    }

    private void route(final HttpExchange exchange, final String path) throws IOException {
        final Matcher ranks = RANKS.matcher(path);
        final Asset asset = ASSETS.get(path);
        if (asset != null) {
            send(exchange, OK, asset.type(), asset.read());
        } else if (ranks.matches()) {
            final String text = cluster.describeRanks(ranks.group(1));
            if (text == null) {
                refuse(exchange, NOT_FOUND, "no such job: id=" + ranks.group(1) + "; /api/jobs lists them");
            } else {
                send(exchange, OK, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } else {
            switch (path) {
                case "/api/nodes" -> json(exchange, snapshots.get().nodes());
                case "/api/modules" -> json(exchange, snapshots.get().modules());
                case "/api/jobs" -> json(exchange, snapshots.get().jobs());
                case "/api/lost" -> json(exchange, snapshots.get().lost());
                case "/events" -> events(exchange);
                default -> refuse(exchange, NOT_FOUND, "no such resource: /api/openapi.json lists them");
            }
        }
    }

    /** Sends a snapshot each second until the client closes the connection or the server is closed. */
    private void events(final HttpExchange exchange) throws IOException {
        final byte[] first = MessageCodec.write(snapshots.get());
        head(exchange, OK, "text/event-stream", 0);
        try (OutputStream out = exchange.getResponseBody()) {
            byte[] json = first;
            do {
                out.write("event: snapshot\ndata: ".getBytes(StandardCharsets.US_ASCII));
                out.write(json);
                out.write("\n\n".getBytes(StandardCharsets.US_ASCII));
                out.flush();
                if (closing.await(1, TimeUnit.SECONDS)) {
                    return;
                }
                json = MessageCodec.write(snapshots.get());
            } while (true);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final IllegalStateException e) {
            LOG.debug("events end: the node is stopping", e);
        }
    }

    private static void json(final HttpExchange exchange, final Object value) throws IOException {
        send(exchange, OK, JSON, MessageCodec.write(value));
    }

    private static void refuse(final HttpExchange exchange, final int status, final String line) throws IOException {
        send(exchange, status, TEXT, (line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void send(final HttpExchange exchange, final int status, final String type, final byte[] body) throws IOException {
        final boolean isHead = exchange.getRequestMethod().equals("HEAD");
        head(exchange, status, type, isHead ? -1 : body.length);
        if (!isHead) {
            exchange.getResponseBody().write(body);
        }
    }

    private static void head(final HttpExchange exchange, final int status, final String type, final long length) throws IOException {
        final Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Content-Security-Policy", POLICY);
        headers.set("Cache-Control", "no-store");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("X-Content-Type-Options", "nosniff");
        exchange.sendResponseHeaders(status, length);
    }

    /** Ends listeners to events, and stops the server. */
    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
