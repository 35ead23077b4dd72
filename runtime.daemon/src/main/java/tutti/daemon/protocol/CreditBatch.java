package tutti.daemon.protocol;

import java.util.function.IntConsumer;

/** Gives credit back in quarters of a window, so that small frames do not cost a credit frame each. Used by one thread at a time. */
public final class CreditBatch {
    private final int quarter;
    private final IntConsumer post;
    private int owed;

    /** Posts credit for a window of that size. */
    public CreditBatch(final int window, final IntConsumer post) {
        this.quarter = window / 4;
        this.post = post;
    }

    /** That many bytes were dealt with. */
    public void taken(final int bytes) {
        owed += bytes;
        if (owed >= quarter) {
            final int all = owed;
            owed = 0;
            post.accept(all);
        }
    }
}
