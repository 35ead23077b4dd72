package tutti.cli.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reader of lists of hosts, as {@code mpirun} has them. A host that is named several times has the slots of all its entries.
 *
 * <pre>
 *  --hosts a:4,b:8,c      a host without a number has one slot; c:* has a slot per core
 *  --hostfile FILE        a slots=4     a host without a number has a slot per core
 *                         b:8           # to the end of the line is a comment
 * </pre>
 */
public final class HostList {
    private static final String CORES = "*";
    private static final Pattern ENTRY = Pattern.compile("(?<host>(?:[A-Za-z0-9._-]+@)?(?:[A-Za-z0-9][A-Za-z0-9._-]*|\\[[0-9A-Fa-f:.%a-z]+]))"
        + "(?::(?<slots>\\*|[1-9]\\d{0,4}))?");
    private static final Pattern SLOTS = Pattern.compile("slots=(?<slots>[1-9]\\d{0,4})");

    private HostList() {}

    /**
     * Parses the value of {@code --hosts}.
     *
     * @throws IllegalArgumentException when it is not a list of hosts; the message is one line
     */
    public static List<HostSlots> parse(final String text) {
        final List<HostSlots> entries = new ArrayList<>();
        for (final String entry : text.split(",", -1)) {
            final Matcher m = ENTRY.matcher(entry.strip());
            if (!m.matches()) {
                throw new IllegalArgumentException("not a host: '" + entry + "', expected HOST[:SLOTS],... for example a:4,b:8");
            }
            entries.add(new HostSlots(m.group("host"), slots(m.group("slots"), 1)));
        }
        return merged(entries);
    }

    /**
     * Reads a host file.
     *
     * @throws IOException              when it cannot be read
     * @throws IllegalArgumentException when a line is not a host; the message names file and line
     */
    public static List<HostSlots> read(final Path file) throws IOException {
        final List<HostSlots> entries = new ArrayList<>();
        int number = 0;
        for (final String line : Files.readAllLines(file)) {
            number++;
            final String text = line.replaceFirst("#.*", "").replaceAll("\\s*=\\s*", "=").strip();
            if (!text.isEmpty()) {
                final String[] words = text.split("\\s+");
                final Matcher host = ENTRY.matcher(words[0]);
                final Matcher slots = SLOTS.matcher(words.length == 2 ? words[1] : "");
                if (!host.matches() || words.length > 2 || words.length == 2 && (!slots.matches() || host.group("slots") != null)) {
                    throw new IllegalArgumentException(file + ":" + number + ": not a host: '" + text + "', expected HOST slots=N");
                }
                entries.add(new HostSlots(host.group("host"), words.length == 2 ? Integer.parseInt(slots.group("slots"))
                    : slots(host.group("slots"), 0)));
            }
        }
        if (entries.isEmpty()) {
            throw new IllegalArgumentException(file + ": no host");
        }
        return merged(entries);
    }

    private static int slots(final @Nullable String text, final int missing) {
        return text == null ? missing : text.equals(CORES) ? 0 : Integer.parseInt(text);
    }

    private static List<HostSlots> merged(final List<HostSlots> entries) {
        final Map<String, HostSlots> hosts = new LinkedHashMap<>();
        entries.forEach(e -> hosts.merge(e.host(), e,
            (a, b) -> new HostSlots(a.host(), a.slots() == 0 || b.slots() == 0 ? 0 : a.slots() + b.slots())));
        final Set<String> names = new HashSet<>();
        for (final HostSlots host : hosts.values()) {
            if (!names.add(host.nodeName())) {
                throw new IllegalArgumentException("two hosts have the same name: name=" + host.nodeName());
            }
        }
        return List.copyOf(hosts.values());
    }
}
