package tutti.daemon.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that temporary folders of processes that were killed are deleted, and no others. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TempFoldersTest {
    @TempDir
    private Path parent;

    /** Makes a folder with a file, prints its name, and waits to be killed. */
    static final class Holder {
        private Holder() {}

        public static void main(final String[] args) throws Exception {
            final Path folder = TempFolders.create(Path.of(args[0]), "a");
            Files.writeString(folder.resolve("program.jar"), "classes");
            System.out.println(folder.getFileName());
            System.in.read();
        }
    }

    private List<String> folders() throws IOException {
        try (Stream<Path> all = Files.list(parent)) {
            return all.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldDeleteWhatAProcessHasLeftThatWasKilledAndNothingBefore() throws Exception {
        final Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp",
            System.getProperty("java.class.path"), Holder.class.getName(), parent.toString()).redirectError(Redirect.INHERIT).start();
        final String left;
        final Path own;
        try (BufferedReader lines = other.inputReader(StandardCharsets.UTF_8)) {
            left = lines.readLine();
            own = TempFolders.create(parent, "b");
            assertTrue(Files.exists(parent.resolve(left).resolve("program.jar")), "the process lives");
            TempFolders.delete(TempFolders.create(parent, "c"));
            assertEquals(Stream.of(left, own.getFileName().toString()).sorted().toList(), folders());
        } finally {
            other.destroyForcibly().waitFor();
        }
        TempFolders.delete(TempFolders.create(parent, "d"));
        assertEquals(List.of(own.getFileName().toString()), folders());
        TempFolders.delete(own);
        assertEquals(List.of(), folders());
    }

    @Test
    void shouldLeaveFoldersThatItDidNotMake() throws Exception {
        Files.createDirectories(parent.resolve("tutti-mine/work"));
        Files.createSymbolicLink(parent.resolve("tutti-link"), parent.resolve("tutti-mine"));
        Files.writeString(parent.resolve("tutti-file"), "");
        final Path own = TempFolders.create(parent, "b");
        assertFalse(own.equals(TempFolders.create(parent, "b")));
        assertEquals(5, folders().size());
        assertTrue(Files.exists(parent.resolve("tutti-mine/work")));
    }
}
