package tutti.mpi;

import java.util.List;
import org.osgi.service.component.annotations.Component;
import tutti.runtime.program.RankClasses;

/** Brings package {@code mpi} to programs; every rank gets its own class {@code mpi.MPI}. Safe for any thread. */
@Component
public final class MpiClasses implements RankClasses {

    @Override
    public Iterable<String> packages() {
        return List.of("mpi");
    }

    @Override
    public Iterable<String> perRank() {
        return List.of("mpi.MPI");
    }

    @Override
    public ClassLoader loader() {
        return MpiClasses.class.getClassLoader();
    }
}
