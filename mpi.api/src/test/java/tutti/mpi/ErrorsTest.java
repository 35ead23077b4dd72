package tutti.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import programs.AfterErrors;
import programs.BrokenFunction;
import programs.BrokenRequest;
import programs.ErrorHandlers;
import programs.FatalErrors;
import programs.InheritedHandlers;
import programs.RefusedObjects;
import programs.WrongArguments;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;

/** Error handlers, error messages and the end of a job after a fatal error. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ErrorsTest {

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 2"})
    void shouldInvokeErrorHandlers(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, ErrorHandlers.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "4, 2"})
    void shouldInheritTheErrorHandlerInEveryNewCommunicator(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, InheritedHandlers.class);
    }

    @ParameterizedTest
    @CsvSource({"3, 1", "3, 2", "5, 2"})
    void shouldContinueAfterReturnedErrors(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, AfterErrors.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2"})
    void shouldRefuseWrongArgumentsAndNameThem(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, WrongArguments.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2"})
    void shouldRefuseObjectsThatCannotBeUsedAndNameThem(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, RefusedObjects.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "world | MPI_ERR_RANK: destination out of range: dest=99, size=2 [send on MPI_COMM_WORLD, rank 1 of 2]",
        "self | MPI_ERR_RANK: destination out of range: dest=99, size=1 [send on MPI_COMM_SELF, rank 0 of 1]",
        "none | MPI_ERR_COUNT: count is negative: count=-1 [createContiguous on MPI_COMM_WORLD, rank 1 of 2]",
        "call | MPI_ERR_IO: input or output error [callErrhandler on MPI_COMM_WORLD, rank 1 of 2]",
        "handler | MPI_ERR_TAG: invalid tag [callErrhandler on MPI_COMM_WORLD, rank 1 of 2]"})
    void shouldEndTheJobWhenAnErrorIsFatal(final String kind, final String message) {
        final AssertionError failure = assertThrows(AssertionError.class,
            () -> Ranks.run(2, 1, List.of(new BasicModule()), rank -> Programs.main(rank, FatalErrors.class, kind)));
        assertEquals("rank 1 failed: mpi.MPIException: " + message, failure.getCause().getMessage());
    }

    @Test
    void shouldReportTheRankThatFailedThoughAnotherOneEndsTheJobFirst() {
        final AssertionError failure = assertThrows(AssertionError.class,
            () -> Ranks.run(5, 1, List.of(new BasicModule()), rank -> Programs.main(rank, BrokenRequest.class)));
        assertEquals("rank 2 failed: mpi.MPIException: MPI_ERR_IN_STATUS: request failed: index=0, error=user function failed: "
            + "class=programs.BrokenRequest$1, error=java.lang.IllegalStateException: boom [waitAll on MPI_COMM_WORLD, rank 2 of 5]",
            failure.getCause().getMessage());
    }

    @RepeatedTest(5)
    void shouldReportTheRankThatFailedFirst() {
        final AssertionError failure = assertThrows(AssertionError.class,
            () -> Ranks.run(3, 1, List.of(new BasicModule()), rank -> Programs.main(rank, BrokenFunction.class)));
        assertEquals("rank 2 failed: mpi.MPIException: MPI_ERR_OTHER: user function failed: class=programs.BrokenFunction$1, "
            + "error=java.lang.IllegalStateException: boom [allReduce on MPI_COMM_WORLD, rank 2 of 3]", failure.getCause().getMessage());
    }
}
