package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.process.owner.RankHooks;
import tutti.runtime.process.owner.RankOutcome.Kind;

@Timeout(120)
@ExtendWith(RankStreamsExtension.class)
class RankStreamsTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void compile() {
        Programs.compile(folder, Map.of("Prints", """
            import java.io.*;
            import java.nio.charset.StandardCharsets;
            import java.util.*;
            import java.util.concurrent.*;
            import java.util.stream.*;
            class Many {
                public static void main(String[] args) {
                    for (int i = 0; i < 500; i++) {
                        System.out.print("rank "); System.out.print(args[0]); System.out.printf(" line %d%n", i);
                        if (i % 100 == 0) { System.err.println("err " + args[0] + " " + i); }
                    }
                    System.out.print("no end");
                }
            }
            class Everything {
                public static void main(String[] args) throws Exception {
                    System.out.println("main ä€𝄞");
                    new Thread(() -> System.out.println("thread")) {{ start(); join(); }};
                    Thread.ofVirtual().start(() -> System.out.println("virtual")).join();
                    ForkJoinPool.commonPool().submit(() -> System.out.println("common pool")).get();
                    PrintStream kept = System.out;
                    ForkJoinPool.commonPool().submit(() -> kept.println("kept")).get();
                    List.of("method reference").forEach(System.out::println);
                    new Exception("trace").printStackTrace();
                }
            }
            class Replaces {
                public static void main(String[] args) {
                    PrintStream first = System.out;
                    var bytes = new ByteArrayOutputStream();
                    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
                    System.out.println("captured");
                    System.setOut(new PrintStream(new FilterOutputStream(first) {
                        @Override public void write(int b) throws IOException { out.write(Character.toUpperCase(b)); }
                    }, true));
                    System.out.println("shouted");
                    System.setOut(first);
                    System.out.print("plain " + bytes);
                    System.setErr(System.out);
                    System.err.println("error");
                    System.setIn(new ByteArrayInputStream("mine".getBytes()));
                    System.out.println(new Scanner(System.in).next());
                }
            }
            class Reads {
                public static void main(String[] args) throws Exception {
                    System.out.println(new BufferedReader(new InputStreamReader(System.in)).lines().toList());
                }
            }
            class Routed {
                public static void main(String[] args) throws Exception {
                    // reflection finds that of the JVM, which leads to the rank
                    System.setOut((PrintStream) System.class.getField("out").get(null));
                    System.out.println("once");
                }
            }
            class Closes {
                public static void main(String[] args) { System.out.print("a"); System.out.close(); System.out.println("b"); }
            }
            """));
    }

    @Test
    void shouldKeepTheLinesOf64RanksApart() {
        final List<TestRank> ranks = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            ranks.add(new TestRank(folder, i, null, RankHooks.NONE, "Many", "" + i));
        }
        ranks.forEach(rank -> rank.process.start());
        for (int i = 0; i < 64; i++) {
            try (TestRank rank = ranks.get(i)) {
                assertEquals(Kind.RETURNED, rank.end().kind());
                final StringBuilder expected = new StringBuilder();
                for (int line = 0; line < 500; line++) {
                    expected.append("rank ").append(i).append(" line ").append(line).append('\n');
                }
                assertEquals(expected + "no end", rank.out());
                assertEquals(5, rank.err().lines().count());
                assertTrue(rank.writes.stream().allMatch(write -> write.endsWith("\n") || "no end".equals(write)));
            }
        }
    }

    @Test
    void shouldFindTheRankOfAnyThread() {
        try (TestRank rank = new TestRank(folder, "Everything")) {
            assertEquals(Kind.RETURNED, rank.run().kind());
            assertEquals("main ä€𝄞\nthread\nvirtual\ncommon pool\nkept\nmethod reference\n", rank.out());
            assertTrue(rank.err().startsWith("java.lang.Exception: trace\n\tat Everything.main(Prints.java:"), rank.err());
        }
    }

    @Test
    void shouldReplaceStreamsForTheRankAlone() {
        final PrintStream before = System.out;
        try (TestRank rank = new TestRank(folder, "Replaces")) {
            assertEquals(Kind.RETURNED, rank.run().kind());
            assertEquals("SHOUTED\nplain captured\nerror\nmine\n", rank.out());
            assertEquals("", rank.err());
        }
        assertSame(before, System.out);
    }

    @Test
    void shouldSeparateResultsFromWhatIsPrinted() {
        final RankHooks separates = new RankHooks() {
            @Override
            public void before() {
                RankStreams.separate().print("result of ");
                System.out.println("a module");
                RankStreams.separate().println("rank");
            }

            @Override
            public void wake(final String reason) {
                // the program does not wait
            }
        };
        try (TestRank rank = new TestRank(folder, 0, null, separates, "Closes"); TestRank other = new TestRank(folder, "Closes")) {
            assertEquals(Kind.RETURNED, rank.run().kind());
            assertEquals(Kind.RETURNED, other.run().kind());
            assertEquals("result of rank\n", rank.out());
            assertEquals("a module\na", rank.err());
            assertEquals("a", other.out());
        }
        assertSame(System.out, RankStreams.separate());
    }

    @Test
    void shouldReadTheInputOfTheRank() {
        final InputStream input = new ByteArrayInputStream("one\ntwo\n".getBytes(StandardCharsets.UTF_8));
        try (TestRank given = new TestRank(folder, 0, input, RankHooks.NONE, "Reads"); TestRank none = new TestRank(folder, "Reads")) {
            given.run();
            none.run();
            assertEquals("[one, two]\n", given.out());
            assertEquals("[]\n", none.out());
        }
    }

    @Test
    void shouldCloseTheStreamOfTheRankAlone() {
        try (TestRank rank = new TestRank(folder, "Closes"); TestRank other = new TestRank(folder, "Everything")) {
            rank.run();
            other.run();
            assertEquals("a", rank.out());
            assertTrue(other.out().startsWith("main"));
        }
    }

    @Test
    void shouldPrintOnceWhenTheProgramSetsTheStreamThatLeadsToItself() {
        try (TestRank rank = new TestRank(folder, "Routed")) {
            rank.run();
            assertEquals("once\n", rank.out());
        }
    }

    @Test
    void shouldBeInstalledOnceForAnyNumberOfCalls() {
        final PrintStream installed = System.out;
        RankStreams.install();
        assertSame(installed, System.out);
        RankStreams.uninstall();
        assertSame(installed, System.out);
        RankStreams.uninstall();
        assertNotSame(installed, System.out);
        RankStreams.install();
    }
}
