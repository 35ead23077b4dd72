package tutti.mpi;

import java.util.List;
import org.osgi.service.component.annotations.Component;
import tutti.runtime.process.RankClasses;

/**
 * Brings package {@code mpi} to programs, and the programs that Tutti itself has; every rank gets its own class {@code mpi.MPI}. Safe for any
 * thread.
 */
@Component
public final class MpiClasses implements RankClasses {

    @Override
    public List<String> packages() {
        return List.of("mpi", "tutti.mpi.programs");
    }

    @Override
    public List<String> perRank() {
        return List.of("mpi.MPI", "tutti.mpi.programs.Explain", "tutti.mpi.programs.ExplainPlan", "tutti.mpi.programs.Tune",
            "tutti.mpi.programs.Tune$Call");
    }

    @Override
    public ClassLoader loader() {
        return MpiClasses.class.getClassLoader();
    }
}
