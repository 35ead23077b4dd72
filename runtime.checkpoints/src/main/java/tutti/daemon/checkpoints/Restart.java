package tutti.daemon.checkpoints;

import java.util.List;
import java.util.Objects;

/**
 * Checkpoint from which a job continues. Its number alone does not name it: a job that continues from an older checkpoint uses numbers again.
 *
 * @param series     the series
 * @param number     number of the checkpoint
 * @param job        id of the job that has written it
 * @param generation how many jobs have continued the series up to that job, from 1
 * @param point      number of the point in the program at which the states were saved
 * @param ranks      number of ranks of that job, and of those that continue it
 * @param holders    the ranks that nodes hold; a rank may have several holders, which are asked in this order
 */
public record Restart(String series, int number, String job, int generation, long point, int ranks, List<Holder> holders) {
    /** Checks that names are present, and copies the list. */
    public Restart {
        Objects.requireNonNull(series, "series");
        Objects.requireNonNull(job, "job");
        holders = List.copyOf(holders);
    }

    /** Returns the names of the nodes that hold a rank. */
    public List<String> holders(final int rank) {
        return holders.stream().filter(h -> h.ranks().contains(rank)).map(Holder::node).toList();
    }

    /** Node, and the ranks whose states it holds. */
    public record Holder(String node, List<Integer> ranks) {
        /** Checks that the name is present, and copies the list. */
        public Holder {
            Objects.requireNonNull(node, "node");
            ranks = List.copyOf(ranks);
        }
    }
}
