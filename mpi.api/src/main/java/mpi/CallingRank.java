package mpi;

import java.util.Objects;
import java.util.stream.Stream;
import tutti.runtime.comm.Rank;
import tutti.runtime.comm.RankScope;

/** Finds the rank that makes a call which names no communicator: all ranks of a node share this package. */
final class CallingRank {
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private CallingRank() { }

    /**
     * The rank whose program an object belongs to, else the one that the thread runs for, else the one whose code is on the stack.
     *
     * @throws MPIException when there is none
     */
    static Rank of(final Object hint) throws MPIException {
        final Rank rank = Stream.<java.util.function.Supplier<Rank>>of(() -> of(hint.getClass().getClassLoader()),
            () -> of(Thread.currentThread().getContextClassLoader()),
            () -> WALKER.walk(frames -> frames.map(f -> of(f.getDeclaringClass().getClassLoader())).filter(Objects::nonNull).findFirst().orElse(null)))
            .map(java.util.function.Supplier::get).filter(Objects::nonNull).findFirst().orElse(null);
        if (rank == null) {
            throw new MPIException(Constant.ERR_OTHER, "the call comes from no rank of a job");
        }
        return rank;
    }

    private static Rank of(final ClassLoader loader) {
        for (ClassLoader at = loader; at != null; at = at.getParent()) {
            if (at instanceof RankScope scope) {
                return scope.rank();
            }
        }
        return null;
    }
}
