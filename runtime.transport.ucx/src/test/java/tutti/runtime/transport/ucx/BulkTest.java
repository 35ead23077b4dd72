package tutti.runtime.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.LinkRecorder;

/** Access to the memory of a peer, which UCX emulates: each test awaits its accesses before the link ends. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class BulkTest {
    private static final int MARGIN = 64;
    private static final int MAX = 3 << 20;

    private final Arena arena = Arena.ofShared();
    private UcxPair pair;
    private MemorySegment memory;
    private BulkAccess.ExposedMemory exposed;
    private BulkAccess.PeerMemory opened;

    @BeforeEach
    void expose() throws IOException {
        Libucp.assume();
        pair = new UcxPair();
        memory = arena.allocate(MAX + 2 * MARGIN, 64);
        exposed = pair.far.link.bulk().expose(memory);
        opened = UcxPair.open(pair.near, exposed.key());
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
        arena.close();
    }

    private static byte[] pattern(final int bytes, final int seed) {
        final byte[] pattern = new byte[bytes];
        new Random(seed).nextBytes(pattern);
        return pattern;
    }

    private MemorySegment local(final boolean heap, final int bytes) {
        return heap ? MemorySegment.ofArray(new byte[bytes]) : arena.allocate(bytes);
    }

    /** Waits for an end: on this thread, which polls, or for the transport's thread. */
    private long await(final UcxPair.Ended end, final boolean polls) throws Exception {
        while (polls && !end.isDone()) {
            pair.near.link.poll();
            pair.far.link.poll();
        }
        return end.await();
    }

    @ParameterizedTest
    @CsvSource({"false,false", "false,true", "true,false", "true,true"})
    void shouldReadAndWriteExactlyTheBytesGiven(final boolean heap, final boolean polls) throws Exception {
        pair.near.wakeUpNeeded = !polls;
        pair.far.wakeUpNeeded = !polls;
        for (final int bytes : new int[] {1, 2, 7, 8, 63, 4_096, 8_191, 65_536, 262_144, 262_145, 1_048_583, MAX}) {
            final byte[] content = pattern(bytes, bytes);
            memory.fill((byte) 0x5A);
            final MemorySegment from = local(heap, bytes + 3);
            MemorySegment.copy(content, 0, from, ValueLayout.JAVA_BYTE, 3, bytes);
            final UcxPair.Ended put = new UcxPair.Ended();
            opened.put(MARGIN + 1, from, 3, bytes, put);
            assertEquals(0, await(put, polls));
            assertArrayEquals(content, memory.asSlice(MARGIN + 1, bytes).toArray(ValueLayout.JAVA_BYTE), "put of " + bytes);
            assertEquals(0x5A, memory.get(ValueLayout.JAVA_BYTE, MARGIN));
            assertEquals(0x5A, memory.get(ValueLayout.JAVA_BYTE, MARGIN + 1 + bytes));

            final MemorySegment to = local(heap, bytes + 9);
            to.fill((byte) 0x33);
            final UcxPair.Ended get = new UcxPair.Ended();
            opened.get(MARGIN + 1, to, 5, bytes, get);
            assertEquals(0, await(get, polls));
            assertArrayEquals(content, to.asSlice(5, bytes).toArray(ValueLayout.JAVA_BYTE), "get of " + bytes);
            assertEquals(0x33, to.get(ValueLayout.JAVA_BYTE, 4));
            assertEquals(0x33, to.get(ValueLayout.JAVA_BYTE, 5 + bytes));
        }
    }

    @Test
    void shouldCompleteManyAccessesThatAreUnderWayTogether() throws Exception {
        final int bytes = 30_001;
        final List<UcxPair.Ended> ends = new ArrayList<>();
        final List<MemorySegment> targets = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            final byte[] content = pattern(bytes, i);
            final UcxPair.Ended end = new UcxPair.Ended();
            opened.put((long) i * bytes, (i & 1) == 0 ? MemorySegment.ofArray(content) : arena.allocateFrom(ValueLayout.JAVA_BYTE, content), 0, bytes,
                end);
            ends.add(end);
        }
        for (final UcxPair.Ended end : ends) {
            end.await();
        }
        ends.clear();
        for (int i = 0; i < 100; i++) {
            final UcxPair.Ended end = new UcxPair.Ended();
            final MemorySegment to = local((i & 1) == 0, bytes);
            opened.get((long) i * bytes, to, 0, bytes, end);
            targets.add(to);
            ends.add(end);
        }
        for (int i = 0; i < 100; i++) {
            ends.get(i).await();
            assertArrayEquals(pattern(bytes, i), targets.get(i).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void shouldAddSwapAndCompareAndTellTheValueBefore(final int bytes) throws Exception {
        assertTrue(pair.near.link.bulk().hasAtomics(bytes));
        final long first = bytes == 4 ? 0xFFFF_FFF0L : 0xFFFF_FFFF_FFFF_FFF0L;
        write(bytes, first);
        assertEquals(first, atomic(end -> opened.add(MARGIN, bytes, 0x20, end)));
        assertEquals(0x10, read(bytes));
        assertEquals(0x10, atomic(end -> opened.swap(MARGIN, bytes, 77, end)));
        assertEquals(77, read(bytes));
        assertEquals(77, atomic(end -> opened.compareAndSwap(MARGIN, bytes, 76, 5, end)));
        assertEquals(77, read(bytes));
        assertEquals(77, atomic(end -> opened.compareAndSwap(MARGIN, bytes, 77, -1, end)));
        assertEquals(bytes == 4 ? 0xFFFF_FFFFL : -1L, read(bytes));
        assertEquals(0, memory.get(ValueLayout.JAVA_LONG, MARGIN - 8));
        assertEquals(0, memory.get(ValueLayout.JAVA_LONG, MARGIN + 8));
    }

    /** Begins an atomic operation. */
    private interface Atomic {
        void begin(BulkAccess.Completion end);
    }

    private static long atomic(final Atomic operation) throws Exception {
        final UcxPair.Ended end = new UcxPair.Ended();
        operation.begin(end);
        return end.await();
    }

    private void write(final int bytes, final long value) {
        if (bytes == 4) {
            memory.set(ValueLayout.JAVA_INT, MARGIN, (int) value);
        } else {
            memory.set(ValueLayout.JAVA_LONG, MARGIN, value);
        }
    }

    private long read(final int bytes) {
        return bytes == 4 ? Integer.toUnsignedLong(memory.get(ValueLayout.JAVA_INT, MARGIN)) : memory.get(ValueLayout.JAVA_LONG, MARGIN);
    }

    @Test
    void shouldLoseNoAddWhenTwoLinksAddAtOnce() throws Exception {
        final int count = 5_000;
        final LinkRecorder second = new LinkRecorder();
        second.link = pair.connecting.connect(pair.listener.address(), UcxPair.HELLO, second, UcxPair.LIMIT);
        final BulkAccess.ExposedMemory again = pair.far.link.bulk().expose(memory);
        final BulkAccess.PeerMemory other = UcxPair.open(second, again.key());
        final Set<Long> values = ConcurrentHashMap.newKeySet();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final List<Thread> threads = new ArrayList<>();
        for (final BulkAccess.PeerMemory each : List.of(opened, other)) {
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    final List<UcxPair.Ended> ends = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        final UcxPair.Ended end = new UcxPair.Ended();
                        each.add(MARGIN, 8, 1, end);
                        ends.add(end);
                    }
                    for (final UcxPair.Ended end : ends) {
                        assertTrue(values.add(end.await()), "two adds found the same value");
                    }
                } catch (final Throwable e) {
                    failure.set(e);
                }
            }));
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        assertEquals(null, failure.get());
        assertEquals(2 * count, memory.get(ValueLayout.JAVA_LONG, MARGIN));
        assertEquals(2 * count, values.size());
    }

    @Test
    void shouldDeliverAFrameAfterThePutThatHadCompletedBefore() throws Exception {
        for (int i = 1; i <= 200; i++) {
            final UcxPair.Ended put = new UcxPair.Ended();
            opened.put(MARGIN, MemorySegment.ofArray(pattern(20_000, i)), 0, 20_000, put);
            put.await();
            assertTrue(LinkRecorder.send(pair.near.link, "written " + i));
            assertEquals("written " + i, pair.far.text());
            assertArrayEquals(pattern(20_000, i), memory.asSlice(MARGIN, 20_000).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void shouldAccessFromHandlersAndCompletions() throws Exception {
        final UcxPair.Ended last = new UcxPair.Ended();
        memory.set(ValueLayout.JAVA_LONG, MARGIN, 41);
        opened.add(MARGIN, 8, 1, (value, failure) -> opened.put(MARGIN + 8, MemorySegment.ofArray(new byte[] {(byte) (value + 1)}), 0, 1,
            (none, cause) -> opened.swap(MARGIN, 8, 0, last)));
        assertEquals(42, last.await());
        assertEquals(42, memory.get(ValueLayout.JAVA_BYTE, MARGIN + 8));
    }

    @Test
    void shouldCarryFramesAndAccessesAtOnce() throws Exception {
        final AtomicBoolean done = new AtomicBoolean();
        final Thread poller = Thread.ofPlatform().start(() -> {
            while (!done.get()) {
                pair.near.link.poll();
            }
        });
        try {
            final List<UcxPair.Ended> ends = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                pair.near.send(pair.near.link, pattern(10_000, i), null, 0, 0);
                final UcxPair.Ended end = new UcxPair.Ended();
                opened.put((long) i * 4_000, MemorySegment.ofArray(pattern(4_000, -i)), 0, 4_000, end);
                ends.add(end);
            }
            for (int i = 0; i < 500; i++) {
                assertArrayEquals(pattern(10_000, i), pair.far.frames.poll(60, TimeUnit.SECONDS));
                ends.get(i).await();
                assertArrayEquals(pattern(4_000, -i), memory.asSlice(i * 4_000L, 4_000).toArray(ValueLayout.JAVA_BYTE));
            }
        } finally {
            done.set(true);
            poller.join();
        }
        assertEquals(0, pair.near.breaches.get());
    }

    @Test
    void shouldRefuseAccessesOutsideOfTheMemory() {
        final MemorySegment local = arena.allocate(100);
        final BulkAccess.Completion none = (value, failure) -> {
            throw new AssertionError("an access that was refused has ended");
        };
        assertEquals(memory.byteSize(), opened.bytes());
        final long end = opened.bytes();
        assertThrows(IndexOutOfBoundsException.class, () -> opened.get(end - 7, local, 0, 8, none));
        assertThrows(IndexOutOfBoundsException.class, () -> opened.put(-1, local, 0, 8, none));
        assertThrows(IndexOutOfBoundsException.class, () -> opened.put(Long.MAX_VALUE, local, 0, 8, none));
        assertThrows(IndexOutOfBoundsException.class, () -> opened.get(0, local, 93, 8, none));
        assertThrows(IndexOutOfBoundsException.class, () -> opened.get(0, local, 0, 0, none));
        assertThrows(IndexOutOfBoundsException.class, () -> opened.add(end - 4, 8, 1, none));
        assertThrows(IllegalArgumentException.class, () -> opened.add(4, 8, 1, none));
        assertThrows(UnsupportedOperationException.class, () -> opened.add(0, 2, 1, none));
        assertThrows(IllegalArgumentException.class, () -> opened.get(0, local.asReadOnly(), 0, 8, none));
        final MemorySegment gone;
        try (Arena once = Arena.ofConfined()) {
            gone = once.allocate(8);
        }
        assertThrows(IllegalStateException.class, () -> opened.put(0, gone, 0, 8, none));
        assertThrows(IllegalStateException.class, () -> pair.far.link.bulk().expose(gone));
    }

    @Test
    void shouldExposeOnlyNativeMemoryThatIsNotEmpty() {
        final BulkAccess bulk = pair.far.link.bulk();
        assertThrows(IllegalArgumentException.class, () -> bulk.expose(MemorySegment.ofArray(new byte[8])));
        assertThrows(IllegalArgumentException.class, () -> bulk.expose(MemorySegment.NULL));
        assertTrue(exposed.key().length > 0 && exposed.key().length <= BulkAccess.MAX_KEY);
        exposed.close();
        exposed.close();
    }

    @Test
    void shouldNotOpenWhatIsNoKeyOfThePeer() throws Exception {
        final byte[] key = exposed.key();
        assertThrows(IllegalArgumentException.class, () -> UcxPair.open(pair.near, new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> UcxPair.open(pair.near, new byte[key.length]));
        assertThrows(IllegalArgumentException.class, () -> UcxPair.open(pair.near, new byte[BulkAccess.MAX_KEY + 1]));
        for (int i = 0; i < key.length; i++) {
            final byte[] wrong = key.clone();
            wrong[i] ^= 4;
            assertThrows(IllegalArgumentException.class, () -> UcxPair.open(pair.near, wrong));
        }
        assertThrows(IllegalArgumentException.class, () -> UcxPair.open(pair.far, key), "own key");
        final LinkRecorder second = new LinkRecorder();
        second.link = pair.connecting.connect(pair.listener.address(), UcxPair.HELLO, second, UcxPair.LIMIT);
        assertThrows(IllegalArgumentException.class, () -> UcxPair.open(second, key), "key of another link");
        opened.close();
        opened.close();
        assertThrows(IllegalStateException.class, () -> opened.get(0, memory, 0, 1, new UcxPair.Ended()));
    }
}
