package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/** Tests long messages between nodes over links that give access to memory: from and to direct memory and arrays, with and without gaps. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class BulkReadTest {
    private static final int LINK_BYTES = 128 * 1024;
    private static final int[] SIZES = {32 * 1024, 32 * 1024 + 1, 100_003, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3_333_333};
    /** Two integers, and a gap of one. */
    private static final Datatype PAIRS = Datatype.resized(Datatype.contiguous(2, Datatype.INT), 0, 12);

    private static void run(final MemoryTransport.Reading reading, final List<Integer> nodeOf, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(LINK_BYTES, reading)) {
            Ranks.run(nodeOf, transport, Ranks.job(nodeOf.size(), Map.of(), List.of(new BasicModule())), body);
        }
    }

    private static MemorySegment random(final Arena arena, final int bytes, final long seed) {
        return arena.allocate(bytes, 64).copyFrom(MemorySegment.ofArray(bytes(bytes, seed)));
    }

    private static byte[] bytes(final int bytes, final long seed) {
        final byte[] data = new byte[bytes];
        new SplittableRandom(seed).nextBytes(data);
        return data;
    }

    @ParameterizedTest
    @EnumSource
    void shouldReceiveWhatIsInDirectMemoryIntoAnyMemory(final MemoryTransport.Reading reading) throws Exception {
        run(reading, List.of(0, 1), rank -> {
            final Communicator c = rank.world();
            for (final int size : SIZES) {
                try (Arena arena = Arena.ofShared()) {
                    if (c.rank() == 0) {
                        c.messages().send(SendMode.STANDARD, random(arena, size, size), size, Datatype.BYTE, 1, 1);
                        c.messages().send(SendMode.SYNCHRONOUS, random(arena, size, size + 1), size, Datatype.BYTE, 1, 2);
                        c.messages().send(SendMode.STANDARD, bytes(size, size + 2), size, Datatype.BYTE, 1, 3);
                        continue;
                    }
                    final byte[] array = new byte[size + 7];
                    assertEquals(size, c.messages().recv(array, size + 7, Datatype.BYTE, 0, 1).bytes());
                    assertArrayEquals(bytes(size, size), Arrays.copyOf(array, size));
                    final MemorySegment direct = arena.allocate(size);
                    final Status status = c.messages().recv(direct, size, Datatype.BYTE, 0, 2);
                    assertEquals(List.of(0, 2, (long) size), List.of(status.source(), status.tag(), status.bytes()));
                    assertArrayEquals(bytes(size, size + 1), direct.toArray(ValueLayout.JAVA_BYTE));
                    c.messages().recv(direct, size, Datatype.BYTE, 0, 3);
                    assertArrayEquals(bytes(size, size + 2), direct.toArray(ValueLayout.JAVA_BYTE));
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldReceiveTheBeginOfAMessageThatIsTooLong(final MemoryTransport.Reading reading) throws Exception {
        run(reading, List.of(0, 1), rank -> {
            final Communicator c = rank.world();
            final int size = 200_000;
            try (Arena arena = Arena.ofShared()) {
                if (c.rank() == 0) {
                    c.messages().send(SendMode.STANDARD, random(arena, size, 1), size, Datatype.BYTE, 1, 1);
                    return;
                }
                final MemorySegment direct = arena.allocate(size);
                final MpiFailure e = assertThrows(MpiFailure.class, () -> c.messages().recv(direct, size / 2, Datatype.BYTE, 0, 1));
                assertEquals(ErrorClass.TRUNCATE, e.errorClass());
                assertArrayEquals(bytes(size, 1), Arrays.copyOf(concat(direct, size), size));
            }
        });
    }

    /** Returns the first half of a memory, and the second half of the message. */
    private static byte[] concat(final MemorySegment received, final int size) {
        final byte[] all = bytes(size, 1);
        MemorySegment.copy(received, ValueLayout.JAVA_BYTE, 0, all, 0, size / 2);
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void shouldCarryManyMessagesBothWaysAtOnceInAnyOrderOfTheirReceives(final MemoryTransport.Reading reading) throws Exception {
        final int messages = 40;
        run(reading, List.of(0, 1, 0, 1), rank -> {
            final Communicator c = rank.world();
            final int to = c.rank() ^ 1;
            final List<Request> pending = new ArrayList<>();
            try (Arena arena = Arena.ofShared()) {
                final List<MemorySegment> received = new ArrayList<>();
                for (int i = 0; i < messages; i++) {
                    received.add(arena.allocate(SIZES[i % SIZES.length]));
                }
                for (int i = 0; i < messages; i++) {
                    final int size = SIZES[i % SIZES.length];
                    pending.add(c.messages().isend(SendMode.STANDARD, random(arena, size, 100L * c.rank() + i), size, Datatype.BYTE, to, i));
                }
                for (int i = messages - 1; i >= 0; i--) {
                    pending.add(c.messages().irecv(received.get(i), received.get(i).byteSize(), Datatype.BYTE, to, i));
                }
                for (final Request r : pending) {
                    r.waitFor();
                }
                for (int i = 0; i < messages; i++) {
                    assertArrayEquals(bytes(SIZES[i % SIZES.length], 100L * to + i), received.get(i).toArray(ValueLayout.JAVA_BYTE));
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"BY_CALLER", "BY_CALLER_FAILING"})
    void shouldLetTheSenderWriteTheSecondHalfOfSomeMessages(final MemoryTransport.Reading reading) throws Exception {
        final int messages = 24;
        final List<Integer> nodeOf = List.of(0, 1);
        try (MemoryTransport transport = new MemoryTransport(LINK_BYTES, reading)) {
            Ranks.run(nodeOf, transport, Ranks.job(nodeOf.size(), Map.of(), List.of(new BasicModule())), rank -> {
                final PointToPoint m = rank.world().messages();
                for (int i = 0; i < messages; i++) {
                    final int size = SIZES[2 + i % 2];
                    try (Arena arena = Arena.ofShared()) {
                        if (rank.world().rank() == 0) {
                            m.send(SendMode.STANDARD, random(arena, size, i), size, Datatype.BYTE, 1, 1);
                        } else {
                            final MemorySegment direct = arena.allocate(size);
                            m.recv(direct, size, Datatype.BYTE, 0, 1);
                            assertArrayEquals(bytes(size, i), direct.toArray(ValueLayout.JAVA_BYTE));
                        }
                    }
                }
            });
            assertTrue(transport.writes() > 0);
        }
    }

    @Test
    void shouldReadACopyOfTheCallerOnABusyMachine() throws Exception {
        final int threads = 2 * Runtime.getRuntime().availableProcessors();
        final int size = 100_003;
        final List<Integer> nodeOf = List.of(0, 1);
        IntStream.range(0, threads).forEach(i -> CoreOccupancy.enter());
        try (MemoryTransport transport = new MemoryTransport(LINK_BYTES, MemoryTransport.Reading.BY_CALLER); Arena arena = Arena.ofShared()) {
            final MemorySegment received = arena.allocate(size);
            Ranks.run(nodeOf, transport, Ranks.job(nodeOf.size(), Map.of(), List.of(new BasicModule())), rank -> {
                if (rank.world().rank() == 0) {
                    rank.world().messages().send(SendMode.STANDARD, random(arena, size, 1), size, Datatype.BYTE, 1, 1);
                } else {
                    rank.world().messages().recv(received, size, Datatype.BYTE, 0, 1);
                }
            });
            assertArrayEquals(bytes(size, 1), received.toArray(ValueLayout.JAVA_BYTE));
            assertEquals(1, transport.reads());
        } finally {
            IntStream.range(0, threads).forEach(i -> CoreOccupancy.leave());
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true"})
    void shouldPackAndUnpackLongMessagesWithGapsInPieces(final boolean isSentWithGaps, final boolean isReceivedWithGaps) throws Exception {
        final int elements = 100_001;
        run(MemoryTransport.Reading.AT_ONCE, List.of(0, 1), rank -> {
            final Communicator c = rank.world();
            final int[] data = new int[3 * elements];
            if (c.rank() == 0) {
                Arrays.setAll(data, i -> i);
                c.messages().send(SendMode.STANDARD, data, isSentWithGaps ? elements : 2 * elements, isSentWithGaps ? PAIRS : Datatype.INT, 1, 1);
                return;
            }
            Arrays.fill(data, -1);
            assertEquals(8L * elements, c.messages().recv(data, isReceivedWithGaps ? elements : 2 * elements,
                isReceivedWithGaps ? PAIRS : Datatype.INT, 0, 1).bytes());
            final int[] expected = new int[3 * elements];
            Arrays.fill(expected, -1);
            for (int i = 0; i < 2 * elements; i++) {
                expected[isReceivedWithGaps ? withGaps(i) : i] = isSentWithGaps ? withGaps(i) : i;
            }
            assertArrayEquals(expected, data);
        });
    }

    /** Returns where an integer of a pair is in memory with gaps. */
    private static int withGaps(final int i) {
        return i / 2 * 3 + i % 2;
    }
}
