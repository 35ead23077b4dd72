package tutti.runtime.dpm;

import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.charset.StandardCharsets;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** The greeting of two processes that join over a socket: each sends a line with the version and the name of a port. */
final class SocketGreeting {
    private static final String PREFIX = "tutti join ";
    /** Longest line in bytes. */
    private static final int MAX = 4096;

    private SocketGreeting() {}

    /**
     * Sends a line with a port, and returns the port of the line that the other process sends, for which it waits as long as the socket is open.
     * Reads and writes nothing else.
     */
    static String exchange(final Socket socket, final String port) {
        if (socket == null || !socket.isConnected() || socket.isClosed()) {
            // Cause: `join` needs a connected socket. Remedy: connect it before.
            throw new MpiFailure(ErrorClass.ARG, "socket is not connected: socket=" + socket);
        }
        try {
            socket.getOutputStream().write((PREFIX + Meeting.VERSION + " " + port + "\n").getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();
            return parse(readLine(socket), socket);
        } catch (final IOException | IllegalBlockingModeException e) {
            // Cause: the socket failed, or was closed. Remedy: the reason is in the message.
            throw new MpiFailure(ErrorClass.OTHER, "cannot join over the socket: " + e + ": socket=" + socket, e);
        }
    }

    private static String readLine(final Socket socket) throws IOException {
        final int before = socket.getSoTimeout();
        final StringBuilder line = new StringBuilder();
        try {
            socket.setSoTimeout(0);
            while (line.length() < MAX) {
                final int next = socket.getInputStream().read();
                if (next < 0) {
                    throw new EOFException("the other side has closed it");
                }
                if (next == '\n') {
                    return line.toString();
                }
                line.append((char) next);
            }
            return line.toString();
        } finally {
            socket.setSoTimeout(before);
        }
    }

    private static String parse(final String line, final Socket socket) {
        if (!line.startsWith(PREFIX)) {
            // Cause: the socket has unread data. Remedy: read them before `join`.
            throw new MpiFailure(ErrorClass.OTHER, "the other side of the socket sent data before it called join: socket=" + socket);
        }
        final String[] fields = line.substring(PREFIX.length()).split(" ", 2);
        if (!fields[0].equals(Integer.toString(Meeting.VERSION)) || fields.length < 2) {
            throw new MpiFailure(ErrorClass.OTHER, "the other side of the socket has version " + fields[0] + ", this job " + Meeting.VERSION
                + "; use the same release for both jobs");
        }
        return fields[1];
    }
}
