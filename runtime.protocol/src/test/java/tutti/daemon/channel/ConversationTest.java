package tutti.daemon.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.Needs;
import tutti.daemon.security.Role;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of conversations over real sockets. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ConversationTest {
    private static final int MAX_CALLS = 8;

    private final MinaTransport transport = new MinaTransport();
    private final Recorder server = new Recorder();
    private final Recorder client = new Recorder();
    private final Shelf shelf = new Shelf();
    private final CompletableFuture<ControlChannel> accepted = new CompletableFuture<>();
    private Conversation.@Nullable Gate gate;
    private InetSocketAddress address;

    /** A book. */
    record Book(String title, int pages) {
        Book {
            Objects.requireNonNull(title, "title");
        }
    }

    /** Books that one end keeps. */
    @Needs(Role.OBSERVE)
    interface Books {
        CompletionStage<@Nullable Book> find(String title);

        CompletionStage<List<Book>> all();

        @Needs(Role.CHANGE)
        CompletionStage<Integer> add(Book book, Map<String, Integer> chapters, InputStream text);

        CompletionStage<InputStream> read(String title);

        CompletionStage<Void> waitFor(String title);

        void touched(int number);
    }

    /** Questions of the server. */
    interface Reader {
        CompletionStage<String> name();
    }

    private static final class Shelf implements Books {
        private final List<Book> books = new ArrayList<>();
        private final List<Integer> touched = new ArrayList<>();
        private final CountDownLatch gone = new CountDownLatch(1);
        private final CompletableFuture<Void> wanted = new CompletableFuture<>();
        private volatile CompletableFuture<Void> found = CompletableFuture.completedFuture(null);
        private final CompletableFuture<String> failure = new CompletableFuture<>();
        private final AtomicInteger waiting = new AtomicInteger();
        private volatile InputStream text = InputStream.nullInputStream();
        private volatile boolean leavesText;

        @Override
        public CompletionStage<@Nullable Book> find(final String title) {
            return CompletableFuture.completedStage(books.stream().filter(b -> b.title().equals(title)).findFirst().orElse(null));
        }

        @Override
        public CompletionStage<List<Book>> all() {
            return CompletableFuture.completedStage(books);
        }

        @Override
        public CompletionStage<Integer> add(final Book book, final Map<String, Integer> chapters, final InputStream content) {
            return Conversation.result(() -> {
                if (leavesText) {
                    throw new CallFailedException(ExitStatus.USAGE, "no room: " + chapters);
                }
                books.add(book);
                try {
                    return content.readAllBytes().length;
                } catch (final IOException e) {
                    failure.complete(e.getMessage());
                    throw e;
                }
            });
        }

        @Override
        public CompletionStage<InputStream> read(final String title) {
            return found.thenApply(v -> text);
        }

        @Override
        public CompletionStage<Void> waitFor(final String title) {
            waiting.incrementAndGet();
            gone.countDown();
            return wanted;
        }

        @Override
        public void touched(final int number) {
            touched.add(number);
        }
    }

    @BeforeEach
    void listen() throws IOException {
        address = transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> {
            final ControlChannel channel = ControlChannel.open(c -> {
                c.conversation().serve(Books.class, shelf, gate).limit(MAX_CALLS);
                return server;
            }).attach(link);
            accepted.complete(channel);
            return channel;
        }).address();
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private ControlChannel connect() throws IOException {
        final ControlChannel channel = ControlChannel.open(c -> {
            c.conversation().serve(Reader.class, () -> CompletableFuture.completedStage("Ann"));
            return client;
        });
        return channel.attach(transport.connect(address, new Hello("test", new byte[0]), channel, Duration.ofSeconds(60)));
    }

    private Books books() throws IOException {
        return connect().conversation().peer(Books.class);
    }

    private static <T> T get(final CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static Throwable failure(final CompletionStage<?> stage) {
        return assertThrows(ExecutionException.class, () -> get(stage)).getCause();
    }

    private static byte[] noise(final int bytes) {
        final byte[] all = new byte[bytes];
        new Random(bytes).nextBytes(all);
        return all;
    }

    @Test
    void shouldReturnRecordsListsAndNull() throws Exception {
        final Books books = books();
        assertNull(get(books.find("Emma")));
        shelf.books.add(new Book("Emma", 400));
        assertEquals(new Book("Emma", 400), get(books.find("Emma")));
        assertEquals(shelf.books, get(books.all()));
    }

    @Test
    void shouldReturnWhatIsLongerThanAFrame() throws Exception {
        IntStream.range(0, 5000).forEach(i -> shelf.books.add(new Book("volume " + i, i)));
        assertEquals(shelf.books, get(books().all()));
    }

    @Test
    void shouldCallBothWays() throws Exception {
        books();
        assertEquals("Ann", get(accepted.get(60, TimeUnit.SECONDS).conversation().peer(Reader.class).name()));
    }

    @Test
    void shouldServeNoticesInTheirOrderBeforeALaterCall() throws Exception {
        final Books books = books();
        IntStream.range(0, 1000).forEach(books::touched);
        get(books.all());
        assertEquals(IntStream.range(0, 1000).boxed().toList(), shelf.touched);
    }

    @Test
    void shouldSendAStreamOfManyWindowsAsAnArgument() throws Exception {
        final int bytes = 5 * IncomingStream.WINDOW + 17;
        assertEquals(bytes, get(books().add(new Book("Long", 1), Map.of("one", 1), new ByteArrayInputStream(noise(bytes)))));
    }

    @Test
    void shouldSendAStreamAsAResult() throws Exception {
        final byte[] text = noise(3 * IncomingStream.WINDOW + 5);
        shelf.text = new ByteArrayInputStream(text);
        final ControlChannel channel = connect();
        try (InputStream in = get(channel.conversation().peer(Books.class).read("Long"))) {
            assertArrayEquals(text, in.readAllBytes());
            assertEquals(-1, in.read());
        }
        assertFalse(channel.conversation().isBusy());
    }

    @Test
    void shouldCloseAStreamThatIsNotReadToItsEnd() throws Exception {
        final CountDownLatch closed = new CountDownLatch(1);
        shelf.text = new InputStream() {
            @Override
            public int read() {
                return 1;
            }

            @Override
            public void close() {
                closed.countDown();
            }
        };
        try (InputStream in = get(books().read("endless"))) {
            assertEquals(1, in.read());
        }
        assertTrue(closed.await(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldNotReadAStreamThatTheOtherEndDoesNotRead() throws Exception {
        shelf.leavesText = true;
        final CountDownLatch closed = new CountDownLatch(1);
        final AtomicInteger read = new AtomicInteger();
        final CallFailedException e = (CallFailedException) failure(books().add(new Book("No", 1), Map.of("a", 2), new InputStream() {
            @Override
            public int read() {
                return read.incrementAndGet();
            }

            @Override
            public void close() {
                closed.countDown();
            }
        }));
        assertEquals(ExitStatus.USAGE, e.status());
        assertEquals("no room: {a=2}", e.getMessage());
        assertTrue(closed.await(60, TimeUnit.SECONDS));
        assertEquals(0, read.get());
    }

    @Test
    void shouldSayWhyAStreamCannotBeRead() throws Exception {
        final Throwable e = failure(books().add(new Book("Torn", 1), Map.of(), new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("disk is gone");
            }
        }));
        assertEquals("disk is gone", e.getMessage());
        assertEquals("disk is gone", shelf.failure.get(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldEndCallsAndStreamsWhenTheLinkIsLost() throws Exception {
        final ControlChannel channel = connect();
        final Books books = channel.conversation().peer(Books.class);
        final CompletionStage<Void> call = books.waitFor("Godot");
        assertTrue(shelf.gone.await(60, TimeUnit.SECONDS));
        shelf.text = new InputStream() {
            @Override
            public int read() {
                return 1;
            }
        };
        try (InputStream in = get(books.read("endless"))) {
            accepted.get(60, TimeUnit.SECONDS).close();
            assertThrows(IOException.class, () -> {
                while (in.read() >= 0) {
                    // until the link is lost
                }
            });
        }
        assertFalse(failure(call) instanceof CallFailedException);
        assertFalse(failure(books.all()) instanceof CallFailedException);
    }

    @Test
    void shouldRefuseCallsThatTheGateDoesNotLetPass() throws Exception {
        gate = (method, needed) -> {
            if (!Role.OBSERVE.includes(needed)) {
                throw new CallFailedException(ExitStatus.DENIED, method + " needs " + needed);
            }
        };
        final Books books = books();
        assertEquals(List.of(), get(books.all()));
        final CallFailedException e = (CallFailedException) failure(books.add(new Book("X", 1), Map.of(), InputStream.nullInputStream()));
        assertEquals(ExitStatus.DENIED, e.status());
        assertEquals("Books.add needs change", e.getMessage());
    }

    @Test
    void shouldRefuseInterfacesThatSayNoRoleWhereOneIsNeeded() throws Exception {
        final Conversation conversation = connect().conversation();
        final Reader reader = () -> CompletableFuture.completedStage("");
        assertThrows(IllegalArgumentException.class, () -> conversation.serve(Reader.class, reader, (method, needed) -> {
            // every call passes
        }));
    }

    @Test
    void shouldAnswerThatAMethodIsUnknown() throws Exception {
        assertEquals("it has no method Reader.name", failure(connect().conversation().peer(Reader.class).name()).getMessage());
    }

    @Test
    void shouldAnswerArgumentsThatAreInvalid() throws Exception {
        final ControlChannel channel = connect();
        final Books books = channel.conversation().peer(Books.class);
        assertTrue(failure(books.find(null)).getMessage().startsWith("not an array of values"));
        assertEquals(List.of(), get(books.all()));
    }

    @Test
    void shouldCloseTheLinkOfAPeerThatMakesTooManyCalls() throws Exception {
        final Books books = books();
        final List<CompletionStage<Void>> calls = new ArrayList<>();
        for (int i = 0; i <= MAX_CALLS; i++) {
            calls.add(books.waitFor("Godot"));
        }
        failure(calls.getLast());
        assertEquals("too many calls at once: max=" + MAX_CALLS, server.awaitClosed().split(", peer")[0]);
        assertTrue(shelf.waiting.get() <= MAX_CALLS);
    }

    private static void giveUp(final CompletionStage<?> call) {
        assertTrue(call.toCompletableFuture().cancel(false));
    }

    @Test
    void shouldSendNoFurtherCallUntilOneThatWasGivenUpIsAnswered() throws Exception {
        final ControlChannel channel = connect();
        final Books books = channel.conversation().peer(Books.class);
        final CompletionStage<Void> first = books.waitFor("Godot");
        assertTrue(shelf.gone.await(60, TimeUnit.SECONDS));
        giveUp(first);
        for (int i = 0; i < 10 * MAX_CALLS; i++) {
            giveUp(books.waitFor("Godot"));
        }
        final CompletionStage<Void> last = books.waitFor("Godot");
        assertEquals(List.of(), get(books.all()));
        assertEquals(1, shelf.waiting.get());
        assertTrue(channel.conversation().isBusy());
        shelf.wanted.complete(null);
        get(last);
        assertEquals(2, shelf.waiting.get());
        assertFalse(channel.conversation().isBusy());
    }

    @Test
    void shouldEndCallsThatWaitForOneThatWasGivenUpWhenTheLinkIsLost() throws Exception {
        final Books books = books();
        final CompletionStage<Void> first = books.waitFor("Godot");
        assertTrue(shelf.gone.await(60, TimeUnit.SECONDS));
        giveUp(first);
        final CompletionStage<Void> next = books.waitFor("Godot");
        accepted.get(60, TimeUnit.SECONDS).close();
        assertFalse(failure(next) instanceof CallFailedException);
    }

    @Test
    void shouldEndTheArgumentOfACallThatIsGivenUp() throws Exception {
        final CountDownLatch isRead = new CountDownLatch(1);
        final CountDownLatch isGivenUp = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);
        final CompletionStage<Integer> call = books().add(new Book("Torn", 1), Map.of(), new InputStream() {
            @Override
            public int read() throws IOException {
                isRead.countDown();
                try {
                    isGivenUp.await();
                } catch (final InterruptedException e) {
                    throw new IOException(e);
                }
                return -1;
            }

            @Override
            public void close() {
                closed.countDown();
            }
        });
        assertTrue(isRead.await(60, TimeUnit.SECONDS));
        giveUp(call);
        assertEquals("the call was given up", shelf.failure.get(60, TimeUnit.SECONDS));
        isGivenUp.countDown();
        assertTrue(closed.await(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldCloseTheResultOfACallThatIsGivenUp() throws Exception {
        final CountDownLatch closed = new CountDownLatch(1);
        shelf.found = new CompletableFuture<>();
        shelf.text = new InputStream() {
            @Override
            public int read() {
                return 1;
            }

            @Override
            public void close() {
                closed.countDown();
            }
        };
        giveUp(books().read("endless"));
        shelf.found.complete(null);
        assertTrue(closed.await(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldNotSendWhatIsTooLong() throws Exception {
        final ControlChannel channel = connect();
        final Books books = channel.conversation().peer(Books.class);
        assertThrows(IllegalArgumentException.class, () -> books.find("x".repeat(Protocol.MAX_MESSAGE)));
        assertEquals(List.of(), get(books.all()));
        assertFalse(channel.conversation().isBusy());
    }

    @Test
    void shouldFailACallWhoseResultIsTooLong() throws Exception {
        shelf.books.add(new Book("x".repeat(Protocol.MAX_MESSAGE), 1));
        assertTrue(failure(books().all()).getMessage().startsWith("message too long: bytes="));
    }

    @Test
    void shouldRefuseMethodsThatCannotTravel() throws Exception {
        interface Values {
            int number();
        }

        interface Twice {
            void say(String text);

            void say(int number);
        }

        final Conversation conversation = connect().conversation();
        for (final Class<?> type : Arrays.asList(Values.class, Twice.class, String.class)) {
            assertThrows(IllegalArgumentException.class, () -> conversation.peer(type));
        }
    }
}
