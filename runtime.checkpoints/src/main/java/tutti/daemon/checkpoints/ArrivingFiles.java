package tutti.daemon.checkpoints;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import tutti.daemon.protocol.Protocol;

/** Writes the files of a rank as their bytes arrive from another node, and verifies them. */
final class ArrivingFiles {
    private static final int BUFFER = 64 << 10;

    private ArrivingFiles() {}

    /** Receives the next bytes of a file. */
    @FunctionalInterface
    private interface Output {
        void write(byte[] bytes, int length) throws IOException;
    }

    /** Writes the state file, whose bytes come next. */
    static RankState state(final InputStream from, final long bytes, final RankWriter writer, final CheckpointFolder folder) throws IOException {
        folder.change();
        try (OutputStream out = Files.newOutputStream(writer.stateFile(), StandardOpenOption.CREATE_NEW)) {
            copy(from, bytes, (piece, length) -> out.write(piece, 0, length));
        }
        try {
            return RankState.read(writer.stateFile());
        } catch (final IOException e) {
            throw new IOException("state arrived damaged: " + Protocol.oneLine(e), e);
        }
    }

    /** Writes the file of a block, whose bytes come next. */
    static void block(final InputStream from, final RankState state, final RankState.BlockFile file, final RankWriter writer) throws IOException {
        final BlockSums sums = new BlockSums();
        try (RankWriter.Output out = writer.create(file)) {
            copy(from, state.bytes(file), (piece, length) -> {
                sums.update(piece, 0, length);
                out.write(ByteBuffer.wrap(piece, 0, length));
            });
            if (sums.value() != state.sum(file)) {
                throw new IOException("file arrived damaged: rank=" + state.header().rank() + ", file=" + file.name());
            }
            out.end();
        }
    }

    private static void copy(final InputStream from, final long bytes, final Output to) throws IOException {
        final byte[] buffer = new byte[BUFFER];
        long left = bytes;
        while (left > 0) {
            final int length = from.readNBytes(buffer, 0, (int) Math.min(buffer.length, left));
            if (length == 0) {
                throw new IOException("file did not arrive whole: missing=" + left + " bytes");
            }
            to.write(buffer, length);
            left -= length;
        }
    }
}
