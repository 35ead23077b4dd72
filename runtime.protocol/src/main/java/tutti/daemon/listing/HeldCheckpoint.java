package tutti.daemon.listing;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Part of a checkpoint that a node holds: the states of its own ranks, and copies of those of another node.
 *
 * @param node       name of the node
 * @param series     the series
 * @param number     number in the series
 * @param job        id of the job that has written it
 * @param generation how many jobs have continued the series up to that job, from 1
 * @param point      number of the point in the program at which the states were saved
 * @param complete   whether it is complete on this node; it is complete if it is on any
 * @param ranks      number of ranks of the job
 * @param held       ranks whose states the node holds, ascending
 * @param bytes      bytes of their data
 * @param time       when the newest of them was written, in milliseconds of the epoch
 * @param keepers    names of the nodes that had the ranks, and of those that keep copies
 * @param usedBy     id of the job that uses the series on this node; null if none does
 */
public record HeldCheckpoint(String node, String series, int number, String job, int generation, long point, boolean complete, int ranks,
    List<Integer> held, long bytes, long time, List<String> keepers, @Nullable String usedBy) {
    /** Checks that names are present, and copies the lists. */
    public HeldCheckpoint {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(series, "series");
        Objects.requireNonNull(job, "job");
        held = List.copyOf(held);
        keepers = List.copyOf(keepers);
    }

    /** Returns what all nodes share that hold ranks of the same checkpoint. */
    public Key key() {
        return new Key(series, number, job, generation, point, ranks);
    }

    /**
     * What names a checkpoint. A job that continues from an older one uses numbers again, so that a number alone does not.
     *
     * @param series     the series
     * @param number     number in the series
     * @param job        id of the job that has written it
     * @param generation how many jobs have continued the series up to that job
     * @param point      point in the program
     * @param ranks      number of ranks of the job
     */
    public record Key(String series, int number, String job, int generation, long point, int ranks) {}
}
