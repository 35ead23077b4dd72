package tutti.runtime.transport.mina;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkRecorder;
import tutti.runtime.transport.Listener;

/** Two transports on loopback and a listener; each has its I/O thread, as in two processes. */
final class Pair implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);
    /** Short timeouts, for tests that wait for them. */
    static final TransportSettings QUICK = new TransportSettings(100, 1_500, 300, 4, 500);

    final MinaTransport near;
    final MinaTransport far;
    final Listener listener;

    private Pair(final TransportSettings settings, final LinkAcceptor acceptor) throws IOException {
        near = new MinaTransport(settings);
        far = new MinaTransport(settings);
        listener = far.listen(loopback(0), acceptor);
    }

    static Pair of(final LinkAcceptor acceptor) throws IOException {
        return new Pair(TransportSettings.DEFAULT, acceptor);
    }

    static Pair of(final TransportSettings settings, final LinkAcceptor acceptor) throws IOException {
        return new Pair(settings, acceptor);
    }

    /** Creates a pair in which every accepted link has this recorder as its handler, which stores the link before the first frame. */
    static Pair to(final LinkRecorder recorder) throws IOException {
        return of(TransportSettings.DEFAULT, recorder);
    }

    static Pair of(final TransportSettings settings, final LinkRecorder recorder) throws IOException {
        return of(settings, (link, hello) -> {
            recorder.link = link;
            return recorder;
        });
    }

    Link connect(final LinkRecorder recorder) throws IOException {
        Link link = near.connect(listener.address(), new Hello("test", new byte[0]), recorder, LIMIT);
        recorder.link = link;
        return link;
    }

    static InetSocketAddress loopback(final int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public void close() {
        near.close();
        far.close();
    }
}
