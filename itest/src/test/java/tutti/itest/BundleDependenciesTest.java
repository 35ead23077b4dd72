package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.apache.felix.framework.util.manifestparser.ManifestParser;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.osgi.framework.BundleException;

/** Tests the allowed dependencies between bundles, by the manifests of the shipped bundles. */
class BundleDependenciesTest {
    private static final String ADVANCED = "tutti.coll.advanced";
    private static final String RECORDER = "tutti.coll.plan";
    private static final String PROCESS = "tutti.runtime.process";
    private static final String OWNER = "tutti.runtime.process.owner";
    private static final String SECURITY = "tutti.daemon.security";
    private static final String MODEL = "tutti.runtime.model";
    private static final String TRANSPORT = "tutti.runtime.transport";
    private static final String LIVENESS = "tutti.runtime.liveness";
    private static final Map<String, Set<String>> EXPORTS = new TreeMap<>();
    private static final Map<String, Set<String>> IMPORTS = new TreeMap<>();
    /** Bundles of Tutti that import a package optionally. */
    private static final Set<String> OPTIONAL = new TreeSet<>();

    @BeforeAll
    static void read() throws IOException, BundleException {
        final List<Path> all = new ArrayList<>(ProjectPaths.bundles());
        ProjectPaths.optional().stream().filter(j -> String.valueOf(j.getFileName()).startsWith("tutti.runtime.transport.")).forEach(all::add);
        for (final Path jar : all) {
            try (JarFile file = new JarFile(jar.toFile())) {
                final Manifest manifest = file.getManifest();
                final String name = manifest.getMainAttributes().getValue("Bundle-SymbolicName");
                EXPORTS.put(name, packages(manifest, "Export-Package"));
                IMPORTS.put(name, packages(manifest, "Import-Package"));
                if (String.valueOf(manifest.getMainAttributes().getValue("Import-Package")).contains("resolution:=") && name.startsWith("tutti.")) {
                    OPTIONAL.add(name);
                }
            }
        }
    }

    /** Returns the packages that a header of a manifest lists. */
    static Set<String> packages(final Manifest manifest, final String header) {
        final Set<String> names = new TreeSet<>();
        final String value = manifest.getMainAttributes().getValue(header);
        if (value != null) {
            for (final String clause : ManifestParser.parseDelimitedString(value, ",")) {
                for (final String part : ManifestParser.parseDelimitedString(clause, ";")) {
                    if (!part.contains("=")) {
                        names.add(part.strip());
                    }
                }
            }
        }
        return names;
    }

    private static Set<String> tuttiImports(final String bundle) {
        final Set<String> names = new TreeSet<>(IMPORTS.get(bundle));
        names.removeIf(p -> !p.startsWith("tutti.") && !p.startsWith("org.apache.mina") && !p.equals("mpi"));
        return names;
    }

    @Test
    void shouldKeepTheModuleSpiFreeOfDependencies() {
        final Set<String> exports = Set.of("tutti.coll", ADVANCED, "tutti.intercept");
        assertTrue(IMPORTS.get("tutti.coll.api").stream().allMatch(p -> p.startsWith("java.") || exports.contains(p)),
            IMPORTS.get("tutti.coll.api").toString());
        assertEquals(exports, EXPORTS.get("tutti.coll.api"));
    }

    @Test
    void shouldLetInterceptorsImportOnlyTheSpiAndExportNothing() {
        assertEquals(Set.of("tutti.coll", "tutti.intercept"), tuttiImports("tutti.intercept"));
        assertEquals(Set.of(), EXPORTS.get("tutti.intercept"));
    }

    @Test
    void shouldLetModulesImportOnlyTheSpiAndExportNothing() {
        assertTrue(EXPORTS.keySet().containsAll(Set.of("tutti.coll.basic", "tutti.coll.ring")), EXPORTS.keySet().toString());
        for (final String bundle : EXPORTS.keySet()) {
            if (bundle.startsWith("tutti.coll.") && !Set.of("tutti.coll.api", RECORDER, "tutti.coll.tck").contains(bundle)) {
                final Set<String> imports = tuttiImports(bundle);
                imports.remove(ADVANCED);
                assertEquals(Set.of("tutti.coll"), imports, bundle);
                assertEquals(Set.of(), EXPORTS.get(bundle), bundle);
            }
        }
    }

    @Test
    void shouldLetTheRecorderOfPlansImportOnlyTheSpi() {
        final Set<String> imports = tuttiImports(RECORDER);
        imports.remove(RECORDER);
        assertEquals(Set.of("tutti.coll", ADVANCED), imports);
        assertEquals(Set.of(RECORDER), EXPORTS.get(RECORDER));
    }

    @Test
    void shouldLetTheVerifierImportOnlyTheRecorderAndOnlyTheStoreOfModulesImportTheVerifier() {
        final Set<String> imports = tuttiImports("tutti.coll.tck");
        final Set<String> exports = Set.of("tutti.coll.tck", "tutti.coll.tck.limit");
        imports.removeAll(exports);
        assertEquals(Set.of("tutti.coll", ADVANCED, RECORDER), imports);
        assertEquals(exports, EXPORTS.get("tutti.coll.tck"));
        assertEquals(Set.of("tutti.coll.tck", "tutti.runtime.modules"), IMPORTS.keySet().stream()
            .filter(b -> b.equals("tutti.coll.tck") || IMPORTS.get(b).contains("tutti.coll.tck")).collect(Collectors.toSet()));
    }

    @Test
    void shouldKeepTheRuntimeIndependentOfModulesTransportsAndTheDaemon() {
        final Set<String> imports = tuttiImports("tutti.runtime.core");
        imports.removeIf(EXPORTS.get("tutti.runtime.core")::contains);
        imports.removeIf(EXPORTS.get(MODEL)::contains);
        assertEquals(Set.of("tutti.coll", ADVANCED, "tutti.intercept", RECORDER, TRANSPORT, LIVENESS, PROCESS, OWNER), imports);
    }

    @Test
    void shouldKeepTheModelFreeOfTheRuntime() {
        final Set<String> imports = tuttiImports(MODEL);
        imports.removeIf(EXPORTS.get(MODEL)::contains);
        assertEquals(Set.of("tutti.coll", TRANSPORT, OWNER), imports);
    }

    @Test
    void shouldLetNobodyButPackageMpiImportTheRuntime() {
        final Set<String> core = EXPORTS.get("tutti.runtime.core");
        assertEquals(Set.of("tutti.mpi.api", "tutti.runtime.core"), IMPORTS.keySet().stream()
            .filter(b -> IMPORTS.get(b).stream().anyMatch(core::contains)).collect(Collectors.toSet()));
    }

    @Test
    void shouldKeepRanksAsProcessesFreeOfMpi() {
        final Set<String> imports = tuttiImports(PROCESS);
        final Set<String> exports = Set.of(PROCESS, OWNER, PROCESS + ".snapshot");
        imports.removeAll(exports);
        assertEquals(Set.of(), imports);
        assertEquals(exports, EXPORTS.get(PROCESS));
    }

    @Test
    void shouldKeepTheTransportSpiFreeOfDependenciesAndLetATransportImportItAlone() {
        assertTrue(
            IMPORTS.get("tutti.runtime.transport.api").stream()
                .allMatch(p -> p.startsWith("java.") || p.equals("javax.net.ssl") || p.equals(TRANSPORT) || p.equals(LIVENESS)),
            IMPORTS.get("tutti.runtime.transport.api").toString());
        assertEquals(Set.of(TRANSPORT, LIVENESS), EXPORTS.get("tutti.runtime.transport.api"));
        final Set<String> imports = tuttiImports("tutti.runtime.transport.mina");
        imports.removeIf(p -> p.startsWith("org.apache.mina"));
        assertEquals(Set.of(TRANSPORT, LIVENESS), imports);
        for (final String bundle : List.of("tutti.runtime.transport.shm", "tutti.runtime.transport.ucx")) {
            final Set<String> others = tuttiImports(bundle);
            others.remove(LIVENESS);
            assertEquals(Set.of(TRANSPORT), others, bundle);
            assertEquals(Set.of(), EXPORTS.get(bundle), bundle);
        }
    }

    @Test
    void shouldLetTheMembershipImportItsSpiAloneAndExportNothingOfJGroups() {
        final String bundle = "tutti.runtime.membership.jgroups";
        assertEquals(Set.of("tutti.daemon.membership", "tutti.daemon.node", LIVENESS), tuttiImports(bundle));
        assertEquals(Set.of(), EXPORTS.get(bundle));
        assertTrue(IMPORTS.values().stream().flatMap(Set::stream).noneMatch(p -> p.startsWith("org.jgroups")), IMPORTS.toString());
    }

    @Test
    void shouldExportNoMinaAndNothingButPackageMpiToPrograms() {
        EXPORTS.forEach((bundle, packages) -> {
            if (!bundle.startsWith("org.apache.mina")) {
                assertTrue(packages.stream().noneMatch(p -> p.startsWith("org.apache.mina")), bundle + " exports " + packages);
            }
        });
        assertEquals(Set.of("mpi", "tutti.checkpoint"), EXPORTS.get("tutti.mpi.api"));
        assertEquals(Set.of(), EXPORTS.get("tutti.runtime.transport.mina"));
        assertEquals(Set.of(), EXPORTS.get("tutti.runtime.daemon"));
    }

    @Test
    void shouldKeepTheDaemonIndependentOfTheCommandAndImportNothingOptionally() {
        final Set<String> imports = tuttiImports("tutti.runtime.daemon");
        imports.removeIf(p -> p.startsWith("tutti.daemon.") || p.startsWith("tutti.runtime."));
        assertEquals(Set.of("tutti.coll"), imports);
        assertTrue(IMPORTS.get("tutti.runtime.daemon").stream().noneMatch(p -> p.startsWith("picocli") || p.startsWith("org.apache.felix.framework")),
            IMPORTS.get("tutti.runtime.daemon").toString());
        assertEquals(Set.of(), OPTIONAL);
        assertFalse(EXPORTS.containsKey("tutti.cli"));
    }

    @Test
    void shouldKeepTheControlProtocolIndependentOfTheDaemon() {
        final Set<String> imports = tuttiImports("tutti.runtime.protocol");
        imports.removeIf(p -> p.startsWith("tutti.runtime."));
        imports.removeAll(EXPORTS.get("tutti.runtime.protocol"));
        assertEquals(Set.of("tutti.coll", "tutti.daemon.node", SECURITY), imports);
        assertEquals(
            Set.of("tutti.daemon.channel", "tutti.daemon.command", "tutti.daemon.health", "tutti.daemon.launch", "tutti.daemon.listing",
                "tutti.daemon.monitor", "tutti.daemon.protocol", "tutti.daemon.rules"),
            EXPORTS.get("tutti.runtime.protocol"));
    }

    @Test
    void shouldKeepSecurityAndTheSpiOfMembershipIndependentOfTheProtocol() {
        final Set<String> security = tuttiImports("tutti.runtime.security");
        security.removeAll(EXPORTS.get("tutti.runtime.security"));
        assertEquals(Set.of(TRANSPORT), security);
        final Set<String> membership = tuttiImports("tutti.runtime.membership");
        membership.removeAll(EXPORTS.get("tutti.runtime.membership"));
        assertEquals(Set.of("tutti.daemon.node"), membership);
    }
}
