package com.example.coll.aggregate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.SymbolicReduction;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.checkpoint.MemoryStorage;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.MpiFailure;

/** Runs the module in the runtime, where it is named after its class. Module basic serves the operations and calls that it leaves out. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AggregateRuntimeTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new AggregateModule());
    private static final int RANKS = 5;

    static Stream<Shape> shapes() {
        return ContractSuite.shapes();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithm(final Shape shape) throws Exception {
        assertEquals(shape.ranks() == 1 ? Set.of() : Set.of("allreduce=device", "allreduce=checked", "barrier=device"),
            ContractSuite.everyAlgorithm(shape, AggregateModule.class, Map.of("coll.aggregate.limit", "4096", "coll.aggregate.others", "BasicModule"),
                MODULES));
    }

    private static void run(final Map<String, String> parameters, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(1 << 17)) {
            Ranks.run(transport, List.of(new Ranks.Job(IntStream.range(0, RANKS).mapToObj(rank -> rank % 3).toList(),
                Ranks.job(RANKS, parameters, MODULES), body, new MemoryStorage())));
        }
    }

    @Test
    void shouldFailTheCallOnAllRanksWhenTheDeviceBreaksDown() throws Exception {
        final Queue<String> errors = new ConcurrentLinkedQueue<>();
        run(Map.of("coll.allreduce", "AggregateModule/device", "coll.aggregate.others", "BasicModule", "coll.aggregate.breakdown", "2"), rank -> {
            final long[] sum = new long[1];
            rank.world().engine().blocking().allreduce(new long[] {rank.world().rank()}, sum, 1, Datatype.LONG, Op.SUM);
            assertArrayEquals(new long[] {10}, sum);
            for (int call = 0; call < 2; call++) {
                errors.add(assertThrows(MpiFailure.class, () -> rank.world().engine().blocking().allreduce(new long[1], new long[1], 1, Datatype.LONG,
                    Op.SUM)).getMessage());
            }
        });
        assertEquals(2 * RANKS, errors.size());
        assertTrue(errors.stream().allMatch(e -> e.contains(": offloaded allreduce by Aggregator, ")
            || e.startsWith("collective failed on another rank: ")), errors::toString);
        assertTrue(errors.stream().anyMatch(e -> e.contains(": offloaded allreduce by Aggregator, bytes=8, task=0, cause=")), errors::toString);
    }

    @Test
    void shouldCombineByTheOperationsOfTheDevice() {
        for (final String type : List.of("INT", "LONG", "DOUBLE")) {
            assertEquals(5, combined("SUM", type));
            assertEquals(7, combined("MAX", type));
            assertEquals(-2, combined("MIN", type));
        }
    }

    private static double combined(final String operation, final String type) {
        final ByteBuffer low = ByteBuffer.allocate(8);
        final ByteBuffer high = ByteBuffer.allocate(8);
        final Arithmetic arithmetic = Arithmetic.of(new SymbolicReduction(type.equals("INT") ? 4 : 8, true, operation, type));
        return switch (arithmetic.type()) {
            case INT -> {
                arithmetic.combine(low.putInt(0, -2).limit(4), high.putInt(0, 7).limit(4));
                yield high.getInt(0);
            }
            case LONG -> {
                arithmetic.combine(low.putLong(0, -2), high.putLong(0, 7));
                yield high.getLong(0);
            }
            case DOUBLE -> {
                arithmetic.combine(low.putDouble(0, -2), high.putDouble(0, 7));
                yield high.getDouble(0);
            }
        };
    }
}
