package tutti.daemon.channel;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of programs that are received in pieces, complete or not. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ProgramStoreTest {
    @TempDir
    private Path dir;

    private Path file(final String name, final int bytes) throws IOException {
        final byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return Files.write(dir.resolve(name), content);
    }

    private ProgramStore store() {
        return new ProgramStore(dir.resolve("stored"));
    }

    private static <T> FutureTask<T> run(final java.util.concurrent.Callable<T> body) {
        final FutureTask<T> task = new FutureTask<>(body);
        Thread.ofVirtual().start(task);
        return task;
    }

    @Test
    void shouldRefuseBytesBeyondTheCreditAndNameTheLimit() {
        final ProgramStore store = store();
        final byte[] piece = new byte[Protocol.CHUNK];
        for (int i = 0; i < Protocol.PROGRAM_CREDIT / Protocol.CHUNK; i++) {
            store.offer(0, piece);
        }
        final String message = assertThrows(IllegalStateException.class, () -> store.offer(0, piece)).getMessage();
        assertEquals("program bytes without credit: bytes=" + Protocol.CHUNK + ", waiting=" + (Protocol.PROGRAM_CREDIT + Protocol.CHUNK)
            + ", PROGRAM_CREDIT=" + Protocol.PROGRAM_CREDIT, message);
    }

    @Test
    void shouldRefuseEmptyPiecesWhichNeedNoCredit() {
        assertThrows(IllegalStateException.class, () -> store().offer(0, new byte[0]));
    }

    @Test
    void shouldStoreFilesInClassPathOrderUnderTheirNames() throws Exception {
        final Path a = file("a.jar", 10);
        final Path empty = file("empty.jar", 0);
        final ProgramStore store = store();
        final byte[] content = Files.readAllBytes(a);
        store.offer(0, java.util.Arrays.copyOf(content, 4));
        store.offer(0, java.util.Arrays.copyOfRange(content, 4, 10));
        store.offer(2, content);
        final ProgramFile first = ProgramSender.describe(a);
        for (final String name : List.of("../../a.jar", "..", ".", "a\\b", "a\nb")) {
            assertThrows(IllegalArgumentException.class, () -> new ProgramFile(name, first.bytes(), first.sha256()));
        }
        final List<Path> stored = store.store(List.of(first, ProgramSender.describe(empty), first), bytes -> {});
        assertEquals(Stream.of("0/a.jar", "1/empty.jar", "2/a.jar").map(dir.resolve("stored")::resolve).toList(), stored);
        assertArrayEquals(content, Files.readAllBytes(stored.get(0)));
        assertEquals(0, Files.size(stored.get(1)));
        assertArrayEquals(content, Files.readAllBytes(stored.get(2)));
    }

    @Test
    void shouldStoreStagedFilesUnderTheirNamesInAFolderOfTheirs() throws Exception {
        final Path jar = file("a.jar", 10);
        final Path data = file("grid data.txt", 7);
        final ProgramStore store = store();
        store.offer(0, Files.readAllBytes(jar));
        store.offer(1, Files.readAllBytes(data));
        final List<Path> stored = store.store(List.of(ProgramSender.describe(jar), ProgramSender.describe(data).asStaged()), bytes -> {});
        assertEquals(List.of(dir.resolve("stored/0/a.jar"), dir.resolve("stored/files/grid data.txt")), stored);
        assertArrayEquals(Files.readAllBytes(data), Files.readAllBytes(stored.get(1)));
    }

    @Test
    void shouldRefuseAFileWithAnotherDigestAndNameIt() throws Exception {
        final ProgramStore store = store();
        store.offer(0, new byte[3]);
        final ProgramFile wanted = new ProgramFile("app.jar", 3, "0".repeat(64));
        final IOException e = assertThrows(IOException.class, () -> store.store(List.of(wanted), bytes -> {}));
        assertTrue(e.getMessage().startsWith("program arrived damaged: file=app.jar, sha256=709e80c884"), e.getMessage());
    }

    @Test
    void shouldStoreFilesThatFollowEachOtherInAStream() throws Exception {
        final Path first = file("a.jar", 2 * Protocol.CHUNK + 3);
        final Path second = file("b.jar", 5);
        final Path to = dir.resolve("stored.jar");
        try (InputStream both = new SequenceInputStream(Files.newInputStream(first), Files.newInputStream(second))) {
            ProgramStore.store(ProgramSender.describe(first), both, to);
            assertArrayEquals(Files.readAllBytes(first), Files.readAllBytes(to));
            ProgramStore.store(ProgramSender.describe(second), both, to);
            assertArrayEquals(Files.readAllBytes(second), Files.readAllBytes(to));
            final ProgramFile missing = ProgramSender.describe(second);
            assertEquals("program did not arrive whole: file=b.jar, missing=5 bytes",
                assertThrows(IOException.class, () -> ProgramStore.store(missing, both, to)).getMessage());
        }
    }

    @Test
    void shouldRefuseAStreamWithAnotherDigestOrOneThatBreaks() {
        final ProgramFile wanted = new ProgramFile("app.jar", 3, "0".repeat(64));
        final Path to = dir.resolve("stored.jar");
        final String damaged = assertThrows(IOException.class, () -> ProgramStore.store(wanted, new ByteArrayInputStream(new byte[3]), to))
            .getMessage();
        assertTrue(damaged.startsWith("program arrived damaged: file=app.jar, sha256=709e80c884"), damaged);
        final InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("closed");
            }
        };
        assertEquals("program did not arrive whole: file=app.jar, missing=3 bytes, reason=closed",
            assertThrows(IOException.class, () -> ProgramStore.store(wanted, broken, to)).getMessage());
    }

    @Test
    void shouldSayThatAFileCannotBeWrittenAndWhere() {
        final ProgramFile wanted = new ProgramFile("app.jar", 3, "0".repeat(64));
        final String message = assertThrows(IOException.class,
            () -> ProgramStore.store(wanted, new ByteArrayInputStream(new byte[3]), dir.resolve("none/app.jar"))).getMessage();
        assertTrue(message.startsWith("program cannot be stored: file=app.jar, folder=" + dir.resolve("none") + ", reason="), message);
    }

    @ParameterizedTest
    @CsvSource({"1, 3", "-1, 3", "-2147483648, 3", "0, 11"})
    void shouldRefuseAnUnexpectedPiece(final int index, final int length) throws Exception {
        final ProgramFile wanted = ProgramSender.describe(file("a.jar", 10));
        final ProgramStore store = store();
        store.offer(index, new byte[length]);
        assertEquals("program did not arrive whole: file=a.jar, missing=10 bytes",
            assertThrows(IOException.class, () -> store.store(List.of(wanted), bytes -> {})).getMessage());
    }

    @Test
    void shouldFailAtOnceWhenNoMorePiecesFollow() throws Exception {
        final Path a = file("a.jar", 10);
        final ProgramFile wanted = ProgramSender.describe(a);
        final ProgramStore store = store();
        store.offer(0, java.util.Arrays.copyOf(Files.readAllBytes(a), 4));
        final FutureTask<List<Path>> storing = run(() -> store.store(List.of(wanted), bytes -> {}));
        store.close();
        final ExecutionException e = assertThrows(ExecutionException.class, () -> storing.get(60, TimeUnit.SECONDS));
        assertEquals("program did not arrive whole: file=a.jar, missing=6 bytes", assertInstanceOf(IOException.class, e.getCause()).getMessage());
    }

    @Test
    void shouldThrottleTheSenderUntilPiecesAreStored() throws Exception {
        final List<Path> files = List.of(file("a.jar", 2 * Protocol.PROGRAM_CREDIT + 17), file("b.jar", 1), file("c.jar", Protocol.PROGRAM_CREDIT));
        final List<ProgramFile> wanted = new ArrayList<>();
        for (final Path p : files) {
            wanted.add(ProgramSender.describe(p));
        }
        final ProgramStore store = store();
        final AtomicLong received = new AtomicLong();
        final CompletableFuture<ControlChannel> local = new CompletableFuture<>();
        try (MinaTransport transport = new MinaTransport()) {
            final InetSocketAddress address = transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> {
                local.complete(ControlChannel.open(c -> new Storing(store, received)).attach(link));
                return local.join();
            }).address();
            final ProgramSender[] sender = new ProgramSender[1];
            final ControlChannel remote = ControlChannel.open(c -> {
                sender[0] = new ProgramSender(c);
                return new Crediting(sender[0]);
            });
            remote.attach(transport.connect(address, new Hello("test", new byte[0]), remote, Duration.ofSeconds(60)));
            final FutureTask<Void> sending = run(() -> {
                sender[0].send(files);
                return null;
            });
            await().atMost(Duration.ofSeconds(60)).until(() -> received.get() == Protocol.PROGRAM_CREDIT);
            final AtomicInteger credited = new AtomicInteger();
            final List<Path> stored = store.store(wanted, bytes -> {
                assertTrue(received.get() - credited.get() <= Protocol.PROGRAM_CREDIT, "more than the credit limit was in flight");
                credited.addAndGet(bytes);
                local.join().postProgramCredit(bytes);
            });
            sending.get(60, TimeUnit.SECONDS);
            for (int i = 0; i < files.size(); i++) {
                assertEquals(-1, Files.mismatch(files.get(i), stored.get(i)));
            }
        }
    }

    @Test
    void shouldReleaseASenderWhoseReceiverIsLost() throws Exception {
        final Path large = file("a.jar", 2 * Protocol.PROGRAM_CREDIT);
        final ProgramSender sender = new ProgramSender(ControlChannel.open(c -> new Storing(store(), new AtomicLong())));
        final FutureTask<Void> sending = run(() -> {
            sender.send(List.of(large, large));
            return null;
        });
        sender.close();
        sending.get(60, TimeUnit.SECONDS);
    }

    /** Receiver of program bytes. */
    private record Storing(ProgramStore store, AtomicLong received) implements ChannelReceiver {
        @Override
        public void message(final Message message) {
            throw new IllegalStateException("no message is expected");
        }

        @Override
        public void program(final int file, final byte[] bytes) {
            received.addAndGet(bytes.length);
            store.offer(file, bytes);
        }

        @Override
        public void closed(final String reason) {
            store.close();
        }
    }

    /** Receiver of credit, on the sender's side. */
    private record Crediting(ProgramSender sender) implements ChannelReceiver {
        @Override
        public void message(final Message message) {
            throw new IllegalStateException("no message is expected");
        }

        @Override
        public void programCredit(final int bytes) {
            sender.credit(bytes);
        }

        @Override
        public void closed(final String reason) {
            sender.close();
        }
    }
}
