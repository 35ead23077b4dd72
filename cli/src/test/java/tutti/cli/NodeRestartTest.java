package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.daemon.node.HostPort;

class NodeRestartTest {
    private static final HostPort ADDRESS = new HostPort("127.0.0.1", 7001);

    @Test
    void shouldListenOnTheSameAddressAndKeepOtherOptions() {
        assertEquals(List.of("java", "-Xmx1g", "tutti.cli.Main", "daemon", "--name", "a", "--dir", "d", "--listen", "127.0.0.1:7001"),
            NodeRestart.command(List.of("java", "-Xmx1g", "tutti.cli.Main", "daemon", "--name", "a", "--listen", "127.0.0.1:0", "--dir", "d"),
                ADDRESS,
                null, ""));
    }

    @Test
    void shouldJoinTheMembersInPlaceOfTheFirstSeed() {
        assertEquals(List.of("java", "daemon", "--name=a", "--listen", "127.0.0.1:7001", "--temporary", "/t", "--members", "127.0.0.1:1,127.0.0.1:2"),
            NodeRestart.command(List.of("java", "daemon", "--name=a", "--join", "127.0.0.1:9", "--listen=127.0.0.1:0", "--temporary", "/t",
                "--members", "127.0.0.1:9"), ADDRESS, Path.of("/t"), "127.0.0.1:1,127.0.0.1:2"));
    }

    @Test
    void shouldJoinTheSeedAgainWithoutMembers() {
        assertEquals(List.of("java", "-Dx", "daemon", "--join", "127.0.0.1:9", "--name", "a", "--listen", "127.0.0.1:7001"),
            NodeRestart.command(List.of("java", "-Dx", "daemon", "--join", "127.0.0.1:9", "--name", "a"), ADDRESS, null, ""));
    }
}
