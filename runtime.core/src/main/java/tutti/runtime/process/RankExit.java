package tutti.runtime.process;

import java.io.Serial;
import tutti.runtime.request.JobEnded;

/** Unwinds a thread of a rank that has ended. Says nothing and holds nothing, so one serves all. */
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
