package tutti.daemon.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;

/** Tests of addresses, names, files and texts from users and peers. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ValuesTest {
    private static final int ROUNDS = 100;

    @ParameterizedTest
    @CsvSource({"localhost:7001, localhost, 7001", "[::1]:0, ::1, 0", "10.0.0.1:65535, 10.0.0.1, 65535"})
    void shouldReadAddressesAndWriteThemTheSameWay(final String text, final String host, final int port) {
        assertEquals(new HostPort(host, port), HostPort.parse(text));
        assertEquals(text, HostPort.parse(text).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", "h", "h:", ":1", "h:x", "h:-1", "h:65536", "::1:80", "[]:80", " :1", "h:99999999999"})
    void shouldRefuseInvalidAddresses(final String text) {
        assertFalse(assertThrows(IllegalArgumentException.class, () -> HostPort.parse(text)).getMessage().isBlank());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "-a", "_a", "a/b", "a b", "a\n", "\u00e9"})
    void shouldRefuseNodeNamesThatAreNoFileNames(final String name) {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> NodeInfo.checkName(name)).getMessage().startsWith("not a node name: "));
    }

    @Test
    void shouldAcceptNodeNamesOfUpTo63Characters() {
        assertEquals("n".repeat(63), NodeInfo.checkName("n".repeat(63)));
        assertThrows(IllegalArgumentException.class, () -> NodeInfo.checkName("n".repeat(64)));
        assertThrows(IllegalArgumentException.class, () -> NodeInfo.checkName(null));
    }

    @Test
    void shouldRefuseProgramsOfTooManyFilesOrBytes() {
        final ProgramFile small = new ProgramFile("f", 0, "0".repeat(64));
        final ProgramFile half = new ProgramFile("f", Protocol.MAX_PROGRAM / 2 + 1, "0".repeat(64));
        assertEquals(Protocol.MAX_FILES, ProgramFile.check(Collections.nCopies(Protocol.MAX_FILES, small)).size());
        assertEquals("too many program files: files=1025, max=1024", assertThrows(IllegalArgumentException.class,
            () -> ProgramFile.check(Collections.nCopies(Protocol.MAX_FILES + 1, small))).getMessage());
        assertEquals("program too large: bytes=2147483650, max=2147483648", assertThrows(IllegalArgumentException.class,
            () -> ProgramFile.check(List.of(half, half))).getMessage());
        assertThrows(IllegalArgumentException.class, () -> new ProgramFile("", 0, "0".repeat(64)));
        assertThrows(IllegalArgumentException.class, () -> new ProgramFile("f", 0, "0".repeat(63)));
        for (final String name : List.of("..", ".", "../f", "a/b", "a\\b", "/etc/passwd", "a\0b")) {
            assertThrows(IllegalArgumentException.class, () -> new ProgramFile(name, 0, "0".repeat(64)).asStaged(), name);
        }
        assertEquals("two staged files have the same name: file=f", assertThrows(IllegalArgumentException.class,
            () -> ProgramFile.check(List.of(small, small.asStaged(), small.asStaged()))).getMessage());
    }

    @Test
    void shouldReportFailuresInOneShortLine() {
        assertEquals("first", Protocol.oneLine(new CompletionException(new ExecutionException(new IOException("first\nsecond")))));
        assertEquals("IOException", Protocol.oneLine(new IOException()));
        assertEquals("IOException", Protocol.oneLine(new IOException(" \n ")));
        assertEquals("x".repeat(500) + "... (1 more characters)", Protocol.oneLine(new IOException("x".repeat(501))));
        assertEquals("second", Protocol.oneLine(new IOException("\nsecond")));
    }

    @Test
    void shouldDeleteFoldersButNotTheTargetsOfLinksInThem(@TempDir final Path dir) throws IOException {
        final Path kept = Files.write(Files.createDirectories(dir.resolve("kept")).resolve("file"), new byte[1]);
        final Path folder = Files.createDirectories(dir.resolve("folder/sub/sub"));
        Files.write(folder.resolve("file"), new byte[1]);
        Files.createSymbolicLink(folder.resolve("link"), kept.getParent());
        TempFolders.delete(dir.resolve("folder"));
        assertFalse(Files.exists(dir.resolve("folder")));
        assertTrue(Files.exists(kept));
        TempFolders.delete(dir.resolve("folder"));
    }

    @Test
    void shouldDeleteFoldersThatAnotherThreadDeletesAtTheSameTime(@TempDir final Path dir) throws Exception {
        final CyclicBarrier together = new CyclicBarrier(2);
        final Path folder = dir.resolve("folder");
        final FutureTask<Void> other = new FutureTask<>(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                together.await();
                TempFolders.delete(folder);
                together.await();
            }
            return null;
        });
        Thread.ofPlatform().daemon().start(other);
        for (int i = 0; i < ROUNDS; i++) {
            for (int f = 0; f < 10; f++) {
                Files.write(Files.createDirectories(folder.resolve(f + "/sub")).resolve("file"), new byte[1]);
            }
            together.await(60, TimeUnit.SECONDS);
            TempFolders.delete(folder);
            together.await(60, TimeUnit.SECONDS);
            assertFalse(Files.exists(folder));
        }
        other.get(60, TimeUnit.SECONDS);
    }
}
