package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.ReproducibleSuite;
import tutti.runtime.introspect.Explanation;

/** Tests which algorithms of module basic serve jobs with {@code coll.reproducible=true}, and which are refused. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ReproducibleTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());
    private static final Map<String, String> DIRECT = Map.of("coll.allreduce", "BasicModule/direct", "coll.reduce_scatter", "BasicModule/direct",
        "coll.reduce_scatter_block", "BasicModule/direct");
    /** Algorithms that must be refused, as their reduction order is not canonical. */
    private static final Map<String, String> OWN = Map.of("coll.allreduce", "BasicModule/recursive_doubling", "coll.reduce", "BasicModule/binomial",
        "coll.scan", "BasicModule/doubling", "coll.exscan", "BasicModule/doubling");

    static Stream<Shape> shapes() {
        return IntStream.concat(IntStream.rangeClosed(1, 9), IntStream.of(16)).boxed()
            .flatMap(p -> IntStream.rangeClosed(1, Math.min(p, 3)).mapToObj(k -> new Shape(p, k)));
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldGiveTheSameBitsForEveryNumberOfNodesAndRequestedAlgorithm(final Shape shape) throws Exception {
        ReproducibleSuite.run(shape, Map.of(), BASIC);
        ReproducibleSuite.run(shape, DIRECT, BASIC);
        ReproducibleSuite.run(shape, OWN, BASIC);
    }

    @Test
    void shouldServeIntercommunicatorsToo() throws Exception {
        for (final Explanation e : ContractSuite.intercommunicators(new ContractSuite.Groups(3, 2, 2), Map.of("coll.reproducible", "true"), BASIC)) {
            assertEquals(Operation.of(e.operation()).onIntercommunicators(), e.module() != null, e::toString);
        }
    }
}
