package com.example.transport.uds;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;

/**
 * Link over a socket: each frame is its length, an int, and its bytes.
 *
 * <p>A sender copies its frame to the output buffer and, if that was empty, writes to the socket on its own thread. The loop writes what is left.
 * The fields about output are guarded by the output buffer; all others belong to the loop's thread.
 */
final class UdsLink implements Link, IoLoop.Member {
    private static final Logger LOG = LoggerFactory.getLogger(UdsLink.class);
    private static final int MAX_FRAME = 64 << 10;
    private static final int OUTPUT_BYTES = 4 * MAX_FRAME;
    private static final long HANDSHAKE_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final IoLoop loop;
    private final SocketChannel channel;
    private final String peer;
    private final LinkAcceptor acceptor;
    private final ByteBuffer input = ByteBuffer.allocateDirect(2 * (Integer.BYTES + MAX_FRAME));
    private final MemorySegment inputMemory = MemorySegment.ofBuffer(input);
    private final Runnable flushTask = this::flushOutput;
    private SelectionKey key;
    private LinkHandler handler;
    private long limit;
    private boolean limited;
    private boolean ended;
    private long received;

    private final ByteBuffer output = ByteBuffer.allocateDirect(OUTPUT_BYTES);
    private final MemorySegment outputMemory = MemorySegment.ofBuffer(output);
    private boolean open;
    private boolean broken;
    private boolean refusedSend;
    private long sent;
    private volatile boolean closing;

    private UdsLink(final IoLoop loop, final SocketChannel channel, final String peer, final LinkAcceptor acceptor, final LinkHandler handler) {
        this.loop = loop;
        this.channel = channel;
        this.peer = peer;
        this.acceptor = acceptor;
        this.handler = handler;
        this.open = handler != null;
    }

    /** Creates a link whose handshake is complete. */
    UdsLink(final IoLoop loop, final SocketChannel channel, final String peer, final LinkHandler handler) {
        this(loop, channel, peer, null, handler);
    }

    /** Creates a link whose peer must send a hello in time. */
    UdsLink(final IoLoop loop, final SocketChannel channel, final String peer, final LinkAcceptor acceptor) {
        this(loop, channel, peer, acceptor, null);
        limit(HANDSHAKE_NANOS);
    }

    private void limit(final long nanos) {
        limit = System.nanoTime() + nanos;
        limited = true;
    }

    @Override
    public int maxFrame() {
        return MAX_FRAME;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public boolean trySend(final byte[] header, final int headerBytes, final MemorySegment payload, final long payloadOffset,
        final int payloadBytes) {
        final long bytes = (long) headerBytes + payloadBytes;
        if (headerBytes < 0 || payloadBytes < 0 || bytes < 1 || bytes > MAX_FRAME) {
            throw new IllegalArgumentException("frame length out of range: headerBytes=" + headerBytes + ", payloadBytes=" + payloadBytes
                + ", sum=1.." + MAX_FRAME);
        }
        if (payloadBytes > 0) {
            Objects.checkFromIndexSize(payloadOffset, payloadBytes, payload.byteSize());
        }
        synchronized (output) {
            if (closing || broken) {
                return true;
            }
            if (!open || output.remaining() < Integer.BYTES + bytes) {
                refusedSend = true;
                return false;
            }
            final boolean idle = output.position() == 0;
            output.putInt((int) bytes).put(header, 0, headerBytes);
            if (payloadBytes > 0) {
                MemorySegment.copy(payload, payloadOffset, outputMemory, output.position(), payloadBytes);
                output.position(output.position() + payloadBytes);
            }
            sent += bytes;
            if (idle) {
                write();
                if (output.position() > 0) {
                    loop.execute(flushTask);
                }
            }
            return true;
        }
    }

    /** Writes output to the socket as far as it accepts it; called with the lock. A broken socket may still have input, which is read first. */
    private void write() {
        output.flip();
        try {
            channel.write(output);
        } catch (final IOException e) {
            LOG.debug("link is broken: peer={}", peer, e);
            broken = true;
            output.position(output.limit());
        }
        output.compact();
    }

    private void flushOutput() {
        if (ended) {
            return;
        }
        final int pending;
        final boolean writable;
        synchronized (output) {
            write();
            pending = output.position();
            writable = open && refusedSend && !closing && pending <= OUTPUT_BYTES / 2;
            refusedSend &= !writable;
        }
        key.interestOps(pending > 0 ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        if (writable) {
            call(() -> handler.writable(this));
        }
        if (closing && pending == 0) {
            end(null);
        }
    }

    @Override
    public void register(final Selector selector) throws IOException {
        key = channel.register(selector, SelectionKey.OP_READ, this);
    }

    @Override
    public void ready() {
        if (key.isWritable()) {
            flushOutput();
        }
        if (!ended && key.isReadable()) {
            read();
        }
    }

    private void read() {
        try {
            if (channel.read(input) < 0) {
                end(new EOFException(peer + " closed the link"));
                return;
            }
        } catch (final IOException e) {
            end(e);
            return;
        }
        int at = 0;
        while (!ended && !closing && input.position() - at >= Integer.BYTES) {
            final int bytes = input.getInt(at);
            if (bytes < 1 || bytes > MAX_FRAME) {
                end(new IOException(peer + " sent a frame of invalid length: bytes=" + bytes));
            } else if (input.position() - at - Integer.BYTES < bytes) {
                break;
            } else {
                receive(at + Integer.BYTES, bytes);
                at += Integer.BYTES + bytes;
            }
        }
        input.flip().position(closing ? input.limit() : at);
        input.compact();
    }

    private void receive(final int at, final int bytes) {
        if (handler == null) {
            accept(input.slice(at, bytes));
        } else {
            received += bytes;
            call(() -> handler.frame(this, inputMemory, at, bytes));
        }
    }

    /** Calls the handler; an exception or error closes the link. */
    private void call(final Runnable call) {
        try {
            call.run();
        } catch (final Throwable e) {
            end(e);
        }
    }

    private void accept(final ByteBuffer frame) {
        final Hello hello;
        try {
            hello = Handshake.readHello(frame);
        } catch (final IOException | RuntimeException e) {
            end(e);
            return;
        }
        String refusal = null;
        try {
            handler = Objects.requireNonNull(acceptor.accept(this, hello), "acceptor has no handler");
        } catch (final RefusedException e) {
            refusal = e.getMessage();
        } catch (final Throwable e) {
            refusal = "acceptor failed: " + e;
        }
        limited = false;
        synchronized (output) {
            output.put(Handshake.reply(refusal));
            open = true;
        }
        if (refusal != null) {
            close();
        }
        flushOutput();
    }

    @Override
    public void tick(final long now) {
        if (limited && now - limit > 0) {
            end(new IOException(peer + " did not finish its handshake"));
        }
    }

    @Override
    public void close() {
        synchronized (output) {
            if (closing) {
                return;
            }
            closing = true;
        }
        loop.execute(() -> {
            limit(FLUSH_NANOS);
            flushOutput();
        });
    }

    private void end(final Throwable cause) {
        if (ended) {
            return;
        }
        ended = true;
        synchronized (output) {
            broken = true;
        }
        LOG.info("link has ended: peer={}, sent={} bytes, received={} bytes", peer, sent, received);
        try {
            channel.close();
            if (handler != null) {
                handler.closed(this, closing ? null : cause);
            }
        } catch (final Throwable e) {
            LOG.warn("link cannot be closed: peer={}", peer, e);
        }
    }
}
