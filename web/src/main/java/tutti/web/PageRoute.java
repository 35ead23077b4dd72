package tutti.web;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tutti.daemon.security.Role;

/**
 * A resource of the page and a method that it serves.
 *
 * @param method  method
 * @param path    path, in which {@code {id}} stands for a name
 * @param role    role that it needs
 * @param handler answers
 */
record PageRoute(String method, String path, Role role, Handler handler) {
    private static final String NAME = "([A-Za-z0-9._-]{1,200})";

    /** Answers a request. */
    @FunctionalInterface
    interface Handler {
        /**
         * Answers. May block.
         *
         * @param name the part of the path for which {@code {id}} stands; empty where there is none
         */
        void answer(PageExchange exchange, Role role, String name) throws IOException, InterruptedException, PageRefusal;
    }

    /** Returns the part of a path for which {@code {id}} stands, empty if this path has none; null if it is another path. */
    @Nullable
    String match(final String requested) {
        if (path.equals(requested)) {
            return "";
        }
        final int at = path.indexOf('{');
        if (at < 0) {
            return null;
        }
        final Matcher m = Pattern.compile(Pattern.quote(path.substring(0, at)) + NAME + Pattern.quote(path.substring(path.indexOf('}') + 1)))
            .matcher(requested);
        return m.matches() ? m.group(1) : null;
    }
}
