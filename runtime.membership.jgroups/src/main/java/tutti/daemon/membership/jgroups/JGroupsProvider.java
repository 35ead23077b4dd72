package tutti.daemon.membership.jgroups;

import org.osgi.service.component.annotations.Component;
import tutti.daemon.membership.Membership;
import tutti.daemon.membership.MembershipListener;
import tutti.daemon.membership.MembershipProvider;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.membership.PacketSender;
import tutti.daemon.node.NodeInfo;

/** Creates memberships by JGroups. */
@Component
public final class JGroupsProvider implements MembershipProvider {

    /** Creates the provider, which holds no threads and loads nothing of JGroups. */
    public JGroupsProvider() {
        // the memberships hold everything
    }

    @Override
    public Membership open(final NodeInfo self, final MembershipSettings settings, final PacketSender packets, final MembershipListener listener) {
        return new JGroupsMembership(self, settings, packets, listener);
    }
}
