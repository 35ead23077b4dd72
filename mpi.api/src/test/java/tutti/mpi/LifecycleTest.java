package tutti.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import mpi.Comm;
import mpi.MPI;
import mpi.MPIException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import programs.Lifecycle;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.host.JobRanks;
import tutti.runtime.job.JobSpec;

/** Calls before Init, between Init and Finalize, and after Finalize. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LifecycleTest {

    @Test
    void shouldRefuseCallsOutsideOfInitAndFinalize() throws Exception {
        final JobSpec spec = new JobSpec("test", new byte[16], List.of("n0"), List.of(0), 0, Lifecycle.class.getName(), List.of(), List.of());
        final JobRanks job = new JobRanks(spec, (node, reason) -> {}, (rank, status) -> {});
        job.setModules(Ranks.job(1, Map.of(), List.of(new BasicModule())));
        Programs.main(job.local().getFirst(), Lifecycle.class);
        job.leave();
    }

    @Test
    void shouldRefuseCallsOfThreadsThatBelongToNoRank() {
        final MPIException e = assertThrows(MPIException.class, () -> Comm.createKeyval());
        assertEquals("call does not come from the program of a rank", e.getMessage());
        assertEquals(MPI.ERR_OTHER, e.getErrorClass());
    }
}
