/**
 * Membership by JGroups. Nothing here is exported, and no type of JGroups leaves the bundle.
 *
 * <pre>{@code
 * JGroupsProvider -> JGroupsMembership -> JChannel -> MembershipStack (protocols) -> PacketTransport -> PacketSender
 *                          |  ^                                                            ^
 *        MembershipListener v |  NodeAddress (address of a member: the node)               | packets received
 * }</pre>
 */
@NullMarked
package tutti.daemon.membership.jgroups;

import org.jspecify.annotations.NullMarked;
