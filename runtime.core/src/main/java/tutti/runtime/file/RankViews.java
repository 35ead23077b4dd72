package tutti.runtime.file;

import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.exchange.CallExchange;

/**
 * The views of the ranks of a file. Immutable.
 *
 * @param own     that of this rank
 * @param ofRanks where the data of all views is; null for a rank that is no aggregator
 */
record RankViews(FileView own, ViewMap @Nullable [] ofRanks) {
    /** Tells the aggregators the view of each rank, together with all ranks. */
    static RankViews exchange(final CallExchange exchange, final int[] aggregators, final FileView view) {
        final long[] own = view.map().toNumbers();
        final long[] lengths = exchange.gather(own.length);
        final int ranks = lengths.length;
        boolean isAggregator = false;
        final long[] sent = new long[ranks];
        for (final int r : aggregators) {
            sent[r] = own.length;
            isAggregator |= r == exchange.comm().rank();
        }
        final long[] received = isAggregator ? lengths : new long[ranks];
        final long[] starts = new long[ranks];
        for (int r = 1; r < ranks; r++) {
            starts[r] = starts[r - 1] + received[r - 1];
        }
        final long[] all = new long[Math.toIntExact(starts[ranks - 1] + received[ranks - 1])];
        exchange.await(exchange.comm().engine().nonblocking().alltoallv(own, sent, new long[ranks], Datatype.LONG, all, received, starts,
            Datatype.LONG));
        if (!isAggregator) {
            return new RankViews(view, null);
        }
        final ViewMap[] ofRanks = new ViewMap[ranks];
        for (int r = 0; r < ranks; r++) {
            ofRanks[r] = ViewMap.of(all, (int) starts[r], (int) (starts[r] + received[r]));
        }
        return new RankViews(view, ofRanks);
    }
}
