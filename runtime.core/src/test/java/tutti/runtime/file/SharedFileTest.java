package tutti.runtime.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.inspect.FileState;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.process.RankProcess;
import tutti.runtime.request.Request;

/** Tests files of ranks on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SharedFileTest {
    private static final int CREATE = 1;
    private static final int RDONLY = 2;
    private static final int WRONLY = 4;
    private static final int RDWR = 8;
    private static final int DELETE_ON_CLOSE = 16;
    private static final int EXCL = 64;
    private static final int APPEND = 128;
    private static final int SEQUENTIAL = 256;
    private static final int LINK_BYTES = 96 * 1024;

    @TempDir
    Path folder;

    /** Returns the nodes of ranks. */
    static Stream<List<Integer>> nodes() {
        return Stream.of(List.of(0), List.of(0, 0, 0), List.of(0, 1), List.of(0, 1, 0), List.of(0, 1, 2, 1, 0));
    }

    private static void run(final List<Integer> nodeOf, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(LINK_BYTES)) {
            Ranks.run(nodeOf, transport, Ranks.job(nodeOf.size(), Map.of(), List.of(new BasicModule())), body);
        }
    }

    private String name() {
        return folder.resolve("data").toString();
    }

    private static byte[] bytes(final int length, final int seed) {
        final byte[] data = new byte[length];
        new SplittableRandom(seed).nextBytes(data);
        return data;
    }

    private SharedFile open(final Communicator c, final int mode, final String... hints) {
        final Map<String, String> map = hints.length == 0 ? Map.of() : Map.of(hints[0], hints[1]);
        return SharedFile.open(c, name(), mode, map);
    }

    private static void assertFails(final ErrorClass expected, final Runnable call) {
        assertEquals(expected, assertThrows(MpiFailure.class, call::run).errorClass());
    }

    /** A view of records of some bytes of each rank in turn. */
    private static void interleave(final SharedFile f, final Communicator c, final int record) {
        final Datatype filetype = Datatype.resized(Datatype.contiguous(record, Datatype.BYTE), 0, (long) record * c.size());
        f.setView((long) record * c.rank(), Datatype.BYTE, filetype, "native");
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldWriteAndReadAtOffsets(final List<Integer> nodeOf) throws Exception {
        final int length = 300_001;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final SharedFile f = open(c, CREATE | RDWR);
            assertEquals(length, f.access(FileAccess.WRITE_AT, (long) c.rank() * length, bytes(length, c.rank()), length, Datatype.BYTE).bytes());
            f.sync();
            final int other = (c.rank() + 1) % c.size();
            final byte[] got = new byte[length];
            assertEquals(length, f.access(FileAccess.READ_AT, (long) other * length, got, length, Datatype.BYTE).bytes());
            assertArrayEquals(bytes(length, other), got);
            assertEquals((long) length * c.size(), f.size());
            assertEquals(10, f.access(FileAccess.READ_AT, (long) c.size() * length - 10, got, 100, Datatype.BYTE).bytes());
            assertEquals(0, f.access(FileAccess.READ_AT, (long) c.size() * length, got, 100, Datatype.BYTE).bytes());
            f.close();
        });
        assertEquals((long) length * nodeOf.size(), Files.size(Path.of(name())));
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldWriteAndReadInterleavedRecordsTogether(final List<Integer> nodeOf) throws Exception {
        final int record = 61;
        final int count = 20_011;
        for (final String buffer : new String[] {"4096", "65536", "4194304"}) {
            run(nodeOf, rank -> {
                final Communicator c = rank.world();
                final SharedFile f = open(c, CREATE | RDWR, "cb_buffer_size", buffer);
                interleave(f, c, record);
                final int length = record * count;
                f.access(FileAccess.WRITE_ALL, 0, bytes(length, c.rank()), length, Datatype.BYTE);
                f.seek(0, SharedFile.Whence.BEGIN);
                final byte[] got = new byte[length + record];
                assertEquals(length, f.access(FileAccess.READ_ALL, 0, got, length + record, Datatype.BYTE).bytes());
                assertArrayEquals(bytes(length, c.rank()), Arrays.copyOf(got, length));
                Arrays.fill(got, (byte) 0);
                f.access(FileAccess.READ_AT, 0, got, length, Datatype.BYTE);
                assertArrayEquals(bytes(length, c.rank()), Arrays.copyOf(got, length));
                f.close();
            });
            final byte[] all = Files.readAllBytes(Path.of(name()));
            final int ranks = nodeOf.size();
            assertEquals(record * count * ranks, all.length);
            for (int r = 0; r < ranks; r++) {
                final byte[] expected = bytes(record * count, r);
                for (int i = 0; i < count; i++) {
                    assertArrayEquals(Arrays.copyOfRange(expected, i * record, (i + 1) * record),
                        Arrays.copyOfRange(all, (i * ranks + r) * record, (i * ranks + r + 1) * record));
                }
            }
            Files.delete(Path.of(name()));
        }
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldLeaveWhatIsBetweenTheDataOfAView(final List<Integer> nodeOf) throws Exception {
        final byte[] before = bytes(100_000, 99);
        Files.write(Path.of(name()), before);
        final int ranks = nodeOf.size();
        final int each = 90_000 / (10 * ranks);
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final SharedFile f = open(c, RDWR, "cb_nodes", "2");
            final Datatype filetype = Datatype.resized(Datatype.contiguous(3, Datatype.BYTE), 0, 10L * ranks);
            f.setView(5 + 10L * c.rank(), Datatype.BYTE, filetype, "native");
            final byte[] data = new byte[3 * each];
            Arrays.fill(data, (byte) (c.rank() + 1));
            f.access(FileAccess.WRITE_AT_ALL, 0, data, data.length, Datatype.BYTE);
            f.close();
        });
        for (int i = 0; i < each * ranks; i++) {
            Arrays.fill(before, 5 + 10 * i, 8 + 10 * i, (byte) (i % ranks + 1));
        }
        assertArrayEquals(before, Files.readAllBytes(Path.of(name())));
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldMoveElementsWithGapsInMemoryAndInTheFile(final List<Integer> nodeOf) throws Exception {
        final int count = 30_000;
        final Datatype pairs = Datatype.resized(Datatype.contiguous(2, Datatype.INT), 0, 12);
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            for (final String representation : new String[] {"native", "external32", "internal"}) {
                final SharedFile f = open(c, CREATE | RDWR | DELETE_ON_CLOSE);
                final Datatype filetype = Datatype.resized(Datatype.vector(3, 1, 2 * c.size(), Datatype.INT), 0, 24L * c.size());
                f.setView(8L * c.rank(), Datatype.INT, filetype, representation);
                final int[] data = new int[3 * count];
                for (int i = 0; i < data.length; i++) {
                    data[i] = i + 1_000_000 * c.rank();
                }
                f.access(FileAccess.WRITE_ALL, 0, data, count, pairs);
                final int[] got = new int[3 * count];
                assertEquals(8L * count, f.access(FileAccess.READ_AT_ALL, 0, got, count, pairs).bytes());
                final int[] alone = new int[3 * count];
                f.access(FileAccess.READ_AT, 0, alone, count, pairs);
                for (int i = 0; i < data.length; i++) {
                    assertEquals(i % 3 == 2 ? 0 : data[i], got[i]);
                    assertEquals(i % 3 == 2 ? 0 : data[i], alone[i]);
                }
                final ByteBuffer raw = ByteBuffer.allocate(4);
                f.setView(0, Datatype.BYTE, Datatype.BYTE, "native");
                f.access(FileAccess.READ_AT, 8L * c.rank(), raw, 4, Datatype.BYTE);
                assertEquals(data[0], raw.order(representation.equals("external32") ? ByteOrder.BIG_ENDIAN : ByteOrder.nativeOrder()).getInt(0));
                f.close();
            }
        });
        assertFalse(Files.exists(Path.of(name())));
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldShareAPointer(final List<Integer> nodeOf) throws Exception {
        final int each = 40;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final SharedFile f = open(c, CREATE | RDWR);
            f.setView(0, Datatype.LONG, Datatype.LONG, "native");
            for (int i = 0; i < each; i++) {
                f.access(FileAccess.WRITE_SHARED, 0, new long[] {c.rank() * each + i}, 1, Datatype.LONG);
            }
            f.sync();
            c.engine().blocking().barrier();
            assertEquals((long) each * c.size(), f.sharedPosition());
            f.seekShared(0, SharedFile.Whence.BEGIN);
            final long[] sum = {0};
            final long[] got = {0};
            for (int i = 0; i < each; i++) {
                f.access(FileAccess.READ_SHARED, 0, got, 1, Datatype.LONG);
                sum[0] += got[0];
            }
            final long[] total = {0};
            c.engine().blocking().allreduce(sum, total, 1, Datatype.LONG, tutti.runtime.datatype.Op.SUM);
            final long n = (long) each * c.size();
            assertEquals(n * (n - 1) / 2, total[0]);
            f.seekShared(-n, SharedFile.Whence.END);
            final long[] own = new long[c.rank() + 1];
            Arrays.fill(own, c.rank());
            f.access(FileAccess.WRITE_ORDERED, 0, own, own.length, Datatype.LONG);
            f.seekShared(0, SharedFile.Whence.BEGIN);
            final long[] again = new long[c.rank() + 1];
            f.access(FileAccess.READ_ORDERED, 0, again, again.length, Datatype.LONG);
            assertArrayEquals(own, again);
            f.close();
        });
        final ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(Path.of(name()))).order(ByteOrder.nativeOrder());
        for (int r = 0; r < nodeOf.size(); r++) {
            for (int i = 0; i <= r; i++) {
                assertEquals(r, all.getLong());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldAccessWithoutBlockingAndInTwoCalls(final List<Integer> nodeOf) throws Exception {
        final int record = 100;
        final int length = record * 3_000;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final SharedFile f = open(c, CREATE | RDWR);
            interleave(f, c, record);
            final byte[] first = bytes(length, c.rank());
            final byte[] second = bytes(length, 50 + c.rank());
            final Request one = f.start(FileAccess.WRITE_ALL, 0, first, length, Datatype.BYTE);
            final Request two = f.start(FileAccess.WRITE_ALL, 0, second, length, Datatype.BYTE);
            final Request alone = f.start(FileAccess.WRITE_AT, 2L * length, first, record, Datatype.BYTE);
            assertEquals(record, alone.waitFor().bytes());
            assertEquals(length, two.waitFor().bytes());
            assertEquals(length, one.waitFor().bytes());
            final byte[] got = new byte[length];
            f.begin(FileAccess.READ_AT_ALL, length, got, length, Datatype.BYTE);
            assertFails(ErrorClass.UNSUPPORTED_OPERATION, () -> f.end(FileAccess.READ_ALL, got));
            assertFails(ErrorClass.BUFFER, () -> f.end(FileAccess.READ_AT_ALL, first));
            assertEquals(length, f.end(FileAccess.READ_AT_ALL, got).bytes());
            assertArrayEquals(second, got);
            f.begin(FileAccess.READ_AT_ALL, 0, got, length, Datatype.BYTE);
            assertFails(ErrorClass.UNSUPPORTED_OPERATION, () -> f.access(FileAccess.READ_ALL, 0, got, length, Datatype.BYTE));
            f.end(FileAccess.READ_AT_ALL, got);
            assertArrayEquals(first, got);
            f.close();
        });
    }

    @Test
    void shouldCountAccessesThatArePending() throws Exception {
        run(List.of(0), rank -> {
            final Communicator c = rank.world();
            final FileTasks tasks = new FileTasks(c.context());
            for (final FileAccess access : new FileAccess[] {FileAccess.READ_AT, FileAccess.READ_AT_ALL}) {
                final CompletableFuture<Status> made = new CompletableFuture<>();
                final Request pending = tasks.start(access, request -> made.join());
                final Request failed = tasks.start(FileAccess.WRITE, request -> {
                    throw new MpiFailure(ErrorClass.IO, "disk");
                });
                assertFails(ErrorClass.IO, failed::await);
                assertFalse(c.isIdle());
                assertEquals(List.of(pending), tasks.pending());
                made.complete(Status.EMPTY);
                pending.await();
            }
            tasks.end();
            assertTrue(c.isIdle());
        });
    }

    private static List<FileState> files(final Rank rank) {
        return rank.inspect(new RankProcess.Activity(false, null, new StackTraceElement[0], null, List.of())).files();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldTellWhichFilesAreOpen(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            assertEquals(List.of(), files(rank));
            final SharedFile f = open(c, CREATE | RDWR);
            assertEquals(List.of(new FileState(name(), "CREATE|RDWR", 0, 1, false, List.of())), files(rank));
            interleave(f, c, 8);
            f.access(FileAccess.WRITE_ALL, 0, new byte[16], 16, Datatype.BYTE);
            assertEquals(List.of(new FileState(name(), "CREATE|RDWR", 16, 1, false, List.of())), files(rank));
            f.setView(0, Datatype.INT, Datatype.INT, "native");
            f.setAtomicity(true);
            final byte[] got = new byte[16];
            f.begin(FileAccess.READ_ALL, 0, got, 16, Datatype.BYTE);
            assertEquals(List.of(new FileState(name(), "CREATE|RDWR", 4, 4, true, List.of("readAllBegin"))), files(rank));
            if (c.rank() == 0 && c.size() > 1) {
                final Request started = f.start(FileAccess.READ_AT_ALL, 0, new byte[4], 4, Datatype.BYTE);
                assertEquals(List.of("readAllBegin", "iReadAtAll"), files(rank).getFirst().pending());
                c.engine().blocking().barrier();
                started.await();
            } else {
                c.engine().blocking().barrier();
                f.start(FileAccess.READ_AT_ALL, 0, new byte[4], 4, Datatype.BYTE).await();
            }
            assertEquals(List.of("readAllBegin"), files(rank).getFirst().pending());
            f.end(FileAccess.READ_ALL, got);
            final SharedFile tape = open(c, RDONLY | SEQUENTIAL);
            assertEquals(List.of("CREATE|RDWR 4", "RDONLY|SEQUENTIAL -1"),
                files(rank).stream().map(s -> s.mode() + " " + s.pointer()).toList());
            f.close();
            tape.close();
            assertEquals(List.of(), files(rank));
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldMakeAccessesOfRanksFollowEachOtherInAtomicMode(final List<Integer> nodeOf) throws Exception {
        final int length = 200_000;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final SharedFile f = open(c, CREATE | RDWR);
            f.setAtomicity(true);
            assertTrue(f.isAtomic());
            final byte[] own = new byte[length];
            Arrays.fill(own, (byte) (c.rank() + 1));
            final byte[] got = new byte[length];
            f.access(FileAccess.WRITE_AT_ALL, 0, own, length, Datatype.BYTE);
            for (int i = 0; i < 30; i++) {
                f.access(FileAccess.WRITE_AT, 0, own, length, Datatype.BYTE);
                assertEquals(length, f.access(FileAccess.READ_AT, 0, got, length, Datatype.BYTE).bytes());
                for (final byte b : got) {
                    assertEquals(got[0], b);
                }
            }
            f.setAtomicity(false);
            f.close();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldFailOnAllRanksAndStayUsable(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final int last = c.size() - 1;
            assertFails(ErrorClass.NO_SUCH_FILE, () -> open(c, RDWR));
            assertFails(ErrorClass.AMODE, () -> open(c, c.rank() == last ? RDONLY | WRONLY : CREATE | RDWR));
            assertFails(ErrorClass.AMODE, () -> open(c, RDONLY | CREATE));
            assertFails(ErrorClass.AMODE, () -> open(c, RDWR | CREATE | SEQUENTIAL));
            assertFails(ErrorClass.BAD_FILE, () -> SharedFile.open(c, c.rank() == last ? "" : name(), CREATE | RDWR, Map.of()));
            assertFails(ErrorClass.BAD_FILE, () -> SharedFile.open(c, folder.toString(), RDONLY, Map.of()));
            assertFalse(Files.exists(Path.of(name())));
            final SharedFile f = open(c, CREATE | EXCL | RDWR);
            assertFails(ErrorClass.FILE_EXISTS, () -> open(c, CREATE | EXCL | RDWR));
            if (c.size() > 1) {
                assertFails(ErrorClass.AMODE, () -> open(c, c.rank() == last ? 0 : RDWR));
                assertFails(ErrorClass.NOT_SAME, () -> open(c, c.rank() == last ? RDONLY : RDWR));
                assertFails(ErrorClass.NOT_SAME,
                    () -> SharedFile.open(c, c.rank() == last ? folder.resolve("another").toString() : name(), CREATE | RDWR, Map.of()));
                assertFails(ErrorClass.NOT_SAME, () -> f.setSize(c.rank() == last ? 7 : 8));
                assertFails(ErrorClass.NOT_SAME, () -> f.setAtomicity(c.rank() == last));
                assertFails(ErrorClass.NOT_SAME, () -> f.setView(0, Datatype.BYTE, Datatype.BYTE, c.rank() == last ? "native" : "external32"));
                assertFails(ErrorClass.NOT_SAME, () -> f.seekShared(c.rank() == last ? 1 : 0, SharedFile.Whence.BEGIN));
            }
            assertFails(ErrorClass.BUFFER, () -> f.access(FileAccess.WRITE_AT_ALL, 0, new byte[c.rank() == last ? 5 : 10], 10, Datatype.BYTE));
            assertFails(ErrorClass.ARG, () -> f.access(FileAccess.READ_AT_ALL, c.rank() == last ? -1 : 0, new byte[10], 10, Datatype.BYTE));
            assertFails(ErrorClass.ARG, () -> f.access(FileAccess.WRITE_AT, Long.MAX_VALUE, new byte[10], 10, Datatype.BYTE));
            assertFails(ErrorClass.COUNT, () -> f.access(FileAccess.WRITE_ORDERED, 0, new byte[10], c.rank() == last ? -1 : 10, Datatype.BYTE));
            assertEquals(0, f.sharedPosition());
            assertFails(ErrorClass.UNSUPPORTED_DATAREP, () -> f.setView(0, Datatype.BYTE, Datatype.BYTE, "decimal"));
            assertFails(ErrorClass.TYPE, () -> f.setView(0, Datatype.INT, Datatype.SHORT, "native"));
            assertFails(ErrorClass.TYPE, () -> f.setView(0, Datatype.INT, Datatype.hindexed(new long[] {1, 1}, new long[] {8, 0}, Datatype.INT),
                "native"));
            assertFails(ErrorClass.TYPE, () -> f.setView(0, Datatype.INT, Datatype.resized(Datatype.INT, 0, 2), "native"));
            assertFails(ErrorClass.ARG, () -> f.setView(-1, Datatype.INT, Datatype.INT, "native"));
            assertFails(ErrorClass.ARG, () -> f.seek(-1, SharedFile.Whence.BEGIN));
            assertFails(ErrorClass.ARG, () -> f.preallocate(-1));
            f.setView(0, Datatype.INT, Datatype.INT, "native");
            assertFails(ErrorClass.TYPE, () -> f.access(FileAccess.WRITE, 0, new byte[10], 10, Datatype.BYTE));
            f.setView(0, Datatype.BYTE, Datatype.BYTE, "native");
            f.preallocate(1_000_000);
            assertEquals(1_000_000, f.size());
            f.setSize(3);
            assertEquals(3, f.size());
            f.setSize(10_000);
            assertEquals(10_000, f.size());
            c.engine().blocking().barrier();
            f.close();
            assertFails(ErrorClass.FILE, f::size);
            final SharedFile read = open(c, RDONLY);
            assertFails(ErrorClass.READ_ONLY, () -> read.access(FileAccess.WRITE_AT_ALL, 0, new byte[10], 10, Datatype.BYTE));
            assertFails(ErrorClass.READ_ONLY, () -> read.setSize(1));
            read.close();
            final SharedFile write = open(c, WRONLY | APPEND);
            assertEquals(10_000, write.position());
            assertEquals(10_000, write.sharedPosition());
            assertFails(ErrorClass.ACCESS, () -> write.access(FileAccess.READ_AT_ALL, 0, new byte[10], 10, Datatype.BYTE));
            write.close();
            final SharedFile tape = open(c, RDONLY | SEQUENTIAL);
            assertFails(ErrorClass.UNSUPPORTED_OPERATION, () -> tape.access(FileAccess.READ, 0, new byte[10], 10, Datatype.BYTE));
            tape.access(FileAccess.READ_ORDERED, 0, new byte[10], 10, Datatype.BYTE);
            tape.setView(SharedFile.DISPLACEMENT_CURRENT, Datatype.BYTE, Datatype.BYTE, "native");
            assertEquals(0, tape.sharedPosition());
            tape.close();
            assertEquals(0, c.context().owner().job().windows().size());
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    @EnabledOnOs(OS.LINUX)
    void shouldFailOnAllRanksWhenTheDiskOfOneIsFull(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final SharedFile f = SharedFile.open(c, "/dev/full", RDWR, Map.of());
            interleave(f, c, 10);
            assertFails(ErrorClass.NO_SPACE, () -> f.access(FileAccess.WRITE_AT_ALL, 0, new byte[1_000], 1_000, Datatype.BYTE));
            assertFails(ErrorClass.NO_SPACE, () -> f.access(FileAccess.WRITE_ORDERED, 0, new byte[1_000], 1_000, Datatype.BYTE));
            f.setAtomicity(true);
            assertFails(ErrorClass.NO_SPACE, () -> f.access(FileAccess.WRITE_AT, 0, new byte[10], 10, Datatype.BYTE));
            assertFails(ErrorClass.NO_SPACE, () -> f.start(FileAccess.WRITE_AT_ALL, 0, new byte[10], 10, Datatype.BYTE).waitFor());
            // a device has no disk to wait for
            assertThrows(MpiFailure.class, f::close);
            c.engine().blocking().barrier();
            assertEquals(0, c.context().owner().job().windows().size());
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldReachOffsetsBeyondTwoGigabytesAndSkipWhatNobodyWrites(final List<Integer> nodeOf) throws Exception {
        final long far = 5L << 30;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final SharedFile f = open(c, CREATE | RDWR | DELETE_ON_CLOSE);
            final Datatype filetype = Datatype.resized(Datatype.hindexed(new long[] {3, 5}, new long[] {0, far}, Datatype.BYTE), 0, 2 * far);
            f.setView(10L * c.rank(), Datatype.BYTE, filetype, "native");
            final byte[] data = bytes(13, c.rank());
            f.access(FileAccess.WRITE_ALL, 0, data, 13, Datatype.BYTE);
            assertEquals(10L * c.rank() + 2 * far, f.byteOffset(8));
            final byte[] got = new byte[20];
            assertEquals(11, f.access(FileAccess.READ_AT_ALL, 2, got, 11, Datatype.BYTE).bytes());
            assertArrayEquals(Arrays.copyOfRange(data, 2, 13), Arrays.copyOf(got, 11));
            f.seek(0, SharedFile.Whence.END);
            assertEquals(c.rank() == c.size() - 1 ? 13 : 16, f.position());
            f.close();
        });
    }

    @Test
    void shouldReadAFileInSequentialModePartByPart() throws Exception {
        final byte[] data = bytes(100, 1);
        Files.write(Path.of(name()), data);
        run(List.of(0, 0, 1), rank -> {
            final Communicator c = rank.world();
            final SharedFile f = open(c, RDONLY | SEQUENTIAL);
            final byte[] got = new byte[5];
            f.access(FileAccess.READ_ORDERED, 0, got, 5, Datatype.BYTE);
            assertArrayEquals(Arrays.copyOfRange(data, 5 * c.rank(), 5 * c.rank() + 5), got);
            final Datatype everyThird = Datatype.resized(Datatype.BYTE, 0, 3);
            f.setView(SharedFile.DISPLACEMENT_CURRENT, Datatype.BYTE, everyThird, "native");
            f.access(FileAccess.READ_ORDERED, 0, got, 5, Datatype.BYTE);
            for (int i = 0; i < 5; i++) {
                assertEquals(data[15 + 3 * (5 * c.rank() + i)], got[i]);
            }
            f.setView(SharedFile.DISPLACEMENT_CURRENT, Datatype.BYTE, Datatype.BYTE, "native");
            f.access(FileAccess.READ_ORDERED, 0, got, 5, Datatype.BYTE);
            assertArrayEquals(Arrays.copyOfRange(data, 60 + 5 * c.rank(), 65 + 5 * c.rank()), got);
            f.close();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldUseTheHintsOfTheFirstRankWhereTheyMustBeEqual(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final SharedFile f = SharedFile.open(c, name(), CREATE | RDWR, Map.of("cb_nodes", Integer.toString(1 + c.rank()), "cb_buffer_size",
                Integer.toString(8_192 << c.rank()), "collective_buffering", c.rank() % 2 == 0 ? "true" : "false"));
            interleave(f, c, 50);
            final byte[] data = bytes(50_000, c.rank());
            f.access(FileAccess.WRITE_ALL, 0, data, data.length, Datatype.BYTE);
            final byte[] got = new byte[data.length];
            f.access(FileAccess.READ_AT_ALL, 0, got, got.length, Datatype.BYTE);
            assertArrayEquals(data, got);
            assertEquals("8192", f.hints().get("cb_buffer_size"));
            assertEquals("1", f.hints().get("cb_nodes"));
            f.setHints(Map.of("cb_buffer_size", c.rank() == 0 ? "4096" : "soon"));
            assertEquals("4096", f.hints().get("cb_buffer_size"));
            f.close();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldCompleteWhatWasStartedBeforeItCloses(final List<Integer> nodeOf) throws Exception {
        final int length = 3_000_000;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final SharedFile f = open(c, CREATE | RDWR);
            final Request[] started = new Request[6];
            for (int i = 0; i < started.length; i++) {
                started[i] = f.start(i % 3 == 0 ? FileAccess.WRITE_AT_ALL : FileAccess.WRITE_AT, (long) (i * c.size() + c.rank()) * length,
                    bytes(length, i * c.size() + c.rank()), length, Datatype.BYTE);
            }
            f.close();
            for (final Request r : started) {
                assertEquals(length, r.waitFor().bytes());
            }
        });
        final byte[] all = Files.readAllBytes(Path.of(name()));
        for (int i = 0; i < 6 * nodeOf.size(); i++) {
            assertArrayEquals(bytes(length, i), Arrays.copyOfRange(all, i * length, (i + 1) * length));
        }
    }

    @Test
    void shouldGoOnAfterAnInterruptOfItsThread() throws Exception {
        run(List.of(0), rank -> {
            final SharedFile f = open(rank.world(), CREATE | RDWR);
            Thread.currentThread().interrupt();
            f.access(FileAccess.WRITE_AT, 0, bytes(1_000, 1), 1_000, Datatype.BYTE);
            assertTrue(Thread.interrupted());
            final byte[] got = new byte[1_000];
            f.access(FileAccess.READ_AT, 0, got, 1_000, Datatype.BYTE);
            assertArrayEquals(bytes(1_000, 1), got);
            f.close();
        });
    }
}
