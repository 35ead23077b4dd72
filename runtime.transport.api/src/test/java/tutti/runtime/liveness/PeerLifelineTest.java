package tutti.runtime.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeerLifelineTest {

    private static ServerSocket server() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    private static PeerLifeline.Life look(final PeerLifeline lifeline) {
        return lifeline.look(PeerLifeline.HOST_LIMIT);
    }

    @Test
    void shouldFindAProcessThatAcceptsNothingHoweverOftenItLooks() throws IOException {
        try (ServerSocket stopped = server(); PeerLifeline lifeline = new PeerLifeline((InetSocketAddress) stopped.getLocalSocketAddress())) {
            // more connections than the system keeps for the server
            for (int i = 0; i < 20; i++) {
                assertEquals(PeerLifeline.Life.PROCESS, look(lifeline));
            }
        }
    }

    @Test
    void shouldFindTheHostAloneWhenTheProcessHasEnded() throws IOException {
        final ServerSocket ends = server();
        try (PeerLifeline lifeline = new PeerLifeline((InetSocketAddress) ends.getLocalSocketAddress())) {
            assertEquals(PeerLifeline.Life.PROCESS, look(lifeline));
            ends.close();
            assertEquals(PeerLifeline.Life.HOST, look(lifeline));
        }
    }

    @Test
    void shouldFindAProcessThatHasClosedTheConnection() throws IOException {
        try (ServerSocket refuses = server(); PeerLifeline lifeline = new PeerLifeline((InetSocketAddress) refuses.getLocalSocketAddress())) {
            assertEquals(PeerLifeline.Life.PROCESS, look(lifeline));
            try (Socket accepted = refuses.accept()) {
                accepted.getOutputStream().write(new byte[1000]);
            }
            assertEquals(PeerLifeline.Life.PROCESS, look(lifeline));
        }
    }

    @Test
    void shouldFindNothingWhereNoHostAnswers() {
        try (PeerLifeline lifeline = new PeerLifeline(InetSocketAddress.createUnresolved("no.such.host.invalid", 1))) {
            assertEquals(PeerLifeline.Life.NOTHING, look(lifeline));
        }
    }
}
