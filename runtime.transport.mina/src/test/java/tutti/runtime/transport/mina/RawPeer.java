package tutti.runtime.transport.mina;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import tutti.runtime.transport.Hello;

/** Plain socket that sends what a test asks for, valid in the protocol or not. */
final class RawPeer implements AutoCloseable {
    final Socket socket;

    RawPeer(final InetSocketAddress address) throws IOException {
        socket = new Socket();
        socket.connect(address, 10_000);
        socket.setSoTimeout(60_000);
    }

    /** Connects a peer that the acceptor has accepted. */
    static RawPeer accepted(final InetSocketAddress address) throws IOException {
        RawPeer peer = new RawPeer(address);
        peer.send(HandshakeCodec.hello(new Hello("test", new byte[0])));
        byte[] answer = peer.read(WireFormat.HANDSHAKE_HEADER);
        if (HandshakeCodec.verdict(MemorySegment.ofArray(answer), 0) != WireFormat.ACCEPTED) {
            throw new IOException("not welcome");
        }
        return peer;
    }

    void send(final byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void sendLength(final int length) throws IOException {
        send((byte) length, (byte) (length >>> 8), (byte) (length >>> 16), (byte) (length >>> 24));
    }

    byte[] read(final int bytes) throws IOException {
        InputStream in = socket.getInputStream();
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            throw new EOFException("end of stream: bytes=" + read.length);
        }
        return read;
    }

    /** Returns whether the other side ended the connection, in any way, after its last bytes. */
    boolean isDropped() throws IOException {
        try {
            socket.getInputStream().readAllBytes();
            return true;
        } catch (SocketException e) {
            return true;
        }
    }

    /** Ends the connection with a reset. */
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
