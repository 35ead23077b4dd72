package tutti.daemon.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of lists of files, also of those that change meanwhile. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FolderFilesTest {
    private static final int LISTS = 300;

    @TempDir
    private Path dir;

    @Test
    void shouldListRegularFilesSortedAndThoseThatLinksLeadTo() throws IOException {
        final Path below = Files.createDirectories(dir.resolve("b/c"));
        final Path one = Files.writeString(below.resolve("1"), "");
        final Path two = Files.writeString(dir.resolve("a"), "");
        final Path link = Files.createSymbolicLink(dir.resolve("link"), one);
        Files.createSymbolicLink(dir.resolve("leads nowhere"), dir.resolve("none"));
        Files.createSymbolicLink(dir.resolve("folder"), below);
        assertEquals(List.of(two, one, link), FolderFiles.of(dir));
    }

    @Test
    void shouldPassOverWhatIsDeletedMeanwhile() throws Exception {
        final Path kept = Files.writeString(dir.resolve("kept"), "");
        final Path folder = dir.resolve("folder");
        final AtomicBoolean isOver = new AtomicBoolean();
        final FutureTask<Void> changes = new FutureTask<>(() -> {
            while (!isOver.get()) {
                final Path file = Files.writeString(Files.createDirectories(folder.resolve("below")).resolve("file"), "");
                Files.delete(file);
                Files.delete(file.getParent());
                Files.delete(folder);
            }
            return null;
        });
        Thread.ofPlatform().daemon().start(changes);
        for (int i = 0; i < LISTS; i++) {
            assertTrue(FolderFiles.of(dir).contains(kept));
        }
        isOver.set(true);
        changes.get();
    }

    @Test
    void shouldTellOfAFolderThatIsMissing() {
        assertThrows(NoSuchFileException.class, () -> FolderFiles.of(dir.resolve("none")));
    }
}
