package tutti.daemon.channel;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeoutException;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;

/** Sender of the files of a program over a channel, throttled by the credit that the peer returns. */
public final class ProgramSender {
    /** How long the peer may take to store what it was sent. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final ControlChannel channel;
    private final Credits credits = new Credits(Protocol.PROGRAM_CREDIT);

    /** Creates a sender for a channel. */
    public ProgramSender(final ControlChannel channel) {
        this.channel = channel;
    }

    /** Reads and sends the files. Blocks; returns early when the sender is closed. */
    public void send(final List<Path> files) throws IOException, InterruptedException {
        for (int i = 0; i < files.size(); i++) {
            try (InputStream in = Files.newInputStream(files.get(i))) {
                byte[] chunk = in.readNBytes(Protocol.CHUNK);
                while (chunk.length > 0) {
                    if (!acquire(files.get(i), chunk.length)) {
                        return;
                    }
                    channel.postProgram(i, chunk, chunk.length);
                    chunk = in.readNBytes(Protocol.CHUNK);
                }
            }
        }
    }

    private boolean acquire(final Path file, final int bytes) throws IOException, InterruptedException {
        try {
            return credits.acquire(bytes, LIMIT);
        } catch (final TimeoutException e) {
            throw new IOException("file is not taken by the node: file=" + file.getFileName() + ", limit=" + LIMIT.toSeconds() + " s", e);
        }
    }

    /** Adds credit for bytes that the peer has stored. */
    public void credit(final int bytes) {
        credits.grant(bytes);
    }

    /** Ends the sending: the link is closed, or the program is no longer needed. */
    public void close() {
        credits.close();
    }

    /** Returns the name, length and digest of a file. */
    public static ProgramFile describe(final Path file) throws IOException {
        final MessageDigest digest = sha256();
        long bytes = 0;
        try (InputStream in = Files.newInputStream(file)) {
            final byte[] buffer = new byte[1 << 16];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
                bytes += n;
            }
        }
        return new ProgramFile(file.getFileName().toString(), bytes, hex(digest));
    }

    /** Returns a new SHA-256 digest. */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Returns the digest's value in hex. */
    public static String hex(final MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }
}
