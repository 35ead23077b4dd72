package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the examples that go on when ranks are lost, and the program of the guide's page: with ranks that throw, and with nodes that are killed. */
@Timeout(value = 1_000, unit = TimeUnit.SECONDS)
class SurvivingExamplesIT {
    private static final String HEAT = ProjectPaths.DIR.resolve("examples/HeatSurvives.java").toString();
    private static final String SAVED_HEAT = ProjectPaths.DIR.resolve("examples/Heat.java").toString();
    private static final String PI = ProjectPaths.DIR.resolve("examples/PiSurvives.java").toString();

    @TempDir
    private Path dir;

    private final List<TuttiScript.Daemon> daemons = new ArrayList<>();

    /** Kills the daemons: the folders of those that a test has killed are written until their JVMs have ended. */
    @AfterEach
    void close() throws Exception {
        for (final TuttiScript.Daemon d : daemons) {
            d.kill();
        }
    }

    /** Runs a program on the ranks of one JVM, which go on when others are lost. Returns the lines printed. */
    private List<String> inOneJvm(final int ranks, final String... program) throws Exception {
        final TuttiScript.Result r = TuttiScript.run(dir, Stream.concat(Stream.of("run", "-n", String.valueOf(ranks), "--nodes", "1",
            "--on-loss=report"), Stream.of(program)).toArray(String[]::new));
        assertEquals(0, r.status(), r::toString);
        assertEquals(Stream.of(program).filter(a -> a.startsWith("die=")).count(), r.err().lines().filter(l -> l.contains(" failed: ")).count(),
            r::toString);
        return r.out().lines().toList();
    }

    @Test
    void shouldHaveTheSameResultAfterFailures() throws Exception {
        final String sum = inOneJvm(3, HEAT, "60", "230").get(1);
        assertTrue(sum.startsWith("after 230 steps the sum is "), sum);
        assertEquals(List.of("7 of 7 ranks begin", "7 of 7 ranks go on after step 50", "7 of 7 ranks go on after step 200", sum,
            "7 of 7 ranks have finished"), inOneJvm(7, HEAT, "60", "230", "die=0@60", "die=6@229"));
    }

    @Tag("nightly")
    @Test
    void shouldBeginAgainWhenDataAndTheirCopyAreLost() throws Exception {
        final String sum = inOneJvm(1, HEAT, "60", "230").get(1);
        final List<String> printed = inOneJvm(6, HEAT, "60", "230", "die=1@70", "die=4@70");
        assertEquals(List.of("6 of 6 ranks begin again, as rows and their copy are lost", sum, "6 of 6 ranks have finished"),
            printed.subList(printed.size() - 3, printed.size()));
    }

    @Tag("nightly")
    @Test
    void shouldGoOnWithTheLastRank() throws Exception {
        final List<String> printed = inOneJvm(3, PI, "die=0@1", "die=1@7");
        assertEquals(List.of("round 1: 2 of 3 ranks are left", "round 7: 1 of 3 ranks are left"), printed.subList(0, 2));
        assertTrue(printed.get(2).matches("pi is approximately 3[.]14\\d+, error \\d[.]\\de-0\\d, by 5200000 points"), printed::toString);
        assertEquals("1 of 3 ranks have finished", printed.get(3));
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"Survive, 'rank 0 of 3: 350, rank 1 of 3: 350, rank 2 of 3: 350'",
        "Replace, 'rank 0.0 of 4: 400, rank 1.1 of 4: 400, rank 2.0 of 4: 400, rank 3.0 of 4: 400'",
        "Restore, 'rank 0.0 of 4: 600, rank 1.1 of 4: 600, rank 2.0 of 4: 600, rank 3.0 of 4: 600'"})
    void shouldRunTheProgramsOfTheGuide(final String name, final String lines) throws Exception {
        final String text = Files.readString(ProjectPaths.DIR.resolve("docs/guide/faults.md"));
        final int at = text.lastIndexOf("```java\n", text.indexOf("public class " + name)) + "```java\n".length();
        final Path program = Files.writeString(dir.resolve(name + ".java"), text.substring(at, text.indexOf("```", at)));
        final TuttiScript.Result r = TuttiScript.run(dir, "run", "-n", "4", "--on-loss=report", "-p",
            name.equals("Restore") ? "checkpoint.memory=1+1" : "checkpoint.memory=off", program.toString());
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of(lines.split(", ")), r.out().lines().sorted().toList());
    }

    @Tag("nightly")
    @Test
    void shouldGoOnWhenNodesAreKilled() throws Exception {
        final String sum = inOneJvm(2, HEAT, "300", "6000").get(1);
        final TuttiScript.Daemon a = daemon("a");
        daemon("b", "--join", a.address);
        final List<TuttiScript.Daemon> killed = List.of(daemon("c", "--join", a.address), daemon("d", "--join", a.address));
        assertEquals(0, CommandInJvm.run("nodes", "--wait", "4", "--connect", a.address).status());
        final CommandInJvm.Running job = CommandInJvm.start("run", "--connect", a.address, "-n", "8", "--spares", "2",
            "--on-loss=report", HEAT, "300", "6000");
        assertEquals(List.of("8 of 8 ranks begin"), job.lines(1));
        killed.forEach(d -> d.process.toHandle().destroyForcibly());
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
        final List<String> printed = r.out().lines().toList();
        assertEquals(List.of(sum, "8 of 8 ranks have finished"), printed.subList(printed.size() - 2, printed.size()), r::toString);
        assertEquals(2, r.err().lines().filter(l -> l.startsWith("tutti: node ") && l.contains(" have failed, the job goes on with ")).count(),
            r::toString);
    }

    /** Nodes b and d have the ranks of one group, so states that only they have are read from disk. */
    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"b, 1+1", "'b,c', 1+1", "'b,d', 1+2", "'b,d', 1+1"})
    void shouldGoOnWithStatesThatOthersKeep(final String killed, final String code) throws Exception {
        final TuttiScript.Daemon a = daemon("a");
        final Map<String, TuttiScript.Daemon> others = new HashMap<>();
        for (final String name : List.of("b", "c", "d")) {
            others.put(name, daemon(name, "--join", a.address));
        }
        assertEquals(0, CommandInJvm.run("nodes", "--wait", "4", "--connect", a.address).status());
        final CommandInJvm.Running job = CommandInJvm.start("run", "--connect", a.address, "-n", "4", "--map", "cyclic", "--spares", "1",
            "--on-loss=report", "-p", "checkpoint.memory=" + code, "-p", "checkpoint.every=20", SAVED_HEAT, "400", "5");
        job.lines(2);
        for (final String name : killed.split(",")) {
            others.get(name).process.toHandle().destroyForcibly();
        }
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
        final List<String> printed = r.out().lines().toList();
        assertTrue(printed.getFirst().endsWith("plate of 180 x 240") && printed.getLast().equals("the same as on one rank, to the last bit"),
            r::toString);
        final List<Integer> from = printed.stream().filter(l -> l.startsWith("continues with step "))
            .map(l -> Integer.parseInt(l.substring(l.lastIndexOf(' ') + 1))).toList();
        assertTrue(!from.isEmpty() && from.stream().allMatch(s -> s > 80), r::toString);
        assertTrue(r.err().contains("the place"), r::toString);
    }

    private TuttiScript.Daemon daemon(final String name, final String... more) throws Exception {
        final TuttiScript.Daemon daemon = new TuttiScript.Daemon(dir, Stream.concat(Stream.of("--name", name, "--dir", dir.resolve(name).toString()),
            Stream.of(more)).toArray(String[]::new));
        daemons.add(daemon);
        return daemon;
    }
}
