package tutti.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import programs.SavedObjects;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.checkpoint.MemoryStorage;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.host.JobRanks;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.transport.Transport;

/** Objects that a program saves, and that it does not restore as they were saved. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SavedObjectsTest {

    /** The services of a job that keeps checkpoints and has no daemon. */
    private record Services(Transport transport, CheckpointStorage checkpoints) implements JobServices {
        private static <T> CompletionStage<T> none() {
            return CompletableFuture.failedFuture(new IOException("there is no daemon"));
        }

        @Override
        public List<NodeAddress> nodes() {
            return List.of();
        }

        @Override
        public int places() {
            return 0;
        }

        @Override
        public CompletionStage<Void> publish(final String name, final String port) {
            return none();
        }

        @Override
        public CompletionStage<String> lookup(final String name) {
            return none();
        }

        @Override
        public CompletionStage<String> spawn(final SpawnRequest request) {
            return none();
        }

        @Override
        public CompletionStage<Boolean> unpublish(final String name) {
            return none();
        }
    }

    private static void run(final MemoryStorage storage) throws Exception {
        final JobSpec spec = new JobSpec("test", new byte[16], List.of("n0"), List.of(0), 0, SavedObjects.class.getName(), List.of(), List.of());
        final JobRanks job = new JobRanks(spec, (node, reason) -> {}, (rank, status) -> {});
        job.setModules(Ranks.job(1, Map.of(), List.of(new BasicModule())));
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            job.serve(new Services(transport, storage));
            Programs.main(job.local().getFirst(), SavedObjects.class);
        } finally {
            job.leave();
        }
    }

    @Test
    void shouldRefuseObjectsThatWereSavedAsOthers() throws Exception {
        final MemoryStorage first = new MemoryStorage();
        run(first);
        assertEquals(List.of(1), first.complete());
        final MemoryStorage second = new MemoryStorage(first);
        run(second);
        assertEquals(List.of(2), second.complete());
    }
}
