package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollJob;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Table;
import tutti.coll.ThreadLevel;
import tutti.coll.ThreadRange;
import tutti.coll.Verdict;

class SelectorTest {
    private record Job(String id, int size, ThreadLevel threadLevel, Map<String, String> parameters) implements CollJob { }

    private record Comm(CollJob job, String name, int rank, int size, boolean isInter, int remoteSize) implements CollComm {
        @Override
        public int nodeOf(final int member) {
            return 0;
        }
    }

    private static final CollJob JOB = new Job("j", 2, ThreadLevel.MULTIPLE, Map.of());
    private static final CollComm COMM = new Comm(JOB, "world", 0, 2, false, 2);

    private static Table barrierAnd(final boolean bcast) {
        final Table.Builder table = Table.builder().intra(Operation.BARRIER, "b", (call, plan) -> { });
        return (bcast ? table.intra(Operation.BCAST, "c", (call, plan) -> { }) : table).build();
    }

    private static OfferedModule module(final String name, final CollModule module) {
        return new OfferedModule(name, "1.0.0", module);
    }

    private static Selection select(final OfferedModule... modules) {
        return Selector.select(List.of(modules), COMM);
    }

    @Test
    void shouldTakeTheHighestPriorityPerOperationAndTheNextForWhatItLeavesOut() {
        final Selection s = select(module("low", c -> Verdict.usable(10, barrierAnd(true))),
            module("high", c -> Verdict.usable(90, barrierAnd(false))));
        assertEquals("high", s.of(Operation.BARRIER).module().name());
        assertEquals("low", s.of(Operation.BCAST).module().name());
        assertNull(s.of(Operation.SCAN));
        assertEquals(2, s.instances().size());
    }

    @Test
    void shouldBreakTiesByName() {
        final Selection s = select(module("b", c -> Verdict.usable(50, barrierAnd(true))), module("a", c -> Verdict.usable(50, barrierAnd(true))));
        assertEquals("a", s.of(Operation.BARRIER).module().name());
        assertEquals(1, s.instances().size());
    }

    @Test
    void shouldLeaveOutModulesThatDeclineThrowOrFailToInitialise() {
        final CollInstance failing = new CollInstance() {
            @Override
            public Table table() {
                return barrierAnd(true);
            }

            @Override
            public Table init() throws Exception {
                throw new Exception("no hardware");
            }
        };
        final Selection s = select(module("a", c -> new Verdict.Declined("not today")), module("b", c -> {
            throw new IllegalStateException("bug");
        }), module("c", c -> new Verdict.Usable(100, failing)), module("d", c -> new Verdict.Usable(101, failing)),
            module("e", c -> Verdict.usable(0, barrierAnd(true))));
        assertEquals("e", s.of(Operation.BARRIER).module().name());
    }

    @Test
    void shouldAskForThreadLevelsOncePerJob() {
        final OfferedModule single = module("single", new CollModule() {
            @Override
            public Optional<ThreadRange> threads(final CollJob job) {
                return Optional.of(new ThreadRange(ThreadLevel.SINGLE, ThreadLevel.SERIALIZED));
            }

            @Override
            public Verdict query(final CollComm comm) {
                return Verdict.usable(1, barrierAnd(true));
            }
        });
        final OfferedModule any = module("any", c -> Verdict.usable(1, barrierAnd(true)));
        assertEquals(List.of(any), Selector.forJob(List.of(single, any), JOB));
        assertEquals(List.of(single, any), Selector.forJob(List.of(single, any), new Job("j", 2, ThreadLevel.SINGLE, Map.of())));
    }
}
