package tutti.daemon.part;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.daemon.checkpoints.Restart;
import tutti.daemon.protocol.ProgramFile;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.JobSpec;

/**
 * Preparation of the part of a job on a node.
 *
 * @param job        id of the job
 * @param key        secret of the job
 * @param transports schemes of the transports that carry the messages between the job's nodes, the preferred one first
 * @param nodes      names of the nodes that have ranks
 * @param nodeOfRank index of the node of each rank
 * @param self       index of the part's node
 * @param programs   programs of the ranks, in the order of the ranks
 * @param files      jars of the programs, in class path order
 * @param parent     name of the port of the job that spawned this one; null if none did
 * @param environment variables that the programs find in their environment
 * @param restart    checkpoint from which the ranks continue; null if they begin anew
 * @param owner      who runs the job; null if that is not known
 * @param spawner    id of the job that spawned this one; null if none did
 */
public record Preparation(String job, byte[] key, List<String> transports, List<String> nodes, List<Integer> nodeOfRank, int self,
    List<JobProgram> programs,
    List<ProgramFile> files, @Nullable String parent, Map<String, String> environment, @Nullable Restart restart, @Nullable String owner,
    @Nullable String spawner) {
    /** Checks the values that the receiver relies on. */
    public Preparation {
        transports = List.copyOf(transports);
        nodes = List.copyOf(nodes);
        nodeOfRank = List.copyOf(nodeOfRank);
        programs = List.copyOf(programs);
        files = ProgramFile.check(files);
        environment = Map.copyOf(environment);
        if (self < 0 || self >= nodes.size()) {
            // Cause: the job ended while a part of it was prepared.
            throw new IllegalArgumentException("node out of range: self=" + self + ", nodes=" + nodes.size());
        }
        for (final int node : nodeOfRank) {
            if (node < 0 || node >= nodes.size()) {
                throw new IllegalArgumentException("node out of range: node=" + node + ", nodes=" + nodes.size());
            }
        }
    }

    /** Returns the order without files, and with another environment. */
    Preparation withoutFiles(final Map<String, String> with) {
        return new Preparation(job, key, transports, nodes, nodeOfRank, self, programs, List.of(), parent, with, restart, owner, spawner);
    }

    /**
     * Returns the specification of the part: with the jars as the class path, and the folder of staged files in the environment.
     *
     * @param stored the files on the part's node
     */
    public JobSpec spec(final List<Path> stored) {
        final List<Path> classPath = new ArrayList<>();
        final Map<String, String> all = new HashMap<>(environment);
        for (int i = 0; i < stored.size(); i++) {
            if (files.get(i).staged()) {
                all.put(JobSpec.FILES, Objects.requireNonNull(stored.get(i).toAbsolutePath().getParent(), "folder of a file").toString());
            } else {
                classPath.add(stored.get(i));
            }
        }
        return withoutFiles(all).specOf(classPath);
    }

    /** Returns the specification of the part with a class path. */
    JobSpec specOf(final List<Path> classPath) {
        return new JobSpec(job, key, nodes, nodeOfRank, self, programs, classPath, parent, environment);
    }
}
