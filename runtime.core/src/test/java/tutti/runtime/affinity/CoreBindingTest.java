package tutti.runtime.affinity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.model.BindingMode;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.model.NodeLocality.Processor;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CoreBindingTest {
    @TempDir
    private Path dir;

    private static BindingMode mode(final String value) {
        return BindingMode.of(Map.of(BindingMode.PARAMETER, value));
    }

    private static BitSet set(final int... processors) {
        final BitSet set = new BitSet();
        for (final int p : processors) {
            set.set(p);
        }
        return set;
    }

    /** Runs a task on a thread of its own, whose processors are then of no concern. */
    private static <T> T onThread(final Callable<T> task) throws Exception {
        final FutureTask<T> run = new FutureTask<>(task);
        Thread.ofPlatform().start(run);
        return run.get(60, TimeUnit.SECONDS);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldBindAThreadAndTheThreadsThatItStarts() throws Exception {
        final ThreadAffinity affinity = ThreadAffinity.find().orElseThrow();
        final int last = affinity.processors().length() - 1;
        final CoreBinding binding = CoreBinding.of(mode("hwthread:overload-allowed"), 1_000);
        final int index = affinity.processors().cardinality() - 1;
        assertEquals("bound to hwthread " + last + ", processors " + last, binding.describe(index));
        onThread(() -> {
            binding.bind(index);
            assertEquals(set(last), affinity.processors());
            assertEquals(set(last), onThread(affinity::processors));
            return last;
        });
        assertTrue(affinity.processors().cardinality() > index, "other threads are not bound");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldRefuseMoreRanksThanCoresUnlessOverloadIsAllowed() throws IOException {
        final String message = assertThrows(IOException.class, () -> CoreBinding.of(mode("core"), 1_000)).getMessage();
        assertTrue(message.matches("too few processors to bind ranks to: unit=core, ranks=1000, processors=\\d+; use fewer ranks on this node, or "
            + "--bind-to core:overload-allowed"), message);
        assertTrue(CoreBinding.of(mode("core:overload-allowed"), 1_000).describe(999).startsWith("bound to core "));
    }

    @Test
    void shouldLeaveRanksUnboundByDefault() throws IOException {
        final CoreBinding none = CoreBinding.of(BindingMode.of(Map.of()), 1_000);
        none.bind(999);
        assertEquals("not bound", none.describe(999));
    }

    private static List<List<Integer>> places(final NodeLocality node, final BindingMode.Unit unit) {
        return node.places(unit).stream().map(place -> place.stream().map(Processor::hwthread).toList()).toList();
    }

    @Test
    void shouldGiveACoreWithItsAllowedHardwareThreads() throws IOException {
        for (int p = 0; p < 6; p++) {
            final Path topology = Files.createDirectories(dir.resolve("cpu" + p).resolve("topology"));
            Files.writeString(topology.resolve("thread_siblings_list"), p < 2 ? "0-1\n" : (p % 2 == 0 ? "2,4\n" : "3,5\n"));
        }
        final BindingMode.Unit core = BindingMode.Unit.CORE;
        assertEquals(List.of(List.of(0, 1), List.of(2, 4), List.of(3, 5)), places(CoreBinding.locality(dir, set(0, 1, 2, 3, 4, 5)), core));
        assertEquals(List.of(List.of(1), List.of(4), List.of(5)), places(CoreBinding.locality(dir, set(1, 4, 5)), core));
        // without a topology each processor is a core
        assertEquals(List.of(List.of(8), List.of(9)), places(CoreBinding.locality(dir, set(8, 9)), core));
    }

    @Test
    void shouldTellTheCacheTheNumaNodeAndTheSocketOfAProcessor() throws IOException {
        for (int p = 0; p < 4; p++) {
            final Path files = Files.createDirectories(dir.resolve("cpu" + p));
            Files.writeString(Files.createDirectories(files.resolve("topology")).resolve("physical_package_id"), p / 2 + "\n");
            Files.writeString(Files.createDirectories(files.resolve("cache").resolve("index0")).resolve("shared_cpu_list"), p + "\n");
            Files.writeString(Files.createDirectories(files.resolve("cache").resolve("index1")).resolve("shared_cpu_list"),
                p < 2 ? "0-1\n" : "2-3\n");
            Files.createDirectories(files.resolve("node" + (p == 3 ? 7 : 0)));
        }
        assertEquals(List.of(new Processor(0, 0, 0, 0, 0), new Processor(1, 1, 0, 0, 0), new Processor(2, 2, 2, 0, 1),
            new Processor(3, 3, 2, 7, 1)), CoreBinding.locality(dir, set(0, 1, 2, 3)).processors());
        assertEquals(List.of(new Processor(9, 9, -1, -1, -1)), CoreBinding.locality(dir, set(9)).processors());
    }

    @Test
    void shouldShareTheCoresOfAMachineAmongItsNodes() {
        final List<Processor> three = List.of(new Processor(0, 0, 0, 0, 0), new Processor(1, 1, 0, 0, 0), new Processor(2, 2, 0, 0, 0));
        final BindingMode.Unit core = BindingMode.Unit.CORE;
        assertEquals(List.of(List.of(0), List.of(1), List.of(2)), places(new NodeLocality(List.of(), three, "0/1"), core));
        assertEquals(List.of(List.of(0)), places(new NodeLocality(List.of(), three, "0/2"), core));
        assertEquals(List.of(List.of(1), List.of(2)), places(new NodeLocality(List.of(), three, "1/2"), core));
        assertEquals(List.of(), places(new NodeLocality(List.of(), three, "0/4"), core));
        assertEquals(List.of(), places(new NodeLocality(List.of(), three, "0/4"), BindingMode.Unit.NONE), "not bound");
    }

    @Test
    void shouldAcceptOnlyKnownModes() {
        for (final String value : List.of("none", "core", "hwthread", "core:overload-allowed")) {
            assertNull(BindingMode.problem(value), value);
        }
        for (final String value : List.of("socket", "core:", "none:overload-allowed", "")) {
            assertEquals("none of core, hwthread, none, core:overload-allowed, hwthread:overload-allowed", BindingMode.problem(value), value);
        }
    }
}
