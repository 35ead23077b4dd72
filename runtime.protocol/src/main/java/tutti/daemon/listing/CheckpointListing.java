package tutti.daemon.listing;

import java.util.List;

/** Listing of the checkpoints of a cluster, as text. */
public final class CheckpointListing {
    private CheckpointListing() {}

    /** Returns a line per checkpoint. */
    public static String of(final List<CheckpointRow> rows) {
        final TextTable table = new TextTable("SERIES", "NUMBER", "STATE", "RANKS", "SIZE", "AGE", "COPIES", "NODES");
        for (final CheckpointRow r : rows) {
            table.row(r.series(), r.number(), r.state(), r.ranks(), ClusterListing.bytes(r.bytes()), ClusterListing.age(r.time()), r.copies(),
                String.join(",", r.nodes()));
        }
        return table.toString();
    }
}
