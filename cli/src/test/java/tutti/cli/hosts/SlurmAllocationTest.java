package tutti.cli.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SlurmAllocationTest {
    private static final Map<String, String> JOB = Map.of("SLURM_JOB_ID", "7", "SLURM_JOB_NODELIST", "n[1-3,9]", "SLURM_TASKS_PER_NODE", "2(x3),1");
    private static final List<String> NODES = List.of("n1", "n2", "n3", "n9");

    private static Optional<SlurmAllocation> of(final Map<String, String> more) {
        final Map<String, String> environment = new HashMap<>(JOB);
        environment.putAll(more);
        return SlurmAllocation.of(environment, list -> list.equals("n[1-3,9]") ? NODES : List.of());
    }

    @Test
    void shouldTakeNodesAndTasksPerNodeFromTheVariables() {
        assertEquals(new SlurmAllocation("7", NODES, List.of(2, 2, 2, 1)), of(Map.of()).orElseThrow());
        assertEquals(List.of(3, 1, 1, 4), of(Map.of("SLURM_TASKS_PER_NODE", "3,1(x2),4")).orElseThrow().slots());
    }

    @Test
    void shouldBeEmptyOutsideOfAJob() {
        assertEquals(Optional.empty(), SlurmAllocation.of(Map.of("SLURM_CONF", "/etc/slurm.conf"), list -> NODES));
    }

    @Test
    void shouldRefuseToRunInEachTaskOfAStep() {
        final String message = assertThrows(IllegalArgumentException.class, () -> of(Map.of("SLURM_STEP_NUM_TASKS", "8", "SLURM_STEP_ID", "0")))
            .getMessage();
        assertTrue(message.startsWith("this is one of 8 tasks of step 0 of job 7: run tutti in the script itself"), message);
        assertTrue(of(Map.of("SLURM_STEP_NUM_TASKS", "1")).isPresent());
    }

    @Test
    void shouldRefuseVariablesThatContradictEachOther() {
        assertEquals("variables of job 7 contradict each other: SLURM_JOB_NODELIST=n[1-3,9], SLURM_TASKS_PER_NODE=2(x3)",
            assertThrows(IllegalArgumentException.class, () -> of(Map.of("SLURM_TASKS_PER_NODE", "2(x3)"))).getMessage());
        assertThrows(IllegalArgumentException.class, () -> of(Map.of("SLURM_TASKS_PER_NODE", "many")));
    }

    @Test
    void shouldStartOneTaskPerNodeThatKnowsTheSlotsOfAll() {
        final LaunchCommand command = of(Map.of()).orElseThrow().command(Path.of("/opt/tutti"), null, null);
        assertEquals(NODES, command.nodes());
        assertTrue(command.line().containsAll(List.of("srun", "--nodes=4", "--ntasks=4", "--ntasks-per-node=1", "/opt/tutti/bin/tutti")),
            command::toString);
        assertEquals(List.of("--launched-by", "slurm", "--slots", "2,2,2,1"), command.line().subList(command.line().size() - 4,
            command.line().size()));
    }
}
