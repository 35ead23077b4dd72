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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a module which harms its JVM is refused at installation in one line, and that the node is as before: the process that proves the module
 * ends. Profile {@code soak} tries 24 modules, which takes four minutes.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class HostileInstallIT {
    private static final int FAILED = 1;
    private static final String EXIT = "System.exit(0);";
    private static final String HALT = "Runtime.getRuntime().halt(0);";
    private static final String LOOP = "for (long i = 0; i >= 0; i = i + 1 & 1023) { Thread.onSpinWait(); }";
    private static final String MEMORY = "List<long[]> all = new ArrayList<>(); while (all.size() >= 0) { all.add(new long[1 << 17]); }";
    private static final String THREADS = """
        for (int i = 0; i < 10_000; i++) {
            Thread.ofPlatform().start(() -> { while (true) { try { Thread.sleep(100_000); } catch (InterruptedException e) { } } });
        }""";
    private static final String CRASH = "java.lang.foreign.MemorySegment.ofAddress(8).reinterpret(8).set(java.lang.foreign.ValueLayout.JAVA_BYTE, 0, "
        + "(byte) 1);";
    private static final String RECURSION = "query(comm);";
    private static final String TASKS = "while (plan.size() > 0) { plan.post(); }";
    private static final String MODULE = """
        public Probe() { %s }
        public QueryResult query(CollComm comm) {
            %s
            AlgorithmTable table = AlgorithmTable.builder().intra(Operation.BCAST, "star", (call, plan) -> {
                %s
                for (int r = 0; r < plan.size() && plan.rank() == call.root(); r++) {
                    if (r != call.root()) { plan.send(Buffer.RECV.at(0, call.bytes()), r); }
                }
                if (plan.rank() != call.root()) { plan.recv(Buffer.RECV.at(0, call.bytes()), call.root()); }
            }).build();
            return new QueryResult.Usable(90, new CollInstance() {
                public AlgorithmTable table() { return table; }
                public AlgorithmTable init() { %s return table; }
            });
        }
        """;

    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon node;
    private static ModuleBundles modules;
    private static Path programs;

    /** Places of a module's code. */
    private enum Place { CONSTRUCTOR, ACTIVATOR, QUERY, INIT, PLAN }

    /** A module that runs some code in a place. */
    private record Hostile(String what, String code, Place place) {
        Path bundle(final ModuleBundles into) throws Exception {
            final String name = what + "-" + place.name().toLowerCase(java.util.Locale.ROOT);
            // the compiler does not see that the code never ends
            final String guarded = "if (System.nanoTime() != 0) { " + code + " }";
            return place == Place.ACTIVATOR ? into.withActivator(name, guarded)
                : into.withMembers(name, MODULE.formatted(in(Place.CONSTRUCTOR, guarded), in(Place.QUERY, guarded), in(Place.PLAN, guarded),
                    in(Place.INIT, guarded)));
        }

        private String in(final Place at, final String guarded) {
            return place == at ? guarded : "";
        }

        @Override
        public String toString() {
            return what + " in " + place;
        }
    }

    static List<Hostile> hostile() {
        return Boolean.getBoolean("tutti.hostile") ? all()
            : List.of(new Hostile("exit", EXIT, Place.CONSTRUCTOR), new Hostile("halt", HALT, Place.PLAN));
    }

    private static List<Hostile> all() {
        return Stream.of(Stream.of(Place.values()).flatMap(p -> Stream.of(new Hostile("exit", EXIT, p), new Hostile("halt", HALT, p),
            new Hostile("loop", LOOP, p))),
            Stream.of(Place.CONSTRUCTOR, Place.QUERY, Place.PLAN).map(p -> new Hostile("memory", MEMORY, p)),
            Stream.of(Place.ACTIVATOR, Place.QUERY, Place.PLAN).map(p -> new Hostile("threads", THREADS, p)),
            Stream.of(new Hostile("crash", CRASH, Place.PLAN), new Hostile("recursion", RECURSION, Place.QUERY),
                new Hostile("tasks", TASKS, Place.PLAN)))
            .flatMap(s -> s).toList();
    }

    @BeforeAll
    static void start() throws Exception {
        modules = new ModuleBundles(dir);
        programs = Files.createDirectory(dir.resolve("programs"));
        TuttiScript.writeProgram(programs, "Sums", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            if (sum[0] != size * (size + 1) / 2) { System.exit(9); }""");
        TuttiScript.compile(programs, "Sums");
        node = new TuttiScript.Daemon(dir, "--name", "a", "--dir", dir.resolve("node").toString());
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static TuttiScript.Result tutti(final String command, final String... args) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(node, command, args));
    }

    private static long descriptors() throws Exception {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(node.process.pid()), "fd"))) {
            return open.count();
        }
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void shouldRefuseAModuleThatHarmsItsJvmAndLeaveTheNodeAsBefore(final Hostile module) throws Exception {
        final Path bundle = module.bundle(modules);
        tutti("run", "-n", "3", "--cp", programs.toString(), "Sums");
        DaemonInspector.awaitJobsReleased(node);
        final long heap = DaemonInspector.heap(node);
        final long descriptors = descriptors();
        final TuttiScript.Result refused = tutti("install", bundle.toString());
        assertEquals(FAILED, refused.status(), refused::toString);
        assertEquals(1, refused.err().lines().count(), refused::toString);
        assertTrue(refused.err().contains(module.what + "-") && refused.err().contains(" 1.0.0") && refused.err().contains("nothing was changed"),
            refused::toString);
        final TuttiScript.Result next = tutti("run", "-n", "3", "--cp", programs.toString(), "Sums");
        assertEquals(0, next.status(), next::toString);
        DaemonInspector.awaitJobsReleased(node);
        assertEquals(List.of(), DaemonInspector.threads(node).stream().filter(t -> t.contains("tutti-module") || t.contains("tutti-verifier")
            || t.contains("tutti-set-up")).toList());
        assertTrue(descriptors() <= descriptors + 8, () -> "descriptors before: " + descriptors);
        assertTrue(DaemonInspector.heap(node) < heap + (8 << 20), () -> "heap before: " + heap);
        System.out.println("refused: " + refused.err().strip());
    }
}
