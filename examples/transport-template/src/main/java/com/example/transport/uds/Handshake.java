package com.example.transport.uds;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;

/**
 * First frame in each direction of a link.
 *
 * <pre>
 * hello: int MAGIC | byte length | purpose | payload
 * reply: int MAGIC | byte 0
 *        int MAGIC | byte 1 | reason of a refusal
 * </pre>
 */
final class Handshake {
    private static final int MAGIC = 0x55445331;
    private static final int MAX_REASON = 200;

    private Handshake() {}

    private static ByteBuffer frame(final int more) {
        return ByteBuffer.allocate(2 * Integer.BYTES + 1 + more).putInt(Integer.BYTES + 1 + more).putInt(MAGIC);
    }

    private static void check(final ByteBuffer frame) throws IOException {
        if (frame.remaining() <= Integer.BYTES || frame.getInt() != MAGIC) {
            throw new IOException("peer uses another protocol");
        }
    }

    /** Returns the frame of a hello, with its length. */
    static ByteBuffer hello(final Hello hello) {
        final byte[] purpose = hello.purpose().getBytes(StandardCharsets.US_ASCII);
        return frame(purpose.length + hello.payload().length).put((byte) purpose.length).put(purpose).put(hello.payload()).flip();
    }

    /** Reads the frame of a hello, without its length. */
    static Hello readHello(final ByteBuffer frame) throws IOException {
        check(frame);
        final byte[] purpose = new byte[frame.get()];
        if (purpose.length > frame.remaining() || frame.remaining() - purpose.length > Hello.MAX_PAYLOAD) {
            throw new IOException("peer sent an invalid hello");
        }
        frame.get(purpose);
        final byte[] payload = new byte[frame.remaining()];
        frame.get(payload);
        return new Hello(new String(purpose, StandardCharsets.US_ASCII), payload);
    }

    /** Returns the frame of a reply, with its length; {@code refusal} is null for an accepted link. */
    static ByteBuffer reply(final String refusal) {
        if (refusal == null) {
            return frame(0).put((byte) 0).flip();
        }
        final byte[] reason = refusal.substring(0, Math.min(refusal.length(), MAX_REASON)).getBytes(StandardCharsets.UTF_8);
        return frame(reason.length).put((byte) 1).put(reason).flip();
    }

    /** Reads the reply of the peer. Blocks. */
    static void awaitReply(final SocketChannel channel) throws IOException {
        final int length = read(channel, Integer.BYTES).getInt();
        if (length <= Integer.BYTES || length > Integer.BYTES + 1 + 4 * MAX_REASON) {
            throw new IOException("peer uses another protocol");
        }
        final ByteBuffer reply = read(channel, length);
        check(reply);
        if (reply.get() != 0) {
            throw new RefusedException(StandardCharsets.UTF_8.decode(reply).toString());
        }
    }

    private static ByteBuffer read(final SocketChannel channel, final int bytes) throws IOException {
        final ByteBuffer buffer = ByteBuffer.allocate(bytes);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("peer closed the link");
            }
        }
        return buffer.flip();
    }
}
