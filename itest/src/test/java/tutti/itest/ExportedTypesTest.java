package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that each type that a bundle of the runtime exports is used by another bundle. The interface of modules and package mpi have their users
 * outside.
 */
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class ExportedTypesTest {
    /** Types with a user that class files do not show: rewritten classes of programs use these, the JVM, or Declarative Services. */
    private static final Set<String> USED_OTHERWISE = Set.of("tutti.runtime.process.RankSystem", "tutti.runtime.process.RankForkJoinPool",
        "tutti.runtime.process.ProgramAgents", "tutti.daemon.modules.ModuleProof");

    /** The public types of each exported package. */
    private static final Map<String, Set<String>> EXPORTED = new TreeMap<>();
    /** Names of the types that classes of other jars use. */
    private static final Set<String> USED = new TreeSet<>();

    @BeforeAll
    static void read() throws IOException {
        final Set<String> packages = new TreeSet<>();
        for (final Path path : ProjectClasses.jars()) {
            if (path.getFileName().toString().startsWith("tutti.runtime.")) {
                try (JarFile jar = new JarFile(path.toFile())) {
                    packages.addAll(BundleDependenciesTest.packages(jar.getManifest(), "Export-Package"));
                }
            }
        }
        for (final JavaClass type : ProjectClasses.all()) {
            if (packages.contains(type.getPackageName()) && type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC)
                && !isConstants(type)) {
                EXPORTED.computeIfAbsent(type.getPackageName(), p -> new TreeSet<>()).add(type.getName());
            }
            for (final Dependency use : type.getDirectDependenciesFromSelf()) {
                final JavaClass used = use.getTargetClass().getBaseComponentType();
                if (used.getPackageName().startsWith("tutti.") && !ProjectClasses.jarOf(type).equals(ProjectClasses.jarOf(used))) {
                    USED.add(outermost(used));
                }
            }
        }
    }

    /** Returns whether a type has nothing but constants, which the compiler copies into their users. */
    private static boolean isConstants(final JavaClass type) {
        return type.getMethods().isEmpty() && type.getFields().stream().allMatch(f -> f.getModifiers().contains(JavaModifier.STATIC));
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
    void shouldExportOnlyTypesThatAnotherBundleUses() {
        assertEquals(Set.of(),
            EXPORTED.values().stream().flatMap(Set::stream).filter(n -> !USED.contains(n) && !USED_OTHERWISE.contains(n))
                .collect(Collectors.toCollection(TreeSet::new)));
    }
}
