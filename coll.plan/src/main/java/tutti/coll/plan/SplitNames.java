package tutti.coll.plan;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The names of a module's splits of one communicator, after which the hidden communicators are named. They have neither the dot nor the slash of
 * these names, which are therefore unique. For one thread.
 */
public final class SplitNames {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9_-]{1,32}");

    private final String module;
    private final Set<String> used = new HashSet<>();

    /** Creates names, none of which is used. */
    public SplitNames(final String module) {
        this.module = module;
    }

    /**
     * Uses a name for a split.
     *
     * @return the name of the split among those of all modules, {@code smp.leaders} for example
     * @throws IllegalArgumentException if the name is not permitted or was used
     */
    public String use(final String name) {
        if (!ALLOWED.matcher(name).matches()) {
            throw new IllegalArgumentException(
                "not the name of a split: name=\"" + name + "\", allowed=1 to 32 letters, digits, hyphens, underscores");
        }
        if (!used.add(name)) {
            throw new IllegalArgumentException("name of an earlier split: name=" + name + "; give each split of a communicator a name of its own");
        }
        return module + "." + name;
    }

    /**
     * Returns the name of a hidden communicator within the communicator that was split.
     *
     * @param split  name of the split, from {@link #use}
     * @param isOnly whether no rank has another colour
     */
    public static String of(final String split, final int color, final boolean isOnly) {
        return isOnly ? split : split + "." + color;
    }
}
