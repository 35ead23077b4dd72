package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.ops4j.pax.exam.CoreOptions.bundle;
import static org.ops4j.pax.exam.CoreOptions.composite;
import static org.ops4j.pax.exam.CoreOptions.frameworkProperty;
import static org.ops4j.pax.exam.CoreOptions.options;
import static org.ops4j.pax.exam.CoreOptions.systemPackage;
import static org.ops4j.pax.exam.CoreOptions.workingDirectory;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.nat.internal.NativeTestContainer;
import org.ops4j.pax.exam.nat.internal.NativeTestContainerFactory;
import org.ops4j.pax.exam.spi.PaxExamRuntime;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;

/** All bundles in one Felix container: they resolve, their services are there, and come and go with their bundles. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ContainerIT {
    @TempDir
    private Path dir;
    private NativeTestContainer container;
    private BundleContext context;

    @BeforeEach
    void start() throws Exception {
        final List<Option> bundles = new ArrayList<>();
        for (final Path jar : Home.bundles()) {
            bundles.add(bundle(jar.toUri().toString()));
        }
        container = (NativeTestContainer) PaxExamRuntime.getTestContainerFactory(NativeTestContainerFactory.class)
            .create(PaxExamRuntime.createServerSystem(options(workingDirectory(dir.resolve("exam").toString()), logging(), node(),
                composite(bundles.toArray(Option[]::new)))))[0];
        container.start();
        context = container.getSystemBundle().getBundleContext();
    }

    @AfterEach
    void stop() {
        container.stop();
    }

    /** slf4j of this JVM, seen by bundles through the system bundle. */
    private static Option logging() {
        return composite(systemPackage("org.slf4j;version=2.0.20"), systemPackage("org.slf4j.event;version=2.0.20"),
            systemPackage("org.slf4j.helpers;version=2.0.20"), systemPackage("org.slf4j.spi;version=2.0.20"),
            systemPackage("org.slf4j;version=1.7.36"), systemPackage("org.slf4j.helpers;version=1.7.36"));
    }

    private Option node() {
        return composite(frameworkProperty("tutti.node.name").value("n"), frameworkProperty("tutti.node.listen").value("127.0.0.1:0"),
            frameworkProperty("tutti.node.dir").value(dir.resolve("node").toString()));
    }

    private boolean has(final String service, final String filter) {
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
        await().atMost(Duration.ofSeconds(10)).until(() -> has("tutti.coll.CollModule", "(coll.name=basic)")
            && has("tutti.runtime.transport.Transport", "(transport.scheme=tcp)") && has("tutti.runtime.job.JobHost", null)
            && has("tutti.runtime.program.RankClasses", null));
    }

    @Test
    void shouldLetAModuleComeAndGoWithItsBundle() throws Exception {
        await().atMost(Duration.ofSeconds(10)).until(() -> has("tutti.coll.CollModule", null));
        bundleOf("tutti.coll.basic").stop();
        assertTrue(!has("tutti.coll.CollModule", null));
        bundleOf("tutti.coll.basic").start();
        await().atMost(Duration.ofSeconds(10)).until(() -> has("tutti.coll.CollModule", "(coll.name=basic)"));
        assertEquals(Bundle.ACTIVE, bundleOf("tutti.runtime.core").getState());
    }

    @Test
    void shouldBecomeANodeWhenALauncherIsThere() throws Exception {
        final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
        final Consumer<String> launcher = events::add;
        context.registerService(Consumer.class, launcher, FrameworkUtil.asDictionary(Map.of("tutti.launcher", true)));
        final String event = events.poll(20, TimeUnit.SECONDS);
        assertNotNull(event, "the node says nothing");
        assertTrue(event.matches("ready n 127\\.0\\.0\\.1:[1-9][0-9]*"), event);
    }
}
