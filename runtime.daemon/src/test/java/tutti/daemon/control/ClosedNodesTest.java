package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.daemon.node.NodeInfo;

class ClosedNodesTest {
    private final NodeInfo a = node("a", "0a");
    private final NodeInfo b = node("b", "0b");
    private final ClosedNodes closed = new ClosedNodes();

    private static NodeInfo node(final String name, final String incarnation) {
        return new NodeInfo(name, incarnation, "127.0.0.1", 7001, 1, "25", 1, 0);
    }

    @Test
    void shouldLeaveOutANodeThatTakesNoJobs() {
        closed.accept(ClosedNodes.argument(b, "node b takes no jobs: it has threads"));
        assertEquals(List.of(a), closed.open(List.of(a, b)));
        assertEquals("node b takes no jobs: it has threads", closed.reasons(List.of(a, b)));
    }

    @Test
    void shouldTakeANodeThatTakesJobsAgain() {
        closed.accept(ClosedNodes.argument(b, "reason"));
        closed.accept(ClosedNodes.argument(b, ""));
        assertEquals(List.of(a, b), closed.open(List.of(a, b)));
        assertEquals("", closed.reasons(List.of(a, b)));
    }

    @Test
    void shouldTakeANodeThatHasRestarted() {
        closed.accept(ClosedNodes.argument(b, "reason"));
        final NodeInfo restarted = node("b", "0c");
        assertEquals(List.of(a, restarted), closed.open(List.of(a, restarted)));
    }

    @Test
    void shouldIgnoreAnArgumentWithoutAReason() {
        closed.accept("0b");
        assertEquals(List.of(a, b), closed.open(List.of(a, b)));
    }
}
