package tutti.junit.rank;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * How a test ended on a rank.
 *
 * @param rank    number of the rank
 * @param node    name of its node
 * @param text    the stack of what the test threw; empty when it passed
 * @param failure what the test threw, in the bytes of {@link Transfer}, as Base64; empty when it passed, or that cannot be serialized
 */
public record RankResult(int rank, String node, String text, String failure) implements Serializable {
    private static final String PREFIX = "rank-";

    /** Returns whether the test passed on the rank. */
    public boolean isPassed() {
        return text.isEmpty();
    }

    /** Returns the name of the file of a rank in the folder of a test. */
    static String file(final int rank) {
        return PREFIX + rank;
    }

    /** Writes the result to its file in the folder of a test, which appears with all of its content. */
    void store(final Path folder) throws IOException {
        final Path written = Files.write(folder.resolve("new-" + rank), Transfer.write(this));
        Files.move(written, folder.resolve(file(rank)), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Reads the result of a rank; null when the rank has stored none. */
    public static @Nullable RankResult read(final Path folder, final int rank) throws IOException, ClassNotFoundException {
        final Path file = folder.resolve(file(rank));
        return Files.exists(file) ? (RankResult) Transfer.read(Files.readAllBytes(file), RankResult.class.getClassLoader()) : null;
    }
}
