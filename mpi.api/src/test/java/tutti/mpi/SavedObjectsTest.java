package tutti.mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import programs.SavedObjects;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.checkpoint.MemoryStorage;
import tutti.runtime.host.JobRanks;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.module.PlanProver;

/** Objects that a program saves, and that it does not restore as they were saved. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SavedObjectsTest {

    @TempDir
    private Path folder;

    private void run(final MemoryStorage storage) throws Exception {
        final JobSpec spec = new JobSpec("test", new byte[16], List.of("n0"), List.of(0), 0, SavedObjects.class.getName(), List.of(), List.of());
        final JobRanks job = new JobRanks(spec, (node, reason) -> {}, (rank, status) -> {});
        job.setModules(Ranks.job(1, Map.of(), List.of(new BasicModule())));
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            job.serve(new JobServices(new Ranks.Names(Map.of(), 1), Map.of("tcp", transport), List.of(), List.of(), 0, PlanProver.NONE, storage));
            Programs.main(job.local().getFirst(), SavedObjects.class, folder.resolve("data").toString());
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
        assertArrayEquals(new byte[] {1, 2, 3, 1, 2, 3, 4, 5}, Files.readAllBytes(folder.resolve("data")));
    }
}
