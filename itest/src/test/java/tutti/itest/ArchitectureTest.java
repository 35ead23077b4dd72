package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the page on the architecture shows the bundles and methods as they are. */
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class ArchitectureTest {
    private static final Pattern METHOD = Pattern.compile("`([A-Z]\\w+)\\.(\\w+)`");

    @Test
    void shouldDrawTheBundlesAsTheirManifestsHaveThem() throws Exception {
        final String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        final Process check = new ProcessBuilder(java, "-XX:TieredStopAtLevel=1", "cnf/Architecture.java", "--check")
            .directory(ProjectPaths.DIR.toFile()).start();
        final TuttiScript.Result r = TuttiScript.finish(check, System.nanoTime());
        assertEquals(0, r.status(), r::toString);
    }

    @Test
    void shouldNameMethodsThatExist() throws Exception {
        final Set<String> methods = new TreeSet<>();
        for (final JavaClass type : ProjectClasses.all()) {
            for (final JavaMethod method : type.getMethods()) {
                methods.add(type.getSimpleName() + "." + method.getName());
            }
        }
        final List<MatchResult> named =
            METHOD.matcher(Files.readString(ProjectPaths.DIR.resolve("docs/guide/architecture.md"))).results().toList();
        assertTrue(named.size() > 20, "named=" + named.size());
        assertEquals(Set.of(), named.stream().map(m -> m.group(1) + "." + m.group(2)).filter(m -> !methods.contains(m))
            .collect(Collectors.toCollection(TreeSet::new)));
    }
}
