package tutti.daemon.channel;

import java.util.function.IntConsumer;

/**
 * Batch of consumed bytes: returns credit in quarters of the limit, so that small frames do not cost a credit frame each. Used by one thread at a
 * time.
 */
public final class CreditBatch {
    private final int quarter;
    private final IntConsumer post;
    private int owed;

    /** Creates a batch for a credit limit in bytes. */
    public CreditBatch(final int limit, final IntConsumer post) {
        this.quarter = limit / 4;
        this.post = post;
    }

    /** Adds consumed bytes; posts the credit when it has reached a quarter of the limit. */
    public void consumed(final int bytes) {
        owed += bytes;
        if (owed >= quarter) {
            final int all = owed;
            owed = 0;
            post.accept(all);
        }
    }
}
