package com.example.transport.uds;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.Listener;

/** Listener on the file of a socket. */
final class UdsListener implements Listener, IoLoop.Member {
    private static final Logger LOG = LoggerFactory.getLogger(UdsListener.class);

    private final IoLoop loop;
    private final ServerSocketChannel channel;
    private final Path file;
    private final InetSocketAddress address;
    private final LinkAcceptor acceptor;
    private Selector selector;

    UdsListener(final IoLoop loop, final ServerSocketChannel channel, final Path file, final InetSocketAddress address, final LinkAcceptor acceptor) {
        this.loop = loop;
        this.channel = channel;
        this.file = file;
        this.address = address;
        this.acceptor = acceptor;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void register(final Selector with) throws IOException {
        selector = with;
        channel.register(with, SelectionKey.OP_ACCEPT, this);
    }

    @Override
    public void ready() {
        try {
            for (SocketChannel accepted = channel.accept(); accepted != null; accepted = channel.accept()) {
                accepted.configureBlocking(false);
                new UdsLink(loop, accepted, address.toString(), acceptor).register(selector);
            }
        } catch (final IOException e) {
            LOG.debug("link cannot be accepted: address={}", address, e);
        }
    }

    @Override
    public void tick(final long now) {
        // a listener waits for ever
    }

    @Override
    public void close() {
        try {
            if (channel.isOpen()) {
                Files.deleteIfExists(file);
                channel.close();
            }
        } catch (final IOException e) {
            LOG.warn("listener cannot be closed: file={}", file, e);
        }
    }
}
