package tutti.daemon.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of secrets, their files, and the roles that they give. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ClusterSecretTest {
    @TempDir
    private Path dir;

    @Test
    void shouldDeriveTheSecretsOfLowerRolesAlone() {
        final ClusterSecret node = ClusterSecret.random();
        final ClusterSecret run = node.derive(Role.RUN);
        assertEquals(Role.RUN, run.role());
        assertEquals(node.derive(Role.OBSERVE), run.derive(Role.OBSERVE));
        assertEquals(run, node.derive(Role.CHANGE).derive(Role.RUN));
        assertNotEquals(run.text().split(" ")[2], node.text().split(" ")[2]);
        assertEquals("a secret for role run does not give one for role change",
            assertThrows(IllegalArgumentException.class, () -> run.derive(Role.CHANGE)).getMessage());
        assertNotEquals(node, ClusterSecret.random());
        assertFalse(node.toString().contains(node.text().split(" ")[2]));
    }

    @Test
    void shouldDeriveATokenOfThePageForEachRoleFromTheSecretsOfHigherRoles() {
        final ClusterSecret node = ClusterSecret.random();
        final String observe = node.derive(Role.OBSERVE).pageToken();
        assertEquals(observe, node.derive(Role.RUN).derive(Role.OBSERVE).pageToken());
        assertTrue(observe.matches("[0-9a-f]{64}"), observe);
        assertEquals(3, Set.of(observe, node.derive(Role.RUN).pageToken(), node.derive(Role.CHANGE).pageToken()).size());
        assertFalse(node.derive(Role.OBSERVE).text().contains(observe));
        assertNotEquals(observe, ClusterSecret.random().derive(Role.OBSERVE).pageToken());
    }

    @Test
    void shouldWriteAFileThatOnlyItsOwnerCanReadAndReadItAgain() throws IOException {
        final ClusterSecret secret = ClusterSecret.random().derive(Role.CHANGE);
        final Path file = dir.resolve("a/b/change.secret");
        secret.write(file);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));
        assertEquals(secret, ClusterSecret.read(file));
        ClusterSecret.random().write(file);
        assertEquals(secret, ClusterSecret.read(file), "a file that exists is left as it is");
    }

    @Test
    void shouldMakeOneSecretWhenSeveralProcessesMakeIt() throws Exception {
        final Path file = dir.resolve("home/.tutti/secret");
        final Set<String> read = ConcurrentHashMap.newKeySet();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            final List<Callable<Boolean>> all = IntStream.range(0, 32)
                .mapToObj(i -> (Callable<Boolean>) () -> read.add(ClusterSecret.readOrMake(file).text())).toList();
            for (final Future<Boolean> f : threads.invokeAll(all)) {
                f.get();
            }
        }
        assertEquals(1, read.size());
        try (var files = Files.list(file.getParent())) {
            assertEquals(List.of(file), files.toList());
        }
    }

    @Test
    void shouldRefuseAFileThatOthersCanReadAndSayHowToChangeIt() throws IOException {
        final Path file = dir.resolve("secret");
        ClusterSecret.random().write(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertEquals(
            "other users have access to a secret: file=" + file + ", permissions=rw-r--r--; make a new one, or take the access away: chmod 600 "
                + file,
            assertThrows(IOException.class, () -> ClusterSecret.read(file)).getMessage());
        // as Kubernetes mounts it
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));
        assertEquals(Role.NODE, ClusterSecret.read(file).role());
    }

    @Test
    void shouldSayWhatToDoWhenAFileIsMissingOrCannotBeMade() throws IOException {
        final String remedy = "; set TUTTI_SECRET, or tutti.node.secret of a node, to a file with the secret of the cluster";
        final Path missing = dir.resolve("missing");
        assertEquals("secret cannot be read: file=" + missing + ", reason=NoSuchFile" + remedy,
            assertThrows(IOException.class, () -> ClusterSecret.read(missing)).getMessage());
        final Path inAFile = Files.createFile(dir.resolve("file")).resolve("secret");
        assertTrue(assertThrows(IOException.class, () -> ClusterSecret.readOrMake(inAFile)).getMessage().endsWith(remedy));
    }

    @Test
    void shouldRefuseTextThatIsNoSecretWithoutPrintingIt() throws IOException {
        final String hex = "0".repeat(64);
        for (final String bad : List.of("", "tutti-secret node", "tutti-secret node " + hex.substring(1), "tutti-secret node " + "g".repeat(64),
            "other node " + hex, "tutti-secret node " + hex + " more")) {
            final String message = assertThrows(IllegalArgumentException.class, () -> ClusterSecret.parse(bad)).getMessage();
            assertEquals("not a secret: expected one line 'tutti-secret ROLE HEX'", message);
        }
        assertTrue(assertThrows(IllegalArgumentException.class, () -> ClusterSecret.parse("tutti-secret root " + hex)).getMessage()
            .startsWith("no such role: name=root"));
        final Path file = dir.resolve("secret");
        Files.writeString(file, "x");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertTrue(assertThrows(IOException.class, () -> ClusterSecret.read(file)).getMessage().endsWith(", file=" + file));
    }
}
