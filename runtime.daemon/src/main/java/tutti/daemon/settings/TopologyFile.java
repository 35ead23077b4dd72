package tutti.daemon.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reader of files that tell how switches connect nodes, in the format of Slurm's {@code topology.conf}:
 *
 * <pre>
 *   SwitchName=rack1 Nodes=n[01-16],login     # hosts
 *   SwitchName=rack2 Nodes=n[17-32]
 *   SwitchName=core  Switches=rack[1-2]       # other switches
 * </pre>
 *
 * <p>Names of keys may have any case; other keys are ignored. A line that ends with a backslash goes on in the next one.
 */
final class TopologyFile {
    private static final Pattern PAIR = Pattern.compile("(\\w+)=(\\S+)");
    /** A comma outside of brackets. */
    private static final Pattern COMMA = Pattern.compile(",(?![^\\[]*\\])");
    private static final Pattern RANGES =
        Pattern.compile("([^\\[\\]]*)\\[([0-9]{1,9}(?:-[0-9]{1,9})?(?:,[0-9]{1,9}(?:-[0-9]{1,9})?)*)\\]([^\\[\\]]*)");
    // Cause: the file of `--topology` is not in Slurm's format. Remedy: correct the line.
    private static final String SYNTAX = "expected SwitchName=NAME Nodes=LIST or SwitchName=NAME Switches=LIST";

    private final Path file;
    /** The patterns of names of nodes of each switch, and those of switches. */
    private final Map<String, List<String>> nodes = new TreeMap<>();
    private final Map<String, List<String>> switches = new TreeMap<>();

    private TopologyFile(final Path file) throws IOException {
        this.file = file;
        int number = 0;
        for (final String line : Files.readString(file).replace("\\\n", " ").lines().toList()) {
            number++;
            read(line.replaceFirst("#.*", "").strip(), number);
        }
    }

    /**
     * Returns the switches of a node, the nearest first.
     *
     * @throws IllegalArgumentException if the file cannot be read, is not in the format, or does not tell the node's switches; the message says why
     */
    static List<String> switchesOf(final Path file, final String node) {
        try {
            return new TopologyFile(file).switchesOf(node);
        } catch (final IOException e) {
            throw new IllegalArgumentException("cannot be read: " + e, e);
        }
    }

    private void read(final String line, final int number) {
        if (line.isEmpty()) {
            return;
        }
        final Map<String, String> values = new HashMap<>();
        final Matcher pairs = PAIR.matcher(line);
        while (pairs.find()) {
            values.put(pairs.group(1).toLowerCase(Locale.ROOT), pairs.group(2));
        }
        final String name = values.get("switchname");
        if (name == null) {
            throw new IllegalArgumentException("line " + number + " of " + file + ": " + SYNTAX);
        }
        nodes.put(name, patterns(values.get("nodes"), number));
        switches.put(name, patterns(values.get("switches"), number));
    }

    private List<String> patterns(final @Nullable String list, final int number) {
        if (list == null) {
            return List.of();
        }
        final List<String> patterns = List.of(COMMA.split(list));
        for (final String p : patterns) {
            if ((p.contains("[") || p.contains("]")) && !RANGES.matcher(p).matches()) {
                // Cause: a list of names in that file. Remedy: correct the line.
                throw new IllegalArgumentException("line " + number + " of " + file + ": expected names such as n[01-16,20]: " + p);
            }
        }
        return patterns;
    }

    private List<String> switchesOf(final String node) {
        final List<String> path = new ArrayList<>();
        String next = around(node, nodes);
        if (next.isEmpty()) {
            // Cause: that file does not have the node. Remedy: add the name of the node, as `--name` gives it.
            throw new IllegalArgumentException("no switch of " + file + " has node " + node + " among its Nodes");
        }
        while (!next.isEmpty()) {
            if (path.contains(next)) {
                // Cause: switches in that file are in a circle. Remedy: correct its `Switches`.
                throw new IllegalArgumentException("switch " + next + " of " + file + " is among its own Switches");
            }
            path.add(next);
            next = around(next, switches);
        }
        return path;
    }

    /** Returns the first switch that has a name in its list; empty if there is none. */
    private static String around(final String name, final Map<String, List<String>> lists) {
        return lists.entrySet().stream().filter(e -> e.getValue().stream().anyMatch(p -> matches(name, p))).map(Map.Entry::getKey).findFirst()
            .orElse("");
    }

    /** Returns whether a name is one of those that a pattern such as {@code n[01-16,20]} stands for. */
    private static boolean matches(final String name, final String pattern) {
        final Matcher parts = RANGES.matcher(pattern);
        if (!parts.matches()) {
            return name.equals(pattern);
        }
        final Matcher number = Pattern.compile(Pattern.quote(parts.group(1)) + "([0-9]{1,9})" + Pattern.quote(parts.group(3))).matcher(name);
        if (!number.matches()) {
            return false;
        }
        final String digits = number.group(1);
        for (final String range : parts.group(2).split(",")) {
            final String[] ends = range.split("-");
            final boolean isFixed = ends[0].startsWith("0");
            final boolean hasWidth = isFixed ? digits.length() == ends[0].length() : digits.equals("0") || !digits.startsWith("0");
            final int value = Integer.parseInt(digits);
            if (hasWidth && Integer.parseInt(ends[0]) <= value && value <= Integer.parseInt(ends[ends.length - 1])) {
                return true;
            }
        }
        return false;
    }
}
