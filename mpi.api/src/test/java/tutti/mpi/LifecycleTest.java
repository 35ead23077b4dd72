package tutti.mpi;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import programs.Lifecycle;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.host.JobRanks;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;

/** Calls before Init, between Init and Finalize, and after Finalize. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LifecycleTest {

    @Test
    void shouldRefuseCallsOutsideOfInitAndFinalize() throws Exception {
        final InetSocketAddress nowhere = new InetSocketAddress("127.0.0.1", 1);
        final JobSpec spec = new JobSpec("test", new byte[16], List.of(new NodeAddress("n0", nowhere.getHostString(), nowhere.getPort())),
            List.of(0), 0, Lifecycle.class.getName(), List.of(), List.of());
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            final JobRanks job = new JobRanks(spec, transport, (node, reason) -> {}, (rank, status) -> {});
            job.setModules(Ranks.job(1, Map.of(), List.of(new BasicModule())));
            Programs.main(job.local().getFirst(), Lifecycle.class);
            job.leave();
        }
    }
}
