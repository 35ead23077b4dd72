package tutti.daemon.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import tutti.coll.CollModule;
import tutti.coll.QueryResult;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.LogLines;
import tutti.runtime.registry.Lease;
import tutti.runtime.registry.ModuleRegistry;

/** Tests what a node says of services that are no modules, and of modules that go away while a job starts. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ModuleServicesTest {
    @RegisterExtension
    private final LogLines log = new LogLines(ModuleRegistry.class);
    @TempDir
    private Path dir;
    private Framework framework;
    private ModuleRegistry registry;

    @BeforeEach
    void start() throws Exception {
        framework = ServiceLoader.load(FrameworkFactory.class).findFirst().orElseThrow().newFramework(Map.of(Constants.FRAMEWORK_STORAGE,
            dir.resolve("container").toString(), Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, "tutti.coll"));
        framework.start();
        registry = new ModuleRegistry(framework.getBundleContext());
    }

    @AfterEach
    void stop() throws Exception {
        framework.stop();
        framework.waitForStop(0);
    }

    @Test
    void shouldIgnoreAServiceWithoutThePropertiesOfAModule() {
        final CollModule nameless = comm -> new QueryResult.Declined("it has no name");
        framework.getBundleContext().registerService(CollModule.class, nameless, null);
        log.assertLine("service of bundle org.apache.felix.framework [0] is not a module: ");
        assertEquals(List.of(), registry.catalogue().modules());
    }

    @Test
    void shouldLeaveOutAModuleThatStopsWhileAJobStarts() throws Exception {
        final Bundle bundle = framework.getBundleContext().installBundle(ChangeNode.bundle(dir, "1.0.0").toUri().toString());
        bundle.start();
        final List<ModuleId> modules = registry.catalogue().modules();
        assertEquals(List.of("probe"), modules.stream().map(ModuleId::name).toList());
        try (Lease lease = registry.lease()) {
            bundle.stop();
            assertEquals(modules, lease.keep(modules, List.of()).stream().map(m -> m.id()).toList());
        }
        log.assertLine("module is left out of a job: ");
    }

    @Test
    void shouldKnowTheBundleOfAModuleThatAJobUsesAfterItIsRetired() throws Exception {
        final Bundle bundle = framework.getBundleContext().installBundle(ChangeNode.bundle(dir, "1.0.0").toUri().toString());
        bundle.start();
        final ModuleId module = registry.catalogue().modules().getFirst();
        try (Lease lease = registry.lease()) {
            assertFalse(registry.retire(bundle).toCompletableFuture().isDone());
            assertEquals(List.of(module), lease.catalogue().modules());
            assertNull(registry.bundleOf(module));
            assertEquals(bundle, registry.installed(module));
        }
        bundle.uninstall();
        assertNull(registry.installed(module));
    }
}
