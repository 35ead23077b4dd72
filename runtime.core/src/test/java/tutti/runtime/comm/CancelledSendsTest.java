package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static tutti.runtime.comm.CommunicatorsTest.BASIC;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.MemoryTransport;
import tutti.runtime.NamedPorts;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.Status;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests that a send is either cancelled or received, within a node, between nodes and between jobs. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CancelledSendsTest {
    private static final int LARGE = 200_000;
    private static final int EAGER = 32 * 1024;

    /** Tells the other rank that everything before has been sent, and waits until it says so. */
    private static void meet(final Communicator c, final int peer) {
        final byte[] got = new byte[1];
        c.messages().sendrecv(new byte[1], 1, Datatype.BYTE, peer, 1000, got, 1, Datatype.BYTE, peer, 1000);
    }

    private static void assertNothingArrives(final Communicator c, final int peer) {
        meet(c, peer);
        assertNull(c.messages().iprobe(peer, 1));
        assertNull(c.messages().iprobe(peer, 2));
    }

    /** Starts sends to a rank that does not receive, and cancels them. */
    private static void cancelUnmatched(final Communicator c, final int peer) {
        for (final SendMode mode : SendMode.values()) {
            final Request large = c.messages().isend(mode, new byte[LARGE], LARGE, Datatype.BYTE, peer, 1);
            large.cancel();
            assertTrue(large.waitFor().cancelled(), mode::toString);
        }
        final Request first = c.messages().isend(SendMode.SYNCHRONOUS, new byte[1], 1, Datatype.BYTE, peer, 2);
        final Request second = c.messages().isend(SendMode.SYNCHRONOUS, new byte[0], 0, Datatype.BYTE, peer, 2);
        second.cancel();
        second.cancel();
        first.cancel();
        assertTrue(first.waitFor().cancelled());
        assertTrue(second.waitFor().cancelled());
        // of no effect: the request is complete
        second.cancel();
        assertTrue(second.status().cancelled());
    }

    private static void startAgainAndAgain(final Communicator c, final int peer) {
        final byte[] data = new byte[LARGE];
        for (final SendMode mode : SendMode.values()) {
            final PersistentRequest send = c.messages().sendInit(mode, data, LARGE, Datatype.BYTE, peer, 3);
            for (int i = 0; i < 5; i++) {
                data[LARGE - 1] = (byte) i;
                send.start();
                if (i % 2 == 0) {
                    send.cancel();
                    assertTrue(send.waitFor().cancelled());
                } else {
                    meet(c, peer);
                    meet(c, peer);
                    assertFalse(send.waitFor().cancelled());
                    // too late: the message was received
                    send.cancel();
                    assertFalse(send.status().cancelled());
                }
            }
            send.free();
        }
    }

    private static void receiveWhatIsNotCancelled(final Communicator c, final int peer) {
        for (int i = 0; i < SendMode.values().length * 5; i++) {
            if (i % 5 % 2 == 1) {
                meet(c, peer);
                final byte[] got = new byte[LARGE];
                c.messages().recv(got, LARGE, Datatype.BYTE, peer, 3);
                assertEquals(i % 5, got[LARGE - 1]);
                meet(c, peer);
            }
        }
    }

    private static void cancelOnBothSides(final Rank rank, final Communicator c, final int peer, final boolean isFirst) {
        rank.attachedBuffer().attach(new byte[LARGE + 1000]);
        cancelUnmatched(c, peer);
        assertNothingArrives(c, peer);
        if (isFirst) {
            startAgainAndAgain(c, peer);
        } else {
            receiveWhatIsNotCancelled(c, peer);
        }
        assertNothingArrives(c, peer);
        // all space of the buffer is free again
        rank.attachedBuffer().detach();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCancelSendsThatNoReceiveMatchesInEveryMode(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            cancelOnBothSides(rank, c, 1 - c.rank(), c.rank() == 0);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCancelSendsOnIntercommunicators(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator w = rank.world();
            final Communicator alone = w.split(w.rank(), 0);
            final Communicator inter = alone.createIntercomm(0, w, 1 - w.rank(), 9);
            cancelOnBothSides(rank, inter, 0, w.rank() == 0);
        });
    }

    @Test
    void shouldCancelSendsBetweenConnectedJobs() throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(transport, List.of(
                new Ranks.Job(List.of(0, 1, 0), Ranks.job(3, Map.of(), BASIC), rank -> inJobs(rank, NamedPorts.serve(rank, "cancels"), 2, 1)),
                new Ranks.Job(List.of(0, 0), Ranks.job(2, Map.of(), BASIC), rank -> inJobs(rank, NamedPorts.dial(rank, "cancels", 0), 1, 2))));
        }
    }

    private static void inJobs(final Rank rank, final Communicator inter, final int mine, final int peer) {
        if (inter.rank() == mine) {
            cancelOnBothSides(rank, inter, peer, mine == 2);
        }
        inter.engine().blocking().barrier();
        inter.disconnect();
    }

    /** Short messages that use up the credit of their node, so that the following ones are announced. */
    @Test
    void shouldCancelShortSendsThatWaitForCredit() throws Exception {
        Ranks.run(2, 2, BASIC, rank -> {
            final Communicator c = rank.world();
            final int count = 300;
            if (c.rank() == 0) {
                final List<Request> sends = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    final byte[] data = new byte[EAGER];
                    data[0] = (byte) i;
                    sends.add(c.messages().isend(SendMode.STANDARD, data, EAGER, Datatype.BYTE, 1, 1));
                }
                // each has been sent or announced: a send that is cancelled while it waits for the link costs no credit
                meet(c, 1);
                sends.forEach(Request::cancel);
                final byte[] verdicts = new byte[count];
                for (int i = 0; i < count; i++) {
                    verdicts[i] = (byte) (sends.get(i).waitFor().cancelled() ? 1 : 0);
                }
                assertEquals(0, verdicts[0]);
                assertEquals(1, verdicts[count - 1]);
                c.messages().send(SendMode.STANDARD, verdicts, count, Datatype.BYTE, 1, 5);
            } else {
                meet(c, 0);
                final byte[] verdicts = new byte[count];
                c.messages().recv(verdicts, count, Datatype.BYTE, 0, 5);
                for (int i = 0; i < count; i++) {
                    if (verdicts[i] == 0) {
                        final byte[] got = new byte[EAGER];
                        c.messages().recv(got, EAGER, Datatype.BYTE, 0, 1);
                        assertEquals((byte) i, got[0]);
                    }
                }
                assertNull(c.messages().iprobe(0, 1));
            }
        });
    }

    /** A matched probe has taken the message: from then on it is received. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldNotCancelWhatAMatchedProbeHasTaken(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            if (c.rank() == 0) {
                final Request send = c.messages().isend(SendMode.STANDARD, new byte[LARGE], LARGE, Datatype.BYTE, 1, 1);
                meet(c, 1);
                send.cancel();
                meet(c, 1);
                assertFalse(send.waitFor().cancelled());
            } else {
                final var taken = c.messages().mprobe(0, 1);
                meet(c, 0);
                meet(c, 0);
                assertEquals(LARGE, taken.recv(new byte[LARGE], LARGE, Datatype.BYTE).bytes());
            }
        });
    }

    /** Receives that race with the cancellation of their message: sender and receiver agree on who has won, in each round. */
    @ParameterizedTest
    @CsvSource({"1, STANDARD", "1, SYNCHRONOUS", "1, BUFFERED", "2, STANDARD", "2, SYNCHRONOUS", "2, BUFFERED"})
    void shouldEitherCancelOrReceiveWhereBothRace(final int nodes, final SendMode mode) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            rank.attachedBuffer().attach(new byte[LARGE + 1000]);
            final byte[] data = new byte[LARGE];
            for (int i = 0; i < 1000; i++) {
                if (c.rank() == 0) {
                    Arrays.fill(data, (byte) i);
                    final Request send = c.messages().isend(mode, data, LARGE, Datatype.BYTE, 1, 1);
                    meet(c, 1);
                    send.cancel();
                    final boolean isCancelled = send.waitFor().cancelled();
                    c.messages().send(SendMode.STANDARD, new byte[] {(byte) (isCancelled ? 1 : 0)}, 1, Datatype.BYTE, 1, 2);
                } else {
                    Arrays.fill(data, (byte) ~i);
                    meet(c, 0);
                    final Request receive = c.messages().irecv(data, LARGE, Datatype.BYTE, 0, 1);
                    final byte[] verdict = new byte[1];
                    c.messages().recv(verdict, 1, Datatype.BYTE, 0, 2);
                    if (verdict[0] == 1) {
                        assertFalse(receive.isDone());
                        receive.cancel();
                    }
                    final Status status = receive.waitFor();
                    assertEquals(verdict[0] == 1, status.cancelled());
                    final byte[] expected = new byte[LARGE];
                    Arrays.fill(expected, (byte) (verdict[0] == 1 ? ~i : i));
                    assertArrayEquals(expected, data);
                }
                // the next message must not match the receive of this round
                meet(c, 1 - c.rank());
            }
            rank.attachedBuffer().detach();
        });
    }
}
