package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Tests {@code @Ranks} and the launcher of programs in a build that has nothing of Tutti but the Maven repository: a copy of the template, whose
 * tests run on the nodes that are in the jar of {@code tutti.junit}.
 */
@Tag("nightly")
@Timeout(value = 1_000, unit = TimeUnit.SECONDS)
class RanksIT {
    private static final String NO_HOME = "<tutti.home>${project.basedir}/../..</tutti.home>";

    @TempDir
    private static Path dir;
    private static TemplateBuild build;
    private static Path project;
    private static String printed;
    /** Failure of each test in the report, by the test's name; empty for a test that passed. */
    private static final Map<String, String> REPORT = new TreeMap<>();

    @BeforeAll
    static void runTests() throws Exception {
        build = new TemplateBuild(dir);
        project = dir.resolve("sum");
        TemplateBuild.bash(dir, "cp -r \"$TUTTI\"/examples/program-template sum");
        // in the file and not by -D: Maven passes options on to the tests, which would use that installation
        final Path pom = project.resolve("pom.xml");
        final String text = Files.readString(pom);
        assertTrue(text.contains(NO_HOME));
        Files.writeString(pom, text.replace(NO_HOME, "<tutti.home>" + ProjectPaths.DIR + "</tutti.home>"));
        try (InputStream source = Objects.requireNonNull(RanksIT.class.getResourceAsStream("/ranks/OnRanksTest.java"))) {
            Files.copy(source, project.resolve("src/test/java/com/example/OnRanksTest.java"));
        }
        printed = build.run(project, "mvn -Dmaven.test.failure.ignore=true -DtrimStackTrace=false package");
        try (Stream<Path> reports = Files.list(project.resolve("target/surefire-reports"))) {
            for (final Path report : reports.filter(r -> r.toString().endsWith(".xml")).toList()) {
                read(report);
            }
        }
    }

    private static void read(final Path report) throws Exception {
        final NodeList cases = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile()).getElementsByTagName("testcase");
        for (int i = 0; i < cases.getLength(); i++) {
            final Element test = (Element) cases.item(i);
            final StringBuilder said = new StringBuilder();
            for (final String kind : List.of("failure", "error", "skipped")) {
                final NodeList found = test.getElementsByTagName(kind);
                for (int f = 0; f < found.getLength(); f++) {
                    said.append(kind).append(": ").append(((Element) found.item(f)).getAttribute("message")).append('\n')
                        .append(found.item(f).getTextContent());
                }
            }
            REPORT.put(test.getAttribute("name"), said.toString());
        }
    }

    @AfterAll
    static void close() throws IOException {
        build.close();
    }

    private static String said(final String test) {
        return REPORT.entrySet().stream().filter(e -> e.getKey().startsWith(test)).map(Map.Entry::getValue).findFirst()
            .orElseThrow(() -> new AssertionError("no test " + test + " in " + REPORT.keySet() + "\n" + printed));
    }

    private static void assertSays(final String test, final String... texts) {
        final String said = said(test);
        for (final String text : texts) {
            assertTrue(said.contains(text), () -> test + " does not say '" + text + "':\n" + said + "\n" + printed);
        }
    }

    @Test
    void shouldRunTheBodyOnRanksWithClassesOfTheirOwn() {
        for (final String test : List.of("shouldHaveStaticsOfItsOwn", "shouldShareATemporaryFolder", "shouldHaveTheInstanceAround",
            "catchesAnErrorOfACall", "shouldGetArguments", "shouldAddTheValuesOfAllRanks", "shouldAddOnTwoNodesWithModuleBasic")) {
            assertEquals("", said(test), () -> test + "\n" + printed);
        }
        assertEquals(2, REPORT.keySet().stream().filter(n -> n.startsWith("shouldGetArguments")).count());
    }

    @Test
    void shouldPrintTheRankBeforeEachLineOfItsOutput() throws IOException {
        final String output;
        try (Stream<Path> reports = Files.list(project.resolve("target/surefire-reports"))) {
            output = Files.readString(reports.filter(r -> r.getFileName().toString().equals("TEST-com.example.OnRanksTest.xml")).findFirst()
                .orElseThrow());
        }
        for (final String line : List.of("[3] problem of 3", "[2] on b", "[0] on a", "[1] after 1", "[3] last of 3")) {
            assertTrue(output.contains(line), () -> line + " is not in " + output);
        }
    }

    @Test
    void shouldNameTheRankThatFailedAndWhatTheOthersDid() {
        assertSays("failsOnRankOne", "rank 1 of 3 on node a: module differs ==> expected: <tree> but was: <ring>", "ended with the job: ranks 0, 2",
            "at com.example.OnRanksTest.failsOnRankOne(OnRanksTest.java:");
        assertSays("failsOnAllRanks", "rank 0 of 4 on node a: expected: <1> but was: <2>", "Suppressed: ",
            "rank 3 of 4 on node a: expected: <1> but was: <2>");
        assertSays("throwsItsOwnException", "rank 2 of 4 on node a: ", "cannot go on", "passed: ranks 0, 1, 3");
        assertSays("failsByAnErrorOfACall", "rank 0 of 4 on node a: mpi.MPIException: MPI_ERR_RANK: destination out of range: dest=99, size=4");
        assertSays("isNotFor", "skipped: ", "rank 0 of 4 on node a: Assumption failed: another machine");
    }

    @Test
    void shouldSayWhatRanksDoWhenTheyDoNotEnd() {
        assertSays("computesForever", "computesForever did not end within 10 s on 2 ranks", "rank 0 on node a computes, at "
            + "com.example.OnRanksTest.computesForever(OnRanksTest.java:", "rank 1 on node a waits in barrier for rank 0", "-rank0\" ",
            "at mpi.Comm.barrier(");
        assertSays("waitsForever", "ended with status 8", "cycle: 0 -> 1 -> 0", "waits in recv for a message of rank 1, tag 7");
        assertSays("leavesByExit", "ended with status 5", "rank 2 on node a called System.exit: status=5");
    }

    @Test
    void shouldRefuseWhatRanksCannotHave() {
        assertSays("wantsWhatRanksDoNotHave", "an argument of a test on ranks is not serializable");
        assertSays("hasMoreNodesThanRanks", "@Ranks out of range: nodes=3, range=1..2");
    }

    @Test
    void shouldRunAProgramFromItsClassPathAsADevelopmentEnvironmentDoes() throws Exception {
        final Path repository = ProjectPaths.DIR.resolve("dist/target/tutti/repository/tutti");
        final StringBuilder path = new StringBuilder("target/classes:target/test-classes");
        for (final String artifact : List.of("tutti.junit", "tutti.mpi.api")) {
            try (Stream<Path> files = Files.walk(repository.resolve(artifact))) {
                path.append(':').append(files.filter(f -> f.toString().endsWith(".jar") && !f.toString().matches(".*-(sources|javadoc)\\.jar"))
                    .findFirst().orElseThrow());
            }
        }
        final String java = Path.of(System.getProperty("java.home"), "bin", "java") + " -cp " + path;
        final String plain = TemplateBuild.bash(project, java + " com.example.Sum 2>&1 || echo \"status $?\"").out();
        assertTrue(plain.contains("programs that use MPI do not run by themselves") && plain.endsWith("status 1\n"), plain);
        assertEquals("the sum is 6\n", TemplateBuild.bash(project, java + " com.example.SumOnFourRanks").out());
        assertEquals("the sum is 3\n", TemplateBuild.bash(project, java + " tutti.junit.RankLauncher -n 3 com.example.Sum").out());
    }
}
