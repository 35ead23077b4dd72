package tutti.runtime.program;

import java.io.Serial;

/** Unwinds a thread of a rank that has ended. Says nothing and holds nothing, so one serves all. */
final class RankExit extends Error {
    static final RankExit INSTANCE = new RankExit();

    @Serial
    private static final long serialVersionUID = 1L;

    private RankExit() {
        super("the rank has ended", null, false, false);
    }

    @Serial
    private Object readResolve() {
        return INSTANCE;
    }
}
