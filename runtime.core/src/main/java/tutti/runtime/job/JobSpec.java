package tutti.runtime.job;

import java.nio.file.Path;
import java.util.List;

/**
 * A job as one of its nodes gets it: equal on all nodes but for {@code self} and {@code classPath}.
 *
 * @param id         unique in the cluster
 * @param key        secret of the job, 16 to 64 bytes: a link of the job proves itself with it
 * @param nodes      the nodes that hold ranks
 * @param nodeOfRank for each rank of COMM_WORLD the index of its node in {@code nodes}
 * @param self       the index of the node that reads this
 * @param mainClass  the class with {@code main}
 * @param args       what the program gets
 * @param classPath  jars and folders on this node that hold the program, in order
 */
public record JobSpec(String id, byte[] key, List<NodeAddress> nodes, List<Integer> nodeOfRank, int self, String mainClass,
                      List<String> args, List<Path> classPath) {

    /** Copies the collections. */
    public JobSpec {
        nodes = List.copyOf(nodes);
        nodeOfRank = List.copyOf(nodeOfRank);
        args = List.copyOf(args);
        classPath = List.copyOf(classPath);
    }

    /** Ranks of the job. */
    public int size() {
        return nodeOfRank.size();
    }
}
