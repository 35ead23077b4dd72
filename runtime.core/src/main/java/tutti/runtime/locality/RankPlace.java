package tutti.runtime.locality;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.coll.Level;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.model.NodeLocality.Processor;

/**
 * The place of a rank.
 *
 * @param host      name of its host
 * @param switches  names of the switches that connect the host, that of the host first; empty if not known
 * @param processor what the processors that it may use have in common
 */
public record RankPlace(String host, List<String> switches, Processor processor) {
    /**
     * Returns the places of a job's ranks.
     *
     * @param hosts      the host of each node
     * @param nodeOfRank the node of each rank
     * @param nodes      each node, {@linkplain NodeLocality#bound with places}; empty if nothing is known of them
     */
    public static List<RankPlace> ofRanks(final List<String> hosts, final List<Integer> nodeOfRank, final List<NodeLocality> nodes) {
        final int[] ranks = new int[hosts.size()];
        final List<Map<Processor, RankPlace>> known = hosts.stream().<Map<Processor, RankPlace>>map(host -> new HashMap<>()).toList();
        final List<RankPlace> places = new ArrayList<>(nodeOfRank.size());
        for (final int node : nodeOfRank) {
            final NodeLocality at = nodes.isEmpty() ? NodeLocality.UNKNOWN : nodes.get(node);
            final List<Processor> processors = at.processors();
            final int index = ranks[node]++;
            // ranks of one place share the object
            places.add(known.get(node).computeIfAbsent(
                processors.isEmpty() ? Processor.UNKNOWN : processors.get(index % processors.size()),
                processor -> new RankPlace(hosts.get(node), at.switches(), processor)));
        }
        return List.copyOf(places);
    }

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
