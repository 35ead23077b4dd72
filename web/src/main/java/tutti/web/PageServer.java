package tutti.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.Role;

/**
 * HTTP server of the live page, on the loopback address alone. The files of the page are for everybody there; all else needs a token.
 *
 * <p><b>Threads.</b> A virtual thread for each request, {@link #MOST_REQUESTS} at most; a listener to events keeps its thread.
 */
final class PageServer implements AutoCloseable {
    /** Most requests at once, listeners to events included. */
    static final int MOST_REQUESTS = 64;

    private static final Logger LOG = LoggerFactory.getLogger(PageServer.class);
    private static final String LOOPBACK = "127.0.0.1";
    private static final int BACKLOG = 64;
    private static final String PAGE = "/";
    private static final String GET = "GET";
    private static final String HOST = "Host";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final Map<String, Asset> ASSETS = Stream.concat(
        Stream.of("page", "elements", "server", "cluster", "jobs", "measurements", "modules", "plans").map(n -> n + ".js")
            .map(file -> Map.entry("/" + file, new Asset(file, SCRIPT))),
        Stream.of(Map.entry(PAGE, new Asset("index.html", "text/html; charset=utf-8")),
            Map.entry("/page.css", new Asset("page.css", "text/css; charset=utf-8")), Map.entry("/icon.svg", new Asset("icon.svg", "image/svg+xml"))))
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

    private final HttpServer server;
    private final ExecutorService threads;
    private final PageResources resources;
    private final PageAccess access;
    private final Semaphore requests = new Semaphore(MOST_REQUESTS);

    /** File of the page. */
    private record Asset(String file, String type) {
        byte[] read() throws IOException {
            try (InputStream in = Objects.requireNonNull(PageServer.class.getResourceAsStream(file), file)) {
                return in.readAllBytes();
            }
        }
    }

    /** A route for a request, and the part of its path that is a name. */
    private record Match(PageRoute route, String name) {}

    private PageServer(final HttpServer server, final ClusterView cluster) {
        this.server = server;
        this.resources = new PageResources(cluster);
        this.access = new PageAccess(cluster::pageRole);
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

    /** Returns what is served to who has a token. */
    List<PageRoute> routes() {
        return resources.routes();
    }

    private void handle(final HttpExchange received) throws IOException {
        try (received) {
            final PageExchange exchange = new PageExchange(received);
            if (!requests.tryAcquire()) {
                exchange.refuse(HttpStatus.UNAVAILABLE, "too many requests at once: max=" + MOST_REQUESTS + "; close other pages, and try again");
                return;
            }
            try {
                answer(exchange);
            } catch (final PageRefusal e) {
                exchange.refuse(e.status(), Protocol.oneLine(e));
            } catch (final IllegalStateException e) {
                LOG.debug("request cannot be answered", e);
                exchange.refuse(HttpStatus.UNAVAILABLE, "the node is stopping: try again when it has started");
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                requests.release();
            }
        }
    }

    private void answer(final PageExchange exchange) throws IOException, InterruptedException, PageRefusal {
        if (!PageAccess.isLoopback(exchange.header(HOST))) {
            throw new PageRefusal(HttpStatus.MISDIRECTED, "the host of the request is not this node: use http://" + address() + "/");
        }
        if (!PageAccess.isSameOrigin(exchange.header("Origin"), exchange.header(HOST))) {
            throw new PageRefusal(HttpStatus.FORBIDDEN, "the request comes from a page of another site: use http://" + address() + "/");
        }
        final Asset asset = ASSETS.get(exchange.path());
        if (asset != null) {
            checkMethod(exchange, List.of(GET));
            exchange.send(HttpStatus.OK, asset.type(), asset.read());
            return;
        }
        final Role role = access.role(exchange.header("Authorization"));
        if (role == null) {
            exchange.set("WWW-Authenticate", "Bearer");
            throw new PageRefusal(HttpStatus.UNAUTHORIZED, "no token of this cluster: open the address that 'tutti page --connect HOST:PORT' prints, "
                + "or send its token: Authorization: Bearer TOKEN");
        }
        final Match match = match(exchange);
        final Role needed = match.route().role();
        if (!role.includes(needed)) {
            throw new PageRefusal(HttpStatus.FORBIDDEN, "not allowed: request=" + exchange.method() + " " + exchange.path() + ", role=" + role
                + ", needed=" + needed + "; open the address that 'tutti page --role " + needed + "' prints");
        }
        match.route().handler().answer(exchange, role, match.name());
    }

    private Match match(final PageExchange exchange) throws PageRefusal {
        final List<Match> matches = routes().stream().map(r -> match(r, exchange.path())).filter(Objects::nonNull).toList();
        if (matches.isEmpty()) {
            throw new PageRefusal(HttpStatus.NOT_FOUND, "no such resource: /api/openapi.json lists them");
        }
        checkMethod(exchange, matches.stream().map(m -> m.route().method()).toList());
        return matches.stream().filter(m -> m.route().method().equals(exchange.method())).findFirst().orElseThrow();
    }

    private static @Nullable Match match(final PageRoute route, final String path) {
        final String name = route.match(path);
        return name == null ? null : new Match(route, name);
    }

    private static void checkMethod(final PageExchange exchange, final List<String> allowed) throws PageRefusal {
        if (!allowed.contains(exchange.method())) {
            exchange.set("Allow", String.join(", ", allowed));
            throw new PageRefusal(HttpStatus.NOT_ALLOWED, "no such method here: " + exchange.method() + ", use "
                + allowed.stream().sorted().collect(Collectors.joining(" or ")));
        }
    }

    /** Ends listeners to events, and stops the server. */
    @Override
    public void close() {
        resources.close();
        server.stop(0);
        threads.shutdownNow();
    }
}
