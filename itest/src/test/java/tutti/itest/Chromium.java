package tutti.itest;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A headless Chromium with one page, which tests lead by its DevTools protocol. */
final class Chromium implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int WIDTH = 1500;
    private static final int MOST_HEIGHT = 4000;

    /** Errors and exceptions that the page has logged. */
    final List<String> errors = new CopyOnWriteArrayList<>();
    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final Map<Integer, CompletableFuture<JsonNode>> open = new ConcurrentHashMap<>();
    private int calls;

    /** Receives answers and events, which come in pieces. */
    private final class Receiver implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(final WebSocket from, final CharSequence piece, final boolean isLast) {
            text.append(piece);
            if (isLast) {
                received(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    /** Starts the browser with a profile of its own in a folder. */
    Chromium(final Path folder) throws Exception {
        process = new ProcessBuilder("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + folder,
            "--remote-debugging-port=0", "--window-size=" + WIDTH + ",900", "about:blank").redirectErrorStream(true)
            .redirectOutput(folder.resolveSibling("chromium.log").toFile()).start();
        final Path port = folder.resolve("DevToolsActivePort");
        await().atMost(LIMIT).until(() -> Files.exists(port) && Files.readAllLines(port).size() > 1);
        final JsonNode pages = JSON.readTree(client.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + Files.readAllLines(port).getFirst() + "/json/list")).build(),
            HttpResponse.BodyHandlers.ofString()).body());
        socket = client.newWebSocketBuilder().buildAsync(URI.create(pages.get(0).get("webSocketDebuggerUrl").asText()), new Receiver())
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        for (final String domain : List.of("Page", "Runtime", "Log", "DOM")) {
            call(domain + ".enable", JSON.createObjectNode());
        }
    }

    private void received(final String json) {
        try {
            final JsonNode message = JSON.readTree(json);
            if (message.has("id")) {
                open.remove(message.get("id").asInt()).complete(message);
            } else if (List.of("Runtime.exceptionThrown", "Log.entryAdded").contains(message.path("method").asText())) {
                errors.add(message.get("params").toString());
            }
        } catch (final IOException e) {
            throw new IllegalStateException(json, e);
        }
    }

    private JsonNode call(final String method, final ObjectNode parameters) throws Exception {
        final int id = ++calls;
        final CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        open.put(id, answer);
        final ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", parameters);
        socket.sendText(message.toString(), true).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        final JsonNode result = answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        if (!result.has("result")) {
            throw new IllegalStateException(method + ": " + result);
        }
        return result.get("result");
    }

    /** Opens an address, in dark or light colours. */
    void open(final String address, final String scheme) throws Exception {
        final ObjectNode media = JSON.createObjectNode();
        media.putArray("features").addObject().put("name", "prefers-color-scheme").put("value", scheme);
        call("Emulation.setEmulatedMedia", media);
        call("Page.navigate", JSON.createObjectNode().put("url", "about:blank"));
        call("Page.navigate", JSON.createObjectNode().put("url", address));
    }

    /** Evaluates an expression of JavaScript in the page; returns its value as text. */
    String evaluate(final String expression) throws Exception {
        return call("Runtime.evaluate", JSON.createObjectNode().put("expression", expression).put("returnByValue", true)).get("result").path("value")
            .asText();
    }

    /** Waits until an expression is true. */
    void awaitTrue(final String expression) {
        await(expression).atMost(LIMIT).until(() -> evaluate(expression).equals("true"));
    }

    /** Presses and releases a key. */
    void press(final String key, final int code, final String text) throws Exception {
        call("Input.dispatchKeyEvent", JSON.createObjectNode().put("type", "keyDown").put("key", key).put("code", key)
            .put("windowsVirtualKeyCode", code).put("text", text));
        call("Input.dispatchKeyEvent", JSON.createObjectNode().put("type", "keyUp").put("key", key).put("code", key)
            .put("windowsVirtualKeyCode", code));
    }

    /** Chooses the file of an input. */
    void choose(final String selector, final Path file) throws Exception {
        final int root = call("DOM.getDocument", JSON.createObjectNode()).get("root").get("nodeId").asInt();
        final int input = call("DOM.querySelector", JSON.createObjectNode().put("nodeId", root).put("selector", selector)).get("nodeId").asInt();
        final ObjectNode files = JSON.createObjectNode().put("nodeId", input);
        files.putArray("files").add(file.toString());
        call("DOM.setFileInputFiles", files);
    }

    /** Writes a picture of the whole page; returns the number of its bytes. */
    long screenshot(final Path file) throws Exception {
        final int height = Math.min(MOST_HEIGHT, Integer.parseInt(evaluate("document.documentElement.scrollHeight")));
        call("Emulation.setDeviceMetricsOverride", JSON.createObjectNode().put("width", WIDTH).put("height", height).put("deviceScaleFactor", 1)
            .put("mobile", false));
        evaluate("dispatchEvent(new Event('resize'))");
        final byte[] png =
            Base64.getDecoder().decode(call("Page.captureScreenshot", JSON.createObjectNode().put("format", "png")).get("data").asText());
        Files.createDirectories(file.getParent());
        Files.write(file, png);
        call("Emulation.clearDeviceMetricsOverride", JSON.createObjectNode());
        return png.length;
    }

    @Override
    public void close() {
        socket.abort();
        client.shutdownNow();
        final List<ProcessHandle> all = process.descendants().toList();
        process.destroy();
        process.onExit().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(p -> p.onExit().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join());
    }
}
