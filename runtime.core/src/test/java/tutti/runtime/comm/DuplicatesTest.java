package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.QueryResult;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/** Tests duplicates of communicators: which modules serve them, and that their traffic stays apart from that of their originals. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DuplicatesTest {

    /** A module that counts what is asked of it; its instances serve duplicates on some ranks. */
    private static final class Counting implements CollModule {
        private final Predicate<CollComm> serves;
        private final AtomicInteger queries = new AtomicInteger();
        private final AtomicInteger inits = new AtomicInteger();
        private final AtomicInteger disposals = new AtomicInteger();

        Counting(final Predicate<CollComm> serves) {
            this.serves = serves;
        }

        private final class Instance implements CollInstance {
            private final CollComm comm;
            private final AtomicInteger planning = new AtomicInteger();

            Instance(final CollComm comm) {
                this.comm = comm;
            }

            @Override
            public AlgorithmTable table() {
                return AlgorithmTable.builder().intra(Operation.BARRIER, "counting", this::plan).build();
            }

            private void plan(final Call.Barrier call, final Plan plan) {
                assertEquals(1, planning.incrementAndGet(), "threads that plan at the same time");
                Flat.barrier(AdvancedPlan.of(plan));
                planning.decrementAndGet();
            }

            @Override
            public AlgorithmTable init() {
                inits.incrementAndGet();
                return table();
            }

            @Override
            public boolean servesDuplicates() {
                return serves.test(comm);
            }

            @Override
            public void dispose() {
                disposals.incrementAndGet();
            }
        }

        @Override
        public QueryResult query(final CollComm comm) {
            if (comm.size() == 1) {
                return new QueryResult.Declined("alone");
            }
            queries.incrementAndGet();
            return new QueryResult.Usable(90, new Instance(comm));
        }
    }

    private static void barrier(final Communicator comm) {
        comm.engine().blocking().barrier();
    }

    @Test
    void shouldServeDuplicatesByTheModulesOfTheirOriginal() throws Exception {
        final Counting module = new Counting(c -> true);
        Ranks.run(3, 1, List.of(module, new BasicModule()), rank -> {
            final Communicator part = rank.world().split(0, -rank.worldRank());
            barrier(rank.world());
            assertEquals(6, module.queries.get());
            final Communicator first = part.dup();
            final Communicator.Pending pending = first.iDup();
            pending.request().waitFor();
            final Communicator second = pending.communicator();
            barrier(second);
            assertEquals(6, module.queries.get());
            assertEquals(6, module.inits.get());
            assertEquals(module(part), module(second));
            part.free();
            barrier(first);
            first.free();
            barrier(second);
            assertEquals(0, module.disposals.get());
            barrier(rank.world());
            second.free();
            CommunicatorsTest.assertWorks(rank.world(), 0, 1, 2);
        });
        assertEquals(6, module.disposals.get());
    }

    private static String module(final Communicator comm) {
        final Explanation barrier = comm.engine().explain(Operation.BARRIER, 0);
        return barrier.module() + "/" + barrier.algorithm() + barrier.others();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void shouldSelectForADuplicateWhenAModuleServesOnlyOneCommunicatorOnSomeRank(final int last) throws Exception {
        final Counting module = new Counting(c -> c.rank() < last);
        Ranks.run(4, 1, List.of(module, new BasicModule()), rank -> {
            final Communicator d = rank.world().dup();
            CommunicatorsTest.assertWorks(d, 0, 1, 2, 3);
            barrier(rank.world());
            assertEquals(8, module.queries.get());
            assertEquals(8, module.inits.get());
            d.free();
        });
        assertEquals(8, module.disposals.get());
    }

    private static List<CollModule> modules(final String name) {
        return switch (name) {
            case "nodes" -> List.of(new Layered.Nodes(), new Flat(), new BasicModule());
            case "halves" -> List.of(new Layered.Halves(), new Flat(), new BasicModule());
            default -> List.of(new Flat(), new BasicModule());
        };
    }

    /** Runs collectives of originals and duplicates at the same time, in an order that differs between ranks. */
    @ParameterizedTest
    @CsvSource({"flat, 3, 1", "nodes, 5, 2", "nodes, 7, 3", "halves, 4, 1", "halves, 4, 2", "halves, 5, 1", "halves, 7, 2"})
    void shouldKeepCollectivesOfDuplicatesApart(final String modules, final int ranks, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, modules(modules), rank -> {
            final List<Communicator> comms = new ArrayList<>(List.of(rank.world(), rank.world().dup()));
            comms.add(comms.get(1).dup());
            comms.add(rank.world().iDup().communicator());
            final Random random = new Random(rank.worldRank());
            final List<Integer> order = new ArrayList<>(List.of(0, 1, 2));
            for (int i = 0; i < 100; i++) {
                final int round = i;
                Collections.shuffle(order, random);
                final long[][] sums = new long[order.size()][1];
                final Request[] requests = new Request[order.size()];
                order.forEach(c -> requests[c] = comms.get(c).engine().nonblocking()
                    .allreduce(new long[] {round * 10L + c + rank.worldRank()}, sums[c], 1, Datatype.LONG, Op.SUM));
                order.forEach(c -> {
                    requests[c].waitFor();
                    assertEquals(ranks * (round * 10L + c) + ranks * (ranks - 1) / 2, sums[c][0]);
                });
            }
            comms.get(1).free();
            barrier(comms.get(2));
            comms.get(2).free();
        });
    }

    @ParameterizedTest
    @CsvSource({"flat, 1", "nodes, 2", "halves, 1", "halves, 2"})
    void shouldReleaseContextIdsOfDuplicatesAndTheirHiddenCommunicators(final String modules, final int nodes) throws Exception {
        Ranks.run(4, nodes, modules(modules), rank -> {
            final Communicator original = rank.world().split(0, rank.worldRank());
            barrier(rank.world());
            final int before = rank.context().contexts().inUse();
            for (int i = 0; i < 300; i++) {
                final Communicator d = original.dup();
                if (i % 3 == 0) {
                    barrier(d);
                }
                d.free();
            }
            // until the other ranks have notified the leader
            while (rank.context().contexts().inUse() != before || rank.communicators() != 1) {
                Thread.yield();
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"flat, 1", "nodes, 2", "halves, 1", "halves, 2"})
    void shouldReleaseContextIdsOfHiddenCommunicatorsThatOtherHintsOfADuplicateMade(final String modules, final int nodes) throws Exception {
        Ranks.run(4, nodes, modules(modules), rank -> {
            final Communicator original = rank.world().split(0, rank.worldRank());
            barrier(rank.world());
            final int before = rank.context().contexts().inUse();
            for (int i = 0; i < 30; i++) {
                final Communicator d = original.dup();
                d.setHints(Map.of("tutti_average_block", Integer.toString(i)));
                final Communicator e = d.dup();
                barrier(d);
                d.free();
                barrier(e);
                e.setHints(Map.of());
                barrier(e);
                e.free();
            }
            while (rank.context().contexts().inUse() != before || rank.communicators() != 1) {
                Thread.yield();
            }
        });
    }

    /** A rank that has the duplicate already may send on it while other ranks still wait for its context id. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldKeepMessagesThatArriveBeforeTheDuplicateIsUsable(final int nodes) throws Exception {
        final ConcurrentLinkedQueue<Integer> sums = new ConcurrentLinkedQueue<>();
        Ranks.run(6, nodes, modules("nodes"), rank -> {
            int sum = 0;
            for (int i = 0; i < 500; i++) {
                final Communicator d = rank.world().dup();
                final int[] got = new int[6];
                for (int to = 0; to < 6; to++) {
                    d.messages().isend(SendMode.STANDARD, new int[] {i}, 1, Datatype.INT, to, i);
                }
                for (int from = 0; from < 6; from++) {
                    d.messages().recv(got, 1, Datatype.INT, from, i);
                    sum += got[0];
                }
                d.free();
            }
            sums.add(sum);
        });
        assertEquals(6, sums.size());
        assertTrue(sums.stream().allMatch(s -> s == 6 * 500 * 499 / 2), sums.toString());
    }
}
