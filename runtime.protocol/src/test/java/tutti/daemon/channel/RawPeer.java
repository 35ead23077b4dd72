package tutti.daemon.channel;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Plain socket that sends the bytes a test specifies; uses the transport's framing, but no channel. */
final class RawPeer implements AutoCloseable {
    private static final int ANSWER = 12;

    private final Socket socket = new Socket();

    RawPeer(final InetSocketAddress address) throws IOException {
        socket.setReceiveBufferSize(1 << 12);
        socket.connect(address, 10_000);
        socket.setSoTimeout(60_000);
    }

    /** Sends the hello and reads the answer. */
    RawPeer greet() throws IOException {
        final byte[] purpose = "test".getBytes(StandardCharsets.US_ASCII);
        send(little(ANSWER + purpose.length).put(new byte[] {(byte) 0x8A, 'T', 'u', 't'}).putShort((short) 1).put((byte) purpose.length)
            .put((byte) 0).putInt(0).put(purpose).array());
        final byte[] answer = socket.getInputStream().readNBytes(ANSWER);
        if (answer.length < ANSWER || answer[6] != 0) {
            throw new IOException("hello was refused");
        }
        return this;
    }

    private static ByteBuffer little(final int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    void send(final byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void sendLength(final int length) throws IOException {
        send(little(4).putInt(length).array());
    }

    void sendFrame(final byte... frame) throws IOException {
        send(little(4 + frame.length).putInt(frame.length).put(frame).array());
    }

    /** Returns whether the remote side ended the connection, by close or reset, after its last bytes. */
    boolean isDropped() throws IOException {
        try {
            socket.getInputStream().readAllBytes();
            return true;
        } catch (final SocketException e) {
            return true;
        }
    }

    /** Ends the connection with a reset, like a machine that crashed. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Ends the connection like a process that exits. */
    void end() throws IOException {
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
