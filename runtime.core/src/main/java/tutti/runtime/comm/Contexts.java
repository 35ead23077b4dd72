package tutti.runtime.comm;

import java.util.Arrays;
import tutti.runtime.datatype.Op;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.select.Setup;

/** The contexts that one rank has free. Those who make a communicator agree on one that all of them have free. Safe for any thread. */
final class Contexts {
    /** Contexts of one communicator: messages, collectives, the steps of its negotiation, and what modules send in it. */
    static final int STRIDE = 4;
    private static final int WORDS = 64;

    private final long[] free = new long[WORDS];

    /** All are free but the first so many. */
    Contexts(final int taken) {
        Arrays.fill(free, -1);
        free[0] <<= taken;
    }

    /** Agrees with all ranks on a context and takes it. Each must call it alike. */
    int agree(final Setup setup) {
        final long[] common;
        synchronized (this) {
            common = free.clone();
        }
        setup.combine(common, Op.BAND);
        for (int w = 0; w < WORDS; w++) {
            if (common[w] != 0) {
                final int bit = Long.numberOfTrailingZeros(common[w]);
                synchronized (this) {
                    free[w] &= ~(1L << bit);
                }
                return (w * Long.SIZE + bit) * STRIDE;
            }
        }
        throw new MpiFailure(ErrorClass.OTHER, "too many communicators: free the ones that are not needed, max=" + WORDS * Long.SIZE);
    }

    /** Gives a context back. */
    synchronized void free(final int context) {
        final int id = context / STRIDE;
        free[id / Long.SIZE] |= 1L << id % Long.SIZE;
    }
}
