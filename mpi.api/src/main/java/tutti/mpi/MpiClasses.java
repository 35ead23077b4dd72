package tutti.mpi;

import java.util.List;
import org.osgi.service.component.annotations.Component;
import tutti.mpi.interception.Interception;
import tutti.runtime.process.owner.CallBridge;
import tutti.runtime.process.owner.RankClasses;

/**
 * Provides packages {@code mpi} and {@code tutti.checkpoint}, the interception of calls, and Tutti's own programs, to the class loaders of ranks;
 * every rank gets a class {@code mpi.MPI} of its own. Safe for use by any thread.
 */
@Component
public final class MpiClasses implements RankClasses {

    @Override
    public List<String> packages() {
        return List.of("mpi", "tutti.checkpoint", "tutti.mpi.interception", "tutti.mpi.programs");
    }

    @Override
    public List<String> perRank() {
        return List.of("mpi.MPI", "tutti.mpi.programs.Bench", "tutti.mpi.programs.Explain", "tutti.mpi.programs.ExplainPlan",
            "tutti.mpi.programs.RepeatedCall", "tutti.mpi.programs.Tune", "tutti.mpi.programs.TwoGroups", "tutti.mpi.programs.WarmUp",
            "tutti.mpi.programs.WindowCalls");
    }

    @Override
    public ClassLoader loader() {
        return MpiClasses.class.getClassLoader();
    }

    @Override
    public CallBridge bridge() {
        return Interception.bridge();
    }
}
