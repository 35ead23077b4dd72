package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.IntBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.runtime.DerivedTypesSuite;
import tutti.runtime.DerivedTypesSuite.Shape;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;

/** Tests the collectives with derived types, over module basic. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DerivedTypesTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());

    static Stream<Shape> shapes() {
        return DerivedTypesSuite.shapes();
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractWithTypesThatHaveGaps(final Shape shape) throws Exception {
        DerivedTypesSuite.run(shape, Map.of(), BASIC);
    }

    @Test
    void shouldOnlyReadWhatTheRootBroadcasts() throws Exception {
        Ranks.run(2, 1, BASIC, rank -> {
            final Communicator c = rank.world();
            final Datatype everyOther = Datatype.vector(3, 1, 2, Datatype.INT);
            final IntBuffer data = IntBuffer.wrap(new int[] {1, -1, 2, -1, 3}).asReadOnlyBuffer();
            final int[] into = new int[5];
            c.engine().blocking().bcast(c.rank() == 0 ? data : into, 1, everyOther, 0);
            assertArrayEquals(c.rank() == 0 ? new int[5] : new int[] {1, 0, 2, 0, 3}, into);
        });
    }

    /** A module whose bcast sends nothing. */
    private static final class Lazy implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return QueryResult.usable(50, AlgorithmTable.builder().intra(Operation.BCAST, "lazy", (call, plan) -> {}).build());
        }
    }

    @Test
    void shouldNoticeAWrongAnswer() {
        final AssertionError e = assertThrows(AssertionError.class,
            () -> DerivedTypesSuite.run(new Shape(2, 1, true), Map.of(), List.of(new BasicModule(), new Lazy())));
        assertTrue(e.getMessage().contains("bcast of "), e::toString);
    }
}
