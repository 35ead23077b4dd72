package tutti.mpi;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import programs.FailedSources;
import tutti.coll.basic.BasicModule;
import tutti.runtime.FaultyRanks;

/** Programs of package mpi go on without ranks that have failed. */
@Timeout(120)
class FailedRanksTest {
    @ParameterizedTest
    @CsvSource({"3, 1", "3, 3", "5, 2", "8, 3"})
    void shouldReceiveFromAnySourceWhenFailuresAreAcknowledged(final int ranks, final int nodes) throws Exception {
        FaultyRanks.run(ranks, nodes, Map.of(), List.of(new BasicModule()), (rank, job) -> Programs.main(rank, FailedSources.class));
    }
}
