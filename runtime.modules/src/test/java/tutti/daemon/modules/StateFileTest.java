package tutti.daemon.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Version;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.LogLines;

/** Tests that the state file of a store is replaced atomically. */
class StateFileTest {
    private static final StoreState OLD = StoreState.empty().withActive(new ModuleId("ring", new Version(1, 0, 0), "ab"), Path.of("/old.jar"));
    private static final StoreState NEW = OLD.withActive(new ModuleId("ring", new Version(1, 1, 0), "cd"), Path.of("/new.jar"));

    @TempDir
    private Path dir;
    @RegisterExtension
    private final LogLines log = new LogLines(StateFile.class);

    private StateFile file() throws IOException {
        return new StateFile(dir, StateFile.Steps.ON_DISK);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldHoldTheOldOrTheNewStateWheneverAStepFails() throws IOException {
        final List<String> steps = new ArrayList<>();
        file().replace(OLD);
        new StateFile(dir, steps::add).replace(NEW);
        assertEquals(List.of("write modules.json.next", "rename modules.json.next", "force folder after modules.json.next"), steps);
        for (final String failing : steps) {
            file().replace(OLD);
            final IOException e = assertThrows(IOException.class, () -> new StateFile(dir, step -> {
                if (step.equals(failing)) {
                    throw new IOException("No space left on device");
                }
            }).replace(NEW));
            assertTrue(e.getMessage().startsWith("state of the modules cannot be written: file=" + dir.resolve("modules.json")), e.getMessage());
            assertTrue(e.getMessage().endsWith("No space left on device"), e.getMessage());
            assertEquals(failing.startsWith("force") ? NEW : OLD, file().get());
        }
    }

    @Test
    void shouldSayThatAFileOfAChangeCannotBeDeleted() throws IOException {
        final Path next = dir.resolve("modules.json.next");
        Files.createDirectories(next.resolve("full"));
        final IOException e = assertThrows(IOException.class, () -> file().replace(NEW));
        assertTrue(e.getMessage().startsWith("state of the modules cannot be written: file=" + next), e.getMessage());
        log.assertLine("file of a change cannot be deleted: " + next);
    }

    @Test
    void shouldNeedNoSpaceForAStateThatIsReserved() throws IOException {
        file().replace(OLD);
        final List<String> steps = new ArrayList<>();
        final StateFile file = new StateFile(dir, steps::add);
        file.begin(OLD, NEW, StoreState.empty());
        assertEquals(OLD, file().get());
        steps.clear();
        file.replace(NEW);
        assertTrue(steps.stream().noneMatch(s -> s.startsWith("write")), steps::toString);
        assertEquals(NEW, file().get());
        file.release();
        assertEquals(List.of("modules.json"), names());
    }

    @Test
    void shouldKeepTheRecordOfAChange() throws IOException {
        final UnfinishedChange change = new UnfinishedChange("a-1", List.of("a", "b"), ChangePhase.PREPARED, OLD, NEW, NEW);
        final StoreState open = OLD.in(change.in(ChangePhase.COMMITTED));
        file().replace(open);
        assertEquals(open, file().get());
        assertEquals(NEW.modules(), open.modules());
        assertEquals(OLD, open.undone(change));
        StoreState state = open.finished(change);
        assertEquals(List.of("a-1"), state.finished());
        for (int i = 2; i < 100; i++) {
            state = state.finished(new UnfinishedChange("a-" + i, List.of("a"), ChangePhase.COMMITTED, OLD, NEW, NEW));
        }
        assertEquals(64, state.finished().size());
        assertEquals("a-99", state.finished().getLast());
    }

    @Test
    void shouldReadAStateOfAReleaseWithoutRecords() throws IOException {
        Files.writeString(dir.resolve("modules.json"), "{\"modules\":[],\"removed\":[]}");
        assertEquals(StoreState.empty(), file().get());
    }
}
