package tutti.runtime.process;

import java.io.Serial;
import tutti.runtime.process.owner.JobEndedError;

/** The error that unwinds the threads of a rank that has ended. It has no state, so a single instance is used. */
final class RankExitError extends JobEndedError {
    static final RankExitError INSTANCE = new RankExitError();

    @Serial
    private static final long serialVersionUID = 1L;

    private RankExitError() {
        super("the rank has ended");
    }

    @Serial
    private Object readResolve() {
        return INSTANCE;
    }
}
