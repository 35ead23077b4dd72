package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.Version;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.module.ModuleId;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.request.PersistentRequest;

/** Tests what hints of a program on a communicator do. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HintsTest {
    private static final Map<String, String> TWO = Map.of("tutti_coll_barrier", "m/two");
    private Map<String, String> parameters = Map.of();
    private List<SelectionRule> rules = List.of();

    private void run(final int ranks, final Ranks.Body body) throws Exception {
        final Algorithm<Call.Barrier> flat = (call, plan) -> Flat.barrier(AdvancedPlan.of(plan));
        final CollModule module = comm -> QueryResult.usable(90,
            AlgorithmTable.builder().intra(Operation.BARRIER, "one", flat).intra(Operation.BARRIER, "two", flat).build());
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            Ranks.run(ranks, 1, transport, Ranks.job(ranks, parameters, new RuleTable("t", rules),
                List.of(offered("m", module), offered("basic", new BasicModule())), List.of()), body);
        }
    }

    private static OfferedModule offered(final String name, final CollModule module) {
        return new OfferedModule(new ModuleId(name, new Version(1, 0, 0), ""), module);
    }

    private static String served(final Communicator comm, final Operation<?> operation) {
        final Explanation e = comm.engine().explain(operation, 0);
        return e.module() + "/" + e.algorithm();
    }

    private static String served(final Communicator comm) {
        return served(comm, Operation.BARRIER);
    }

    private static String barrierPlan(final Communicator comm) {
        return comm.engine().plan(Operation.BARRIER, 0, 0, 10).algorithm();
    }

    @Test
    void shouldServeLaterCallsOfEachFormByTheAlgorithmThatAHintNames() throws Exception {
        run(3, rank -> {
            final Communicator comm = rank.world().split(0, 0);
            final PersistentRequest before = comm.engine().persistent().barrier();
            comm.engine().blocking().barrier();
            assertEquals("one", barrierPlan(comm));
            comm.setHints(TWO);
            assertEquals("two", barrierPlan(comm));
            assertEquals("m 1.0.0/two", served(comm));
            assertEquals("m is named by hint tutti_coll_barrier of communicator " + comm.name(),
                comm.engine().explain(Operation.BARRIER, 0).others().getFirst().reason());
            comm.engine().blocking().barrier();
            comm.engine().nonblocking().barrier().await();
            final PersistentRequest after = comm.engine().persistent().barrier();
            for (final PersistentRequest r : List.of(before, after)) {
                r.start();
                r.await();
                r.free();
            }
            assertEquals("m 1.0.0/one", served(rank.world()), "the hint is for one communicator");
            comm.setHints(Map.of());
            assertEquals("m 1.0.0/one", served(comm));
            comm.setHints(TWO);
            assertEquals("m 1.0.0/two", served(comm));
            comm.free();
        });
    }

    @Test
    void shouldGiveHintsToDuplicatesAndNotToParts() throws Exception {
        run(3, rank -> {
            final Communicator comm = rank.world().dup();
            comm.setHints(TWO);
            final Communicator dup = comm.dup();
            final Communicator.Pending later = comm.iDup();
            // the duplicate has the hints at the time of the call
            comm.setHints(Map.of());
            later.request().waitFor();
            final Communicator other = dup.dup(Map.of("tutti_coll_barrier", "basic"));
            final Communicator part = dup.split(0, 0);
            assertEquals("m 1.0.0/one", served(comm));
            assertEquals("m 1.0.0/two", served(dup));
            assertEquals("m 1.0.0/two", served(later.communicator()));
            assertTrue(served(other).startsWith("basic"), served(other));
            assertEquals("basic", other.hints().get("tutti_coll_barrier"));
            assertEquals("m 1.0.0/one", served(part));
            for (final Communicator c : List.of(comm, dup, later.communicator(), other, part)) {
                c.engine().blocking().barrier();
                c.free();
            }
        });
    }

    @Test
    void shouldPreferThePickOfTheUserToAHintAndAHintToTheRest() throws Exception {
        rules = List.of(new SelectionRule(null, List.of(AlgorithmRef.of("basic"))));
        run(2, rank -> {
            rank.world().setHints(TWO);
            assertEquals("m 1.0.0/two", served(rank.world()));
        });
        parameters = Map.of("coll.barrier", "m/one");
        run(2, rank -> {
            rank.world().setHints(TWO);
            assertEquals("m 1.0.0/one", served(rank.world()));
        });
        parameters = Map.of("coll.select", "^m");
        run(2, rank -> {
            rank.world().setHints(TWO);
            assertEquals(List.of("hint tutti_coll_barrier of communicator MPI_COMM_WORLD cannot select m/two: module m is not used on this "
                + "communicator"),
                rank.world().engine().explain(Operation.BARRIER, 0).notes());
        });
    }

    @Test
    void shouldRefuseHintsThatCannotBeMetOrDifferAndChangeNothing() throws Exception {
        run(3, rank -> {
            final Communicator comm = rank.world();
            comm.setHints(TWO);
            assertEquals("INFO_VALUE: hint cannot be met on MPI_COMM_WORLD: tutti_coll_barrier=x: no such module; allowed: basic, m",
                refusal(comm, Map.of("tutti_coll_barrier", "x")));
            assertEquals("INFO_VALUE: hint cannot be met on MPI_COMM_WORLD: tutti_coll_barrier=m/x: module m offers one, two",
                refusal(comm, Map.of("tutti_coll_barrier", "m/x")));
            assertEquals("INFO_VALUE: not a reference to a module or algorithm: hint=tutti_coll_barrier, value=a/b/c, allowed: "
                + AlgorithmRef.SYNTAX, refusal(comm, Map.of("tutti_coll_barrier", "a/b/c")));
            assertTrue(refusal(comm, Map.of("tutti_coll_gossip", "m")).startsWith("INFO_KEY: no such operation: hint=tutti_coll_gossip, allowed: "
                + "tutti_coll_ with one of allgather, allgatherv,"));
            assertEquals("INFO_VALUE: not a number of bytes: hint=tutti_average_block, value=1.., allowed: a number such as 4096 or 4K, with K, M, G "
                + "for powers of 1024", refusal(comm, Map.of("tutti_average_block", "1..")));
            assertEquals("INFO_VALUE: hints tutti_... on MPI_COMM_WORLD differ: rank 0 has tutti_coll_barrier=m/one; rank 2 has none; give the same "
                + "on all ranks", refusal(comm, rank.worldRank() == 2 ? Map.of("colour", "red") : Map.of("tutti_coll_barrier", "m/one")));
            assertEquals(rank.worldRank() == 1 ? "INFO_VALUE: neither true nor false: hint=mpi_assert_no_any_tag, value=yes"
                : "INFO_VALUE: hints on MPI_COMM_WORLD are invalid on another rank, whose error says why",
                refusal(comm, Map.of("mpi_assert_no_any_tag", rank.worldRank() == 1 ? "yes" : "true")));
            assertEquals("m 1.0.0/two", served(comm));
            assertEquals("false", comm.hints().get("mpi_assert_no_any_tag"));
            comm.engine().blocking().barrier();
            rank.self().setHints(TWO);
            assertEquals("m 1.0.0/two", served(rank.self()));
        });
    }

    private static String refusal(final Communicator comm, final Map<String, String> hints) {
        final MpiFailure e = assertThrows(MpiFailure.class, () -> comm.setHints(hints));
        return e.errorClass() + ": " + e.getMessage();
    }

    @Test
    void shouldSelectByTheAverageBlockWhereNotEveryRankKnowsIt() throws Exception {
        rules = List.of(new SelectionRule("alltoallv", List.of(AlgorithmRef.of("basic/linear"))).with(RuleCondition.BLOCK, "4K.."));
        run(2, rank -> {
            assertEquals("no rule of t matches", rank.world().engine().explain(Operation.ALLTOALLV, 0).rule());
            rank.world().setHints(Map.of("tutti_average_block", "1K"));
            assertEquals("no rule of t matches", rank.world().engine().explain(Operation.ALLTOALLV, 0).rule());
            rank.world().setHints(Map.of("tutti_average_block", "64K"));
            assertEquals("64K", rank.world().hints().get("tutti_average_block"));
            final Explanation e = rank.world().engine().explain(Operation.ALLTOALLV, 0);
            assertTrue(!e.notes().isEmpty() || "rule 1 of t: alltoallv, block 4K..: basic/linear".equals(e.rule()), e.toString());
        });
    }

    @Test
    void shouldSelectAndCompareOnIntercommunicators() throws Exception {
        run(4, rank -> {
            final Communicator part = rank.world().split(rank.worldRank() / 3, 0);
            final Communicator inter = part.createIntercomm(0, rank.world(), rank.worldRank() < 3 ? 3 : 0, 1);
            assertEquals("basic 1.0.0/pairs", served(inter));
            inter.setHints(Map.of("tutti_coll_barrier", "basic/leaders"));
            assertEquals("basic 1.0.0/leaders", served(inter));
            inter.engine().blocking().barrier();
            inter.engine().nonblocking().barrier().await();
            final Communicator dup = inter.dup();
            assertEquals("basic 1.0.0/leaders", served(dup));
            dup.engine().blocking().barrier();
            assertTrue(refusal(inter, Map.of("tutti_average_block", rank.worldRank() < 3 ? "1" : "2")).endsWith(
                "rank 0 of COMM_WORLD has tutti_average_block=1; rank 3 of COMM_WORLD has tutti_average_block=2; give the same on all ranks"));
            dup.free();
            inter.free();
        });
    }

    @Test
    void shouldSayWhichPromiseAReceiveBreaks() throws Exception {
        run(2, rank -> {
            final Communicator comm = rank.world();
            comm.setHints(Map.of("mpi_assert_no_any_tag", "true", "mpi_assert_no_any_source", "true", "mpi_assert_exact_length", "true",
                "mpi_assert_allow_overtaking", "true"));
            final int peer = 1 - rank.worldRank();
            final int[] data = new int[2];
            final MpiFailure source = assertThrows(MpiFailure.class,
                () -> comm.messages().irecv(data, 2, Datatype.INT, Reserved.ANY_SOURCE, 1));
            assertEquals("receive from any source on MPI_COMM_WORLD, whose hint mpi_assert_no_any_source=true promises that there is none: name the "
                + "source, or set the hint to false", source.getMessage());
            assertEquals(ErrorClass.TAG, assertThrows(MpiFailure.class,
                () -> comm.messages().probe(peer, Reserved.ANY_TAG)).errorClass(), "receive of any tag");
            comm.messages().isend(SendMode.STANDARD, new int[1], 1, Datatype.INT, peer, 7);
            final MpiFailure length = assertThrows(MpiFailure.class, () -> comm.messages().recv(data, 2, Datatype.INT, peer, 7));
            assertEquals(ErrorClass.COUNT, length.errorClass());
            assertEquals("message of 4 bytes from rank " + peer + ", tag 7, on MPI_COMM_WORLD for a receive of 8 bytes, though hint "
                + "mpi_assert_exact_length=true promises that lengths are equal: receive as much as is sent, or set the hint to false",
                length.getMessage());
            comm.messages().isend(SendMode.STANDARD, data, 2, Datatype.INT, peer, 7);
            assertEquals(8, comm.messages().recv(data, 2, Datatype.INT, peer, 7).bytes());
            comm.setHints(Map.of());
            comm.messages().isend(SendMode.STANDARD, new int[1], 1, Datatype.INT, peer, 7);
            assertEquals(4, comm.messages().recv(data, 2, Datatype.INT, Reserved.ANY_SOURCE, Reserved.ANY_TAG).bytes());
        });
    }
}
