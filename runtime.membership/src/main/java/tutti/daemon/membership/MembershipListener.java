package tutti.daemon.membership;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;
import tutti.daemon.node.NodeInfo;

/** Receives the changes of a membership, one after the other. Must not block. */
@ConsumerType
@FunctionalInterface
public interface MembershipListener {

    /**
     * Notifies of a new view.
     *
     * @param view the view
     * @param lost members of the view before that are lost. A node that went on without this one and came back is lost, and is in the new view
     */
    void changed(MembershipView view, List<NodeInfo> lost);
}
