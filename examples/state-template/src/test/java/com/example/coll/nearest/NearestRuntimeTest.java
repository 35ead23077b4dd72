package com.example.coll.nearest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollModule;
import tutti.coll.advanced.CollException;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.checkpoint.MemoryStorage;
import tutti.runtime.checkpoint.RankCheckpoints;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Runs the module in the runtime, where it is named after its class. Module basic serves the operations that it leaves out. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NearestRuntimeTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new NearestModule());
    private static final int RANKS = 5;

    static Stream<Shape> shapes() {
        return ContractSuite.shapes();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithm(final Shape shape) throws Exception {
        assertEquals(shape.ranks() == 1 ? Set.of() : Set.of("bcast=" + NearestBcast.NAME),
            ContractSuite.everyAlgorithm(shape, NearestModule.class, Map.of("coll.nearest.segment", "1000"), MODULES));
    }

    private static void run(final MemoryStorage storage, final Map<String, String> parameters, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(1 << 17)) {
            Ranks.run(transport, List.of(new Ranks.Job(IntStream.range(0, RANKS).mapToObj(rank -> rank % 2).toList(),
                Ranks.job(RANKS, parameters, MODULES), body, storage)));
        }
    }

    private static void broadcast(final Communicator comm, final int root) {
        final long[] data = {comm.rank() == root ? 42 : 0};
        comm.engine().blocking().bcast(data, 1, Datatype.LONG, root);
        assertArrayEquals(new long[] {42}, data);
    }

    /** Returns the error of the module; each layer of the runtime adds its own. */
    private static CollException reported(final Throwable failure) {
        return failure instanceof MpiFailure ? reported(failure.getCause()) : assertInstanceOf(CollException.class, failure);
    }

    @Test
    void shouldRefuseALongBroadcastOnAllRanksAndServeTheNextOne() throws Exception {
        run(new MemoryStorage(), Map.of("coll.bcast", "NearestModule", "coll.nearest.limit", "8"), rank -> {
            final MpiFailure failure = assertThrows(MpiFailure.class,
                () -> rank.world().engine().blocking().bcast(new long[2], 2, Datatype.LONG, 0));
            assertEquals(ErrorClass.COUNT, failure.errorClass());
            assertTrue(failure.getMessage().endsWith("NearestModule 1.0.0, algorithm chain: broadcast is too long: bytes=16, coll.nearest.limit=8"),
                failure::getMessage);
            final CollException reported = reported(failure);
            assertEquals(NearestBcast.ERR_COUNT, reported.errorClass());
            assertEquals(NearestBcast.TOO_LONG, reported.errorCode());
            broadcast(rank.world(), 3);
        });
    }

    @Test
    void shouldBeSavedAndContinue() throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        final Map<String, String> parameters = Map.of("coll.bcast", "NearestModule");
        run(storage, parameters, rank -> {
            broadcast(rank.world(), 1);
            assertTrue(RankCheckpoints.of(rank).force());
            broadcast(rank.world(), 2);
        });
        run(new MemoryStorage(storage), parameters, rank -> {
            assertTrue(RankCheckpoints.of(rank).isRestart());
            broadcast(rank.world(), 3);
        });
    }

    /** The ranks of these tests have thread level MULTIPLE. */
    @Test
    void shouldNotServeMultipleThreadsInQuietJobs() throws Exception {
        run(new MemoryStorage(), Map.of("coll.select", "NearestModule,BasicModule", "coll.nearest.quiet", "true"), rank -> {
            broadcast(rank.world(), 0);
            assertTrue(rank.world().engine().explain().stream().allMatch(e -> e.module().startsWith("BasicModule")));
        });
    }
}
