package tutti.runtime.transport.shm;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusalPeriod;

/**
 * Listener at the socket of a folder: the port of its address is part of the socket's name.
 *
 * <p><b>Threads.</b> Any thread may close it. The unfinished handshakes belong to the I/O thread.
 */
final class ShmListener implements Listener, IoLoop.Member {
    private static final Logger LOG = LoggerFactory.getLogger(ShmListener.class);
    private static final int BACKLOG = 4_096;

    private final ShmFolder folder;
    private final ServerSocketChannel channel;
    private final Path file;
    private final Object fileKey;
    private final int port;
    private final LinkAcceptor acceptor;
    private final ShmSettings settings;
    private final @Nullable ProcessMemory functions;
    private final Consumer<ShmLink> opened;
    /** Listeners of the transport, which this one leaves when it is closed. */
    private final Set<ShmListener> all;
    private final Set<AcceptorHandshake> unfinished = new LinkedHashSet<>();
    private final RefusalPeriod lateOnes = RefusalPeriod.ofOneReason();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable IoLoop loop;
    private @Nullable SelectionKey key;
    private boolean removed;
    /** Set while no connection is accepted, after a failure. */
    private boolean paused;

    private ShmListener(final ServerSocketChannel channel, final ShmFolder folder, final int port, final LinkAcceptor acceptor,
        final ShmSettings settings, final @Nullable ProcessMemory functions, final Consumer<ShmLink> opened, final Set<ShmListener> all)
        throws IOException {
        this.folder = folder;
        this.channel = channel;
        this.file = folder.socket(port);
        this.port = port;
        this.acceptor = acceptor;
        this.settings = settings;
        this.functions = functions;
        this.opened = opened;
        this.all = all;
        channel.bind(UnixDomainSocketAddress.of(file), BACKLOG);
        boolean done = false;
        try {
            Files.setPosixFilePermissions(file, ShmFolder.OWNER_ONLY);
            channel.configureBlocking(false);
            this.fileKey = fileKey(file);
            done = true;
        } catch (final NoSuchFileException e) {
            throw inUse(e);
        } finally {
            if (!done) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static BindException inUse(final Exception cause) {
        final BindException e = new BindException("the socket was removed by another process");
        e.initCause(cause);
        return e;
    }

    /** Opens a listener. */
    static ShmListener open(final ShmFolder folder, final int port, final LinkAcceptor acceptor, final ShmSettings settings,
        final @Nullable ProcessMemory functions, final Consumer<ShmLink> opened, final Set<ShmListener> all) throws IOException {
        final ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        boolean done = false;
        try {
            final ShmListener listener = new ShmListener(channel, folder, port, acceptor, settings, functions, opened, all);
            done = true;
            return listener;
        } finally {
            if (!done) {
                channel.close();
            }
        }
    }

    private static Object fileKey(final Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    }

    @Override
    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    int port() {
        return port;
    }

    ShmFolder folder() {
        return folder;
    }

    LinkAcceptor acceptor() {
        return acceptor;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        all.remove(this);
        try {
            if (Objects.equals(fileKey, fileKey(file))) {
                folder.remove(file);
            }
        } catch (final NoSuchFileException e) {
            LOG.trace("socket was removed: file={}", file, e);
        } catch (final IOException e) {
            LOG.debug("socket cannot be removed: file={}", file, e);
        }
        try {
            channel.close();
        } catch (final IOException e) {
            LOG.debug("socket cannot be closed: file={}", file, e);
        }
        final IoLoop of = loop;
        if (of != null) {
            of.execute(this::remove);
        }
    }

    @Override
    public String toString() {
        return "listener at " + file;
    }

    // The methods below run on the I/O thread.

    @Override
    public void register(final IoLoop of, final Selector selector) throws IOException {
        loop = of;
        key = channel.register(selector, SelectionKey.OP_ACCEPT, this);
    }

    /** Accepts again, after a pause that a failure caused. */
    @Override
    public void tick(final long now) {
        if (paused && loop != null && key != null && key.isValid()) {
            paused = false;
            loop.unlimited();
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    @Override
    public void ready() {
        final IoLoop of = loop;
        try {
            for (SocketChannel accepted = channel.accept(); accepted != null && of != null; accepted = channel.accept()) {
                accepted.configureBlocking(false);
                if (unfinished.size() >= settings.maxHandshakes()) {
                    late();
                    unfinished.iterator().next().drop();
                }
                final AcceptorHandshake handshake = new AcceptorHandshake(this, accepted, settings, functions);
                unfinished.add(handshake);
                of.addHere(handshake);
            }
        } catch (final IOException e) {
            LOG.debug("connection cannot be accepted: file={}", file, e);
            if (of != null && key != null && key.isValid()) {
                paused = true;
                of.limited();
                key.interestOps(0); // until the next tick: this thread must not spin while the process has no more files
            }
        }
    }

    /** Notes that a handshake was dropped because its peer was late. */
    void late() {
        final long connections = lateOnes.count();
        if (connections > 0) {
            // Cause: a process of this user connects and does not finish its handshake; it may be stopped. Remedy: continue or end it.
            LOG.warn("connections dropped that did not finish their handshake in time: connections={}, file={}, millis={}, max={}", connections, file,
                settings.handshakeMillis(), settings.maxHandshakes());
        }
    }

    /** Notes that a handshake has ended. */
    void left(final AcceptorHandshake handshake) {
        unfinished.remove(handshake);
    }

    /** Notes that a link was accepted. */
    void opened(final ShmLink link) {
        opened.accept(link);
    }

    @Override
    public void fail(final Throwable cause) {
        LOG.debug("listener has failed: file={}", file, cause);
        close();
        remove();
    }

    private void remove() {
        final IoLoop of = loop;
        if (removed || of == null) {
            return;
        }
        removed = true;
        final List<AcceptorHandshake> last = new ArrayList<>(unfinished);
        last.forEach(AcceptorHandshake::drop);
        if (paused) {
            of.unlimited();
        }
        of.removed();
    }
}
