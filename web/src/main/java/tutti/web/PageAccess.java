package tutti.web;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tutti.daemon.security.Role;

/**
 * Checks rights on the page. Requests name the loopback address, since a browser that another site misleads to this address sends the name of that
 * site as the host. The token is in a header which only a script of the page itself can send: nothing that a browser sends by itself gives access.
 * Immutable.
 *
 * @param roles returns the role that a token stands for; null for none
 */
record PageAccess(Function<String, @Nullable Role> roles) {
    private static final Pattern HOST = Pattern.compile("(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d{1,5})?");
    private static final String BEARER = "bearer ";
    private static final String SCHEME = "http://";

    /** Returns whether the header {@code Host} of a request names the loopback address; any port, since tunnels may have others. */
    static boolean isLoopback(final @Nullable List<String> hosts) {
        return hosts != null && hosts.size() == 1 && HOST.matcher(hosts.getFirst().toLowerCase(Locale.ROOT)).matches();
    }

    /** Returns whether a request comes from a page of the same host and port, or from no page at all. */
    static boolean isSameOrigin(final @Nullable List<String> origins, final @Nullable List<String> hosts) {
        return origins == null || origins.size() == 1 && hosts != null
            && origins.getFirst().toLowerCase(Locale.ROOT).equals(SCHEME + hosts.getFirst().toLowerCase(Locale.ROOT));
    }

    /** Returns the role that the header {@code Authorization} gives; null for none. */
    @Nullable
    Role role(final @Nullable List<String> authorization) {
        if (authorization == null || authorization.size() != 1 || !authorization.getFirst().toLowerCase(Locale.ROOT).startsWith(BEARER)) {
            return null;
        }
        return roles.apply(authorization.getFirst().substring(BEARER.length()).strip());
    }
}
