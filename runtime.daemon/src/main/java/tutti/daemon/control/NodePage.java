package tutti.daemon.control;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Message;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Credential;

/**
 * Where the live page of this node is, and the token that gives access to it. Another bundle of the container serves it. Immutable.
 *
 * @param context   container of the node
 * @param node      name of the node
 * @param token     the token
 * @param isDerived whether the token follows from the secret of the cluster, so that it need not be sent to who has that
 */
record NodePage(BundleContext context, String node, String token, boolean isDerived) {
    private static final int TOKEN_BYTES = 32;

    /** Returns the page of a node that shows the given credential to others, null for a node without one. */
    static NodePage of(final BundleContext context, final String node, final Credential own) {
        if (own instanceof final ClusterSecret secret) {
            return new NodePage(context, node, secret.pageToken(), true);
        }
        final byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        return new NodePage(context, node, HexFormat.of().formatHex(random), false);
    }

    /** Returns whether a token is that of the page; takes as long for one as for another. */
    boolean isToken(final String other) {
        return MessageDigest.isEqual(token.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the URL of the page, with the token unless the secret of the cluster gives it; or why there is no page. */
    Message.Reply find() {
        try {
            // of any class: no class is shared with the bundle of the page
            final ServiceReference<?>[] found = context.getAllServiceReferences(null, "(" + NodeProperties.PAGE_ADDRESS + "=*)");
            if (found == null) {
                return new Message.Reply(ExitStatus.FAILED, "node " + node + " serves no page: start it with --page 0, or set "
                    + NodeProperties.PAGE_PORT + "; its log says when that failed");
            }
            return new Message.Reply(ExitStatus.OK, "http://" + found[0].getProperty(NodeProperties.PAGE_ADDRESS) + "/"
                + (isDerived ? "" : "?token=" + token));
        } catch (final InvalidSyntaxException e) {
            throw new IllegalStateException("a constant filter", e);
        }
    }

    /** Returns the node, without the token. */
    @Override
    public String toString() {
        return "page of node " + node;
    }
}
