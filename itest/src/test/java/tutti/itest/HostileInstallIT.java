package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that modules which harm their JVM or are wrong are refused at installation in one line, or contained when they get in, and that the node is
 * as before: a job of somebody else computes the right results. Profile {@code soak} tries all.
 *
 * <table>
 * <caption>The modules</caption>
 * <tr><td>exit, halt, loop</td><td>in constructor, activator, query, init and plan: the process of the proof ends</td></tr>
 * <tr><td>memory, threads</td><td>without end, in constructor or activator, query and plan: as above</td></tr>
 * <tr><td>crash, recursion, tasks</td><td>native crash, endless recursion, a plan without end: as above</td></tr>
 * <tr><td>data, deadlock, unmatched, beyond, sender, ranks</td><td>wrong plans: refused with the counterexample</td></tr>
 * <tr><td>error, assertion, linkage</td><td>throws errors in query and plan: refused</td></tr>
 * <tr><td>priority</td><td>more than the highest priority: refused</td></tr>
 * <tr><td>garbage, absent, manifest, header, text</td><td>broken class file, class, manifest, jar: refused</td></tr>
 * <tr><td>plain, twice, bcast, basic, impostor, other</td><td>no or two capabilities, reserved names, names of others, other content</td></tr>
 * <tr><td>unsatisfied, services</td><td>a component that needs what is not there, a service too many: refused</td></tr>
 * <tr><td>size</td><td>wrong for one size on 4 ranks: quarantined when it is first called so</td></tr>
 * <tr><td>random</td><td>plans something else each time: refused or quarantined</td></tr>
 * <tr><td>state</td><td>changes properties, streams, locale when it starts: refused</td></tr>
 * <tr><td>port, files</td><td>opens a port, leaves files open: closed with its class loader when it is uninstalled</td></tr>
 * <tr><td>stop</td><td>does not return from its stop: interrupted</td></tr>
 * </table>
 */
@Tag("nightly")
@Timeout(value = 720, unit = TimeUnit.SECONDS)
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
    private static final String TASKS = "while (plan.size() > 0) { plan.fence(); }";
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

    private static final String STAR = """
        public QueryResult query(CollComm comm) {
            %s
            return QueryResult.usable(%s, AlgorithmTable.builder().intra(Operation.BCAST, "star", (call, plan) -> {
                boolean isRoot = plan.rank() == call.root();
                BufferRange all = Buffer.RECV.at(0, call.bytes());
                %s
                for (int r = 0; r < plan.size() && isRoot; r++) {
                    if (r != call.root()) { plan.send(all, r); }
                }
                if (!isRoot) { plan.recv(all, call.root()); }
            }).build());
        }
        """;

    /** Creates a bundle. */
    private interface Maker {
        Path bundle(ModuleBundles into) throws Exception;
    }

    /** A module that must not be installed, and what the refusal says. */
    private record Wrong(String name, String reason, Maker maker) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Wrong plan(final String name, final String reason, final String plan) {
        return new Wrong(name, reason, into -> into.withMembers(name, STAR.formatted("", "90", plan)));
    }

    private static Wrong manifest(final String name, final String reason, final java.util.function.Consumer<Attributes> change) {
        return new Wrong(name, reason, into -> into.withManifest(into.withActivator(name, ""), name + "-changed", change));
    }

    private static List<Wrong> allWrong() {
        return List.of(
            plan("data", "wrong result", "if (plan.size() > 2) { all = Buffer.RECV.at(0, call.bytes() / 2); }"),
            plan("deadlock", "deadlock", "if (isRoot && plan.size() > 1) { plan.recv(all, (call.root() + 1) % plan.size()); plan.fence(); }"),
            plan("unmatched", "bcast", "if (isRoot && plan.size() > 1) { plan.send(all, (call.root() + 1) % plan.size()); }"),
            plan("beyond", "bcast", "all = Buffer.RECV.at(0, call.bytes() + 1);"),
            plan("sender", "bcast", "if (!isRoot) { plan.recv(Buffer.SEND.at(0, call.bytes()), call.root()); return; }"),
            plan("ranks", "bcast", "if (plan.rank() == 1) { return; }"),
            plan("assertion", "hostile", "if (call.bytes() >= 0) { throw new AssertionError(\"hostile\"); }"),
            new Wrong("error", "hostile", into -> into.withMembers("error",
                STAR.formatted("if (comm != null) { throw new OutOfMemoryError(\"hostile\"); }", "90", ""))),
            new Wrong("linkage", "hostile", into -> into.withMembers("linkage",
                STAR.formatted("if (comm != null) { throw new NoClassDefFoundError(\"hostile\"); }", "90", ""))),
            new Wrong("priority", "101", into -> into.withMembers("priority", STAR.formatted("", "101", ""))),
            new Wrong("garbage", "probe.garbage", into -> into.withEntry(into.withActivator("garbage", ""), "garbage-changed",
                "probe/Probe.class", new byte[] {(byte) 0xca, (byte) 0xfe, 1, 2, 3})),
            new Wrong("absent", "probe.absent", into -> into.withEntry(into.withActivator("absent", ""), "absent-changed",
                "OSGI-INF/probe.xml", ("<component xmlns=\"http://www.osgi.org/xmlns/scr/v1.3.0\" name=\"absent\"><implementation "
                    + "class=\"probe.Absent\"/><service><provide interface=\"tutti.coll.CollModule\"/></service></component>")
                    .getBytes(StandardCharsets.UTF_8))),
            new Wrong("state", "the module changes its JVM: ", into -> into.withActivator("state", """
                System.getProperties().clear();
                System.setOut(null);
                Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
                TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));""")),
            new Wrong("text", "not a bundle: not a jar", into -> Files.writeString(dir.resolve("text.jar"), "text ".repeat(1_000))),
            manifest("manifest", "not a bundle", m -> m.remove(new Attributes.Name("Bundle-ManifestVersion"))),
            manifest("header", "not a bundle", m -> m.putValue("Import-Package", ";;;=,")),
            manifest("plain", "is not a module: it has 0 capabilities", m -> m.remove(new Attributes.Name("Provide-Capability"))),
            manifest("twice", "is not a module: it has 2 capabilities",
                m -> m.putValue("Provide-Capability", "tutti.coll;tutti.coll=twice,tutti.coll;tutti.coll=thrice")),
            new Wrong("bcast", "invalid module name: name=bcast", into -> into.withOtherName("bcast", "bcast")),
            new Wrong("impostor", "declares module impostor, but its component publishes basic", into -> into.withOtherName("impostor", "basic")),
            new Wrong("basic", "cannot be the fallback module", into -> into.withManifest(into.withActivator("basic", ""), "basic-99", m -> {
                m.putValue("Bundle-Version", "99.0.0");
                m.putValue("Provide-Capability", "tutti.coll;tutti.coll=basic;operations:List<String>=bcast");
            })),
            new Wrong("unsatisfied", "its component is not active: it needs service java.lang.Appendable",
                into -> into.withEntry(into.withActivator("unsatisfied", ""),
                    "unsatisfied-changed", "OSGI-INF/probe.xml",
                    ("<component xmlns=\"http://www.osgi.org/xmlns/scr/v1.3.0\" name=\"u\"><implementation "
                        + "class=\"probe.Probe\"/><property name=\"coll.name\" value=\"unsatisfied\"/><service><provide "
                        + "interface=\"tutti.coll.CollModule\"/></service><reference interface=\"java.lang.Appendable\"/></component>")
                        .getBytes(StandardCharsets.UTF_8))),
            new Wrong("services", "declares module services, but publishes", into -> into.withActivator("services",
                "context.registerService(CollModule.class, this, new Hashtable<>(Map.of(\"coll.name\", \"services\")));")),
            new Wrong("other", "another digest", into -> {
                final Path first = into.withActivator("other", "");
                final TuttiScript.Result r = tutti("install", first.toString());
                assertEquals(0, r.status(), r::toString);
                return into.withManifest(first, "other-changed", m -> m.putValue("Built-For", "others"));
            }));
    }

    static List<Wrong> wrong() {
        return Boolean.getBoolean("tutti.hostile") ? allWrong()
            : allWrong().stream().filter(w -> Set.of("garbage", "services", "state").contains(w.name)).toList();
    }

    /** A module that may be installed, and is contained afterwards. */
    private record Late(String name, boolean mayFail, Maker maker) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static List<Late> allLate() {
        return List.of(
            new Late("size", true, into -> into.withMembers("size", STAR.formatted("", "90", """
                if (call.bytes() == 77_776 && plan.size() == 4) {
                    BufferRange first = Buffer.RECV.at(0, call.bytes() / 2);
                    BufferRange second = Buffer.RECV.at(call.bytes() / 2, call.bytes() / 2);
                    for (int r = 0; r < plan.size() && isRoot; r++) {
                        if (r != call.root()) { plan.send(first, r); plan.send(second, r); }
                    }
                    if (!isRoot) { plan.recv(second, call.root()); plan.recv(first, call.root()); }
                    return;
                }"""))),
            new Late("random", true, into -> into.withMembers("random", "static int calls;" + STAR.formatted("", "90", """
                synchronized (Probe.class) { if (++calls % 7 == 0 && !isRoot) { all = Buffer.RECV.at(0, call.bytes() / 2); } }"""))),
            new Late("port", false, into -> into.withMembers("port", """
                static final List<Object> LEFT = new ArrayList<>();
                public Probe() throws java.io.IOException { for (int i = 0; i < 50; i++) { LEFT.add(new java.net.ServerSocket(0)); } }
                public QueryResult query(CollComm comm) { return new QueryResult.Declined("a probe"); }""")),
            new Late("files", false, into -> into.withActivator("files", """
                for (int i = 0; i < 50; i++) { new java.io.FileOutputStream(java.io.File.createTempFile("left", ".open")); }""")),
            new Late("stop", false, into -> into.withStop("stop", "Thread.sleep(1_000_000);")));
    }

    static List<Late> late() {
        return Boolean.getBoolean("tutti.hostile") ? allLate() : allLate().stream().filter(w -> w.name.equals("files")).toList();
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
        TuttiScript.writeProgram(programs, "Spreads", """
            byte[] data = new byte[77_776];
            for (int round = 0; round < 20; round++) {
                java.util.Arrays.fill(data, (byte) (rank == 0 ? 3 : 0));
                data[data.length - 1] = (byte) (rank == 0 ? 5 : 0);
                MPI.COMM_WORLD.bcast(data, data.length, MPI.BYTE, 0);
                for (int i = 0; i < data.length; i++) { if (data[i] != (i < data.length - 1 ? 3 : 5)) { System.exit(9); } }
                int[] sum = {rank};
                MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
                if (sum[0] != size * (size - 1) / 2) { System.exit(9); }
            }
            System.out.println(String.join(" ", System.getProperty("java.version"), java.util.Locale.getDefault().toString(),
                java.util.TimeZone.getDefault().getID()));""");
        TuttiScript.compile(programs, "Spreads");
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

    /** What the node has between jobs. */
    private record Before(long heap, long descriptors) {
        static Before now() throws Exception {
            tutti("run", "-n", "3", "--cp", programs.toString(), "Sums");
            DaemonInspector.awaitJobsReleased(node);
            return new Before(DaemonInspector.heap(node), HostileInstallIT.descriptors());
        }

        void check() throws Exception {
            final TuttiScript.Result next = tutti("run", "-n", "3", "--cp", programs.toString(), "Sums");
            assertEquals(0, next.status(), next::toString);
            DaemonInspector.awaitJobsReleased(node);
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertEquals(List.of(), DaemonInspector.threads(node).stream().filter(t -> t.contains("tutti-module") || t.contains("tutti-verifier")
                    || t.contains("tutti-set-up")).toList());
                // after the collection that it causes
                final long used = DaemonInspector.heap(node);
                assertTrue(used < heap + (8 << 20), () -> "heap before: " + heap + ", now: " + used);
                final long open = HostileInstallIT.descriptors();
                assertTrue(open <= descriptors + 8, () -> "descriptors before: " + descriptors + ", now: " + open);
            });
        }
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void shouldRefuseAModuleThatIsWrongAndLeaveTheNodeAsBefore(final Wrong module) throws Exception {
        final Path bundle = module.maker.bundle(modules);
        final Before before = Before.now();
        final TuttiScript.Result refused = tutti("install", bundle.toString());
        assertEquals(FAILED, refused.status(), refused::toString);
        assertEquals(1, refused.err().lines().count(), refused::toString);
        assertTrue(refused.err().contains(module.reason) && refused.err().contains("nothing was changed"), refused::toString);
        before.check();
        System.out.println("refused: " + refused.err().strip());
    }

    @ParameterizedTest
    @MethodSource("late")
    void shouldContainAModuleThatIsInstalledAndLeaveTheNodeAsBefore(final Late module) throws Exception {
        final TuttiScript.Result without = spreads();
        assertEquals(0, without.status(), without::toString);
        final Path bundle = module.maker.bundle(modules);
        final Before before = Before.now();
        final TuttiScript.Result installed = tutti("install", bundle.toString());
        assertTrue(installed.status() == 0 || module.mayFail && installed.err().lines().count() == 1, installed::toString);
        final TuttiScript.Result first = spreads();
        assertTrue(first.status() == 0 || module.mayFail && first.status() == FAILED, first::toString);
        // quarantined, where the first one failed
        final TuttiScript.Result next = spreads();
        assertEquals(0, next.status(), next::toString);
        assertEquals(without.out().lines().sorted().toList(), next.out().lines().sorted().toList());
        if (installed.status() == 0) {
            final TuttiScript.Result removed = tutti("uninstall", module.name);
            assertEquals(0, removed.status(), removed::toString);
        }
        before.check();
        System.out.println("contained: " + module + ": " + (installed.status() == 0 ? installed.out().strip() : installed.err().strip()) + "; "
            + first.err().lines().filter(l -> l.contains("module")).findFirst().orElse("no error"));
    }

    private static TuttiScript.Result spreads() throws Exception {
        return tutti("run", "-n", "4", "--timeout", "60", "--cp", programs.toString(), "Spreads");
    }
}
