package tutti.runtime.job;

import java.nio.file.Path;
import java.util.List;

/**
 * The specification of a job, as one of its nodes receives it. It is equal on all nodes except for {@code self} and {@code classPath}.
 *
 * @param id         unique in the cluster
 * @param key        secret of the job, 16 to 64 bytes, which authenticates the job's links
 * @param nodes      names of the nodes that hold ranks
 * @param nodeOfRank for each rank of COMM_WORLD the index of its node in {@code nodes}
 * @param self       index of the receiving node
 * @param mainClass  the class with {@code main}
 * @param args       arguments of the program
 * @param classPath  jars and folders on this node that hold the program, in order
 */
public record JobSpec(String id, byte[] key, List<String> nodes, List<Integer> nodeOfRank, int self, String mainClass,
    List<String> args, List<Path> classPath) {

    /** Copies the collections. */
    public JobSpec {
        nodes = List.copyOf(nodes);
        nodeOfRank = List.copyOf(nodeOfRank);
        args = List.copyOf(args);
        classPath = List.copyOf(classPath);
    }

    /** Returns the number of ranks of the job. */
    public int size() {
        return nodeOfRank.size();
    }
}
