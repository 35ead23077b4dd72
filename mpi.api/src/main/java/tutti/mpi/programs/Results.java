package tutti.mpi.programs;

import java.io.PrintStream;
import tutti.runtime.process.RankStreams;

/** The results that a program prints and a command reads. A class of its own, since classes that each rank defines see no class of the runtime. */
public final class Results {
    private Results() {}

    /**
     * Returns standard output, which is for results alone from now on: what modules print there goes to standard error. Every rank calls it before
     * {@code MPI.Init}, where modules are asked.
     */
    public static PrintStream begin() {
        return RankStreams.separate();
    }
}
