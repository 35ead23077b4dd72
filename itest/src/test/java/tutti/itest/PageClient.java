package tutti.itest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;

/** Client of the live page of a node, with the token in the address that {@code tutti page} prints. */
final class PageClient implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String JSON_TYPE = "application/json";
    private static final String DATA = "data: ";

    private final HttpClient client = HttpClient.newHttpClient();
    /** The address without the token, with a slash at its end. */
    final String page;
    private final String token;

    PageClient(final String printed) {
        page = printed.substring(0, printed.indexOf('#'));
        token = printed.substring(printed.indexOf('=') + 1);
    }

    /** Returns a client for the page of a daemon with the role of the user, or with a lower one. */
    static PageClient of(final TuttiScript.Daemon daemon, final String... options) throws Exception {
        final String[] args = new String[options.length + 3];
        args[0] = "page";
        args[1] = "--connect";
        args[2] = daemon.address;
        System.arraycopy(options, 0, args, 3, options.length);
        final TuttiScript.Result printed = CommandInJvm.run(args);
        if (printed.status() != 0) {
            throw new IllegalStateException(printed.toString());
        }
        return new PageClient(printed.out().strip());
    }

    private HttpRequest.Builder request(final String path) {
        return HttpRequest.newBuilder(URI.create(page + path)).header("Authorization", "Bearer " + token);
    }

    private HttpResponse<String> send(final HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Requests a resource without the token. */
    HttpResponse<String> anonymous(final String path, final String... headers) throws IOException, InterruptedException {
        final HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(page + path));
        return send((headers.length == 0 ? request : request.headers(headers)).build());
    }

    HttpResponse<String> get(final String path) throws IOException, InterruptedException {
        return send(request(path).build());
    }

    JsonNode json(final String path) throws IOException, InterruptedException {
        return JSON.readTree(get(path).body());
    }

    HttpResponse<String> post(final String path, final String json, final String... headers) throws IOException, InterruptedException {
        final HttpRequest.Builder request = request(path).header("Content-Type", JSON_TYPE).POST(HttpRequest.BodyPublishers.ofString(json));
        return send((headers.length == 0 ? request : request.headers(headers)).build());
    }

    HttpResponse<String> upload(final String path, final Path file) throws IOException, InterruptedException {
        return send(
            request(path).header("Content-Type", "application/java-archive").POST(HttpRequest.BodyPublishers.ofByteArray(Files.readAllBytes(file)))
                .build());
    }

    /** Listens to events until a snapshot is as wanted; returns it. */
    JsonNode snapshot(final Predicate<JsonNode> wanted) throws IOException, InterruptedException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
            client.send(request("events").build(), HttpResponse.BodyHandlers.ofInputStream()).body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(DATA)) {
                    final JsonNode snapshot = JSON.readTree(line.substring(DATA.length()));
                    if (wanted.test(snapshot)) {
                        return snapshot;
                    }
                }
            }
            throw new IOException("the events have ended");
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
