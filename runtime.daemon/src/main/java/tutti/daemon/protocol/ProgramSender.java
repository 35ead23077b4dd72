package tutti.daemon.protocol;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Sends the files of a program over a channel, as fast as the peer stores them. */
public final class ProgramSender {
    private final ControlChannel channel;
    private final Credits credits = new Credits(Protocol.PROGRAM_WINDOW);

    /** Sends over that channel. */
    public ProgramSender(final ControlChannel channel) {
        this.channel = channel;
    }

    /** Reads and sends the files; blocks. Returns early when it was closed. */
    public void send(final List<Path> files) throws IOException, InterruptedException {
        for (int i = 0; i < files.size(); i++) {
            try (InputStream in = Files.newInputStream(files.get(i))) {
                byte[] chunk = in.readNBytes(Protocol.CHUNK);
                while (chunk.length > 0) {
                    if (!credits.acquire(chunk.length)) {
                        return;
                    }
                    channel.postProgram(i, chunk, chunk.length);
                    chunk = in.readNBytes(Protocol.CHUNK);
                }
            }
        }
    }

    /** The peer stored that many bytes. */
    public void credit(final int bytes) {
        credits.grant(bytes);
    }

    /** The link is gone, or nobody wants the program any more. */
    public void close() {
        credits.close();
    }

    /** Measures a file: length and digest. */
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

    /** A new digest. */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The digest's value in hex. */
    public static String hex(final MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }
}
