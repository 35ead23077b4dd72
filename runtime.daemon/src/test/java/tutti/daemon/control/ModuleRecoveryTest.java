package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Version;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.modules.ModuleStores;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.LogLines;

/** Tests what a node says whose store was damaged, and to which the others do not send their modules. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ModuleRecoveryTest {
    @RegisterExtension
    private final LogLines log = new LogLines(ModuleRecovery.class);

    @Test
    void shouldSayWhatItCannotFetch(@TempDir final Path dir) throws Exception {
        Files.writeString(Files.createDirectories(dir.resolve("modules")).resolve("modules.json"), "{");
        final ModuleStore store = ModuleStores.without(dir);
        final ModuleId ring = new ModuleId("ring", new Version(1, 0, 0), "ab");
        new ModuleRecovery("a", store, new ModuleRecovery.Nodes() {
            @Override
            public Map<String, Catalogue> catalogues() {
                return Map.of("a", new Catalogue(1, List.of()), "b", new Catalogue(1, List.of(ring)));
            }

            @Override
            public String send(final String node, final ModuleId module) {
                return "no such module: ring 1.0.0";
            }
        }).start();
        log.awaitLine("node a could not fetch all modules of the other nodes; compare with: tutti modules, and install what is missing with: "
            + "tutti install FILE --node a");
        log.assertLine("module " + ring + " cannot be fetched: node=b, reason=no such module: ring 1.0.0");
        assertTrue(store.isLost());
    }
}
