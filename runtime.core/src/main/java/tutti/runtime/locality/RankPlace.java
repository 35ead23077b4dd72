package tutti.runtime.locality;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.Level;

/**
 * The place of a rank.
 *
 * @param host      name of its host
 * @param switches  names of the switches that connect the host, that of the host first; empty if not known
 * @param processor what the processors that it may use have in common
 */
public record RankPlace(String host, List<String> switches, Processor processor) {
    /** Returns the names of all levels but {@link Level#JVM} at which it may be in a domain, the innermost first. */
    List<String> levels() {
        final List<String> levels = new ArrayList<>(List.of(Level.HWTHREAD, Level.CORE, Level.CACHE, Level.NUMA, Level.SOCKET, Level.HOST));
        for (int depth = 1; depth <= switches.size(); depth++) {
            levels.add(Level.switches(depth));
        }
        return levels;
    }

    /** Returns what tells its domain at a level other than {@link Level#JVM} from all others; null if it is not in one. */
    public @Nullable Object domain(final String level) {
        return switch (level) {
            case Level.HWTHREAD -> of(processor.hwthread());
            case Level.CORE -> of(processor.core());
            case Level.CACHE -> of(processor.cache());
            case Level.NUMA -> of(processor.numa());
            case Level.SOCKET -> of(processor.socket());
            case Level.HOST -> host;
            default -> ofSwitches(level);
        };
    }

    private @Nullable Object of(final int domain) {
        return domain == Processor.NONE ? null : List.of(host, domain);
    }

    /** Returns the switch of a level of switches with those around it, since switches of the same name may be in different places. */
    private @Nullable Object ofSwitches(final String level) {
        for (int depth = 1; depth <= switches.size(); depth++) {
            if (level.equals(Level.switches(depth))) {
                return switches.subList(depth - 1, switches.size());
            }
        }
        return null;
    }
}
