package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a job of eight ranks on three nodes that calls all 22 collectives in all three forms while two clients change a module at random, have it try
 * versions of another one that are wrong, and a node without ranks is killed now and then. Profile soak makes 300 changes.
 */
@Tag("nightly")
@Timeout(value = 7200, unit = TimeUnit.SECONDS)
class LiveSoakIT {
    private static final int CHANGES = Integer.getInteger("tutti.live.changes", 16);
    /** Bytes of the broadcasts of the program. */
    private static final int WRONG_BYTES = 20;
    private static final String PROGRAM = """
        import java.nio.IntBuffer;
        import java.util.*;
        import mpi.*;

        public class AllForms {
            static final int N = 5;
            static final int ROOT = 1;
            static int me, p, left, right;
            static IntBuffer s, r;

            interface Form<T> { T call() throws MPIException; }
            interface Expected { int at(int it, int i); }

            static int v(int rank, int it, int j) { return rank * 1000 + it * 7 + j; }

            record Op(String name, Form<Object> blocking, Form<Request> nonblocking, Prequest persistent, int[] length, Expected expected) {}

            static int sum(int from, int to, int it, int j) {
                int all = 0;
                for (int q = from; q < to; q++) { all += v(q, it, j); }
                return all;
            }

            static Object none(Runnable run) { run.run(); return null; }

            interface Call { void run() throws MPIException; }

            static Form<Object> of(Call call) { return () -> { call.run(); return null; }; }

            public static void main(String[] args) throws Exception {
                MPI.Init(args);
                Intracomm w = MPI.COMM_WORLD;
                me = w.getRank();
                p = w.getSize();
                CartComm ring = w.createCart(new int[] {p}, new boolean[] {true}, false);
                left = (me + p - 1) % p;
                right = (me + 1) % p;
                s = MPI.newIntBuffer(p * N);
                r = MPI.newIntBuffer(p * N);
                int[] n = new int[p], d = new int[p], b = new int[p];
                Datatype[] t = new Datatype[p];
                for (int q = 0; q < p; q++) { n[q] = N; d[q] = q * N; b[q] = 4 * q * N; t[q] = MPI.INT; }
                int[] n2 = {N, N}, d2 = {0, N}, b2 = {0, 4 * N};
                Datatype[] t2 = {MPI.INT, MPI.INT};
                boolean isRoot = me == ROOT;
                IntBuffer toRoot = isRoot ? r : null;
                IntBuffer fromRoot = isRoot ? s : null;
                Expected gathered = (it, i) -> v(i / N, it, i % N);
                Expected exchanged = (it, i) -> v(i / N, it, me * N + i % N);
                Expected scattered = (it, i) -> v(ROOT, it, me * N + i);
                Expected reduced = (it, i) -> sum(0, p, it, i);
                Expected part = (it, i) -> sum(0, p, it, me * N + i);
                Expected neighbors = (it, i) -> i < N ? v(left, it, i) : v(right, it, i - N);
                Expected both = (it, i) -> i < N ? v(left, it, N + i) : v(right, it, i - N);
                int[] all = {p * N}, block = {N}, two = {2 * N}, atRoot = {isRoot ? p * N : 0}, reducedAtRoot = {isRoot ? N : 0};
                List<Op> ops = List.of(
                    new Op("barrier", of(() -> w.barrier()), () -> w.iBarrier(), w.barrierInit(), new int[] {0}, null),
                    new Op("bcast", of(() -> w.bcast(r, N, MPI.INT, ROOT)), () -> w.iBcast(r, N, MPI.INT, ROOT),
                        w.bcastInit(r, N, MPI.INT, ROOT), block,
                        (it, i) -> v(ROOT, it, i)),
                    new Op("gather", of(() -> w.gather(s, N, MPI.INT, toRoot, N, MPI.INT, ROOT)),
                        () -> w.iGather(s, N, MPI.INT, toRoot, N, MPI.INT, ROOT),
                        w.gatherInit(s, N, MPI.INT, toRoot, N, MPI.INT, ROOT), atRoot, gathered),
                    new Op("gatherv", of(() -> w.gatherv(s, N, MPI.INT, toRoot, n, d, MPI.INT, ROOT)),
                        () -> w.iGatherv(s, N, MPI.INT, toRoot, n, d, MPI.INT, ROOT),
                        w.gathervInit(s, N, MPI.INT, toRoot, n, d, MPI.INT, ROOT), atRoot,
                        gathered),
                    new Op("scatter", of(() -> w.scatter(fromRoot, N, MPI.INT, r, N, MPI.INT, ROOT)),
                        () -> w.iScatter(fromRoot, N, MPI.INT, r, N, MPI.INT, ROOT), w.scatterInit(fromRoot, N, MPI.INT, r, N, MPI.INT, ROOT), block,
                        scattered),
                    new Op("scatterv", of(() -> w.scatterv(fromRoot, n, d, MPI.INT, r, N, MPI.INT, ROOT)),
                        () -> w.iScatterv(fromRoot, n, d, MPI.INT, r, N, MPI.INT, ROOT), w.scattervInit(fromRoot, n, d, MPI.INT, r, N, MPI.INT, ROOT),
                        block, scattered),
                    new Op("allGather", of(() -> w.allGather(s, N, MPI.INT, r, N, MPI.INT)), () -> w.iAllGather(s, N, MPI.INT, r, N, MPI.INT),
                        w.allGatherInit(s, N, MPI.INT, r, N, MPI.INT), all, gathered),
                    new Op("allGatherv", of(() -> w.allGatherv(s, N, MPI.INT, r, n, d, MPI.INT)),
                        () -> w.iAllGatherv(s, N, MPI.INT, r, n, d, MPI.INT),
                        w.allGathervInit(s, N, MPI.INT, r, n, d, MPI.INT), all, gathered),
                    new Op("allToAll", of(() -> w.allToAll(s, N, MPI.INT, r, N, MPI.INT)), () -> w.iAllToAll(s, N, MPI.INT, r, N, MPI.INT),
                        w.allToAllInit(s, N, MPI.INT, r, N, MPI.INT), all, exchanged),
                    new Op("allToAllv", of(() -> w.allToAllv(s, n, d, MPI.INT, r, n, d, MPI.INT)),
                        () -> w.iAllToAllv(s, n, d, MPI.INT, r, n, d, MPI.INT),
                        w.allToAllvInit(s, n, d, MPI.INT, r, n, d, MPI.INT), all, exchanged),
                    new Op("allToAllw", of(() -> w.allToAllw(s, n, b, t, r, n, b, t)), () -> w.iAllToAllw(s, n, b, t, r, n, b, t),
                        w.allToAllwInit(s, n, b, t, r, n, b, t), all, exchanged),
                    new Op("reduce", of(() -> w.reduce(s, isRoot ? r : null, N, MPI.INT, MPI.SUM, ROOT)),
                        () -> w.iReduce(s, isRoot ? r : null, N, MPI.INT, MPI.SUM, ROOT),
                        w.reduceInit(s, isRoot ? r : null, N, MPI.INT, MPI.SUM, ROOT),
                        reducedAtRoot, reduced),
                    new Op("allReduce", of(() -> w.allReduce(s, r, N, MPI.INT, MPI.SUM)), () -> w.iAllReduce(s, r, N, MPI.INT, MPI.SUM),
                        w.allReduceInit(s, r, N, MPI.INT, MPI.SUM), block, reduced),
                    new Op("scan", of(() -> w.scan(s, r, N, MPI.INT, MPI.SUM)), () -> w.iScan(s, r, N, MPI.INT, MPI.SUM),
                        w.scanInit(s, r, N, MPI.INT, MPI.SUM), block, (it, i) -> sum(0, me + 1, it, i)),
                    new Op("exScan", of(() -> w.exScan(s, r, N, MPI.INT, MPI.SUM)), () -> w.iExScan(s, r, N, MPI.INT, MPI.SUM),
                        w.exScanInit(s, r, N, MPI.INT, MPI.SUM), new int[] {me == 0 ? 0 : N}, (it, i) -> sum(0, me, it, i)),
                    new Op("reduceScatter", of(() -> w.reduceScatter(s, r, n, MPI.INT, MPI.SUM)), () -> w.iReduceScatter(s, r, n, MPI.INT, MPI.SUM),
                        w.reduceScatterInit(s, r, n, MPI.INT, MPI.SUM), block, part),
                    new Op("reduceScatterBlock", of(() -> w.reduceScatterBlock(s, r, N, MPI.INT, MPI.SUM)),
                        () -> w.iReduceScatterBlock(s, r, N, MPI.INT, MPI.SUM), w.reduceScatterBlockInit(s, r, N, MPI.INT, MPI.SUM), block, part),
                    new Op("neighborAllGather", of(() -> ring.neighborAllGather(s, N, MPI.INT, r, N, MPI.INT)),
                        () -> ring.iNeighborAllGather(s, N, MPI.INT, r, N, MPI.INT), ring.neighborAllGatherInit(s, N, MPI.INT, r, N, MPI.INT), two,
                        neighbors),
                    new Op("neighborAllGatherv", of(() -> ring.neighborAllGatherv(s, N, MPI.INT, r, n2, d2, MPI.INT)),
                        () -> ring.iNeighborAllGatherv(s, N, MPI.INT, r, n2, d2, MPI.INT),
                        ring.neighborAllGathervInit(s, N, MPI.INT, r, n2, d2, MPI.INT),
                        two, neighbors),
                    new Op("neighborAllToAll", of(() -> ring.neighborAllToAll(s, N, MPI.INT, r, N, MPI.INT)),
                        () -> ring.iNeighborAllToAll(s, N, MPI.INT, r, N, MPI.INT),
                        ring.neighborAllToAllInit(s, N, MPI.INT, r, N, MPI.INT), two, both),
                    new Op("neighborAllToAllv", of(() -> ring.neighborAllToAllv(s, n2, d2, MPI.INT, r, n2, d2, MPI.INT)),
                        () -> ring.iNeighborAllToAllv(s, n2, d2, MPI.INT, r, n2, d2, MPI.INT),
                        ring.neighborAllToAllvInit(s, n2, d2, MPI.INT, r, n2, d2, MPI.INT), two, both),
                    new Op("neighborAllToAllw", of(() -> ring.neighborAllToAllw(s, n2, b2, t2, r, n2, b2, t2)),
                        () -> ring.iNeighborAllToAllw(s, n2, b2, t2, r, n2, b2, t2),
                        ring.neighborAllToAllwInit(s, n2, b2, t2, r, n2, b2, t2), two, both));
                boolean[] isRead = {false};
                if (me == 0) {
                    new Thread(() -> {
                        try { System.in.read(); } catch (java.io.IOException e) { System.err.println(e); }
                        synchronized (isRead) { isRead[0] = true; }
                    }).start();
                    System.out.println("up");
                }
                Random random = new Random(5);
                int[] isOver = {0};
                int it = 0;
                for (; isOver[0] == 0; it++) {
                    Op op = ops.get(random.nextInt(ops.size()));
                    for (int j = 0; j < p * N; j++) { s.put(j, v(me, it, j)); r.put(j, op.name().equals("bcast") && isRoot ? v(me, it, j) : -1); }
                    switch (random.nextInt(3)) {
                        case 0 -> op.blocking().call();
                        case 1 -> op.nonblocking().call().waitFor();
                        default -> { op.persistent().start(); op.persistent().waitFor(); }
                    }
                    for (int i = 0; i < op.length()[0]; i++) {
                        if (r.get(i) != op.expected().at(it, i)) {
                            throw new AssertionError(op.name() + ", call " + it + ", rank " + me + ", " + i + ": " + r.get(i) + ", expected "
                                + op.expected().at(it, i));
                        }
                    }
                    if (it % 100 == 0) {
                        synchronized (isRead) { isOver[0] = isRead[0] ? 1 : 0; }
                        w.bcast(isOver, 1, MPI.INT, 0);
                    }
                }
                for (Op op : ops) { op.persistent().free(); }
                if (me == 0) { System.out.println(it + " calls of " + ops.size() + " operations"); }
                MPI.Finalize();
            }
        }
        """;

    @TempDir
    private static Path dir;
    private static ThreeNodeCluster cluster;
    private static ModuleBundles modules;
    private final Map<String, AtomicInteger> done = new TreeMap<>(
        Map.of("update", new AtomicInteger(), "rollback", new AtomicInteger(), "quarantine", new AtomicInteger(), "refused", new AtomicInteger()));
    private final AtomicInteger version = new AtomicInteger();
    private final AtomicInteger left = new AtomicInteger(CHANGES);

    @BeforeAll
    static void start() throws Exception {
        cluster = ThreeNodeCluster.shared();
        modules = new ModuleBundles(dir);
        Files.writeString(dir.resolve("AllForms.java"), PROGRAM);
        TuttiScript.compile(dir, "AllForms");
    }

    /** Makes changes until there were enough, as a client of a node. Those that nodes refuse do not count. */
    private void change(final TuttiScript.Daemon at, final int seed) throws Exception {
        final Random random = new Random(seed);
        while (left.get() > 0) {
            final int kind = random.nextInt(8);
            final List<String> line = new ArrayList<>();
            if (kind < 4) {
                line.addAll(List.of("update", modules.ring("1.0." + version.incrementAndGet()).toString(), "--no-verify", "--live"));
            } else if (kind < 7) {
                line.addAll(List.of("rollback", "ring", "--live"));
            } else {
                line.addAll(List.of("update", modules.linear("1.0." + version.incrementAndGet(), WRONG_BYTES, 0).toString(), "--no-verify", "--live",
                    "--canary", "50%", "--budget",
                    "50%"));
            }
            final TuttiScript.Result r = CommandInJvm.run(ThreeNodeCluster.commandLine(at, line.getFirst(),
                line.subList(1, line.size()).toArray(String[]::new)));
            final boolean isQuarantined = r.out().contains("is refused and quarantined");
            // refused while a node is gone, or the other client changes the module
            final boolean isMade = r.status() == 0 || isQuarantined;
            done.get(!isMade ? "refused" : isQuarantined ? "quarantine" : line.getFirst()).incrementAndGet();
            left.addAndGet(isMade ? -1 : 0);
            assertTrue(r.status() == 0 || r.status() == 1, r::toString);
        }
    }

    private static String listings() {
        try {
            return cluster.run("modules") + cluster.run("ps");
        } catch (final Exception e) {
            return e.toString();
        }
    }

    private static Future<Void> client(final String name, final Callable code) {
        final FutureTask<Void> task = new FutureTask<>(() -> {
            code.run();
            return null;
        });
        Thread.ofPlatform().name(name).start(task);
        return task;
    }

    @FunctionalInterface
    private interface Callable {
        void run() throws Exception;
    }

    @Test
    void shouldGiveRightResultsAndLeaveNothingBehind() throws Exception {
        cluster.uninstallAdded();
        cluster.run("install", modules.ring("1.0.0"), "--no-verify");
        cluster.run("install", modules.linear("1.0.0", 0, 0), "--no-verify");
        final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(cluster.a, "run", "-n", "8", "-p", "coll.live=follow",
            "--cp", dir.toString(), "AllForms"));
        assertEquals(List.of("up"), job.lines(1));
        final Future<Void> one = client("client-a", () -> change(cluster.a, 1));
        final Future<Void> other = client("client-b", () -> change(cluster.b, 2));
        int kills = 0;
        while (!one.isDone() || !other.isDone()) {
            final TuttiScript.Daemon d =
                new TuttiScript.Daemon(dir, "--name", "d", "--dir", dir.resolve("d").toString(), "--join", cluster.a.address);
            final int before = left.get();
            await().atMost(Duration.ofMinutes(10)).until(() -> left.get() < before - 3 || one.isDone() && other.isDone());
            d.kill();
            kills++;
        }
        one.get();
        other.get();
        for (final String node : List.of("a", "b", "c")) {
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> assertEquals(2, cluster.installedFiles(node).size(),
                () -> "versions of two modules in the container of node " + node + "\n" + listings()));
        }
        job.in.write('\n');
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.out().contains("of 22 operations"), r::toString);
        System.out.println("live soak: " + done + ", kills=" + kills + ", " + r.out().lines().toList().getLast());
    }
}
