package tutti.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;

/** A request and its answer. For one thread. */
final class PageExchange {
    /** Media type of JSON. */
    static final String JSON = "application/json";
    /** Most bytes of a request in JSON. */
    static final int MOST_JSON = 64 << 10;
    /** Most bytes of a file. */
    static final long MOST_FILE = 64L << 20;

    private static final String TEXT = "text/plain; charset=utf-8";
    private static final int PIECE = 1 << 16;
    /** Nothing is loaded but from this server, no script or style is inline, and no other page shows this one in a frame. */
    private static final String POLICY =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'";

    private final HttpExchange exchange;

    PageExchange(final HttpExchange exchange) {
        this.exchange = exchange;
    }

    String method() {
        return exchange.getRequestMethod();
    }

    String path() {
        return exchange.getRequestURI().getPath();
    }

    /** Returns the values of a header; null if there is none. */
    @Nullable
    List<String> header(final String name) {
        return exchange.getRequestHeaders().get(name);
    }

    /** Sets a header of the answer. */
    void set(final String name, final String value) {
        exchange.getResponseHeaders().set(name, value);
    }

    /**
     * Returns the values of a parameter of the query, in their order.
     *
     * @throws PageRefusal when the query cannot be read
     */
    List<String> parameters(final String name) throws PageRefusal {
        final List<String> values = new ArrayList<>();
        final String query = exchange.getRequestURI().getRawQuery();
        try {
            for (final String pair : query == null ? new String[0] : query.split("&")) {
                final int equals = pair.indexOf('=');
                if (equals > 0 && URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8).equals(name)) {
                    values.add(URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
                }
            }
        } catch (final IllegalArgumentException e) {
            throw new PageRefusal(HttpStatus.BAD_REQUEST, "the query cannot be read: " + Protocol.oneLine(e));
        }
        return values;
    }

    /**
     * Returns whether a parameter of the query is {@code true}.
     *
     * @throws PageRefusal when it is neither {@code true} nor {@code false}, or there are several
     */
    boolean flag(final String name, final boolean byDefault) throws PageRefusal {
        final List<String> values = parameters(name);
        if (values.isEmpty()) {
            return byDefault;
        }
        if (values.size() > 1 || !List.of("true", "false").contains(values.getFirst())) {
            throw new PageRefusal(HttpStatus.BAD_REQUEST, "not true or false: " + name + "=" + String.join(",", values));
        }
        return Boolean.parseBoolean(values.getFirst());
    }

    /**
     * Reads the body of the request, which is JSON.
     *
     * @throws PageRefusal when it is too long, or not JSON of that record
     */
    <T> T read(final Class<T> type) throws IOException, PageRefusal {
        checkType(List.of(JSON));
        final byte[] body = exchange.getRequestBody().readNBytes(MOST_JSON + 1);
        if (body.length > MOST_JSON) {
            throw new PageRefusal(HttpStatus.TOO_LARGE, "the request is too long: max=" + MOST_JSON + " bytes");
        }
        try {
            return MessageCodec.read(body, type);
        } catch (final IOException e) {
            throw new PageRefusal(HttpStatus.BAD_REQUEST, "the body is not what /api/openapi.json describes for " + path() + ": "
                + Protocol.oneLine(e));
        }
    }

    /**
     * Stores the body of the request.
     *
     * @throws PageRefusal when it is too long, or empty
     */
    void store(final Path file) throws IOException, PageRefusal {
        checkType(List.of("application/java-archive", "application/octet-stream"));
        long bytes = 0;
        final byte[] piece = new byte[PIECE];
        try (OutputStream out = Files.newOutputStream(file)) {
            final InputStream in = exchange.getRequestBody();
            for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                bytes += n;
                if (bytes > MOST_FILE) {
                    throw new PageRefusal(HttpStatus.TOO_LARGE,
                        "the file is too long: max=" + MOST_FILE + " bytes; install it with: tutti install FILE");
                }
                out.write(piece, 0, n);
            }
        }
        if (bytes == 0) {
            throw new PageRefusal(HttpStatus.BAD_REQUEST, "the body is empty: send the bundle of a module");
        }
    }

    private void checkType(final List<String> allowed) throws PageRefusal {
        final String type = exchange.getRequestHeaders().getFirst("Content-Type");
        if (type == null || !allowed.contains(type.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT))) {
            throw new PageRefusal(HttpStatus.WRONG_TYPE, "wrong type of the body: Content-Type=" + (type == null ? "" : type) + ", expected "
                + String.join(" or ", allowed));
        }
    }

    /** Answers with JSON. */
    void json(final Object value) throws IOException {
        send(HttpStatus.OK, JSON, MessageCodec.write(value));
    }

    /** Answers with one line. */
    void refuse(final int status, final String line) throws IOException {
        send(status, TEXT, (line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Answers. */
    void send(final int status, final String type, final byte[] body) throws IOException {
        final boolean isHead = method().equals("HEAD");
        head(status, type, isHead ? -1 : body.length);
        if (!isHead) {
            exchange.getResponseBody().write(body);
        }
    }

    /** Begins an answer whose length is not known. */
    OutputStream stream(final String type) throws IOException {
        head(HttpStatus.OK, type, 0);
        return exchange.getResponseBody();
    }

    private void head(final int status, final String type, final long length) throws IOException {
        final Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Content-Security-Policy", POLICY);
        headers.set("Cache-Control", "no-store");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("X-Content-Type-Options", "nosniff");
        exchange.sendResponseHeaders(status, length);
    }
}
