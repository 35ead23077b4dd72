package tutti.daemon.checkpoints;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;
import tutti.runtime.process.LogLines;

/** Tests of the checkpoints of a job: files on real disks, and copies over real links. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class JobCheckpointsTest {
    private static final String SERIES = "a-1-77aa";

    @TempDir
    private Path dir;
    @RegisterExtension
    private final LogLines log = new LogLines("tutti.daemon.checkpoints");
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (final AutoCloseable o : open.reversed()) {
            o.close();
        }
    }

    private CheckpointCluster cluster(final String... names) throws IOException {
        final CheckpointCluster made = new CheckpointCluster(dir, names);
        open.add(made);
        return made;
    }

    private CheckpointCluster.Job job(final CheckpointCluster c, final String id, final Restart from, final int perNode, final String... on)
        throws IOException {
        final CheckpointCluster.Job made = c.new Job(SERIES, id, List.of(on), perNode, from);
        open.add(made);
        return made;
    }

    private static Map<String, List<Byte>> content(final StoredRank stored) throws IOException {
        final Map<String, List<Byte>> all = new LinkedHashMap<>();
        for (final Map.Entry<String, Long> i : stored.items().entrySet()) {
            final byte[] bytes = new byte[Math.toIntExact(i.getValue())];
            stored.read(i.getKey(), MemorySegment.ofArray(bytes));
            all.put(i.getKey(), list(bytes));
        }
        return all;
    }

    private static List<Byte> list(final byte[] bytes) {
        final Byte[] all = new Byte[bytes.length];
        Arrays.setAll(all, i -> bytes[i]);
        return List.of(all);
    }

    private static Map<String, List<Byte>> content(final SavedRank saved) {
        final Map<String, List<Byte>> all = new LinkedHashMap<>();
        saved.items().forEach(i -> all.put(i.name(), list(i.data().toArray(ValueLayout.JAVA_BYTE))));
        return all;
    }

    static void assertState(final JobCheckpoints part, final int rank, final int ranks, final long point) throws IOException {
        final StoredRank stored = part.restored(rank);
        assertNotNull(stored);
        assertEquals(ranks, stored.ranks());
        assertEquals(point, stored.point());
        assertEquals(content(CheckpointCluster.state(rank, ranks, point)), content(stored));
    }

    private static void assertStates(final CheckpointCluster.Job job, final long point) throws IOException {
        for (int r = 0; r < job.size(); r++) {
            assertState(job.part(r), r, job.size(), point);
        }
    }

    private static int links(final Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:nlink");
    }

    private static void damage(final Path file, final int at) throws IOException {
        final byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 4;
        // not in place: the bytes of other links stay
        Files.delete(file);
        Files.write(file, bytes);
    }

    @Test
    void shouldReadOnEveryNodeWhatItsRanksWrote() throws Exception {
        final CheckpointCluster c = cluster("a", "b", "c");
        try (CheckpointCluster.Job first = job(c, SERIES, null, 2, "a", "b", "c")) {
            assertEquals(0, first.part(0).restored());
            assertNull(first.part(0).restored(0));
            first.save(1, 100);
            first.save(2, 200);
        }
        final Restart from = c.restart(SERIES, 0);
        assertEquals(2, from.number());
        final CheckpointCluster.Job again = job(c, "b-1-0", from, 2, "a", "b", "c");
        assertEquals(2, again.part(0).restored());
        assertStates(again, 200);
    }

    @Test
    void shouldFetchTheStateOfARankFromTheNodeWithItsCopyWhileTheJobRuns() throws Exception {
        final CheckpointCluster c = cluster("a", "b", "c");
        final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b", "c");
        job.save(1, 100);
        c.lose("b");
        assertEquals(List.of(0, 2), job.part(0).held(1, 100).stream().sorted().toList());
        assertEquals(List.of(1, 2), job.part(2).held(1, 100).stream().sorted().toList());
        assertEquals(List.of(), job.part(0).held(1, 101));
        assertEquals(List.of(), job.part(0).held(2, 100));
        for (int r = 0; r < 3; r++) {
            assertEquals(content(CheckpointCluster.state(r, 3, 100)), content(job.part(0).stored(1, 100, r, 3)));
        }
        assertEquals(List.of(0, 1, 2), job.part(0).held(1, 100).stream().sorted().toList());
        final String none = assertThrows(IOException.class, () -> job.part(0).stored(2, 100, 1, 3)).getMessage();
        assertTrue(none.matches("checkpoint cannot be continued: series=" + SERIES + ", number=2, rank=1, node=a: .*node c.*"), none);
    }

    @Test
    void shouldKeepCopiesOnTheNodeBehindALostOne() throws Exception {
        final CheckpointCluster c = cluster("a", "b", "c");
        final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b", "c");
        c.lose("b");
        job.part(0).write(1, CheckpointCluster.state(0, 3, 100));
        assertEquals(List.of(0), job.part(2).held(1, 100));
    }

    @Test
    void shouldOpenThePartOfASpareRankThatTheCheckpointDoesNotHave() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        try (CheckpointCluster.Job first = job(c, SERIES, null, 1, "a")) {
            first.save(1, 100);
        }
        final CheckpointCluster.Job again = job(c, "b-1-0", c.restart(SERIES, 0), 1, "a", "b");
        assertState(again.part(0), 0, 1, 100);
        assertEquals(content(CheckpointCluster.state(0, 1, 100)), content(again.part(1).stored(1, 100, 0, 1)));
    }

    @Test
    void shouldKeepACopyOfEachRankOnTheNextNodeAndNothingOlder() throws Exception {
        final CheckpointCluster c = cluster("a", "b", "c");
        final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b", "c");
        job.save(1, 100);
        job.save(2, 200);
        final Map<String, List<Integer>> held = c.held().stream().collect(Collectors.toMap(HeldCheckpoint::node, HeldCheckpoint::held));
        assertEquals(Map.of("a", List.of(0, 2), "b", List.of(0, 1), "c", List.of(1, 2)), held);
        c.held().forEach(h -> {
            assertTrue(h.complete(), h::toString);
            assertEquals(2, h.number());
            assertEquals(SERIES, h.usedBy());
        });
        try (var left = Files.list(c.node("a").folder())) {
            assertEquals(List.of(SERIES), left.map(p -> p.getFileName().toString()).toList());
        }
    }

    @Test
    void shouldLinkBlocksThatHaveNotChanged() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b");
        job.save(1, 100);
        for (int r = 0; r < 2; r++) {
            job.part(r).write(2, CheckpointCluster.state(r, 2, 200));
        }
        for (final String node : c.names()) {
            for (int r = 0; r < 2; r++) {
                final Path folder = c.node(node).folder().resolve(SERIES + "/2.part/rank-" + r);
                final List<Path> files = CheckpointCluster.files(folder);
                // items by name: differs, empty, same, short; of which two are long
                assertEquals(List.of("0-0", "2-0", "state"), files.stream().map(f -> f.getFileName().toString()).sorted().toList());
                assertEquals(1, links(folder.resolve("0-0")));
                assertEquals(2, links(folder.resolve("2-0")));
            }
        }
    }

    @Test
    void shouldSplitLongItemsAndLinkTheBlocksThatAreTheSame() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b");
        final long length = 2L * RankState.BLOCK_BYTES + 13;
        final Path numbered = c.node("b").folder().resolve(SERIES);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment data = arena.allocate(length, 8);
            for (long i = 0; i < length; i += 997) {
                data.set(ValueLayout.JAVA_BYTE, i, (byte) (i / 997));
            }
            job.part(0).write(1, new SavedRank(0, 2, 5, List.of(new SavedRank.Item("x", data))));
            job.part(1).write(1, CheckpointCluster.state(1, 2, 5));
            job.part(0).complete(1);
            job.part(1).complete(1);
            data.set(ValueLayout.JAVA_BYTE, RankState.BLOCK_BYTES + 5L, (byte) 99);
            job.part(0).write(2, new SavedRank(0, 2, 6, List.of(new SavedRank.Item("x", data))));
            job.part(1).write(2, CheckpointCluster.state(1, 2, 6));
            job.part(0).complete(2);
            job.part(1).complete(2);
            job.close();
            assertEquals(List.of(2, 1, 2), List.of(links(numbered.resolve("2/rank-0/0-0")), links(numbered.resolve("2/rank-0/0-1")),
                links(numbered.resolve("2/rank-0/0-2"))));
            assertEquals(13, Files.size(numbered.resolve("2/rank-0/0-2")));
            c.lose("a");
            final CheckpointCluster.Job again = job(c, "b-1-0", c.restart(SERIES, 0), 2, "b");
            final MemorySegment back = arena.allocate(length, 8);
            final StoredRank stored = again.part(0).restored(0);
            assertNotNull(stored);
            stored.read("x", back);
            assertEquals(-1, data.mismatch(back));
        }
    }

    @Test
    void shouldWriteSeveralRanksAtTheSameTime() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        final CheckpointCluster.Job job = job(c, SERIES, null, 7, "a", "b");
        final List<Callable<Void>> writes = new ArrayList<>();
        for (int r = 0; r < job.size(); r++) {
            final int rank = r;
            writes.add(() -> {
                for (int number = 1; number <= 3; number++) {
                    job.part(rank).write(number, CheckpointCluster.state(rank, job.size(), number));
                }
                return null;
            });
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (final Future<Void> f : threads.invokeAll(writes)) {
                f.get(100, TimeUnit.SECONDS);
            }
        }
        job.part(0).complete(3);
        job.part(7).complete(3);
        job.close();
        c.lose("b");
        assertStates(job(c, "a-2-0", c.restart(SERIES, 0), 14, "a"), 3);
    }

    @Test
    void shouldContinueOnOtherNodesAfterTheLossOfAnyOne() throws Exception {
        for (final String lost : List.of("a", "b", "c")) {
            final Path here = Files.createDirectories(dir.resolve("without-" + lost));
            try (CheckpointCluster c = new CheckpointCluster(here, "a", "b", "c")) {
                try (CheckpointCluster.Job job = c.new Job(SERIES, SERIES, List.of("a", "b", "c"), 2, null)) {
                    job.save(1, 100);
                }
                c.lose(lost);
                try (CheckpointCluster.Job again = c.new Job(SERIES, "x-1-1", c.names(), 3, c.restart(SERIES, 0))) {
                    assertStates(again, 100);
                    again.save(2, 200);
                }
                c.lose(c.names().getFirst());
                try (CheckpointCluster.Job last = c.new Job(SERIES, "x-2-1", c.names(), 6, c.restart(SERIES, 0))) {
                    assertStates(last, 200);
                }
            }
        }
    }

    @Test
    void shouldUseTheCopyForEveryFileThatIsDamagedMissingOrShort() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        try (CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b")) {
            job.save(1, 100);
        }
        final Path rank = c.node("a").folder().resolve(SERIES + "/1/rank-0");
        int tries = 0;
        for (final Path file : CheckpointCluster.files(rank)) {
            final int length = (int) Files.size(file);
            for (final int at : new int[] {0, length / 2, length - 1}) {
                damage(file, at);
                assertRestored(c, ++tries, file);
            }
            Files.delete(file);
            assertRestored(c, ++tries, file);
            Files.write(file, Arrays.copyOf(Files.readAllBytes(file), length - 1));
            assertRestored(c, ++tries, file);
            final byte[] longer = Arrays.copyOf(Files.readAllBytes(file), length + 1);
            Files.write(file, longer);
            assertRestored(c, ++tries, file);
        }
        assertEquals(3 * 6, tries);
    }

    private void assertRestored(final CheckpointCluster c, final int count, final Path file) throws IOException {
        try (CheckpointCluster.Job again = c.new Job(SERIES, "x-" + count, List.of("a", "b"), 1, c.restart(SERIES, 0))) {
            assertStates(again, 100);
        }
        assertTrue(Files.exists(file.resolveSibling("../rank-0.damaged").normalize())
            || file.endsWith("state"), () -> "not set aside: " + file);
    }

    @Test
    void shouldNameAllTriesWhenNoCopyIsGood() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        try (CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b")) {
            job.save(1, 100);
        }
        damage(c.node("a").folder().resolve(SERIES + "/1/rank-0/0-0"), 500);
        Files.delete(c.node("b").folder().resolve(SERIES + "/1/rank-0/2-0"));
        final Restart from = c.restart(SERIES, 0);
        final String text = assertThrows(IOException.class, () -> job(c, "x-1", from, 1, "a", "b")).getMessage();
        assertTrue(text.contains("rank=0") && text.contains("node=a, rank-0") && text.contains("0-0: it is damaged")
            && text.contains("checkpoint on node b failed") && text.contains("2-0: it is missing"), text);
        log.assertLine("rank of a checkpoint is set aside: ");
        log.assertLine("rank of a checkpoint cannot be fetched: rank=0, node=b, reason=");
        // what failed uses the series no more
        assertNull(c.held().getFirst().usedBy());
    }

    @Test
    void shouldNoticeWhatIsDamagedAfterItWasVerified() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        try (CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b")) {
            job.save(1, 100);
        }
        final CheckpointCluster.Job again = job(c, "x-1", c.restart(SERIES, 0), 1, "a", "b");
        damage(c.node("a").folder().resolve(SERIES + "/1/rank-0/2-0"), 71_999);
        final StoredRank stored = again.part(0).restored(0);
        assertNotNull(stored);
        final String text = assertThrows(IOException.class, () -> stored.read("same", MemorySegment.ofArray(new double[9_000]))).getMessage();
        assertTrue(text.contains("node=a, rank-0") && text.contains("2-0: it is damaged"), text);
        assertThrows(IOException.class, () -> stored.read("same", MemorySegment.ofArray(new double[8_999])));
        assertThrows(IOException.class, () -> stored.read("none", MemorySegment.ofArray(new double[1])));
        final double[] good = new double[0];
        stored.read("empty", MemorySegment.ofArray(good));
        assertArrayEquals(new double[0], good);
    }

    @Test
    void shouldRefuseASeriesThatAnotherJobUses() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b");
        job.save(1, 100);
        final String text = assertThrows(IOException.class, () -> job(c, "x-1", c.restart(SERIES, 0), 1, "a")).getMessage();
        assertTrue(text.contains("series=" + SERIES) && text.contains("job " + SERIES) && text.contains("x-1"), text);
        final String kept = c.node("b").checkpoints().remove(SERIES);
        assertTrue(kept != null && kept.contains("tutti cancel " + SERIES), kept);
        job.close();
        assertNull(c.node("b").checkpoints().remove(SERIES));
        assertNull(c.node("a").checkpoints().remove(SERIES));
        assertEquals(List.of(), c.held());
    }

    @Test
    void shouldKeepACopyOfAJobOnOneNodeOnTheNextNodeByName() throws Exception {
        final CheckpointCluster c = cluster("a", "b", "c");
        job(c, SERIES, null, 2, "c").save(1, 100);
        assertEquals(List.of("a", "c"), c.held().stream().map(HeldCheckpoint::node).toList());
        final CheckpointCluster alone = new CheckpointCluster(dir.resolve("alone"), "z");
        open.add(alone);
        job(alone, SERIES, null, 2, "z").save(1, 100);
        assertEquals(1, alone.held().size());
    }

    @Test
    void shouldWriteWithoutACopyWhenNoOtherNodeIsLeftAndKeepTheOldCheckpoint() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b");
        job.save(1, 100);
        c.lose("b");
        job.part(0).write(2, CheckpointCluster.state(0, 2, 200));
        assertEquals(List.of(0), job.part(0).held(2, 200));
        job.part(0).discard(2);
        job.close();
        final CheckpointCluster.Job again = job(c, "x-1", c.restart(SERIES, 0), 2, "a");
        assertEquals(1, again.part(0).restored());
        assertStates(again, 100);
    }

    @Test
    void shouldHoldASeriesUntilTheCopyOfALostNodeIsRemoved() throws Exception {
        final CountDownLatch keeps = new CountDownLatch(1);
        final CountDownLatch goesOn = new CountDownLatch(1);
        try (CheckpointCluster c = new CheckpointCluster(dir, name -> () -> {
            if (name.equals("b")) {
                keeps.countDown();
                try {
                    goesOn.await();
                } catch (final InterruptedException e) {
                    throw new IOException(e);
                }
            }
        }, "a", "b")) {
            final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a");
            final FutureTask<Void> written = new FutureTask<>(() -> {
                job.part(0).write(1, CheckpointCluster.state(0, 1, 100));
                return null;
            });
            Thread.ofVirtual().start(written);
            keeps.await();
            c.lose("a");
            assertThrows(ExecutionException.class, written::get);
            final NodeCheckpoints b = c.node("b").checkpoints();
            assertEquals(SERIES, b.uses().user(SERIES));
            goesOn.countDown();
            assertNull(b.uses().lastingUser(SERIES));
            assertEquals(List.of(), CheckpointCluster.files(c.node("b").folder()));
        } finally {
            goesOn.countDown();
        }
    }

    @Test
    void shouldDiscardWhatIsNotComplete() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b");
        job.save(1, 100);
        job.part(0).write(2, CheckpointCluster.state(0, 2, 200));
        job.part(1).write(2, CheckpointCluster.state(1, 2, 200));
        job.part(0).discard(2);
        assertEquals(List.of(1, 1, 2, 2), c.held().stream().map(HeldCheckpoint::number).sorted().toList());
        job.part(1).discard(2);
        assertEquals(List.of(1, 1), c.held().stream().map(HeldCheckpoint::number).toList());
        assertFalse(Files.exists(c.node("a").folder().resolve(SERIES + "/2.part")));
        assertThrows(IOException.class, () -> job.part(0).complete(2));
        job.save(2, 201);
        assertEquals(2, c.restart(SERIES, 0).number());
    }

    @Test
    void shouldLeaveTheOldCheckpointWhenTheDiskRefuses() throws Exception {
        for (final String full : List.of("a", "b")) {
            final Path here = Files.createDirectories(dir.resolve("full-" + full));
            try (CheckpointCluster c = new CheckpointCluster(here, "a", "b")) {
                try (CheckpointCluster.Job job = c.new Job(SERIES, SERIES, List.of("a", "b"), 1, null)) {
                    job.save(1, 100);
                    // where a folder is needed there is a file: root, who runs tests, may write everywhere
                    Files.writeString(c.node(full).folder().resolve(SERIES + "/2.part"), "");
                    final String text = assertThrows(IOException.class, () -> job.part(0).write(2, CheckpointCluster.state(0, 2, 200))).getMessage();
                    assertTrue(text.contains("node=" + full) && text.contains("2.part"), text);
                    job.part(0).discard(2);
                    Files.delete(c.node(full).folder().resolve(SERIES + "/2.part"));
                }
                try (CheckpointCluster.Job again = c.new Job(SERIES, "x-1", List.of("a", "b"), 1, c.restart(SERIES, 0))) {
                    assertStates(again, 100);
                    again.save(2, 200);
                }
            }
        }
    }

    @Test
    void shouldSayWhatStaysWhenTheDiskRefusesToRemoveIt() throws Exception {
        final AtomicReference<String> full = new AtomicReference<>("");
        final AtomicInteger left = new AtomicInteger();
        final CheckpointCluster c = new CheckpointCluster(dir, name -> () -> {
            if (name.equals(full.get()) && left.getAndDecrement() <= 0) {
                throw new IOException("Read-only file system");
            }
        }, "a", "b");
        open.add(c);
        final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b");
        job.save(1, 100);
        job.part(0).write(2, CheckpointCluster.state(0, 2, 200));
        full.set("b");
        job.part(0).discard(2);
        log.assertLine("copies of a checkpoint stay: series=" + SERIES + ", number=2, step=DISCARD, reason=");
        assertTrue(log.lines().getLast().contains("Read-only file system"), log.lines()::toString);
        full.set("");
        job.part(0).write(3, CheckpointCluster.state(0, 2, 300));
        full.set("a");
        job.part(0).discard(3);
        log.assertLine("checkpoint cannot be discarded: series=" + SERIES + ", number=3, reason=Read-only file system");
        job.part(0).removeOlder(3);
        log.assertLine("older checkpoints cannot be removed: series=" + SERIES + ", number=3, reason=Read-only file system");
        // the rank has a folder after two steps
        left.set(2);
        assertThrows(IOException.class, () -> job.part(0).write(4, CheckpointCluster.state(0, 2, 400)));
        log.assertLine("files of a checkpoint cannot be removed: folder=" + c.node("a").folder().resolve(SERIES + "/4.part/rank-0"));
        assertTrue(log.lines().getLast().endsWith(", reason=Read-only file system"), log.lines()::toString);
    }

    @Test
    void shouldListTheOthersWhenAFolderCannotBeRead() throws Exception {
        final CheckpointCluster c = cluster("a");
        job(c, SERIES, null, 1, "a").save(1, 100);
        final Path loop = c.node("a").folder().resolve("a-2-77ab");
        Files.createSymbolicLink(loop, loop);
        assertEquals(List.of(SERIES), c.held().stream().map(HeldCheckpoint::series).toList());
        log.assertLine("folder " + loop + " of checkpoints cannot be read");
    }

    @Test
    void shouldRefuseSeriesThatAreNoJobIds() throws Exception {
        final CheckpointCluster c = cluster("a");
        for (final String bad : List.of("", "..", ".", "../x", "a/b", "a\\b", ".removed-1", "a b", "a\nb", "x".repeat(129))) {
            assertThrows(IOException.class, () -> c.node("a").checkpoints().open(bad, "j", List.of("a"), 0, List.of(0), null));
            assertNotNull(c.node("a").checkpoints().remove(bad));
        }
    }

    @Test
    void shouldPreferWhatAJobWroteThatContinuedFromAnOlderCheckpoint() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        try (CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b")) {
            job.save(1, 100);
            for (int number = 2; number <= 3; number++) {
                for (int r = 0; r < 2; r++) {
                    job.part(r).write(number, CheckpointCluster.state(r, 2, 100 * number));
                }
                job.part(0).complete(number);
                job.part(1).complete(number);
            }
        }
        assertEquals(3, c.restart(SERIES, 0).number());
        try (CheckpointCluster.Job older = job(c, "x-1", c.restart(SERIES, 1), 1, "a", "b")) {
            assertStates(older, 100);
            older.save(2, 250);
        }
        final Restart from = c.restart(SERIES, 0);
        assertEquals(List.of(2, 2, "x-1"), List.of(from.number(), from.generation(), from.job()));
        assertStates(job(c, "x-2", from, 1, "a", "b"), 250);
    }

    @Test
    void shouldRemoveWhatACrashedJobLeftWhenTheSeriesIsContinued() throws Exception {
        final CheckpointCluster c = cluster("a", "b");
        try (CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b")) {
            job.save(1, 100);
            job.part(0).write(2, CheckpointCluster.state(0, 2, 200));
        }
        assertTrue(Files.exists(c.node("b").folder().resolve(SERIES + "/2.part")));
        job(c, "x-1", c.restart(SERIES, 0), 1, "a", "b");
        assertFalse(Files.exists(c.node("a").folder().resolve(SERIES + "/2.part")));
        assertFalse(Files.exists(c.node("b").folder().resolve(SERIES + "/2.part")));
    }

    @Test
    void shouldNotCompleteRanksThatACrashedJobLeftOnAnotherNode() throws Exception {
        final CheckpointCluster c = cluster("a", "b", "c");
        try (CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b", "c")) {
            job.save(1, 100);
            // a copy on c, which has no part of the next job
            job.part(1).write(2, CheckpointCluster.state(1, 3, 200));
        }
        c.lose("b");
        final CheckpointCluster.Job again = job(c, "x-1", c.restart(SERIES, 0), 3, "a");
        again.save(2, 250);
        c.held().forEach(h -> assertEquals("x-1", h.job(), h::toString));
        assertEquals(List.of("a", "c"), c.held().stream().map(HeldCheckpoint::node).toList());
    }

    private static SavedRank large(final int rank, final long point) {
        final byte[] data = new byte[3 * RankState.BLOCK_BYTES + 1];
        for (int i = 0; i < data.length; i += 4096) {
            data[i] = (byte) (i / 4096 + point);
        }
        return new SavedRank(rank, 2, point, List.of(new SavedRank.Item("x", MemorySegment.ofArray(data))));
    }

    @Test
    void shouldNameThePartnerWhoseDiskFailsMeanwhileAndUseItAgain() throws Exception {
        final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        final CheckpointCluster c = new CheckpointCluster(dir, name -> () -> {
            if (name.equals("b") && left.getAndDecrement() == 0) {
                throw new IOException("No space left on device");
            }
        }, "a", "b");
        open.add(c);
        final CheckpointCluster.Job job = job(c, SERIES, null, 1, "a", "b");
        // series, number and rank have folders after three steps, then come the state, and two steps for each block
        left.set(6);
        final String text = assertThrows(IOException.class, () -> job.part(0).write(1, large(0, 1))).getMessage();
        assertTrue(text.contains("node b") && text.contains("No space left on device"), text);
        job.part(0).discard(1);
        assertEquals(List.of(), c.held());
        job.part(0).write(1, large(0, 1));
        job.part(1).write(1, large(1, 1));
        job.part(0).complete(1);
        job.part(1).complete(1);
        assertEquals(1, c.restart(SERIES, 0).number());
    }

    @Test
    void shouldNotWaitForAPartnerThatIsLostMeanwhile() throws Exception {
        final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        final CheckpointCluster[] made = new CheckpointCluster[1];
        made[0] = new CheckpointCluster(dir, name -> () -> {
            if (name.equals("b") && left.getAndDecrement() == 0) {
                made[0].lose("b");
            }
        }, "a", "b");
        open.add(made[0]);
        final CheckpointCluster.Job job = job(made[0], SERIES, null, 1, "a", "b");
        left.set(7);
        final String text = assertThrows(IOException.class, () -> job.part(0).write(1, large(0, 1))).getMessage();
        assertTrue(text.contains("node b") && text.contains("the link is lost"), text);
        assertEquals(List.of(), made[0].held());
    }
}
