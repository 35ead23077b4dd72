package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;

/** Tests all bundles in one Felix container: they resolve, and their services are registered and unregistered with their bundles. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ContainerIT {
    @TempDir
    private Path dir;
    private NativeNode node;
    private BundleContext context;

    @BeforeEach
    void start() throws Exception {
        node = new NativeNode(dir);
        context = node.context();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private boolean hasService(final String service, final String filter) {
        try {
            return context.getAllServiceReferences(service, filter) != null;
        } catch (final InvalidSyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private Bundle bundleOf(final String name) {
        return Arrays.stream(context.getBundles()).filter(b -> name.equals(b.getSymbolicName())).findFirst().orElseThrow();
    }

    @Test
    void shouldResolveAllBundlesAndOfferTheirServices() {
        for (final Bundle b : context.getBundles()) {
            if (String.valueOf(b.getSymbolicName()).startsWith("tutti.")) {
                assertEquals(Bundle.ACTIVE, b.getState(), b.getSymbolicName());
            }
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> hasService("tutti.coll.CollModule", "(coll.name=basic)")
            && hasService("tutti.runtime.transport.Transport", "(transport.scheme=tcp)") && hasService("tutti.runtime.job.JobHost", null)
            && hasService("tutti.runtime.process.owner.RankClasses", null));
    }

    @Test
    void shouldRegisterAndUnregisterAModuleWithItsBundle() throws Exception {
        await().atMost(Duration.ofSeconds(60)).until(() -> hasService("tutti.coll.CollModule", "(coll.name=basic)"));
        bundleOf("tutti.coll.basic").stop();
        assertTrue(!hasService("tutti.coll.CollModule", "(coll.name=basic)"));
        bundleOf("tutti.coll.basic").start();
        await().atMost(Duration.ofSeconds(60)).until(() -> hasService("tutti.coll.CollModule", "(coll.name=basic)"));
        assertEquals(Bundle.ACTIVE, bundleOf("tutti.runtime.core").getState());
    }

    @Test
    void shouldHaveNeitherAConsoleNorALoadFolderByDefault() {
        assertEquals(List.of(), Arrays.stream(context.getBundles()).map(b -> String.valueOf(b.getSymbolicName()))
            .filter(n -> n.contains("gogo") || n.contains("fileinstall")).toList());
    }

    @Test
    void shouldBecomeANodeWithoutALauncher() throws Exception {
        final String address = node.awaitAddress();
        assertTrue(address.matches("127\\.0\\.0\\.1:[1-9][0-9]*"), address);
    }

    @Test
    void shouldStopTheContainerWhenTheNodeIsStopped() throws Exception {
        final String address = node.awaitAddress();
        assertEquals(0, CommandInJvm.run("stop", "--connect", address).status());
        await().atMost(Duration.ofSeconds(60)).until(() -> node.state() == Bundle.RESOLVED);
    }
}
