package tutti.runtime.process;

import java.io.Serial;
import tutti.runtime.request.JobEnded;

/** The error that unwinds the threads of a rank that has ended. It has no state, so a single instance is used. */
final class RankExit extends JobEnded {
    static final RankExit INSTANCE = new RankExit();

    @Serial
    private static final long serialVersionUID = 1L;

    private RankExit() {
        super("the rank has ended");
    }

    @Serial
    private Object readResolve() {
        return INSTANCE;
    }
}
