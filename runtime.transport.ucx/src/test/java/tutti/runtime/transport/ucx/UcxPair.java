package tutti.runtime.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.LinkRecorder;
import tutti.runtime.transport.Listener;

/**
 * Both ends of a link, of two transports of this process, with access to memory that UCX emulates. A test that ends the link must have awaited its
 * accesses, else UCX may abort this process.
 */
final class UcxPair implements AutoCloseable {
    static final Hello HELLO = new Hello("test", new byte[0]);
    static final Duration LIMIT = Duration.ofSeconds(60);

    final LinkRecorder near = new LinkRecorder();
    final LinkRecorder far = new LinkRecorder();
    final UcxTransport connecting = new UcxTransport(true);
    final UcxTransport listening = new UcxTransport(true);
    final Listener listener;

    UcxPair() throws IOException {
        listener = listening.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (link, hello) -> {
            far.link = link;
            return far;
        });
        near.link = connecting.connect(listener.address(), HELLO, near, LIMIT);
    }

    /** Opens memory that the other end exposes. */
    static BulkAccess.PeerMemory open(final LinkRecorder end, final byte[] key) {
        return end.link.bulk().open(MemorySegment.ofArray(key), 0, key.length);
    }

    /** A completion to wait for. */
    static final class Ended implements BulkAccess.Completion {
        private final CompletableFuture<Long> value = new CompletableFuture<>();

        @Override
        public void completed(final long before, final IOException failure) {
            assertTrue(failure == null ? value.complete(before) : value.completeExceptionally(failure), "completed twice");
        }

        boolean isDone() {
            return value.isDone();
        }

        /** Waits for the end; returns the value, or throws the failure. */
        long await() throws Exception {
            try {
                return value.get(60, TimeUnit.SECONDS);
            } catch (final ExecutionException e) {
                throw (Exception) e.getCause();
            } catch (final TimeoutException e) {
                throw new AssertionError("access does not end", e);
            }
        }
    }

    @Override
    public void close() {
        connecting.close();
        listening.close();
    }
}
