package tutti.runtime.host;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.MemoryTransport;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.LocalJob;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.process.LogLines;
import tutti.runtime.process.owner.RankClasses;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.registry.Lease;
import tutti.runtime.registry.ModuleProvider;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.LinkRecorder;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;

/** Jobs on two nodes in one JVM, with programs that use no MPI. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RuntimeJobHostTest {
    private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private static final AgreedModules NOTHING = new AgreedModules(List.of(), List.of(), Map.of(), Set.of(), RuleTable.NONE);
    private static final ModuleProvider NONE = new NoModules();

    /** A node without modules. */
    private static final class NoModules implements ModuleProvider, Lease {
        private int leases;
        private int leasesInAll;

        @Override
        public Lease lease() {
            leases++;
            leasesInAll++;
            return this;
        }

        @Override
        public Catalogue catalogue() {
            return new Catalogue(0, List.of());
        }

        @Override
        public Catalogue extend() {
            return catalogue();
        }

        @Override
        public List<OfferedModule> keep(final List<ModuleId> modules, final Collection<ModuleId> needed) {
            return List.of();
        }

        @Override
        public void close() {
            leases--;
        }
    }

    @TempDir
    private Path dir;
    @RegisterExtension
    private final LogLines log = new LogLines(HostedJob.class);
    private final MemoryTransport transport = new MemoryTransport(1 << 20);
    private final RuntimeJobHost[] hosts = {new RuntimeJobHost(NONE), new RuntimeJobHost(NONE)};
    private final Listener[] listeners = new Listener[2];
    private final Queue<String> events = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void listen() {
        for (int i = 0; i < 2; i++) {
            listeners[i] = transport.listen(new InetSocketAddress(0), hosts[i].acceptor());
        }
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private Path compiled(final String body) throws IOException {
        final Path source = dir.resolve("Prog.java");
        Files.writeString(source, "public class Prog { static int n; public static void main(String[] args) throws Exception {" + body + "} }");
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", dir.toString(), source.toString()));
        return dir;
    }

    private JobSpec spec(final int self, final byte[] key, final Path classPath) {
        return new JobSpec("job", key, List.of("n0", "n1"), List.of(0, 1, 0, 1), self, "Prog", List.of("x"), List.of(classPath));
    }

    private List<NodeEndpoints> addresses() {
        return List.of(address(0), address(1));
    }

    private NodeEndpoints address(final int i) {
        return new NodeEndpoints("n" + i, List.of(Endpoint.tcp(listeners[i].address().getHostString(), listeners[i].address().getPort())));
    }

    private final JobListener listener = new JobListener() {
        @Override
        public void output(final int rank, final boolean error, final byte[] bytes) {
            events.add(rank + (error ? " err " : " out ") + new String(bytes, StandardCharsets.UTF_8).strip());
        }

        @Override
        public void inputWanted() {
            events.add("input wanted");
        }

        @Override
        public void rankEnded(final int rank, final RankOutcome end) {
            events.add(rank + " " + end.kind() + " " + end.status());
        }

        @Override
        public void nodeLost(final int node, final String reason) {
            events.add("lost " + node);
        }
    };

    @Test
    void shouldNotWarmUpOnceAJobWasPrepared() throws Exception {
        final NoModules modules = new NoModules();
        final RuntimeJobHost host = new RuntimeJobHost(modules);
        host.prepare(spec(0, KEY, compiled("")), listener).cancel("not needed");
        host.warmUp("Prog", NOTHING, transport);
        assertEquals(1, modules.leasesInAll, "the job's lease is the only one");
    }

    @Test
    void shouldRunRanksOnEachNodeWithStaticsOfTheirOwnAndForgetTheJob() throws Exception {
        final Path classes = compiled("System.out.println(args[0] + ++n); System.err.println(n);");
        final LocalJob a = hosts[0].prepare(spec(0, KEY, classes), listener);
        final LocalJob b = hosts[1].prepare(spec(1, KEY, classes), listener);
        assertEquals(2, hosts[0].running());
        a.connect(NOTHING, Map.of(Endpoint.TCP, transport), addresses()).toCompletableFuture().get(60, TimeUnit.SECONDS);
        b.connect(NOTHING, Map.of(Endpoint.TCP, transport), addresses()).toCompletableFuture().get(60, TimeUnit.SECONDS);
        a.start();
        b.start();
        a.ended().toCompletableFuture().get(60, TimeUnit.SECONDS);
        b.ended().toCompletableFuture().get(60, TimeUnit.SECONDS);
        for (int r = 0; r < 4; r++) {
            assertTrue(events.containsAll(List.of(r + " out x1", r + " err 1", r + " RETURNED 0")), events.toString());
        }
        assertEquals(0, hosts[0].running());
        assertTrue(events.stream().noneMatch(h -> h.startsWith("lost")), events.toString());
    }

    @Test
    void shouldGiveRankZeroTheInputThatItAsksForAndTheOthersNone() throws Exception {
        final Path classes = compiled("System.out.println(new String(System.in.readAllBytes()));");
        final LocalJob a = hosts[0].prepare(spec(0, KEY, classes), listener);
        a.start();
        await().atMost(Duration.ofSeconds(60)).until(() -> events.contains("input wanted"));
        a.input("some ".getBytes(StandardCharsets.UTF_8));
        await().atMost(Duration.ofSeconds(60)).until(() -> events.stream().filter("input wanted"::equals).count() == 2);
        a.input("words".getBytes(StandardCharsets.UTF_8));
        await().atMost(Duration.ofSeconds(60)).until(() -> events.stream().filter("input wanted"::equals).count() == 3);
        a.input(new byte[0]);
        a.ended().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertTrue(events.contains("0 out some words") && events.contains("2 out "), events.toString());
    }

    @Test
    void shouldEndARankThatWaitsForInputWhenCancelled() throws Exception {
        final LocalJob a = hosts[0].prepare(spec(0, KEY, compiled("System.in.read();")), listener);
        a.start();
        await().atMost(Duration.ofSeconds(60)).until(() -> events.contains("input wanted"));
        a.cancel("no longer wanted");
        a.ended().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertTrue(events.stream().anyMatch(h -> h.startsWith("0 CANCELLED")), events.toString());
    }

    @Test
    void shouldEndRanksThatSleepWhenCancelled() throws Exception {
        final Path classes = compiled("System.out.println(1); Thread.sleep(100_000);");
        final LocalJob a = hosts[0].prepare(spec(0, KEY, classes), listener);
        a.start();
        a.cancel("no longer wanted");
        a.ended().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertTrue(events.stream().anyMatch(h -> h.startsWith("0 CANCELLED")), events.toString());
    }

    @Test
    void shouldRefuseLinksWithAnotherKey() throws Exception {
        final LocalJob b = hosts[1].prepare(spec(1, KEY, compiled("")), listener);
        final LinkHandler ignoring = new LinkHandler() {
            @Override
            public void frame(final tutti.runtime.transport.Link link, final java.lang.foreign.MemorySegment m, final long at, final int n) {
                throw new IllegalStateException("no frame is due");
            }

            @Override
            public void writable(final tutti.runtime.transport.Link link) {
                // nothing is sent
            }

            @Override
            public void closed(final tutti.runtime.transport.Link link, final Throwable cause) {
                // nothing to release
            }
        };
        final LocalJob outsider = hosts[0].prepare(spec(0, "fedcba9876543210".getBytes(StandardCharsets.US_ASCII), dir), listener);
        final Exception e =
            assertThrows(Exception.class,
                () -> outsider.connect(NOTHING, Map.of(Endpoint.TCP, transport), addresses()).toCompletableFuture().get(60, TimeUnit.SECONDS));
        assertTrue(e.getMessage().contains("cannot link node n0 to node n1") && e.getMessage().contains("wrong key for job job"), e.getMessage());
        assertThrows(RefusedException.class, () -> transport.connect(listeners[1].address(), new Hello(JobHost.PURPOSE, new byte[] {1}),
            ignoring, Duration.ofSeconds(60)));
        b.cancel("done");
        outsider.cancel("done");
    }

    /** Makes the hello of a node of a job. */
    private static byte[] hello(final String job, final byte[] key) throws IOException {
        final ByteArrayOutputStream payload = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(payload)) {
            out.writeUTF(job);
            out.writeInt(0);
            out.writeByte(key.length);
            out.write(key);
        }
        return payload.toByteArray();
    }

    private static byte[] bytes(final Object... values) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (final Object v : values) {
                if (v instanceof final Integer number) {
                    out.writeInt(number);
                } else {
                    out.writeUTF(v.toString());
                }
            }
        }
        return bytes.toByteArray();
    }

    private String refusal(final String purpose, final byte[] hello) {
        return assertThrows(RefusedException.class, () -> transport.connect(listeners[1].address(), new Hello(purpose, hello), new LinkRecorder(),
            Duration.ofSeconds(60))).getMessage();
    }

    @Test
    void shouldSayWhyItRefusesALink() throws Exception {
        final LocalJob job = hosts[1].prepare(spec(1, KEY, dir), listener);
        assertEquals("bad hello of a job", refusal(JobHost.PURPOSE, new byte[] {1}));
        assertEquals("bad hello of a job", refusal(JobHost.PURPOSE, Arrays.copyOf(hello("job", KEY), 6)));
        assertEquals("job does not run here: id=other", refusal(JobHost.PURPOSE, hello("other", KEY)));
        assertEquals("the job has ended, or this is another daemon", refusal(JobHost.PURPOSE_PEER, hello("job", KEY)));
        final String identity = ((HostedJob) job).identity();
        assertEquals("bad hello of a job", refusal(JobHost.PURPOSE_PEER, bytes(identity)));
        assertEquals("wrong secret for job job", refusal(JobHost.PURPOSE_PEER, bytes(identity, "guessed", "other", 0)));
        assertEquals("bad hello of a port", refusal(JobHost.PURPOSE_PORT, bytes(identity)));
        final String version = refusal(JobHost.PURPOSE_PORT, bytes(identity, -1));
        assertTrue(version.matches("the port has version \\d+, this job -1; use the same release for both jobs"), version);
        job.cancel("done");
    }

    @Test
    void shouldEndAJobWhoseEndsOfRanksCannotBeReported() throws Exception {
        final LocalJob job = hosts[1].prepare(spec(1, KEY, dir), new JobListener() {
            @Override
            public void output(final int rank, final boolean error, final byte[] bytes) {
                // the ranks do not start
            }

            @Override
            public void inputWanted() {
                // the ranks do not start
            }

            @Override
            public void rankEnded(final int rank, final RankOutcome end) {
                throw new IllegalStateException("the link is lost");
            }

            @Override
            public void nodeLost(final int node, final String reason) {
                // the job is not connected
            }
        });
        job.cancel("not needed");
        job.ended().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertEquals(List.of("end of a rank could not be reported: job=job, rank=1", "end of a rank could not be reported: job=job, rank=3"),
            log.lines().stream().sorted().toList());
    }

    @Test
    void shouldAcceptOneLinkPerNode() throws Exception {
        final LocalJob job = hosts[1].prepare(spec(1, KEY, dir), listener);
        final Hello hello = new Hello(JobHost.PURPOSE, hello("job", KEY));
        final LinkRecorder first = new LinkRecorder();
        transport.connect(listeners[1].address(), hello, first, Duration.ofSeconds(60));
        assertEquals("unexpected link: job=job, node=0", assertThrows(RefusedException.class,
            () -> transport.connect(listeners[1].address(), hello, new LinkRecorder(), Duration.ofSeconds(60))).getMessage());
        job.cancel("done");
    }

    @Test
    void shouldReleaseEverythingWhenTheRanksCannotBeBuilt() throws Exception {
        final NoModules modules = new NoModules();
        final RuntimeJobHost host = new RuntimeJobHost(modules);
        host.addShared(new RankClasses() {
            @Override
            public Iterable<String> packages() {
                throw new IllegalStateException("no packages");
            }

            @Override
            public Iterable<String> perRank() {
                return List.of();
            }

            @Override
            public ClassLoader loader() {
                return null;
            }
        });
        final Path jar = dir.resolve("program.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new ZipEntry("x"));
        }
        final PrintStream before = System.out;
        assertEquals("no packages",
            assertThrows(IllegalStateException.class, () -> host.prepare(spec(0, KEY, jar), listener)).getMessage());
        assertSame(before, System.out);
        assertEquals(0, modules.leases);
        assertEquals(0, host.running());
        final Path open = Path.of("/proc/self/fd");
        if (Files.exists(open)) {
            try (Stream<Path> files = Files.list(open)) {
                assertFalse(files.anyMatch(f -> isOpen(f, jar)));
            }
        }
    }

    private static boolean isOpen(final Path descriptor, final Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file.toRealPath());
        } catch (final IOException e) {
            return false;
        }
    }

    @Test
    void shouldRefuseSpecificationsThatMakeNoSense() {
        final JobSpec good = spec(0, KEY, dir);
        refused("key length out of range: bytes=3, range=16..64", spec(0, new byte[3], dir));
        refused("node out of range: self=5, nodes=2", spec(5, KEY, dir));
        refused("node out of range: rank=0, node=7, nodes=2", new JobSpec("j", KEY, good.nodes(), List.of(7), 0, "M", List.of(), List.of()));
        refused("no rank on this node: self=0", new JobSpec("j", KEY, good.nodes(), List.of(1), 0, "M", List.of(), List.of()));
    }

    private void refused(final String message, final JobSpec spec) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, () -> hosts[0].prepare(spec, listener)).getMessage());
    }
}
