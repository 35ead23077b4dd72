package tutti.daemon.part;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;

/** Agreements on modules of jobs that may come, for which job JVMs are prepared. */
public interface JobAgreements {

    /** Returns the agreement of a job on these nodes without parameters of its own; null when there is none. */
    @Nullable
    AgreedModules between(Map<String, Catalogue> nodes);
}
