/**
 * SPI of membership: which nodes form a cluster. An implementation is a bundle of its own, which knows no link: it sends and receives packets
 * over the links between daemons.
 *
 * <pre>{@code
 * MembershipProvider -> Membership -> MembershipView -> MembershipListener
 *                           |  ^
 *               PacketSender v  | received, suspect
 *                     links between daemons
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.membership;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
