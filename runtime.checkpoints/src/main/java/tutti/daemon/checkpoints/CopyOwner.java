package tutti.daemon.checkpoints;

import java.util.concurrent.CompletionStage;
import tutti.daemon.security.Needs;
import tutti.daemon.security.Role;

/** Node whose job keeps copies on another node, which asks it over the link of the copies. {@link CheckpointClient} serves it. */
@Needs(Role.NODE)
@FunctionalInterface
interface CopyOwner {

    /** Confirms that the job uses its series: the link is open until the job ends. */
    CompletionStage<Void> confirm();
}
