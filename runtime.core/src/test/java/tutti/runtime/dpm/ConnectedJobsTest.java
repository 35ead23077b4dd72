package tutti.runtime.dpm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.osgi.framework.Version;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.NamedPorts;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.context.JobEnvironment;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.select.JobModules;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/** Tests communicators of ranks of several jobs: connection by ports, messages, collectives, merging, and the end of one job. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ConnectedJobsTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** A module that is asked how it would serve, and never does. */
    private static final CollModule PROBE = comm -> QueryResult.usable(90, AlgorithmTable.builder().intra(Operation.BARRIER, "none", (call, plan) -> {
        // nobody calls it
    }).build());

    private static List<Integer> inTurn(final int ranks, final int nodes) {
        return IntStream.range(0, ranks).map(r -> r % nodes).boxed().toList();
    }

    private static Ranks.Job job(final int ranks, final int nodes, final Ranks.Body body) {
        return new Ranks.Job(inTurn(ranks, nodes), Ranks.job(ranks, Map.of(), BASIC), body);
    }

    private static void run(final Ranks.Job... jobs) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(transport, List.of(jobs));
        }
    }

    private static void exchange(final Communicator inter) {
        final int[] got = new int[3];
        for (int peer = 0; peer < inter.remoteSize(); peer++) {
            final var receiving = inter.messages().irecv(got, 3, Datatype.INT, peer, 5);
            inter.messages().send(SendMode.STANDARD, new int[] {inter.rank(), peer, inter.size()}, 3, Datatype.INT, peer, 5);
            receiving.waitFor();
            assertArrayEquals(new int[] {peer, inter.rank(), inter.remoteSize()}, got);
        }
        final byte[] large = new byte[300_000];
        if (inter.rank() == 0) {
            final var receiving = inter.messages().irecv(large, large.length, Datatype.BYTE, 0, 6);
            inter.messages().send(SendMode.SYNCHRONOUS, new byte[300_000], 300_000, Datatype.BYTE, 0, 6);
            assertEquals(300_000, receiving.waitFor().bytes());
        }
    }

    private static void collect(final Communicator inter, final int base, final int other) {
        final int[] sum = {0};
        inter.engine().blocking().allreduce(new int[] {base + inter.rank()}, sum, 1, Datatype.INT, Op.SUM);
        assertEquals(IntStream.range(0, inter.remoteSize()).map(r -> other + r).sum(), sum[0]);
        inter.engine().blocking().barrier();
    }

    private static void merge(final Communicator inter, final boolean high) {
        final Communicator merged = inter.merge(high);
        final int size = inter.size() + inter.remoteSize();
        assertEquals(size, merged.size());
        assertEquals(high ? inter.remoteSize() + inter.rank() : inter.rank(), merged.rank());
        final int[] sum = {0};
        merged.engine().blocking().allreduce(new int[] {merged.rank() + 1}, sum, 1, Datatype.INT, Op.SUM);
        assertEquals(size * (size + 1) / 2, sum[0]);
        final Communicator dup = merged.dup();
        final Communicator odd = dup.split(merged.rank() % 2, -merged.rank());
        final int[] members = new int[odd.size()];
        odd.engine().blocking().allgather(new int[] {merged.rank()}, 1, Datatype.INT, members, 1, Datatype.INT);
        assertArrayEquals(IntStream.range(0, size).filter(r -> r % 2 == merged.rank() % 2).map(r -> -r).sorted().map(r -> -r).toArray(), members);
        final Communicator node = merged.splitByNode(0);
        node.engine().blocking().barrier();
        final Communicator created = merged.create(merged.group().incl(new int[] {size - 1, 0}));
        assertEquals(merged.rank() == 0 || merged.rank() == size - 1, created != null);
        if (created != null) {
            created.engine().blocking().barrier();
            created.free();
        }
        node.free();
        odd.free();
        dup.free();
        merged.disconnect();
    }

    @ParameterizedTest
    @CsvSource({"3, 1, 2, 1", "1, 1, 1, 1", "3, 2, 5, 3", "1, 1, 4, 2"})
    void shouldConnectExchangeMergeAndDisconnect(final int servers, final int serverNodes, final int clients, final int clientNodes)
        throws Exception {
        run(job(servers, serverNodes, rank -> {
            final Communicator inter = NamedPorts.serve(rank, "service");
            exchange(inter);
            collect(inter, 100, 1000);
            merge(inter, false);
            inter.disconnect();
        }), job(clients, clientNodes, rank -> {
            final Communicator inter = NamedPorts.dial(rank, "service", clients - 1);
            exchange(inter);
            collect(inter, 1000, 100);
            merge(inter, true);
            inter.disconnect();
        }));
    }

    @Test
    void shouldConnectGroupsOfOneJob() throws Exception {
        run(job(5, 2, rank -> {
            final Communicator half = rank.world().split(rank.worldRank() < 2 ? 0 : 1, 0);
            final boolean serves = rank.worldRank() < 2;
            final String port = rank.worldRank() == 0 ? rank.ports().open() : "";
            if (rank.worldRank() == 0) {
                rank.ports().publish("own", port);
            }
            final Communicator inter = serves ? half.accept(port, 0, LIMIT)
                : half.connect(half.rank() == 0 ? NamedPorts.await(rank, "own") : null, 0, LIMIT);
            exchange(inter);
            collect(inter, serves ? 100 : 1000, serves ? 1000 : 100);
            merge(inter, !serves);
            inter.disconnect();
            half.free();
        }));
    }

    @Test
    void shouldKeepTheNodesOfTheJobWhenACommunicatorNumbersItsOwn() throws Exception {
        final List<Integer> placed = List.of(1, 0, 1);
        run(new Ranks.Job(placed, Ranks.job(3, Map.of(), BASIC), rank -> {
            final Communicator inter = NamedPorts.serve(rank, "placed");
            final JobEnvironment job = rank.context().job();
            assertEquals(placed, IntStream.range(0, 3).map(job::nodeOf).boxed().toList());
            assertEquals(List.of("n1", "n0", "n1"), IntStream.range(0, 3).mapToObj(job::nodeName).toList());
            assertEquals(rank.worldRank() == 1 ? 1 : 2, rank.world().splitByNode(0).size());
            inter.disconnect();
        }), job(1, 1, rank -> NamedPorts.dial(rank, "placed", 0).disconnect()));
    }

    @Test
    void shouldLetThreeJobsMergeOneAfterTheOther() throws Exception {
        run(job(2, 2, rank -> {
            final Communicator first = NamedPorts.serve(rank, "first");
            final Communicator two = first.merge(false);
            final String port = two.rank() == 0 ? rank.ports().open() : "";
            if (two.rank() == 0) {
                rank.ports().publish("second", port);
            }
            final Communicator second = two.accept(port, 0, LIMIT);
            collect(second, 100, 1000);
            merge(second, false);
            second.disconnect();
            two.disconnect();
            first.disconnect();
        }), job(1, 1, rank -> {
            final Communicator first = NamedPorts.dial(rank, "first", 0);
            final Communicator two = first.merge(true);
            final Communicator second = two.accept(null, 0, LIMIT);
            collect(second, 100, 1000);
            merge(second, false);
            second.disconnect();
            two.disconnect();
            first.disconnect();
        }), job(3, 1, rank -> {
            final Communicator second = NamedPorts.dial(rank, "second", 0);
            collect(second, 1000, 100);
            merge(second, true);
            second.disconnect();
        }));
    }

    @Test
    void shouldJoinProcessesThatASocketConnects() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            run(job(2, 1, rank -> {
                if (rank.worldRank() == 1) {
                    try (Socket socket = server.accept()) {
                        final Communicator inter = rank.self().join(socket);
                        exchange(inter);
                        collect(inter, 100, 1000);
                        merge(inter, false);
                        inter.disconnect();
                        // the socket may be used again
                        assertEquals('x', socket.getInputStream().read());
                    }
                }
            }), job(1, 1, rank -> {
                try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    final Communicator inter = rank.self().join(socket);
                    exchange(inter);
                    collect(inter, 1000, 100);
                    merge(inter, true);
                    inter.disconnect();
                    socket.getOutputStream().write('x');
                }
            }));
        }
    }

    @Test
    void shouldRefuseToJoinOverASocketWhoseOtherEndDoesNot() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            run(job(1, 1, rank -> {
                for (final String line : List.of("", "hello\n", "tutti join 9 port\n")) {
                    try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                        try (Socket other = server.accept()) {
                            other.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
                            other.shutdownOutput();
                            final MpiFailure e = assertThrows(MpiFailure.class, () -> rank.self().join(socket));
                            assertTrue(e.getMessage().startsWith(line.isEmpty()
                                ? "cannot join over the socket: java.io.EOFException: the other side has closed it: socket="
                                : line.startsWith("tutti")
                                    ? "the other side of the socket has version 9, this job 2; use the same release for both jobs"
                                : "the other side of the socket sent data before it called join"), e.getMessage());
                        }
                    }
                }
                assertEquals(ErrorClass.ARG, assertThrows(MpiFailure.class, () -> rank.self().join(new Socket())).errorClass());
            }));
        }
    }

    @Test
    void shouldRefuseToJoinOverASocketThatIsConnectedToItself() throws Exception {
        run(job(1, 1, rank -> {
            try (Socket socket = new Socket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                socket.connect(socket.getLocalSocketAddress());
                assertEquals("the socket is connected to itself", assertThrows(MpiFailure.class, () -> rank.self().join(socket)).getMessage());
            }
        }));
    }

    @Test
    void shouldTellWhyProcessesAreNotSpawned() throws Exception {
        run(job(2, 1, rank -> {
            final MpiFailure e = assertThrows(MpiFailure.class,
                () -> rank.world().spawn(() -> List.of(new SpawnRequest.Command("A", List.of(), 1, Map.of())), 0, started -> {}));
            assertEquals("processes were not spawned: there is no daemon", e.getMessage());
            assertEquals(ErrorClass.SPAWN, e.errorClass());
        }));
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    void shouldJoinGroupsThatSpanJobsByACommonCommunicator(final int clientNodes) throws Exception {
        final Ranks.Body meet = rank -> {
            final boolean serves = rank.world().size() == 3;
            final Communicator first = serves ? NamedPorts.serve(rank, "common") : NamedPorts.dial(rank, "common", 0);
            final Communicator all = first.merge(!serves);
            // 0 2 4 6 and 1 3 5: both groups have ranks of both jobs
            final Communicator half = all.split(all.rank() % 2, 0);
            final Communicator inter = half.createIntercomm(0, all, 1 - all.rank() % 2, 7);
            exchange(inter);
            collect(inter, all.rank() % 2 * 100, (1 - all.rank() % 2) * 100);
            merge(inter, all.rank() % 2 == 1);
            inter.disconnect();
            half.free();
            all.disconnect();
            first.disconnect();
        };
        run(job(3, 2, meet), job(4, clientNodes, meet));
    }

    @Test
    void shouldFailReceivesAndCollectivesAfterTheOtherJobHasEnded() throws Exception {
        run(job(3, 1, rank -> {
            final Communicator inter = NamedPorts.serve(rank, "ends");
            final int[] got = {0};
            // a message that was sent before the end arrives
            inter.messages().recv(got, 1, Datatype.INT, 0, 1);
            assertEquals(7, got[0]);
            final MpiFailure direct = assertThrows(MpiFailure.class, () -> inter.messages().recv(got, 1, Datatype.INT, 0, 2));
            assertTrue(direct.getMessage().matches("node n0 of job testB is gone: .*"), direct.getMessage());
            final MpiFailure any = assertThrows(MpiFailure.class, () -> inter.messages().recv(got, 1, Datatype.INT, Reserved.ANY_SOURCE, 2));
            assertTrue(any.getMessage().contains("job testB is gone"), any.getMessage());
            assertThrows(MpiFailure.class, () -> inter.messages().probe(0, 2));
            final MpiFailure all = assertThrows(MpiFailure.class, () -> inter.engine().blocking().barrier());
            assertTrue(all.isReportedByPeer());
            assertThrows(MpiFailure.class, () -> inter.messages().send(SendMode.SYNCHRONOUS, got, 1, Datatype.INT, 0, 3));
            // other communicators are not affected
            rank.world().engine().blocking().barrier();
            inter.disconnect();
        }), job(1, 1, rank -> {
            final Communicator inter = NamedPorts.dial(rank, "ends", 0);
            for (int r = 0; r < 3; r++) {
                inter.messages().send(SendMode.STANDARD, new int[] {7}, 1, Datatype.INT, r, 1);
            }
        }));
    }

    @Test
    void shouldFailWhenNobodyAcceptsOrConnectsInTime() throws Exception {
        final CountDownLatch done = new CountDownLatch(1);
        run(job(2, 1, rank -> {
            final String port = rank.worldRank() == 0 ? rank.ports().open() : "";
            if (rank.worldRank() == 0) {
                rank.ports().publish("silent", port);
                done.await();
            }
            final MpiFailure late = assertThrows(MpiFailure.class, () -> rank.world().accept(port, 0, Duration.ofMillis(50)));
            assertEquals(ErrorClass.PORT, late.errorClass());
            assertTrue(late.getMessage().matches("nobody connected to the port within 0\\.0\\d+ s"), late.getMessage());
        }), job(2, 1, rank -> {
            final String port = rank.worldRank() == 0 ? NamedPorts.await(rank, "silent") : null;
            final MpiFailure late = assertThrows(MpiFailure.class, () -> rank.world().connect(port, 0, Duration.ofMillis(200)));
            assertEquals(ErrorClass.PORT, late.errorClass());
            assertTrue(late.getMessage().contains("the port did not accept the connection within 0.2 s"), late.getMessage());
            done.countDown();
        }));
    }

    private static ConnectedJobs connections(final Rank rank) {
        return (ConnectedJobs) rank.context().job().connections();
    }

    /** Accepts a connection of a process that answers wrongly to this group's description, and then closes the connection. */
    private static void acceptWrong(final String expected, final BiConsumer<Rank, Meeting> answer) throws Exception {
        run(job(1, 1, rank -> {
            final String port = rank.ports().open();
            rank.ports().publish("wrong", port);
            assertEquals(expected, assertThrows(MpiFailure.class, () -> rank.world().accept(port, 0, LIMIT)).getMessage());
            rank.ports().close(port);
        }), job(1, 1, rank -> {
            final Meeting meeting = connections(rank).connect(NamedPorts.await(rank, "wrong"), LIMIT).get();
            meeting.receive().get();
            answer.accept(rank, meeting);
            meeting.close();
        }));
    }

    private static byte[] description(final Rank rank) {
        return connections(rank).describe(rank.world().group(), rank.context().contexts().allot()).toBytes();
    }

    @Test
    void shouldRefuseAGroupThatDoesNotDescribeItself() throws Exception {
        acceptWrong("the other group does not describe itself: null", (rank, meeting) -> {
            meeting.send(new byte[3]);
            meeting.send(new byte[0]);
        });
    }

    @Test
    void shouldTellThatTheOtherGroupRefuses() throws Exception {
        acceptWrong("the other side: no", (rank, meeting) -> {
            meeting.send(description(rank));
            meeting.send(new byte[0]);
            meeting.send("no".getBytes(StandardCharsets.UTF_8));
        });
    }

    @Test
    void shouldTellThatTheOtherGroupEndsInTheMiddleOfTheCall() throws Exception {
        acceptWrong("the other side did not answer: the other side has closed the connection: closed by the peer", (rank, meeting) -> {
            meeting.send(description(rank));
            meeting.send(new byte[0]);
        });
    }

    @Test
    void shouldRefuseNamesOfClosedPortsAndOfOtherVersions() throws Exception {
        run(job(1, 1, rank -> {
            final String port = rank.ports().open();
            rank.ports().close(port);
            for (final String name : List.of(port, port.replace("tutti|2|", "tutti|9|"), "tutti|2|x", "something", "")) {
                final MpiFailure e = assertThrows(MpiFailure.class, () -> rank.world().connect(name, 0, LIMIT), name);
                assertEquals(ErrorClass.PORT, e.errorClass());
            }
            final String noPort = assertThrows(MpiFailure.class, () -> rank.world().connect(port, 0, LIMIT)).getMessage();
            assertTrue(noPort.startsWith("cannot connect to the port: ") && noPort.contains("the port is closed"), noPort);
            assertTrue(assertThrows(MpiFailure.class, () -> rank.world().connect(port.replace("tutti|2|", "tutti|9|"), 0, LIMIT)).getMessage()
                .contains("it has version 9, this job 2"));
            assertEquals(ErrorClass.PORT, assertThrows(MpiFailure.class, () -> rank.ports().close(port)).errorClass());
            final MpiFailure closed = assertThrows(MpiFailure.class, () -> rank.world().accept(port, 0, LIMIT));
            assertEquals("no such port is open on this node: use the rank that opened it as root: name=" + port, closed.getMessage());
            assertEquals(ErrorClass.PORT, closed.errorClass());
            assertEquals(ErrorClass.NAME, assertThrows(MpiFailure.class, () -> rank.ports().lookup("nobody")).errorClass());
            assertEquals(ErrorClass.SERVICE, assertThrows(MpiFailure.class, () -> rank.ports().unpublish("nobody")).errorClass());
            rank.ports().publish("once", port);
            assertEquals(ErrorClass.SERVICE, assertThrows(MpiFailure.class, () -> rank.ports().publish("once", port)).errorClass());
            assertEquals(ErrorClass.ROOT, assertThrows(MpiFailure.class, () -> rank.world().accept(port, 1, LIMIT)).errorClass());
        }));
    }

    @Tag("nightly")
    @Test
    void shouldFailOnBothSidesWhenTheirNodesCannotBeLinked() throws Exception {
        try (MemoryTransport memory = new MemoryTransport(128 * 1024)) {
            final Transport withoutPeers = new Transport() {
                @Override
                public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
                    return memory.listen(address, acceptor);
                }

                @Override
                public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit)
                    throws IOException {
                    if (hello.purpose().equals(JobHost.PURPOSE_PEER)) {
                        throw new ConnectException("a firewall");
                    }
                    return memory.connect(address, hello, handler, limit);
                }
            };
            final Set<String> reasons = ConcurrentHashMap.newKeySet();
            final Ranks.Body meet = rank -> {
                final MpiFailure e = assertThrows(MpiFailure.class, () -> {
                    if (rank.world().size() == 2) {
                        NamedPorts.serve(rank, "unreachable");
                    } else {
                        NamedPorts.dial(rank, "unreachable", 0);
                    }
                });
                reasons.add(String.valueOf(e.getMessage()).replaceFirst(".*: (it .*)", "$1"));
                rank.world().engine().blocking().barrier();
            };
            Ranks.run(withoutPeers, List.of(job(2, 1, meet), job(1, 1, meet)));
            // a rank may also learn it from another one of its job
            assertTrue(reasons.containsAll(Set.of("it cannot be linked: a firewall", "it did not open its link")), reasons::toString);
        }
    }

    /** A transport of a process that listens for long; some of the links between jobs are opened only after their jobs have ended. */
    private record LateLinks(MemoryTransport memory, Map<Integer, InetSocketAddress> addresses, List<ServerSocket> process, CountDownLatch jobsEnded,
        Set<String> connecting) implements Transport {
        LateLinks(final MemoryTransport memory) {
            this(memory, new ConcurrentHashMap<>(), new CopyOnWriteArrayList<>(), new CountDownLatch(1), ConcurrentHashMap.newKeySet());
        }

        @Override
        public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
            final Listener listener = memory.listen(address, acceptor);
            final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            process.add(socket);
            addresses.put(socket.getLocalPort(), listener.address());
            return new Listener() {
                @Override
                public InetSocketAddress address() {
                    return (InetSocketAddress) socket.getLocalSocketAddress();
                }

                @Override
                public void close() {
                    listener.close();
                }
            };
        }

        @Override
        public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit)
            throws IOException {
            final boolean isLate = hello.purpose().equals(JobHost.PURPOSE_PEER) && hello.payload()[hello.payload().length - 1] == 1;
            try {
                if (isLate) {
                    connecting.add(Thread.currentThread().getName());
                    assertTrue(jobsEnded.await(120, TimeUnit.SECONDS));
                }
            } catch (final InterruptedException e) {
                throw new IOException(e);
            }
            return memory.connect(addresses.get(address.getPort()), hello, handler, limit);
        }

        void end() throws IOException {
            jobsEnded.countDown();
            for (final ServerSocket socket : process) {
                socket.close();
            }
        }
    }

    /** Returns the names of threads that open links to other jobs, or wait for them. */
    private static Set<String> linking(final Path file) throws IOException {
        Files.deleteIfExists(file);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpThreads(file.toString(),
            HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
        return Pattern.compile("\"(tutti-test[AB]-connect)\"").matcher(Files.readString(file)).results().map(m -> m.group(1))
            .collect(Collectors.toSet());
    }

    @Test
    void shouldWaitForNoLinkAfterItHasEnded(@TempDir final Path dir) throws Exception {
        final Path file = dir.toAbsolutePath().resolve("threads.txt");
        try (MemoryTransport memory = new MemoryTransport(128 * 1024)) {
            final LateLinks transport = new LateLinks(memory);
            try {
                Ranks.run(transport, List.of(job(2, 2, rank -> NamedPorts.serve(rank, "late")), job(2, 2, rank -> NamedPorts.dial(rank, "late", 0))));
                await().atMost(LIMIT).untilAsserted(() -> assertEquals(transport.connecting, linking(file)));
                assertEquals(1, transport.connecting.size());
            } finally {
                transport.end();
            }
            await().atMost(LIMIT).untilAsserted(() -> assertEquals(Set.of(), linking(file)));
        }
    }

    private static Ranks.Job failing(final JobModules modules, final boolean serves, final String expected) {
        return new Ranks.Job(inTurn(3, 2), modules, rank -> {
            final MpiFailure e = assertThrows(MpiFailure.class, () -> {
                if (serves) {
                    NamedPorts.serve(rank, "differs");
                } else {
                    NamedPorts.dial(rank, "differs", 0);
                }
            });
            assertTrue(e.getMessage().contains(expected), e.getMessage());
            rank.world().engine().blocking().barrier();
        });
    }

    @Test
    void shouldRefuseJobsWithDifferentParametersOnBothSides() throws Exception {
        run(failing(Ranks.job(3, Map.of("check", "full"), BASIC), true, "parameter check: job testA has full; job testB has fast"),
            failing(Ranks.job(3, Map.of("check", "fast"), BASIC), false, "parameter check: job testB has fast; job testA has full"));
    }

    /** Returns the modules of a job whose nodes hold module basic, and versions of module probe: 1.0.0, 1.1.0 or both. */
    private static JobModules versions(final Map<String, String> parameters, final String... byNode) {
        final ModuleId basic = new ModuleId("basic", Version.parseVersion("1.0.0"), "b");
        final Map<String, Catalogue> nodes = new TreeMap<>();
        for (final String versions : byNode) {
            nodes.put("n" + nodes.size(),
                new Catalogue(1, Stream.concat(Stream.of(basic), Stream.of(versions.split(" ")).map(v -> new ModuleId("probe",
                    Version.parseVersion(v), v))).toList()));
        }
        final Set<ModuleId> all = nodes.values().stream().flatMap(c -> c.modules().stream()).collect(Collectors.toSet());
        return new JobModules("test", byNode.length, AgreedModules.between(nodes).with(parameters, parameters.keySet(), RuleTable.NONE),
            all.stream().map(m -> new OfferedModule(m, m.equals(basic) ? new BasicModule() : PROBE)).toList());
    }

    private static String server(final Communicator comm) {
        return comm.engine().explain(Operation.BARRIER, 0).module();
    }

    @Test
    void shouldServeACommunicatorOfTwoJobsByTheHighestVersionThatItsNodesHave() throws Exception {
        run(new Ranks.Job(List.of(0, 1), versions(Map.of(), "1.0.0 1.1.0", "1.0.0"), rank -> {
            assertEquals("probe 1.0.0", server(rank.world()));
            final Communicator inter = NamedPorts.serve(rank, "versions");
            final Communicator merged = inter.merge(false);
            assertEquals("basic 1.0.0", server(merged));
            assertEquals(List.of("probe 1.0.0: missing on node n0 of job testB", "probe 1.1.0: missing on node n1 of job testA"),
                merged.engine().explain(Operation.BARRIER, 0).others().stream().map(o -> o.module() + ": " + o.reason()).sorted().toList());
            final Communicator pair = merged.split(rank.worldRank() == 0 ? 0 : 1, 0);
            assertEquals(rank.worldRank() == 0 ? "probe 1.1.0" : "probe 1.0.0", server(pair));
            assertEquals(rank.worldRank() == 0 ? "probe 1.1.0" : "probe 1.0.0", server(pair.dup()));
        }), new Ranks.Job(List.of(0), versions(Map.of(), "1.1.0"), rank -> {
            final Communicator merged = NamedPorts.dial(rank, "versions", 0).merge(true);
            assertEquals("basic 1.0.0", server(merged));
            final Communicator pair = merged.split(0, 0);
            assertEquals("probe 1.1.0", server(pair));
            assertEquals("probe 1.1.0", server(pair.dup()));
        }));
    }

    @Test
    void shouldServeACommunicatorByALowerVersionThanEachJobUsesAlone() throws Exception {
        run(new Ranks.Job(List.of(0), versions(Map.of(), "1.0.0 1.1.0"), rank -> {
            assertEquals("probe 1.1.0", server(rank.world()));
            assertEquals("probe 1.0.0", server(NamedPorts.serve(rank, "lower").merge(false)));
        }), new Ranks.Job(List.of(0), versions(Map.of(), "1.0.0 1.2.0"), rank -> {
            assertEquals("probe 1.2.0", server(rank.world()));
            assertEquals("probe 1.0.0", server(NamedPorts.dial(rank, "lower", 0).merge(true)));
        }));
    }

    @Test
    void shouldServeACommunicatorByTheParametersOfTheJobThatGivesThem() throws Exception {
        run(new Ranks.Job(List.of(0), versions(Map.of("coll.select", "^probe"), "1.0.0"), rank -> {
            assertEquals("basic 1.0.0", server(rank.world()));
            assertEquals("basic 1.0.0", server(NamedPorts.serve(rank, "given").merge(false)));
        }), new Ranks.Job(List.of(0), versions(Map.of(), "1.0.0"), rank -> {
            assertEquals("probe 1.0.0", server(rank.world()));
            assertEquals("basic 1.0.0", server(NamedPorts.dial(rank, "given", 0).merge(true)));
        }));
    }

    @Test
    void shouldExplainTheSelectionOfConnectedJobs() throws Exception {
        run(job(2, 1, rank -> {
            final Communicator inter = NamedPorts.serve(rank, "explained");
            assertTrue(inter.engine().explain(Operation.ALLREDUCE, 8).toString().contains("BasicModule"));
            inter.disconnect();
        }), job(1, 1, rank -> NamedPorts.dial(rank, "explained", 0).disconnect()));
    }
}
