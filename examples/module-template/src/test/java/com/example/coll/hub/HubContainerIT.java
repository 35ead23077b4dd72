package com.example.coll.hub;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.ops4j.pax.exam.CoreOptions.options;
import static org.ops4j.pax.exam.CoreOptions.workingDirectory;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.ops4j.pax.exam.nat.internal.NativeTestContainer;
import org.ops4j.pax.exam.nat.internal.NativeTestContainerFactory;
import org.ops4j.pax.exam.spi.PaxExamRuntime;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.util.tracker.ServiceTracker;
import tutti.testing.TuttiOptions;

/** Starts the bundle in a container of Pax Exam, with a node of Tutti. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HubContainerIT {
    @TempDir
    private Path folder;

    @Test
    void shouldBeAServiceBesideANode() throws Exception {
        final NativeTestContainer container = (NativeTestContainer) PaxExamRuntime.getTestContainerFactory(NativeTestContainerFactory.class)
            .create(PaxExamRuntime.createServerSystem(options(workingDirectory(folder.resolve("exam").toString()),
                TuttiOptions.node("a", folder.resolve("node")), TuttiOptions.module(Path.of("target/com.example.coll.hub.jar")))))[0];
        container.start();
        try {
            final BundleContext context = container.getSystemBundle().getBundleContext();
            assertService(context, "(tutti.node.address=*)");
            assertService(context, "(objectClass=tutti.coll.CollModule)");
            assertService(context, "(component.name=" + HubModule.class.getName() + ")");
        } finally {
            container.stop();
        }
    }

    private static void assertService(final BundleContext context, final String filter) throws Exception {
        final ServiceTracker<Object, Object> service = new ServiceTracker<>(context, FrameworkUtil.createFilter(filter), null);
        service.open(true);
        try {
            assertNotNull(service.waitForService(60_000), filter);
        } finally {
            service.close();
        }
    }
}
