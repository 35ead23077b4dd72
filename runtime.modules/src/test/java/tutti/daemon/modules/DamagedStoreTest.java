package tutti.daemon.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.process.LogLines;

class DamagedStoreTest {
    @TempDir
    private Path dir;
    @RegisterExtension
    private final LogLines log = new LogLines(StateFile.class);

    private Path state() throws IOException {
        return Files.createDirectories(dir.resolve("modules")).resolve("modules.json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "null", "{}", "[]", "garbage", "{\"modules\":[{\"id\":", "{\"modules\":[null],\"removed\":[]}"})
    void shouldSetADamagedFileAsideAndBeginWithoutModules(final String content) throws IOException {
        final Path file = Files.writeString(state(), content);
        final ModuleStore store = ModuleStores.without(dir);
        assertTrue(store.isLost());
        assertTrue(Files.notExists(file));
        log.assertLine("module store is damaged: file=" + file);
        final String end = "; it is set aside as modules.json.damaged, and modules that the other nodes have are fetched from them";
        assertTrue(log.lines().getFirst().endsWith(end), log.lines()::toString);
        assertEquals(content, Files.readString(file.resolveSibling("modules.json.damaged")));
    }

    @Test
    void shouldBeginAgainAfterTheDamagedFileWasSetAside() throws IOException {
        Files.writeString(state(), "{");
        assertTrue(ModuleStores.without(dir).isLost());
        assertFalse(ModuleStores.without(dir).isLost());
    }

    @Test
    void shouldReadAStateThatIsNotDamaged() throws IOException {
        new StateFile(Files.createDirectories(dir.resolve("modules")), StateFile.Steps.ON_DISK).replace(StoreState.empty());
        assertFalse(ModuleStores.without(dir).isLost());
    }
}
