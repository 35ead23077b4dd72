package tutti.runtime.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.NodeEndpoints;

/** Tests what users are told about the links between nodes. */
class LinkSummaryTest {
    private static NodeEndpoints node(final String name, final String... transports) {
        return new NodeEndpoints(name, Arrays.stream(transports).map(t -> {
            final String[] parts = t.split("@");
            return new Endpoint(parts[0], parts.length == 1 ? "" : parts[1], "h", 1);
        }).toList());
    }

    @Test
    void shouldSayNothingOfOneNode() {
        assertNull(LinkSummary.of(List.of(node("a", "tcp"))));
    }

    @Test
    void shouldNameTheTransportThatLinksAllNodes() {
        assertEquals("links between nodes: tcp", LinkSummary.of(List.of(node("a", "tcp"), node("b", "tcp"), node("c", "tcp"))));
        assertEquals("links between nodes: shm", LinkSummary.of(List.of(node("a", "shm@x", "tcp"), node("b", "shm@x", "tcp"))));
        assertEquals("links between nodes: tcp", LinkSummary.of(List.of(node("a", "shm@x", "tcp"), node("b", "shm@y", "tcp"))));
        assertEquals("links between nodes: tcp", LinkSummary.of(List.of(node("a", "tcp", "shm@x"), node("b", "tcp", "shm@x"))));
    }

    @Test
    void shouldNameTheNodesThatATransportOfAHostLinks() {
        assertEquals("links between nodes: shm among a/0, a/1; shm among b/0, b/1; tcp between others",
            LinkSummary.of(List.of(node("a/0", "shm@x", "tcp"), node("a/1", "shm@x", "tcp"), node("b/0", "shm@y", "tcp"), node("b/1", "shm@y", "tcp"),
                node("c", "tcp"))));
    }

    @Test
    void shouldNameTheFirstOfManyNodes() {
        assertEquals("links between nodes: shm among 0, 1, 2, 3, 4, 5, 6, 7 and 2 more; tcp between others",
            LinkSummary.of(IntStream.range(0, 11).mapToObj(i -> node(String.valueOf(i), i < 10 ? "shm@x" : "tcp", "tcp")).toList()));
    }
}
