package tutti.daemon.node;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Ports of which a node takes a free one.
 *
 * @param first the first port
 * @param last  the last port; 0 with the first for any port that the system chooses
 */
public record PortRange(int first, int last) {
    /** Any free port. */
    public static final PortRange ANY = new PortRange(0, 0);
    private static final int MAX = 65_535;

    /** Checks the ports. */
    public PortRange {
        if (first < 0 || last < first || last > MAX || first == 0 && last > 0) {
            // Cause: `--ports` or `tutti.node.ports` is neither.
            throw new IllegalArgumentException("not a range of ports: " + first + "-" + last + ", expected PORT or FIRST-LAST of 1 to " + MAX);
        }
    }

    /** Listens on a port. */
    @FunctionalInterface
    public interface Opener<T> {
        /** Listens; the exception says why that is not possible. */
        T open(int port) throws IOException;
    }

    /**
     * Parses {@code PORT} or {@code FIRST-LAST}.
     *
     * @throws IllegalArgumentException when the text is neither; the message is one line
     */
    public static PortRange parse(final String text) {
        final String[] words = text.split("-", 2);
        try {
            return new PortRange(Integer.parseInt(words[0].strip()), Integer.parseInt(words[words.length - 1].strip()));
        } catch (final NumberFormatException e) {
            // Cause: `--ports` or `tutti.node.ports` is neither.
            throw new IllegalArgumentException("not a range of ports: '" + text + "', expected PORT or FIRST-LAST of 1 to " + MAX, e);
        }
    }

    /**
     * Listens on the first port that is free.
     *
     * @throws IOException when none is
     */
    public <T> T open(final Opener<T> opener) throws IOException {
        @Nullable
        IOException failure = null;
        for (int port = first; port <= last; port++) {
            try {
                return opener.open(port);
            } catch (final IOException e) {
                failure = e;
            }
        }
        if (failure != null && first == last) {
            throw failure;
        }
        // Cause: each port of `--ports` is taken. Remedy: more ports: one for each container on the host.
        throw new IOException("no port is free: ports=" + this, failure);
    }

    @Override
    public String toString() {
        return first == last ? Integer.toString(first) : first + "-" + last;
    }
}
