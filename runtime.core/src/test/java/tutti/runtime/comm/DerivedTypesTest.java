package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Table;
import tutti.coll.Verdict;
import tutti.coll.basic.BasicModule;
import tutti.runtime.DerivedTypesSuite;
import tutti.runtime.DerivedTypesSuite.Shape;

/** The collectives with derived types, over module basic. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DerivedTypesTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());

    static Stream<Shape> shapes() {
        return DerivedTypesSuite.shapes();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractWithTypesThatHaveGaps(final Shape shape) throws Exception {
        DerivedTypesSuite.run(shape, Map.of(), BASIC);
    }

    /** Broadcasts nothing. */
    private static final class Lazy implements CollModule {
        @Override
        public Verdict query(final CollComm comm) {
            return Verdict.usable(50, Table.builder().intra(Operation.BCAST, "lazy", (call, plan) -> { }).build());
        }
    }

    @Test
    void shouldNoticeAWrongAnswer() {
        final AssertionError e = assertThrows(AssertionError.class,
            () -> DerivedTypesSuite.run(new Shape(2, 1, true), Map.of(), List.of(new BasicModule(), new Lazy())));
        assertTrue(e.getMessage().contains("bcast of "), e::toString);
    }
}
