package tutti.daemon.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;

/** Tests of programs that travel as a stream, complete or not. */
class ProgramFilesTest {
    @TempDir
    private Path dir;

    private Path file(final String name, final int bytes) throws IOException {
        final byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return Files.write(dir.resolve(name), content);
    }

    private static List<ProgramFile> describe(final List<Path> files) throws IOException {
        final List<ProgramFile> described = new ArrayList<>();
        for (final Path file : files) {
            described.add(ProgramFiles.describe(file));
        }
        return described;
    }

    private List<Path> store(final List<ProgramFile> files, final InputStream from) throws IOException {
        return ProgramFiles.store(files, from, dir.resolve("stored"));
    }

    private String refusal(final List<ProgramFile> files, final InputStream from) {
        return assertThrows(IOException.class, () -> store(files, from)).getMessage();
    }

    @Test
    void shouldStoreFilesInClassPathOrderUnderTheirNames() throws Exception {
        final Path a = file("a.jar", 10);
        final Path empty = file("empty.jar", 0);
        final Path large = file("b.jar", 3 * Protocol.CHUNK + 1);
        final List<Path> files = List.of(a, empty, large, a, empty);
        final List<Path> stored = store(describe(files), ProgramFiles.stream(files));
        assertEquals(Stream.of("0/a.jar", "1/empty.jar", "2/b.jar", "3/a.jar", "4/empty.jar").map(dir.resolve("stored")::resolve).toList(), stored);
        for (int i = 0; i < files.size(); i++) {
            assertEquals(-1, Files.mismatch(files.get(i), stored.get(i)));
        }
    }

    @Test
    void shouldStoreStagedFilesUnderTheirNamesInAFolderOfTheirs() throws Exception {
        final Path jar = file("a.jar", 10);
        final Path data = file("grid data.txt", 7);
        final List<Path> stored = store(List.of(ProgramFiles.describe(jar), ProgramFiles.describe(data).asStaged()),
            ProgramFiles.stream(List.of(jar, data)));
        assertEquals(List.of(dir.resolve("stored/0/a.jar"), dir.resolve("stored/files/grid data.txt")), stored);
        assertEquals(-1, Files.mismatch(data, stored.get(1)));
    }

    @Test
    void shouldReadNothingForAProgramWithoutFiles() throws Exception {
        assertEquals(List.of(), store(List.of(), new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("was read");
            }
        }));
    }

    @Test
    void shouldRefuseNamesWithFolders() {
        for (final String name : List.of("../../a.jar", "..", ".", "a\\b", "a\nb")) {
            assertThrows(IllegalArgumentException.class, () -> new ProgramFile(name, 1, "0".repeat(64)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, Protocol.CHUNK - 1, Protocol.CHUNK, Protocol.CHUNK + 1, 40_000})
    void shouldReadFilesOneAfterTheOther(final int bytes) throws Exception {
        final Path first = file("a.jar", bytes);
        final Path second = file("b.jar", 5);
        final ByteArrayOutputStream expected = new ByteArrayOutputStream();
        expected.write(Files.readAllBytes(first));
        expected.write(Files.readAllBytes(second));
        expected.write(Files.readAllBytes(first));
        try (InputStream in = ProgramFiles.stream(List.of(first, second, first))) {
            assertArrayEquals(expected.toByteArray(), in.readAllBytes());
            assertEquals(-1, in.read());
        }
    }

    @Test
    void shouldOpenAFileWhenItIsRead() throws Exception {
        final Path first = file("a.jar", 1);
        final Path second = dir.resolve("b.jar");
        try (InputStream in = ProgramFiles.stream(List.of(first, second))) {
            assertEquals(1, in.readNBytes(1).length);
            Files.write(second, new byte[] {7});
            assertArrayEquals(new byte[] {7}, in.readAllBytes());
        }
    }

    @Test
    void shouldSayThatAFileHasVanished() throws Exception {
        final List<Path> files = List.of(file("a.jar", 3), file("b.jar", 5));
        final List<ProgramFile> described = describe(files);
        Files.delete(files.get(1));
        try (InputStream in = ProgramFiles.stream(files)) {
            assertEquals(3, in.readNBytes(3).length);
            assertThrows(NoSuchFileException.class, in::read);
        }
        try (InputStream in = ProgramFiles.stream(files)) {
            assertEquals("program did not arrive whole: file=b.jar, missing=5 bytes, reason=" + files.get(1) + " (NoSuchFile)",
                refusal(described, in));
        }
    }

    @Test
    void shouldRefuseAFileWithAnotherDigestAndNameIt() {
        final String damaged = refusal(List.of(new ProgramFile("app.jar", 3, "0".repeat(64))), new ByteArrayInputStream(new byte[3]));
        assertTrue(damaged.startsWith("program arrived damaged: file=app.jar, sha256=709e80c884"), damaged);
    }

    @Test
    void shouldRefuseAProgramThatIsLongerThanItsFiles() throws Exception {
        final List<Path> files = List.of(file("a.jar", 3), file("b.jar", 5));
        assertEquals("program is longer than its files: last=b.jar", refusal(describe(files),
            new SequenceInputStream(ProgramFiles.stream(files), new ByteArrayInputStream(new byte[1]))));
    }

    @Test
    void shouldRefuseAProgramThatIsShorterThanItsFiles() throws Exception {
        final List<Path> files = List.of(file("a.jar", 3), file("b.jar", 5));
        final byte[] all = ProgramFiles.stream(files).readAllBytes();
        assertEquals("program did not arrive whole: file=a.jar, missing=1 bytes",
            refusal(describe(files), new ByteArrayInputStream(Arrays.copyOf(all, 2))));
        assertEquals("program did not arrive whole: file=b.jar, missing=5 bytes",
            refusal(describe(files), new ByteArrayInputStream(Arrays.copyOf(all, 3))));
        assertEquals("program did not arrive whole: file=b.jar, missing=1 bytes",
            refusal(describe(files), new ByteArrayInputStream(Arrays.copyOf(all, 7))));
    }

    @Test
    void shouldSayWhyAStreamBreaks() {
        final InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("closed");
            }
        };
        assertEquals("program did not arrive whole: file=app.jar, missing=3 bytes, reason=closed",
            refusal(List.of(new ProgramFile("app.jar", 3, "0".repeat(64))), broken));
    }

    @Test
    void shouldReadNoByteAfterAFile() throws Exception {
        final List<Path> files = List.of(file("a.jar", 2 * Protocol.CHUNK + 3), file("b.jar", 5));
        final Path to = dir.resolve("stored.jar");
        try (InputStream both = ProgramFiles.stream(files)) {
            for (final Path file : files) {
                ProgramFiles.store(ProgramFiles.describe(file), both, to);
                assertEquals(-1, Files.mismatch(file, to));
            }
            assertEquals(-1, both.read());
        }
    }

    @Test
    void shouldSayThatAFileCannotBeWrittenAndWhere() {
        final ProgramFile wanted = new ProgramFile("app.jar", 3, "0".repeat(64));
        final String message = assertThrows(IOException.class,
            () -> ProgramFiles.store(wanted, new ByteArrayInputStream(new byte[3]), dir.resolve("none/app.jar"))).getMessage();
        assertTrue(message.startsWith("program cannot be stored: file=app.jar, folder=" + dir.resolve("none") + ", reason="), message);
    }
}
