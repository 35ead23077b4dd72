package tutti.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Files for the output of the ranks of a job, one per rank: {@code PREFIX.RANK}. A bounded number of them is open at a time, those that were written
 * last. For one thread at a time.
 */
final class RankFiles implements AutoCloseable {
    private static final int MAX_OPEN = 256;

    private final Path prefix;
    private final Map<Integer, OutputStream> open = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(final Map.Entry<Integer, OutputStream> eldest) {
            if (size() > MAX_OPEN) {
                closeFile(eldest.getValue());
                return true;
            }
            return false;
        }
    };

    RankFiles(final Path prefix) {
        this.prefix = prefix;
    }

    /** Creates empty files for all ranks, and the folders that are missing for them. */
    void create(final int ranks) throws IOException {
        OutputFile.withFolder(prefix);
        for (int rank = 0; rank < ranks; rank++) {
            Files.write(file(rank), new byte[0]);
        }
    }

    /** Appends output of a rank to its file. */
    void write(final int rank, final byte[] bytes) throws IOException {
        OutputStream file = open.get(rank);
        if (file == null) {
            file = Files.newOutputStream(file(rank), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            open.put(rank, file);
        }
        file.write(bytes);
    }

    private Path file(final int rank) {
        return Path.of(prefix + "." + rank);
    }

    private static void closeFile(final OutputStream file) {
        try {
            file.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        open.values().forEach(RankFiles::closeFile);
        open.clear();
    }
}
