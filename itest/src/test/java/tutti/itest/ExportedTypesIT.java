package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests what the bundles of the runtime export: few types per package, each with a user in another bundle. The interface of modules and package mpi
 * have their users outside.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ExportedTypesIT {
    private static final int MAX_TYPES = 8;
    /** Types with a user that class files do not show: rewritten classes of programs call RankSystem, and the compiler copies constants. */
    private static final Set<String> USED_OTHERWISE =
        Set.of("tutti.runtime.process.RankSystem", "tutti.daemon.protocol.ExitStatus", "tutti.daemon.protocol.NodeProperties");

    /** The public types of each exported package. */
    private static final Map<String, Set<JavaClass>> EXPORTED = new TreeMap<>();
    private static final Map<String, String> JAR_OF_CLASS = new HashMap<>();
    /** Names of the types that classes of other jars use. */
    private static final Set<String> USED = new TreeSet<>();

    @BeforeAll
    static void read() throws IOException {
        final Map<JavaClass, String> classes = new HashMap<>();
        for (final Path path : Stream.concat(ProjectPaths.jars().stream(), ProjectPaths.modules().stream()).toList()) {
            final String name = path.getFileName().toString();
            if (name.startsWith("tutti.")) {
                try (JarFile jar = new JarFile(path.toFile())) {
                    final Set<String> exports = BundleDependenciesIT.packages(jar.getManifest(), "Export-Package");
                    for (final JavaClass type : new ClassFileImporter().importJar(jar)) {
                        classes.put(type, name);
                        JAR_OF_CLASS.put(type.getFullName(), name);
                        if (exports.contains(type.getPackageName()) && name.startsWith("tutti.runtime.") && type.isTopLevelClass()
                            && type.getModifiers().contains(JavaModifier.PUBLIC)) {
                            EXPORTED.computeIfAbsent(type.getPackageName(), p -> new TreeSet<>((a, b) -> a.getName().compareTo(b.getName())))
                                .add(type);
                        }
                    }
                }
            }
        }
        classes
            .forEach((type, jar) -> type.getDirectDependenciesFromSelf().stream().map(Dependency::getTargetClass).map(JavaClass::getBaseComponentType)
                .map(ExportedTypesIT::outermost).filter(t -> !jar.equals(JAR_OF_CLASS.get(t))).forEach(USED::add));
    }

    private static String outermost(final JavaClass type) {
        final String name = type.getFullName();
        return name.indexOf('$') < 0 ? name : name.substring(0, name.indexOf('$'));
    }

    @Test
    void shouldReadTheExportsOfTheRuntime() {
        assertTrue(EXPORTED.keySet().containsAll(Set.of("tutti.runtime.comm", "tutti.runtime.transport", "tutti.runtime.process")),
            EXPORTED.keySet()::toString);
    }

    @Test
    void shouldExportFewTypesPerPackage() {
        assertEquals(Map.of(), EXPORTED.entrySet().stream().filter(e -> e.getKey().startsWith("tutti.runtime.") && e.getValue().size() > MAX_TYPES)
            .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().size())));
    }

    @Test
    void shouldExportOnlyTypesThatAnotherBundleUses() {
        assertEquals(Set.of(),
            EXPORTED.values().stream().flatMap(Set::stream).map(JavaClass::getName).filter(n -> !USED.contains(n) && !USED_OTHERWISE.contains(n))
                .collect(Collectors.toCollection(TreeSet::new)));
    }
}
