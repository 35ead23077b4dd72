package tutti.daemon.control;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Reply;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Credential;
import tutti.daemon.security.Role;

/**
 * Where the live page of this node is, and the tokens that give access to it, one for each role. Another bundle serves it. Immutable.
 *
 * @param context   container of the node
 * @param node      name of the node
 * @param tokens    the tokens
 * @param isDerived whether the tokens follow from the secret of the cluster, so that they need not be sent to who has that
 */
record NodePage(BundleContext context, String node, Map<Role, String> tokens, boolean isDerived) {
    /** Roles with a token: what needs a higher one is not done on the page. */
    private static final List<Role> ROLES = List.of(Role.OBSERVE, Role.RUN, Role.CHANGE);
    private static final int TOKEN_BYTES = 32;

    /** Copies the map. */
    NodePage {
        tokens = Map.copyOf(tokens);
    }

    /** Returns the page of a node that shows the given credential to others, null for a node without one. */
    static NodePage of(final BundleContext context, final String node, final @Nullable Credential own) {
        final Map<Role, String> tokens = new EnumMap<>(Role.class);
        final boolean isDerived = own instanceof ClusterSecret;
        for (final Role role : ROLES) {
            tokens.put(role, own instanceof final ClusterSecret secret ? secret.derive(role).pageToken() : random());
        }
        return new NodePage(context, node, tokens, isDerived);
    }

    private static String random() {
        final byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /** Returns the role of a token; null if it is none. Takes as long for one as for another. */
    @Nullable
    Role role(final String token) {
        Role found = null;
        for (final Role role : ROLES) {
            if (MessageDigest.isEqual(token(role).getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8))) {
                found = role;
            }
        }
        return found;
    }

    /** Returns the token for a role, of the highest one that has one if the role is higher. */
    String token(final Role role) {
        return Objects.requireNonNull(tokens.get(Role.CHANGE.includes(role) ? role : Role.CHANGE), "a token for each role");
    }

    /** Returns the URL of the page, with the token for a role unless the secret of the cluster gives it; or why there is no page. */
    Reply find(final Role role) {
        try {
            // of any class: no class is shared with the bundle of the page
            final ServiceReference<?>[] found = context.getAllServiceReferences(null, "(" + NodeProperties.PAGE_ADDRESS + "=*)");
            if (found == null) {
                return new Reply(ExitStatus.FAILED, "node " + node + " serves no page: start it with --page 0, or set "
                    + NodeProperties.PAGE_PORT + "; its log says when that failed");
            }
            return new Reply(ExitStatus.OK, "http://" + found[0].getProperty(NodeProperties.PAGE_ADDRESS) + "/"
                + (isDerived ? "" : "#token=" + token(role)));
        } catch (final InvalidSyntaxException e) {
            // Cause: another process has the temporary folder of the node. Remedy: start the node again.
            throw new IllegalStateException("a constant filter", e);
        }
    }

    /** Returns the node, without the tokens. */
    @Override
    public String toString() {
        return "page of node " + node;
    }
}
