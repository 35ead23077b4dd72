package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what the author of a module reads when it is installed: what is missing and how to get it, and what the module serves. */
@Tag("nightly")
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class AuthorsIT {
    private static final String RING_SERVES = "ring serves allgather (";

    @TempDir
    private static Path dir;
    private static ModuleBundles modules;
    private static TuttiScript.Daemon node;

    @BeforeAll
    static void start() throws Exception {
        modules = new ModuleBundles(dir);
        node = new TuttiScript.Daemon(dir, "--name", "a");
        ThreeNodeCluster.removeRing(node);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @AfterEach
    void uninstall() throws Exception {
        CommandInJvm.run(ThreeNodeCluster.commandLine(node, "uninstall", "ring"));
        CommandInJvm.run(ThreeNodeCluster.commandLine(node, "uninstall", "other"));
    }

    private static TuttiScript.Result install(final Object... args) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(node, "install", Stream.of(args).map(Object::toString).toArray(String[]::new)));
    }

    private static void assertRefused(final String reason, final String name, final Consumer<Attributes> change) throws Exception {
        final TuttiScript.Result r = install(modules.withManifest(modules.withActivator(name, ""), name + "-changed", change));
        assertEquals(1, r.status(), r::toString);
        assertEquals("tutti: node a: " + reason + "; nothing was changed\n", r.err());
    }

    private static List<String> versions(final String name) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(node, "modules")).out().lines().map(l -> l.split("\\s+")).filter(w -> w[0].equals(name))
            .map(w -> w[1]).toList();
    }

    @Test
    void shouldSayWhichPackageAModuleNeedsAndWhichTheNodeHas() throws Exception {
        assertRefused("probe.hub 1.0.0 needs tutti.coll [7.0.0,8.0.0), this Tutti exports 0.1.0: rebuild it against the tutti.coll.api of this Tutti",
            "hub", m -> m.putValue("Import-Package", "tutti.coll;version=\"[7,8)\",org.osgi.framework"));
        assertRefused("probe.deep 1.0.0 needs tutti.runtime.secret, which no bundle of this node exports: a module may import tutti.coll alone",
            "deep", m -> m.putValue("Import-Package", "tutti.coll,tutti.runtime.secret,org.osgi.framework"));
        assertRefused("probe.lonely 1.0.0 needs org.nowhere 2.0.0 or later, which no bundle of this node exports: embed it in the module "
            + "(-privatepackage of bnd), or put its bundle into the container of every node", "lonely",
            m -> m.putValue("Import-Package", "tutti.coll,org.nowhere;version=2,org.osgi.framework"));
    }

    @Test
    void shouldSayWhichCapabilityAModuleNeedsAndWhatToDo() throws Exception {
        assertRefused("probe.wants 1.0.0 needs capability coffee (kind=black), which no bundle of this node provides: install its provider on the "
            + "nodes, or leave it out of Require-Capability", "wants", m -> m.putValue("Require-Capability", "coffee;filter:=\"(kind=black)\""));
        assertRefused("probe.newer 1.0.0 needs JavaSE 99, this node runs Java " + Runtime.version().feature() + ": compile it with --release "
            + Runtime.version().feature(), "newer",
            m -> m.putValue("Require-Capability", "osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=99))\""));
    }

    @Test
    void shouldSayWhatIsMissingInABundleThatIsNoModule() throws Exception {
        assertRefused("not a bundle: Bundle-SymbolicName or Bundle-ManifestVersion missing in its manifest; build the jar with bnd, as "
            + "the module template does", "nameless", m -> m.remove(new Attributes.Name("Bundle-SymbolicName")));
        assertRefused("bundle probe.plain 1.0.0 is not a module: it has 0 capabilities tutti.coll, expected 1: annotate the class of its component "
            + "with @ProvidesCollectives and build it with bnd", "plain", m -> m.remove(new Attributes.Name("Provide-Capability")));
        assertRefused("bundle probe.bare 1.0.0 declares module bare, but has no component: annotate its class with "
            + "@Component(property = CollModule.NAME + \"=bare\") and build it with bnd", "bare",
            m -> m.remove(new Attributes.Name("Service-Component")));
        final TuttiScript.Result renamed = install(modules.withOtherName("says", "does"));
        assertEquals("tutti: node a: bundle probe.says 1.0.0 declares module says, but its component publishes does: name it alike in "
            + "@ProvidesCollectives and in property coll.name; nothing was changed\n", renamed.err());
        final TuttiScript.Result unsatisfied = install(modules.withReference("needy", "org.example.Coffee"));
        assertEquals("tutti: node a: bundle probe.needy 1.0.0 declares module needy, but its component is not active: it needs service "
            + "org.example.Coffee, which no bundle of this node provides; a module may need none but those of OSGi; nothing was changed\n",
            unsatisfied.err());
    }

    @Test
    void shouldInstallSeveralModulesAndSayWhatEachServes() throws Exception {
        final Path other = modules.withMembers("other", """
            public QueryResult query(CollComm comm) {
                return QueryResult.usable(1, AlgorithmTable.builder().intra(Operation.BARRIER, "none", (call, plan) -> { }).build());
            }""");
        final TuttiScript.Result r = install("--no-verify", modules.ring("1.0.0"), other);
        assertEquals(0, r.status(), r::toString);
        assertEquals(3, r.out().lines().count(), r::toString);
        assertTrue(r.out().startsWith("ring 1.0.0 is active on a\nring serves allgather, "), r::toString);
        assertTrue(r.out().endsWith("other 1.0.0 is active on a\n"), r::toString);
        assertEquals(0, CommandInJvm.run(ThreeNodeCluster.commandLine(node, "uninstall", "ring")).status());
        final TuttiScript.Result proved = install(modules.ring("1.1.0"));
        assertTrue(proved.out().startsWith("ring 1.1.0 is active on a\n" + RING_SERVES), proved::toString);
        assertTrue(proved.out().contains("bcast (pipeline)"), proved::toString);
    }

    @Test
    void shouldNameTheModuleThatIsRefusedAmongSeveralAndThoseThatWereInstalled() throws Exception {
        final Path ring = modules.ring("1.0.0");
        final Path plain = modules.withOtherName("says", "does");
        final TuttiScript.Result r = install(ring, plain);
        assertEquals(1, r.status(), r::toString);
        assertTrue(r.err().startsWith("tutti: " + plain + ": node a: bundle probe.says"), r::toString);
        assertTrue(r.err().endsWith("; changed before: " + ring + "\n"), r::toString);
        assertEquals(List.of("1.0.0"), versions("ring"));
        final TuttiScript.Result none = install(ring, dir.resolve("absent.jar"));
        assertEquals("tutti: file not found: " + dir.resolve("absent.jar") + "\n", none.err());
    }

    @Test
    void shouldTakeAChangedJarOfTheSameVersionInDevelopment() throws Exception {
        assertEquals(0, install(modules.ring("1.0.0")).status());
        final TuttiScript.Result refused = install(modules.ring("1.0.0", "changed", 0));
        assertEquals(
            "tutti: node a: a bundle of that name and version is installed already, with another digest: give the changed one a new version, "
                + "or install it with: --dev; nothing was changed\n",
            refused.err());
        String last = "1.0.0";
        for (int round = 0; round < 3; round++) {
            final TuttiScript.Result r = install("--dev", modules.ring("1.0.0", "round" + round, 0));
            assertEquals(0, r.status(), r::toString);
            final String now = r.out().split("\\s+")[1];
            assertTrue(now.matches("1\\.0\\.0\\.dev\\d{17}") && now.compareTo(last) > 0, r::toString);
            assertTrue(r.out().startsWith("ring " + now + " is active on a; ring " + last + " is removed when no job uses it\n" + RING_SERVES),
                r::toString);
            last = now;
            assertEquals(List.of(now), versions("ring"));
        }
        assertEquals(0, leftFolders(), "copies of bundles are deleted");
    }

    private static long leftFolders() throws IOException {
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return all.filter(p -> p.getFileName().toString().startsWith("tutti-dev")).count();
        }
    }
}
