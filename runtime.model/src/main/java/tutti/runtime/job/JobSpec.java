package tutti.runtime.job;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The specification of a job, as one of its nodes receives it. It is equal on all nodes except for {@code self}, {@code
 * classPath} and the folder in {@code environment}.
 *
 * @param id         unique in the cluster
 * @param key        secret of the job, 16 to 64 bytes, which authenticates the job's links
 * @param nodes      names of the nodes that hold ranks
 * @param nodeOfRank for each rank, and then for each spare rank, the index of its node in {@code nodes}; the node of a spare rank has no other,
 *                   and comes after those of the others
 * @param self       index of the receiving node
 * @param programs   the programs of the ranks of COMM_WORLD, in their order: ranks beyond these are spare ones, which run the first program when one
 *                   of them takes the place of a rank that has failed
 * @param classPath  jars and folders on this node that hold the programs, in order
 * @param parent     name of the port of the job that spawned this one; null if none did
 * @param environment variables that the programs find in their environment; {@link #FILES} among them when files were sent to the nodes
 */
public record JobSpec(String id, byte[] key, List<String> nodes, List<Integer> nodeOfRank, int self, List<JobProgram> programs,
    List<Path> classPath, @Nullable String parent, Map<String, String> environment) {
    /** The variable with the folder on this node of the files that were sent with the job. */
    public static final String FILES = "TUTTI_FILES";

    /** Copies the key and the collections. */
    public JobSpec {
        key = key.clone();
        nodes = List.copyOf(nodes);
        nodeOfRank = List.copyOf(nodeOfRank);
        programs = List.copyOf(programs);
        classPath = List.copyOf(classPath);
        environment = Map.copyOf(environment);
    }

    /** Creates the specification of a job that no other one spawned, all of whose ranks run one program. */
    public JobSpec(final String id, final byte[] key, final List<String> nodes, final List<Integer> nodeOfRank, final int self,
        final String mainClass, final List<String> args, final List<Path> classPath) {
        this(id, key, nodes, nodeOfRank, self, List.of(new JobProgram(mainClass, args, nodeOfRank.size())), classPath, null, Map.of());
    }

    /** Returns a copy of the key. */
    @Override
    public byte[] key() {
        return key.clone();
    }

    /** Returns the number of ranks of the job, with the spare ones. */
    public int size() {
        return nodeOfRank.size();
    }

    /** Returns the number of ranks of COMM_WORLD. */
    public int worldSize() {
        return programs.stream().mapToInt(JobProgram::ranks).sum();
    }

    /** Returns whether a node is there for a spare rank. */
    public boolean isSpare(final int node) {
        return nodeOfRank.indexOf(node) >= worldSize();
    }

    /** Returns the program of a rank. */
    public JobProgram programOf(final int rank) {
        return programs.get(programIndexOf(rank));
    }

    /** Returns the index of the program of a rank. */
    public int programIndexOf(final int rank) {
        if (rank >= worldSize() && rank < size()) {
            return 0;
        }
        int end = 0;
        for (int p = 0; p < programs.size(); p++) {
            end += programs.get(p).ranks();
            if (rank < end) {
                return p;
            }
        }
        throw new IllegalArgumentException("rank without a program: rank=" + rank + ", programs=" + programs);
    }
}
