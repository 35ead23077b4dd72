package com.example.transport.uds;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * Transport over Unix domain sockets, between processes of one user on one host. The port of an address is the name of the socket's file; its host
 * has no meaning. It needs no heartbeats: the operating system reports the end of the peer's process.
 */
@Component(service = Transport.class, property = Transport.SCHEME + "=uds")
public final class UdsTransport implements Transport, AutoCloseable {
    private static final int ATTEMPTS = 100;
    private static final int FIRST_PORT = 1024;
    private static final int PORTS = 1 << 16;

    private IoLoop loop;
    private boolean closed;

    /** Returns the loop, which is started at first use; called with the lock. */
    private IoLoop loop() throws IOException {
        if (closed) {
            throw new IOException("transport is closed");
        }
        if (loop == null) {
            loop = IoLoop.start();
        }
        return loop;
    }

    @Override
    public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
        Objects.requireNonNull(acceptor, "acceptor");
        for (int attempt = 1;; attempt++) {
            final int port = address.getPort() != 0 ? address.getPort() : ThreadLocalRandom.current().nextInt(FIRST_PORT, PORTS);
            try {
                return listen(new InetSocketAddress(address.getAddress(), port), SocketFiles.of(port), acceptor);
            } catch (final BindException e) {
                if (address.getPort() != 0 || attempt == ATTEMPTS) {
                    throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
                }
            }
        }
    }

    private Listener listen(final InetSocketAddress address, final Path file, final LinkAcceptor acceptor) throws IOException {
        final ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(file));
            channel.configureBlocking(false);
            synchronized (this) {
                final UdsListener listener = new UdsListener(loop(), channel, file, address, acceptor);
                loop.add(listener);
                return listener;
            }
        } catch (final IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) throws IOException {
        Objects.requireNonNull(handler, "handler");
        final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            // the system answers at once; the reply of a busy process takes as long as it takes, while it keeps the connection open
            channel.connect(UnixDomainSocketAddress.of(SocketFiles.of(address.getPort())));
            channel.write(Handshake.hello(hello));
            Handshake.awaitReply(channel);
            channel.configureBlocking(false);
            synchronized (this) {
                final UdsLink link = new UdsLink(loop(), channel, address.toString(), handler);
                loop.add(link);
                return link;
            }
        } catch (final RefusedException e) {
            channel.close();
            throw e;
        } catch (final IOException e) {
            channel.close();
            throw new IOException("cannot connect to " + address + " by a socket of this host: " + e, e);
        }
    }

    /** Closes all listeners and links. Idempotent. */
    @Deactivate
    @Override
    public void close() {
        final IoLoop last;
        synchronized (this) {
            closed = true;
            last = loop;
        }
        if (last != null) {
            last.stop();
        }
    }
}
