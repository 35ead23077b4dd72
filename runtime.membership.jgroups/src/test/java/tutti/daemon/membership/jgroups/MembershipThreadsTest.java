package tutti.daemon.membership.jgroups;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.membership.MembershipSettings;

/** Tests of the threads that a membership has, beside which no other cluster runs. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MembershipThreadsTest {
    @Test
    void shouldBeAloneWithoutThreadsUntilAnotherNodeJoins() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            final PacketNetwork.Node a = network.node("a");
            assertEquals(List.of("a"), a.names());
            assertTrue(threads().isEmpty(), () -> threads().toString());
            final PacketNetwork.Node b = network.node("b");
            b.membership().join(List.of(a.info()));
            PacketNetwork.awaitViews(List.of(a, b), "a", "b");
            assertEquals(List.of("first-a", "first-b"), a.incarnations());
            assertEquals(a.membership().view().number(), b.membership().view().number());
        }
    }

    @Test
    void shouldEndAllThreadsWhenItLeaves() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            network.cluster("a", "b", "c");
        }
        await().atMost(PacketNetwork.LIMIT).untilAsserted(() -> assertEquals(List.of(), threads()));
    }

    /** Returns the platform threads that are not the test's. */
    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).filter(n -> n.contains("jgroups") || n.contains("tutti")
            || n.startsWith("Timer") || n.contains("TimeScheduler")).sorted().toList();
    }
}
