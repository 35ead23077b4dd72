package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Message;

/** Tests of how a node starts and stops, seen by its container. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NodeServiceTest {
    private final List<TestNode> nodes = new ArrayList<>();

    @TempDir
    private Path dir;

    @AfterEach
    void close() {
        nodes.forEach(TestNode::close);
    }

    private TestNode node(final String name, final String listen) throws Exception {
        final TestNode node = new TestNode(name, listen, dir.resolve(name), new ScriptedHost());
        nodes.add(node);
        return node;
    }

    @Test
    void shouldRegisterTheAddressOnWhichItListens() throws Exception {
        final TestNode a = node("a", "127.0.0.1:0");
        assertEquals("a", a.property(NodeProperties.NAME));
        assertTrue(a.address().port() > 0, a.address().toString());
        assertNull(a.property(NodeProperties.FAILURE));
    }

    @Test
    void shouldRegisterWhyItCannotListen() throws Exception {
        final String taken = node("a", "127.0.0.1:0").address().toString();
        final TestNode b = node("b", taken);
        assertNull(b.property(NodeProperties.ADDRESS));
        assertTrue(b.property(NodeProperties.FAILURE).startsWith("cannot listen: address=" + taken), b.property(NodeProperties.FAILURE));
    }

    @Test
    void shouldReplyBeforeItStopsItsContainer() throws Exception {
        final TestNode a = node("a", "127.0.0.1:0");
        final List<Message> replies = new ArrayList<>();
        a.service().stop("a", reply -> {
            assertFalse(a.containerStopped().isDone());
            replies.add(reply);
        });
        assertEquals(List.of(new Message.Reply(ExitStatus.OK, "")), replies);
        assertTrue(a.containerStopped().isDone());
    }

    @Test
    void shouldStopTheOtherNodesAndThenItself() throws Exception {
        final TestNode a = node("a", "127.0.0.1:0");
        final TestNode b = node("b", "127.0.0.1:0");
        b.join(a);
        a.service().stop(null, reply -> assertFalse(a.containerStopped().isDone()));
        b.containerStopped().get(60, TimeUnit.SECONDS);
        assertTrue(a.containerStopped().isDone());
    }

    @Test
    void shouldStopAnotherNodeAlone() throws Exception {
        final TestNode a = node("a", "127.0.0.1:0");
        final TestNode b = node("b", "127.0.0.1:0");
        b.join(a);
        final List<Message> replies = new ArrayList<>();
        a.service().stop("b", replies::add);
        b.containerStopped().get(60, TimeUnit.SECONDS);
        a.service().stop("c", replies::add);
        assertEquals(List.of(new Message.Reply(ExitStatus.OK, ""),
            new Message.Reply(ExitStatus.FAILED, "no such node: name=c; list them with: tutti nodes")), replies);
        assertFalse(a.containerStopped().isDone());
    }
}
