package tutti.cli.hosts;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that Slurm has allocated to the job in which this process runs, as its variables {@code SLURM_*} say.
 *
 * @param job   id of Slurm's job
 * @param nodes names of the nodes, in Slurm's order
 * @param slots number of tasks of each node
 */
public record SlurmAllocation(String job, List<String> nodes, List<Integer> slots) {
    private static final Pattern TASKS = Pattern.compile("(?<tasks>[1-9]\\d{0,5})(?:\\(x(?<nodes>[1-9]\\d{0,5})\\))?");

    /** Expands Slurm's short form of a list of hosts, {@code n[1-4]}. */
    @FunctionalInterface
    public interface HostExpander {
        /** Returns the names. */
        List<String> expand(String list);
    }

    /**
     * Returns the allocation; empty outside of one.
     *
     * @throws IllegalArgumentException when this process is one of several tasks of a step, or the variables contradict each other
     */
    public static Optional<SlurmAllocation> of(final Map<String, String> environment, final HostExpander expander) {
        final String job = environment.get("SLURM_JOB_ID");
        final String list = environment.get("SLURM_JOB_NODELIST");
        if (job == null || list == null) {
            return Optional.empty();
        }
        if (!environment.getOrDefault("SLURM_STEP_NUM_TASKS", "1").equals("1")) {
            throw new IllegalArgumentException("this is one of " + environment.get("SLURM_STEP_NUM_TASKS") + " tasks of step "
                + environment.get("SLURM_STEP_ID") + " of job " + job
                + ": run tutti in the script itself, not by srun; it starts its containers by srun");
        }
        final List<String> nodes = expander.expand(list);
        final List<Integer> slots = slots(environment.getOrDefault("SLURM_TASKS_PER_NODE", "1(x" + nodes.size() + ")"));
        if (nodes.size() != slots.size()) {
            throw new IllegalArgumentException("variables of job " + job + " contradict each other: SLURM_JOB_NODELIST=" + list
                + ", SLURM_TASKS_PER_NODE=" + environment.get("SLURM_TASKS_PER_NODE"));
        }
        return Optional.of(new SlurmAllocation(job, nodes, slots));
    }

    /** Returns the numbers in Slurm's short form, {@code 2(x3),1}. */
    private static List<Integer> slots(final String text) {
        final List<Integer> slots = new ArrayList<>();
        for (final String part : text.split(",")) {
            final Matcher m = TASKS.matcher(part);
            if (!m.matches()) {
                throw new IllegalArgumentException("not a list of tasks per node: SLURM_TASKS_PER_NODE=" + text);
            }
            slots.addAll(Collections.nCopies(m.group("nodes") == null ? 1 : Integer.parseInt(m.group("nodes")),
                Integer.parseInt(m.group("tasks"))));
        }
        return slots;
    }

    /**
     * Returns the command line that starts a container on each node of the allocation, as one step with one task per node and all of the job's cores.
     *
     * @param home   folder of the distribution on the nodes
     * @param folder working folder of the containers; null for the current one
     * @param ports  ports of which each container takes a free one; null for any
     */
    public LaunchCommand command(final Path home, final @Nullable Path folder, final @Nullable String ports) {
        final String count = Integer.toString(nodes.size());
        final List<String> line =
            new ArrayList<>(List.of("srun", "--job-name=tutti", "--nodes=" + count, "--ntasks=" + count, "--ntasks-per-node=1", "--whole",
                "--overlap", "--cpu-bind=none", "--distribution=block", "--input=all", "--unbuffered", "--kill-on-bad-exit=0", "--wait=0", "/bin/sh",
                "-c",
                "exec \"$0\" daemon --name \"$SLURMD_NODENAME\" \"$@\"", home.resolve("bin").resolve("tutti").toString(), "--launched-by", "slurm",
                "--slots", slots.stream().map(String::valueOf).collect(Collectors.joining(","))));
        if (ports != null) {
            line.addAll(List.of("--ports", ports));
        }
        if (folder != null) {
            line.add(1, "--chdir=" + folder);
        }
        return new LaunchCommand(nodes, line, true);
    }
}
