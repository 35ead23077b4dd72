package tutti.runtime.dpm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.access.WindowTable;
import tutti.runtime.context.RankLosses;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.select.JobModules;
import tutti.runtime.wire.JobNetwork;

/** Tests jobs that cannot be connected to each other. */
class RefusedJobsTest {
    private final JobModules modules = Ranks.job(1, Map.of(), List.of(new BasicModule()));
    private final JobSpec spec = new JobSpec("one", new byte[16], List.of("n0"), List.of(0), 0, "none", List.of(), List.of());
    private final ConnectedJobs jobs = new ConnectedJobs(spec, new JobNetwork(spec, rank -> null, new WindowTable(), (node, reason) -> {},
        (node, reason) -> {}), new RankLosses());

    @BeforeEach
    void setModules() {
        jobs.setModules(modules);
    }

    private void assertRefused(final String message, final String identity, final List<Integer> nodeOfRank) {
        final JobDescription other =
            new JobDescription(identity, "00", List.of(NodeEndpoints.tcp(new NodeAddress("n0", "127.0.0.1", 1))), List.of(), nodeOfRank, List.of(),
                modules.inputs("two", 1));
        final GroupDescription group = new GroupDescription(List.of(other), List.of(new GroupDescription.Member(0, 0)), 0);
        assertEquals(message, assertThrows(MpiFailure.class, () -> jobs.group(group)).getMessage());
    }

    @Test
    void shouldRefuseAJobThatDrewTheNumberOfThisOne() {
        assertRefused("two jobs drew the same number by chance: start one of them again: jobs=one, two",
            jobs.identity().substring(0, 8) + "0".repeat(24), List.of(0));
    }

    @Test
    void shouldRefuseAJobForWhoseRanksThereAreNoNumbers() {
        assertRefused("too many ranks of connected jobs: disconnect from the ones that are not needed", "0".repeat(32),
            Collections.nCopies(Integer.MAX_VALUE, 0));
    }

    @Test
    void shouldDescribeNoJobWithoutADaemon() {
        assertEquals("this job cannot be connected to other jobs: it is not run by a daemon",
            assertThrows(MpiFailure.class, () -> jobs.describe(Group.of(new int[1]), 0)).getMessage());
    }
}
