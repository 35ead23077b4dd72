package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;

/** Tests all bundles in one Felix container: they resolve, and their services are registered and unregistered with their bundles. */
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class ContainerIT {
    private static final String NODE_STATUS = "org.osgi.service.clusterinfo.NodeStatus";

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

    @Tag("nightly")
    @Test
    void shouldStopTheNodeWhileAServiceThatItUsesIsMissing() throws Exception {
        node.awaitAddress();
        for (final String used : List.of("tutti.runtime.membership.jgroups", "tutti.runtime.transport.mina")) {
            bundleOf(used).stop();
            assertTrue(!hasService("tutti.daemon.control.NodeService", null) && !hasService("tutti.daemon.cluster.ListeningNode", null), used);
            bundleOf(used).start();
            await().atMost(Duration.ofSeconds(60)).until(() -> hasService("tutti.daemon.control.NodeService", "(tutti.node.address=*)"));
            assertTrue(nodes(node.awaitAddress()).startsWith("n "), used);
        }
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
    void shouldStopTheNodeAloneAndStartItByAConfiguration() throws Exception {
        final String address = node.awaitAddress();
        assertEquals(0, CommandInJvm.run("stop", "--connect", address).status());
        await().atMost(Duration.ofSeconds(60)).until(() -> !hasService("tutti.daemon.control.NodeService", null));
        assertEquals(Bundle.ACTIVE, node.state());
        assertEquals(3, CommandInJvm.run("nodes", "--connect", address).status());

        node.configure(Map.of("name", "second", "listen", address));
        assertEquals(address, node.awaitAddress());
        assertTrue(nodes(address).startsWith("second "), nodes(address));
    }

    @Tag("nightly")
    @Test
    void shouldPublishTheNodesOfItsClusterAsServicesOfTheClusterInformationSpecification() throws Exception {
        final String address = node.awaitAddress();
        try (TuttiScript.Daemon other = new TuttiScript.Daemon(dir, "--name", "other", "--join", address)) {
            final String filter = "(&(osgi.clusterinfo.cluster=tutti)(osgi.clusterinfo.tags=other))";
            await().atMost(Duration.ofSeconds(60)).until(() -> hasService(NODE_STATUS, filter));
            final ServiceReference<?> status = context.getAllServiceReferences(NODE_STATUS, filter)[0];
            assertTrue(status.getProperty("osgi.clusterinfo.id").toString().matches("other-[0-9a-f]+"), status::toString);
            assertEquals(List.of("tutti://" + other.address), List.of((String[]) status.getProperty("osgi.clusterinfo.endpoint")));
            final Object metrics = status.getBundle().loadClass(NODE_STATUS).getMethod("getMetrics", String[].class)
                .invoke(context.getService(status), (Object) new String[] {"cores", "jobs"});
            assertEquals(Map.of("cores", 1, "jobs", 0), metrics);
            other.process.destroyForcibly();
            await().atMost(Duration.ofSeconds(60)).until(() -> !hasService(NODE_STATUS, filter));
        }
        assertEquals(1, context.getAllServiceReferences(NODE_STATUS, null).length);
    }

    @Tag("nightly")
    @Test
    void shouldRestartTheNodeWhenItsConfigurationChanges() throws Exception {
        final String first = node.awaitAddress();
        assertEquals(0, CommandInJvm.run("install", "--connect", first, new ModuleBundles(dir).hub("1.0.0").toString()).status());
        node.configure(Map.of("folder", dir.resolve("other").toString()));
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> !modules(node.awaitAddress()).contains("hub"));

        // back to the framework properties, with the node's first folder
        node.configure(Map.of());
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> modules(node.awaitAddress()).contains("hub"));

        node.configure(Map.of("listen", "nowhere"));
        await().atMost(Duration.ofSeconds(60)).until(() -> hasService(null, "(tutti.node.failure=bad value: tutti.node.listen=nowhere: *)"));
        node.configure(Map.of("name", "third"));
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> nodes(node.awaitAddress()).startsWith("third "));
    }

    @Tag("nightly")
    @Test
    void shouldRunJobsOnTwoFrameworksOfOneJvm() throws Exception {
        final String first = node.awaitAddress();
        try (NativeNode other = new NativeNode(dir.resolve("other"))) {
            other.configure(Map.of("name", "other", "join", first));
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> nodes(first).lines().count() == 2);
            TuttiScript.writeProgram(dir, "Sum", """
                int[] sum = {rank + 1};
                MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
                System.out.println(sum[0]);""");
            for (int i = 0; i < 3; i++) {
                final TuttiScript.Result r = CommandInJvm.run("run", "--connect", first, "-n", "5", dir.resolve("Sum.java").toString());
                assertEquals("15\n".repeat(5), r.out(), r::toString);
            }
        }
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> nodes(first).lines().count() == 1);
    }

    @Test
    void shouldRunJobsBesideAModuleThatWasInstalledFromAStream() throws Exception {
        final String address = node.awaitAddress();
        try (InputStream hub = Files.newInputStream(new ModuleBundles(dir).hub("1.0.0"))) {
            context.installBundle("stream:hub", hub).start();
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> modules(address).contains("hub"));
        TuttiScript.writeProgram(dir, "Spread", """
            int[] value = {rank + 7};
            MPI.COMM_WORLD.bcast(value, 1, MPI.INT, 0);
            System.out.println(value[0]);""");
        final TuttiScript.Result r = CommandInJvm.run("run", "--connect", address, "-n", "3",
            dir.resolve("Spread.java").toString());
        assertEquals("7\n".repeat(3), r.out(), r::toString);
    }

    /** Returns the lines of the nodes of a cluster. */
    private static String nodes(final String address) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run("nodes", "--connect", address);
        assertEquals(0, r.status(), r::toString);
        return r.out().lines().skip(1).collect(Collectors.joining("\n"));
    }

    private static String modules(final String address) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run("modules", "--connect", address);
        assertEquals(0, r.status(), r::toString);
        return r.out();
    }
}
