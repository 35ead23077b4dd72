package tutti.web;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who may see the page: requests to a name of the loopback address, with the token. A browser that another site misleads to this address sends the
 * name of that site as the host. Immutable.
 *
 * @param cookie  name of the cookie that has the token
 * @param isToken returns whether a token is the right one
 */
record PageAccess(String cookie, Predicate<String> isToken) {
    private static final Pattern HOST = Pattern.compile("(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d{1,5})?");
    private static final String BEARER = "bearer ";
    private static final String QUERY = "token=";

    /** Returns whether the header {@code Host} of a request names the loopback address; any port, since tunnels may have others. */
    static boolean isLoopback(final @Nullable List<String> hosts) {
        return hosts != null && hosts.size() == 1 && HOST.matcher(hosts.getFirst().toLowerCase(Locale.ROOT)).matches();
    }

    /** Returns the token of the query {@code token=TOKEN}, if it is right; null otherwise. */
    @Nullable
    String queryToken(final @Nullable String query) {
        if (query == null || !query.startsWith(QUERY)) {
            return null;
        }
        final String token = query.substring(QUERY.length());
        return isToken.test(token) ? token : null;
    }

    /** Returns whether the headers {@code Authorization} or {@code Cookie} have the token. */
    boolean isAllowed(final @Nullable List<String> authorization, final @Nullable List<String> cookies) {
        return values(authorization).filter(a -> a.toLowerCase(Locale.ROOT).startsWith(BEARER)).map(a -> a.substring(BEARER.length()).strip())
            .anyMatch(isToken)
            || values(cookies).flatMap(c -> Stream.of(c.split(";"))).map(String::strip).filter(c -> c.startsWith(cookie + "="))
                .map(c -> c.substring(cookie.length() + 1)).anyMatch(isToken);
    }

    private static Stream<String> values(final @Nullable List<String> header) {
        return header == null ? Stream.empty() : header.stream();
    }

    /** Returns the header {@code Set-Cookie} that gives a browser the token: no script reads it, and no other site sends it. */
    String setCookie(final String token) {
        return cookie + "=" + token + "; Path=/; HttpOnly; SameSite=Strict";
    }
}
