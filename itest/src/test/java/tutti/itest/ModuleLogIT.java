package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that modules and the selection log by level, to the error output of ranks. */
@Tag("nightly")
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class ModuleLogIT {
    private static final int USAGE = 2;
    private static final String CHATTY = """
        public QueryResult query(CollComm comm) {
            comm.logger().log(System.Logger.Level.INFO, "queried on {0} ranks", comm.size());
            return QueryResult.usable(99, AlgorithmTable.builder().intra(Operation.BCAST, "star", (call, plan) -> {
                comm.logger().log(System.Logger.Level.DEBUG, "planned {0} bytes", call.bytes());
                for (int r = 0; r < plan.size() && plan.rank() == call.root(); r++) {
                    if (r != call.root()) { plan.send(Buffer.RECV.at(0, call.bytes()), r); }
                }
                if (plan.rank() != call.root()) { plan.recv(Buffer.RECV.at(0, call.bytes()), call.root()); }
            }).build());
        }
        """;

    @TempDir
    private static Path dir;
    private static Path programs;
    private static TuttiScript.Daemon daemon;

    @BeforeAll
    static void start() throws Exception {
        programs = Files.createDirectory(dir.resolve("programs"));
        TuttiScript.writeProgram(programs, "Bcasts", """
            int[] data = {7};
            MPI.COMM_WORLD.bcast(data, 1, MPI.INT, 0);
            System.out.println("result " + data[0]);""");
        TuttiScript.compile(programs, "Bcasts");
        daemon = new TuttiScript.Daemon(dir, "--name", "a", "--dir", dir.resolve("node").toString());
        final TuttiScript.Result r = tutti("install", new ModuleBundles(dir).withMembers("chatty", CHATTY).toString());
        assertEquals(0, r.status(), r::toString);
    }

    @AfterAll
    static void stop() {
        daemon.close();
    }

    private static TuttiScript.Result tutti(final String command, final String... args) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(daemon, command, args));
    }

    private static TuttiScript.Result run(final String... parameters) throws Exception {
        return tutti("run", Stream.concat(Stream.concat(Stream.of("-n", "2"), Stream.of(parameters).flatMap(p -> Stream.of("-p", p))),
            Stream.of("--cp", programs.toString(), "Bcasts")).toArray(String[]::new));
    }

    private static List<String> messages(final TuttiScript.Result r) {
        assertEquals(0, r.status(), r::toString);
        assertEquals(2, r.out().lines().filter("result 7"::equals).count(), r::toString);
        return r.complaints().lines().filter(l -> l.startsWith("coll.") || l.startsWith("select ")).distinct().sorted().toList();
    }

    @Test
    void shouldLogNothingByDefault() throws Exception {
        assertEquals(List.of(), messages(run()));
        assertEquals(List.of(), messages(run("log.coll=debug", "log.coll.chatty=error")).stream().filter(l -> l.startsWith("coll.chatty ")).toList());
    }

    @Test
    void shouldLogByLevelWithModuleCommunicatorAndRank() throws Exception {
        assertEquals(List.of("coll.chatty debug MPI_COMM_WORLD rank 0: planned 4 bytes", "coll.chatty debug MPI_COMM_WORLD rank 1: planned 4 bytes",
            "coll.chatty info MPI_COMM_WORLD rank 0: queried on 2 ranks", "coll.chatty info MPI_COMM_WORLD rank 1: queried on 2 ranks"),
            messages(run("log.coll.chatty=debug")).stream().filter(l -> l.contains("MPI_COMM_WORLD")).toList());
    }

    @Test
    void shouldLogTheSelectionOfACommunicatorOnce() throws Exception {
        final List<String> info = messages(run("log.select=info", "coll.select=^tree"));
        assertTrue(info.stream().anyMatch(l -> l.startsWith("select info MPI_COMM_WORLD rank 0: modules in order: chatty 1.0.0 (priority 99), ")),
            info::toString);
        assertTrue(info.stream().anyMatch(l -> l.matches("select info MPI_COMM_WORLD rank 0: not tree \\S+: excluded by coll.select.*")),
            info::toString);
        assertTrue(info.stream().noneMatch(l -> l.contains("MPI_COMM_WORLD rank 1") || l.startsWith("select debug")), info::toString);
        final List<String> debug = messages(run("log.select=debug"));
        assertTrue(debug.stream().anyMatch(l -> l.startsWith("select debug MPI_COMM_WORLD rank 0: bcast: chatty 1.0.0, algorithm star")),
            debug::toString);
    }

    @Test
    void shouldTellWhichLevelsAndModulesThereAre() throws Exception {
        final TuttiScript.Result level = run("log.coll.chatty=loud");
        assertEquals(USAGE, level.status(), level::toString);
        assertEquals("tutti: bad value: log.coll.chatty=loud: no level; there are all, trace, debug, info, warning, error, off",
            level.err().strip());
        final TuttiScript.Result module = run("log.coll.chaty=info");
        assertEquals(USAGE, module.status(), module::toString);
        assertTrue(module.err().startsWith("tutti: no such parameter: log.coll.chaty") && module.err().contains("log.coll.chatty"),
            module::toString);
    }
}
