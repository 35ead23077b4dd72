package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Version;
import tutti.daemon.monitor.TuningRecord;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LongRange;

class TuningStoreTest {
    private static final List<String> MODULES = List.of("basic", "ring");

    @TempDir
    private Path dir;

    private Path file() {
        return dir.resolve("node").resolve("tuning.jsonl");
    }

    private TuningStore store() {
        return new TuningStore(10, file());
    }

    private static ModuleId module(final String name, final int version) {
        return new ModuleId(name, new Version(1, version, 0), name + version);
    }

    /** Returns what a job on some ranks has found out of 4 bytes: one of two modules is 1.8 times faster. */
    static CallTuning found(final String best, final int ranks, final int calls) {
        return found(best, ranks, calls, 0);
    }

    private static CallTuning found(final String best, final int ranks, final int calls, final int version) {
        final List<CallTuning.Measured> measured = new ArrayList<>();
        for (final String name : MODULES) {
            measured.add(new CallTuning.Measured(module(name, version), new AlgorithmRef(name, "a"), name.equals(best) ? calls : 0, 1_000, 10,
                name.equals(best) ? 1 : 1.8, null));
        }
        return new CallTuning("w", new CallTuning.Shape(ranks, 1, LongRange.only(ranks)), "bcast", CallTuning.Kind.USUAL, new LongRange(4, 7),
            measured,
            MODULES.indexOf(best), 0, 2L * calls, 1, 5);
    }

    private static List<String> texts(final TuningStore store) {
        return store.records().stream().map(TuningRecord::toString).toList();
    }

    @Test
    void shouldCountJobsThatFindTheSame() {
        final TuningStore store = store();
        assertEquals(List.of(found("ring", 3, 96)), store.learn(List.of(found("ring", 3, 96))));
        assertEquals(List.of("measured on 96 calls of 1 job: ring/a 1.8 times faster than basic/a"), texts(store));
        store.learn(List.of(found("ring", 3, 300)));
        store.learn(List.of(found("ring", 3, 16)));
        assertEquals(List.of("measured on 412 calls of 3 jobs: ring/a 1.8 times faster than basic/a"), texts(store));
        store.learn(List.of(found("basic", 3, 20)));
        assertEquals(List.of("measured on 20 calls of 1 job: basic/a 1.8 times faster than ring/a"), texts(store));
    }

    @Test
    void shouldKeepResultsOfOtherModulesAndCallsApart() {
        final TuningStore store = store();
        store.learn(List.of(found("ring", 3, 10), found("ring", 5, 11)));
        store.learn(List.of(found("ring", 3, 12, 1)));
        assertEquals(List.of(10L, 11L, 12L), store.records().stream().map(TuningRecord::calls).toList());
        assertEquals(List.of(10L, 12L), store.of(4, 1).stream().map(TuningRecord::calls).toList());
        assertEquals(List.of(), store.of(4, 0));
    }

    @Test
    void shouldNotKeepWhatIsNotDecidedOrInvalid() {
        final TuningStore store = store();
        final CallTuning good = found("ring", 3, 10);
        final CallTuning undecided = new CallTuning("w", good.shape(), "bcast", good.kind(), good.bytes(), good.algorithms(), -1, 0, 1, 1, 1);
        final CallTuning beyond = new CallTuning("w", good.shape(), "bcast", good.kind(), good.bytes(), good.algorithms(), 2, 0, 1, 1, 1);
        final CallTuning unknown = new CallTuning("w", good.shape(), "brodcast", good.kind(), good.bytes(), good.algorithms(), 1, 0, 1, 1, 1);
        assertEquals(List.of(good), store.learn(List.of(undecided, beyond, good, unknown)));
        assertEquals(1, store.records().size());
    }

    @Test
    void shouldDropWhatWasUpdatedFirst() {
        final TuningStore store = store();
        store.learn(IntStream.range(2, 12).mapToObj(ranks -> found("ring", ranks, ranks)).toList());
        store.learn(List.of(found("ring", 2, 1), found("ring", 12, 12)));
        assertEquals(List.of(4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 3L, 12L), store.records().stream().map(TuningRecord::calls).toList());
    }

    @Test
    void shouldHaveItAgainWhenTheNodeStartsAgain() {
        final TuningStore store = store();
        assertFalse(Files.exists(file()));
        store.learn(List.of(found("ring", 3, 96), found("basic", 5, 40)));
        store.save();
        final TuningStore again = store();
        assertEquals(store.records(), again.records());
        again.learn(List.of(found("ring", 3, 4)));
        again.save();
        assertEquals(List.of("measured on 40 calls of 1 job: basic/a 1.8 times faster than ring/a",
            "measured on 100 calls of 2 jobs: ring/a 1.8 times faster than basic/a"), texts(store()));
    }

    @Test
    void shouldDropLinesThatCannotBeRead() throws Exception {
        final TuningStore store = store();
        store.learn(List.of(found("ring", 3, 96), found("basic", 5, 40)));
        store.save();
        final List<String> lines = Files.readAllLines(file());
        Files.writeString(file(),
            lines.get(0).substring(0, 50) + "\n{}\n\n" + lines.get(1).replace("\"jobs\":1", "\"jobs\":0") + "\n" + lines.get(1) + "\n");
        assertEquals(store.records().subList(1, 2), store().records());
    }

    @Test
    void shouldBeginAnewAfterAFileThatIsDamaged() throws Exception {
        Files.createDirectories(file().getParent());
        Files.write(file(), new byte[] {-1, 0, 7, '\n', 9});
        final TuningStore store = store();
        assertEquals(List.of(), store.records());
        store.learn(List.of(found("ring", 3, 96)));
        store.save();
        assertEquals(store.records(), store().records());
    }

    @Test
    void shouldKeepItInMemoryWhenTheFileCannotBeWritten() throws Exception {
        Files.writeString(dir.resolve("node"), "no folder");
        final TuningStore store = store();
        store.learn(List.of(found("ring", 3, 96)));
        store.save();
        assertEquals(1, store.records().size());
        Files.delete(dir.resolve("node"));
        store.save();
        assertTrue(Files.exists(file()));
        final TuningStore forOneRun = new TuningStore(10, null);
        forOneRun.learn(List.of(found("ring", 3, 96)));
        forOneRun.save();
        assertEquals(1, forOneRun.records().size());
    }
}
