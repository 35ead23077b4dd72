package tutti.daemon.modules;

import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletionStage;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.security.Needs;
import tutti.daemon.security.Role;

/**
 * Node on which modules are changed, as the coordinator of one change sees it. {@link LocalChange} serves it, on the coordinator's own node and over
 * links.
 *
 * <p>A coordinator takes the next step when it has the result of the one before, or does not wait for it any more. A node that cannot do a step says
 * why with a {@link tutti.daemon.channel.CallFailedException}.
 */
@Needs(Role.NODE)
interface ChangeTarget {

    /**
     * Reserves the node for the change, until the change is decided there or the coordinator ends its lead. Waits while another one is in progress.
     *
     * @param change id of the change
     * @param force  whether a change that needs nodes which are not there ends as this node has voted
     */
    CompletionStage<Void> reserve(String change, boolean force);

    /**
     * Prepares the change, for which the node is reserved.
     *
     * @param change id of the change
     * @param nodes  names of all nodes of the change
     * @param what   what is changed
     * @param file   bytes of the module's bundle; empty when the change has none
     */
    CompletionStage<PreparedChange> prepare(String change, List<String> nodes, ModuleChange what, InputStream file);

    /** Offers the new module beside those that it replaces. */
    CompletionStage<Void> commit();

    /** Removes what the change replaces, after the nodes have committed. */
    CompletionStage<Void> finish();

    /** Restores what was before the change, and cancels a preparation that is in progress. */
    CompletionStage<Void> undo();
}
