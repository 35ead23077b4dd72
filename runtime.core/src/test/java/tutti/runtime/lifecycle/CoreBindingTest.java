package tutti.runtime.lifecycle;

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

    @Test
    void shouldGiveACoreWithItsAllowedHardwareThreads() throws IOException {
        for (int p = 0; p < 6; p++) {
            final Path topology = Files.createDirectories(dir.resolve("cpu" + p).resolve("topology"));
            Files.writeString(topology.resolve("thread_siblings_list"), p < 2 ? "0-1\n" : (p % 2 == 0 ? "2,4\n" : "3,5\n"));
        }
        assertEquals(List.of(set(0, 1), set(2, 4), set(3, 5)), CoreBinding.cores(dir, set(0, 1, 2, 3, 4, 5)));
        assertEquals(List.of(set(1), set(4), set(5)), CoreBinding.cores(dir, set(1, 4, 5)));
        // without a topology each processor is a core
        assertEquals(List.of(set(8), set(9)), CoreBinding.cores(dir, set(8, 9)));
    }

    @Test
    void shouldShareTheCoresOfAMachineAmongItsNodes() {
        final List<BitSet> cores = List.of(set(0), set(1), set(2));
        assertEquals(cores, CoreBinding.share(cores, "0/1"));
        assertEquals(List.of(set(0)), CoreBinding.share(cores, "0/2"));
        assertEquals(List.of(set(1), set(2)), CoreBinding.share(cores, "1/2"));
        assertEquals(List.of(), CoreBinding.share(cores, "0/4"));
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
