package tutti.runtime.host;

import tutti.runtime.comm.Rank;
import tutti.runtime.comm.RankScope;
import tutti.runtime.process.ProgramClassPath;
import tutti.runtime.process.RankLoader;
import tutti.runtime.process.SharedClasses;

/** The class loader of a rank that is an MPI process: package {@code mpi}, of which it defines classes, finds the rank through it. */
final class MpiRankLoader extends RankLoader implements RankScope {
    static {
        registerAsParallelCapable();
    }

    private final Rank rank;

    MpiRankLoader(final ProgramClassPath classPath, final SharedClasses shared, final Rank rank) {
        super(classPath, shared);
        this.rank = rank;
    }

    @Override
    public Rank rank() {
        return rank;
    }
}
