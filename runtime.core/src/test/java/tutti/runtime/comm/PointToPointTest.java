package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.match.MessageCounter;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.model.Status;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/** Tests messages between ranks, on one node (1) and across nodes (2, 3) over links with small buffers. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PointToPointTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());
    private static final int[] SIZES = {0, 1, 7, 1000, 8 * 1024, 8 * 1024 + 1, 32 * 1024, 32 * 1024 + 1, 1 << 20, 5_000_001};

    private static byte[] pattern(final int bytes, final long seed) {
        final byte[] data = new byte[bytes];
        new Random(seed).nextBytes(data);
        return data;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldTransferExpectedAndUnexpectedMessagesOfAnySize(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.self().owner().world();
            for (int i = 0; i < SIZES.length; i++) {
                final byte[] mine = pattern(SIZES[i], i);
                if (c.rank() == 0) {
                    c.messages().send(SendMode.STANDARD, mine, mine.length, Datatype.BYTE, 1, i);
                } else {
                    final byte[] got = new byte[SIZES[i] + 3];
                    final Status status = c.messages().recv(got, got.length, Datatype.BYTE, 0, i);
                    assertEquals(SIZES[i], status.bytes());
                    assertEquals(0, status.source());
                    assertEquals(i, status.tag());
                    assertArrayEquals(mine, Arrays.copyOf(got, SIZES[i]));
                }
            }
            barrier(c);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCountMessagesOfEachWayOnceAtTheirReceiver(final int nodes) throws Exception {
        final int[] sizes = {10, 2_000, 100_000};
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final byte[] data = new byte[100_000];
            if (c.rank() == 0) {
                c.messages().send(SendMode.STANDARD, data, 1, Datatype.BYTE, 1, 0);
                c.messages().recv(data, 1, Datatype.BYTE, 1, 0);
                for (final int size : sizes) {
                    c.messages().send(SendMode.STANDARD, data, size, Datatype.BYTE, 1, 0);
                }
            } else {
                c.messages().recv(data, 1, Datatype.BYTE, 0, 0);
                final MessageCounter received = rank.context().mailbox().received();
                final long messages = received.messages();
                final long bytes = received.bytes();
                c.messages().send(SendMode.STANDARD, data, 1, Datatype.BYTE, 0, 0);
                for (final int size : sizes) {
                    c.messages().recv(data, size, Datatype.BYTE, 0, 0);
                }
                assertEquals(3, received.messages() - messages);
                assertEquals(102_010, received.bytes() - bytes);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1", "3, 2", "3, 3"})
    void shouldNotOvertakeWhenSizesAndModesMix(final int ranks, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final int messages = 1000;
            if (c.rank() == 0) {
                final byte[] got = new byte[100_000];
                final int[] next = new int[3];
                for (int i = 0; i < (ranks - 1) * messages; i++) {
                    final Status s = c.messages().recv(got, got.length, Datatype.BYTE, Reserved.ANY_SOURCE, 5);
                    final int number = ByteBuffer.wrap(got).getInt();
                    assertEquals(next[s.source()]++, number);
                    assertEquals(length(number), s.bytes());
                }
            } else {
                rank.attachedBuffer().attach(new byte[messages * 60_000]);
                for (int i = 0; i < messages; i++) {
                    final byte[] data = new byte[length(i)];
                    ByteBuffer.wrap(data).putInt(i);
                    c.messages().send(i % 11 == 0 ? SendMode.SYNCHRONOUS : i % 7 == 0 ? SendMode.BUFFERED : SendMode.STANDARD, data, data.length,
                        Datatype.BYTE, 0, 5);
                }
            }
            barrier(c);
        });
    }

    private static int length(final int number) {
        return number % 16 == 0 ? 4 + number * 7919 % 60_000 : 4 + number % 1100;
    }

    @ParameterizedTest
    @ValueSource(strings = {"park", "spin", "adaptive"})
    void shouldFindShortMessagesInEveryWayToLookForThem(final String progress) throws Exception {
        final int rounds = 400;
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(2, 1, transport, Ranks.job(2, Map.of("progress", progress), BASIC), rank -> {
                final Communicator c = rank.world();
                final int[] got = new int[1];
                for (int i = 0; i < rounds; i++) {
                    if (c.rank() == 0) {
                        c.messages().send(SendMode.STANDARD, new int[] {i}, 1, Datatype.INT, 1, i);
                        // now and then the receiver parks first
                        c.messages().recv(got, 1, Datatype.INT, 1, i);
                    } else {
                        receive(c, got, i);
                        assertEquals(i, got[0]);
                        if (i % 50 == 0) {
                            LockSupport.parkNanos(20_000_000);
                        }
                        c.messages().send(SendMode.STANDARD, got, 1, Datatype.INT, 0, i);
                    }
                }
            });
        }
    }

    private static void receive(final Communicator c, final int[] into, final int tag) {
        switch (tag % 6) {
            case 0 -> c.messages().recv(into, 1, Datatype.INT, Reserved.ANY_SOURCE, Reserved.ANY_TAG);
            case 1 -> {
                final Request r = c.messages().irecv(into, 1, Datatype.INT, 0, tag);
                while (!r.test()) {
                    Thread.onSpinWait();
                }
            }
            case 2 -> {
                assertEquals(tag, c.messages().probe(0, Reserved.ANY_TAG).tag());
                c.messages().recv(into, 1, Datatype.INT, 0, tag);
            }
            case 3 -> {
                while (c.messages().iprobe(0, tag) == null) {
                    Thread.onSpinWait();
                }
                c.messages().recv(into, 1, Datatype.INT, 0, tag);
            }
            case 4 -> assertEquals(1, Request.waitAny(new Request[] {null, c.messages().irecv(into, 1, Datatype.INT, 0, tag)}));
            default -> c.messages().mprobe(0, tag).recv(into, 1, Datatype.INT);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldMatchTagsOutOfOrder(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            if (c.rank() == 0) {
                final Request[] sends = new Request[20];
                for (int i = 0; i < 20; i++) {
                    sends[i] = c.messages().isend(SendMode.STANDARD, new int[] {i}, 1, Datatype.INT, 1, i);
                }
                for (final Request r : sends) {
                    r.waitFor();
                }
            } else {
                for (int i = 19; i >= 0; i--) {
                    final int[] got = new int[1];
                    c.messages().recv(got, 1, Datatype.INT, 0, i);
                    assertEquals(i, got[0]);
                }
            }
            barrier(c);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldSurviveALargeBacklogOfMessagesNobodyReceives(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final int messages = 3000;
            final Request[] sends = new Request[messages];
            final byte[] data = pattern(6000, 1);
            if (c.rank() == 0) {
                for (int i = 0; i < messages; i++) {
                    sends[i] = c.messages().isend(SendMode.STANDARD, data, data.length, Datatype.BYTE, 1, i);
                }
                c.messages().send(SendMode.SYNCHRONOUS, data, 0, Datatype.BYTE, 1, messages);
                for (final Request r : sends) {
                    r.waitFor();
                }
            } else {
                c.messages().recv(data, 0, Datatype.BYTE, 0, messages);
                for (int i = messages - 1; i >= 0; i--) {
                    final byte[] got = new byte[6000];
                    c.messages().recv(got, got.length, Datatype.BYTE, 0, i);
                    assertArrayEquals(data, got);
                }
            }
            barrier(c);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldReportTruncationAndContinue(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            for (final int count : new int[] {10, 100_000}) {
                if (c.rank() == 0) {
                    c.messages().send(SendMode.STANDARD, new int[count], count, Datatype.INT, 1, 0);
                } else {
                    final MpiFailure e = assertThrows(MpiFailure.class, () -> c.messages().recv(new int[9], 9, Datatype.INT, 0, 0));
                    assertEquals(ErrorClass.TRUNCATE, e.errorClass());
                    assertEquals("message truncated: bytes=" + 4 * count + ", capacity=36, source=0, tag=0", e.getMessage());
                }
            }
            barrier(c);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldProbeWithoutTaking(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            if (c.rank() == 0) {
                assertNull(c.messages().iprobe(1, 9));
                c.messages().send(SendMode.STANDARD, new long[] {1, 2, 3}, 3, Datatype.LONG, 1, 7);
                c.messages().recv(new byte[0], 0, Datatype.BYTE, 1, 8);
            } else {
                final Status s = c.messages().probe(Reserved.ANY_SOURCE, Reserved.ANY_TAG);
                assertEquals(new Status(0, 7, 24, false), s);
                assertNotNull(c.messages().iprobe(0, 7));
                final long[] got = new long[3];
                c.messages().recv(got, 3, Datatype.LONG, s.source(), s.tag());
                assertArrayEquals(new long[] {1, 2, 3}, got);
                assertNull(c.messages().iprobe(0, Reserved.ANY_TAG));
                c.messages().send(SendMode.STANDARD, new byte[0], 0, Datatype.BYTE, 0, 8);
            }
            barrier(c);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCompleteSynchronousSendsOnlyWhenMatched(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            if (c.rank() == 0) {
                final Request r = c.messages().isend(SendMode.SYNCHRONOUS, new byte[1], 1, Datatype.BYTE, 1, 1);
                c.messages().send(SendMode.STANDARD, new byte[1], 1, Datatype.BYTE, 1, 2);
                c.messages().recv(new byte[1], 1, Datatype.BYTE, 1, 3);
                assertFalse(r.isDone());
                c.messages().send(SendMode.STANDARD, new byte[1], 1, Datatype.BYTE, 1, 4);
                r.waitFor();
            } else {
                c.messages().recv(new byte[1], 1, Datatype.BYTE, 0, 2);
                c.messages().send(SendMode.STANDARD, new byte[1], 1, Datatype.BYTE, 0, 3);
                c.messages().recv(new byte[1], 1, Datatype.BYTE, 0, 4);
                c.messages().recv(new byte[1], 1, Datatype.BYTE, 0, 1);
            }
            barrier(c);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldStageTypesWithGapsAndBooleansAndDirectBuffers(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final Datatype everyOther = Datatype.vector(3, 1, 2, Datatype.INT);
            if (c.rank() == 0) {
                c.messages().send(SendMode.STANDARD, new int[] {1, 2, 3, 4, 5}, 1, everyOther, 1, 0);
                c.messages().send(SendMode.STANDARD, new boolean[] {true, false, true}, 3, Datatype.BOOLEAN, 1, 0);
                final ByteBuffer direct = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
                direct.putDouble(1.5).putDouble(2.5);
                c.messages().send(SendMode.STANDARD, direct, 2, Datatype.DOUBLE, 1, 0);
            } else {
                final int[] got = {9, 9, 9, 9, 9};
                c.messages().recv(got, 1, everyOther, 0, 0);
                assertArrayEquals(new int[] {1, 9, 3, 9, 5}, got);
                final boolean[] flags = new boolean[3];
                c.messages().recv(flags, 3, Datatype.BOOLEAN, 0, 0);
                assertArrayEquals(new boolean[] {true, false, true}, flags);
                final double[] doubles = new double[2];
                c.messages().recv(doubles, 2, Datatype.DOUBLE, 0, 0);
                assertArrayEquals(new double[] {1.5, 2.5}, doubles);
            }
            barrier(c);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldWaitForAnyAndCancelReceives(final int nodes) throws Exception {
        Ranks.run(2, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            if (c.rank() == 0) {
                final Request never = c.messages().irecv(new byte[1], 1, Datatype.BYTE, 1, 99);
                final Request comes = c.messages().irecv(new byte[1], 1, Datatype.BYTE, 1, 1);
                assertEquals(1, Request.waitAny(new Request[] {never, comes, null}));
                never.cancel();
                assertTrue(never.waitFor().cancelled());
            } else {
                c.messages().send(SendMode.STANDARD, new byte[1], 1, Datatype.BYTE, 0, 1);
            }
            barrier(c);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldKeepManyRanksTalkingToEachOther(final int nodes) throws Exception {
        Ranks.run(16, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final int p = c.size();
            for (int round = 0; round < 20; round++) {
                final Request[] receiving = new Request[p];
                final long[][] got = new long[p][100];
                for (int from = 0; from < p; from++) {
                    receiving[from] = c.messages().irecv(got[from], 100, Datatype.LONG, from, round);
                }
                for (int to = 0; to < p; to++) {
                    final long[] data = new long[100];
                    Arrays.fill(data, 1000L * c.rank() + to + round);
                    c.messages().isend(SendMode.STANDARD, data, 100, Datatype.LONG, to, round);
                }
                for (int from = 0; from < p; from++) {
                    receiving[from].waitFor();
                    assertEquals(1000L * from + c.rank() + round, got[from][99]);
                }
            }
            barrier(c);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1})
    void shouldRefuseBadArguments(final int nodes) throws Exception {
        Ranks.run(1, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            refused("destination out of range: dest=7, size=1", ErrorClass.RANK,
                () -> c.messages().send(SendMode.STANDARD, new int[1], 1, Datatype.INT,
                    7, 0));
            refused("tag out of range: tag=-1, range=0..2147483647", ErrorClass.TAG, () -> c.messages().send(SendMode.STANDARD, new int[1], 1,
                Datatype.INT, 0, -1));
            refused("count is negative: count=-1", ErrorClass.COUNT, () -> c.messages().recv(new int[1], -1, Datatype.INT, 0, 0));
            refused("source out of range: source=1, size=1", ErrorClass.RANK, () -> c.messages().recv(new int[1], 1, Datatype.INT, 1, 0));
            refused("buffer is null", ErrorClass.BUFFER, () -> c.messages().recv(null, 1, Datatype.INT, 0, 0));
            refused("datatype is null", ErrorClass.TYPE, () -> c.messages().recv(new int[1], 1, null, 0, 0));
            assertEquals(Reserved.PROC_NULL, c.messages().recv(new int[1], 1, Datatype.INT, Reserved.PROC_NULL, 0).source());
        });
    }

    private static void refused(final String message, final ErrorClass errorClass, final org.junit.jupiter.api.function.Executable call) {
        final MpiFailure e = assertThrows(MpiFailure.class, call);
        assertEquals(message, e.getMessage());
        assertEquals(errorClass, e.errorClass());
    }

    /** Performs a barrier by messages: these tests have no module. */
    private static void barrier(final Communicator c) {
        for (int d = 1; d < c.size(); d *= 2) {
            c.messages().sendrecv(new byte[0], 0, Datatype.BYTE, (c.rank() + d) % c.size(), 1_000_000, new byte[0], 0, Datatype.BYTE,
                (c.rank() - d % c.size() + c.size()) % c.size(), 1_000_000);
        }
    }
}
