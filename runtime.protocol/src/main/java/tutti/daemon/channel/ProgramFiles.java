package tutti.daemon.channel;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;

/** The files of a program, or of a change of modules: their descriptions, their bytes as one stream, and how a node stores that. */
public final class ProgramFiles {
    /** Folder of the files that the program reads; those of jars have numbers. */
    private static final String STAGED = "files";

    private ProgramFiles() {}

    /** Returns the name, length and digest of a file. */
    public static ProgramFile describe(final Path file) throws IOException {
        final MessageDigest digest = sha256();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            final long bytes = in.transferTo(OutputStream.nullOutputStream());
            return new ProgramFile(file.getFileName().toString(), bytes, hex(digest));
        }
    }

    /** Returns the bytes of files, one after the other. Each is opened when it is read. */
    public static InputStream stream(final Collection<Path> files) {
        return new FileStream(files);
    }

    /**
     * Writes the files of a program into a folder, as their bytes come, under their names: each jar in a folder of its own, staged files in one of
     * theirs. Blocks.
     *
     * @param from their bytes, one after the other; must end with them
     * @return where they are
     */
    public static List<Path> store(final List<ProgramFile> files, final InputStream from, final Path folder) throws IOException {
        Files.createDirectories(folder);
        final List<Path> paths = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            paths.add(Files.createDirectories(folder.resolve(files.get(i).staged() ? STAGED : Integer.toString(i))).resolve(files.get(i).name()));
            store(files.get(i), from, paths.get(i));
        }
        if (!files.isEmpty() && from.read() >= 0) {
            // Cause: the file was changed while it was sent. Remedy: run it again.
            throw new IOException("program is longer than its files: last=" + files.getLast().name());
        }
        return paths;
    }

    /**
     * Writes a file whose bytes come next in a stream, and verifies its length and digest. Reads no byte more. Blocks.
     *
     * @param to where it is written; its folder exists
     */
    public static void store(final ProgramFile file, final InputStream from, final Path to) throws IOException {
        final MessageDigest digest = sha256();
        final byte[] buffer = new byte[Protocol.CHUNK];
        try (OutputStream out = create(file, to)) {
            long left = file.bytes();
            while (left > 0) {
                final int bytes = read(file, from, buffer, left);
                write(buffer, bytes, out, file, to.getParent());
                digest.update(buffer, 0, bytes);
                left -= bytes;
            }
        }
        final String hex = hex(digest);
        if (!hex.equals(file.sha256())) {
            // Cause: the file was changed while it was sent. Remedy: run it again.
            throw new IOException("program arrived damaged: file=" + file.name() + ", sha256=" + hex + ", expected=" + file.sha256());
        }
    }

    private static OutputStream create(final ProgramFile file, final Path to) throws IOException {
        try {
            return Files.newOutputStream(to);
        } catch (final IOException e) {
            throw notStored(file, to.getParent(), e);
        }
    }

    private static void write(final byte[] bytes, final int length, final OutputStream to, final ProgramFile file, final @Nullable Path folder)
        throws IOException {
        try {
            to.write(bytes, 0, length);
        } catch (final IOException e) {
            throw notStored(file, folder, e);
        }
    }

    private static IOException notStored(final ProgramFile file, final @Nullable Path folder, final IOException cause) {
        return new IOException("program cannot be stored: file=" + file.name() + ", folder=" + folder + ", reason=" + Protocol.oneLine(cause)
            + "; make room there, or start the node with another --dir", cause);
    }

    private static int read(final ProgramFile file, final InputStream from, final byte[] buffer, final long left) throws IOException {
        // Cause: the link broke, or the file cannot be read where it comes from or has become shorter. Remedy: as the reason says.
        final String missing = "program did not arrive whole: file=" + file.name() + ", missing=" + left + " bytes";
        final int bytes;
        try {
            bytes = from.read(buffer, 0, (int) Math.min(buffer.length, left));
        } catch (final IOException e) {
            throw new IOException(missing + ", reason=" + Protocol.oneLine(e), e);
        }
        if (bytes < 0) {
            throw new IOException(missing);
        }
        return bytes;
    }

    /** Returns a new SHA-256 digest. */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            // Cause: the JDK lacks what each has. Remedy: another JDK.
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Returns the digest's value in hex. */
    public static String hex(final MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The bytes of files, one after the other. */
    private static final class FileStream extends InputStream {
        private final Queue<Path> files;
        private InputStream current = InputStream.nullInputStream();

        FileStream(final Collection<Path> files) {
            this.files = new ArrayDeque<>(files);
        }

        @Override
        public int read() throws IOException {
            final byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(final byte[] to, final int offset, final int length) throws IOException {
            int bytes = current.read(to, offset, length);
            while (bytes < 0 && !files.isEmpty()) {
                current.close();
                current = Files.newInputStream(files.remove());
                bytes = current.read(to, offset, length);
            }
            return bytes;
        }

        @Override
        public void close() throws IOException {
            files.clear();
            current.close();
        }
    }
}
