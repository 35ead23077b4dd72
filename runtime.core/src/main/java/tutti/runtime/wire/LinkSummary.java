package tutti.runtime.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.NodeEndpoints;

/** Text about the transports that link nodes, each two of them by the first that they have in common. */
final class LinkSummary {
    private static final int MAX_NAMES = 8;

    private LinkSummary() {}

    /** Returns the text; null for less than two nodes. */
    static @Nullable String of(final List<NodeEndpoints> nodes) {
        if (nodes.size() < 2) {
            return null;
        }
        // nodes with the same endpoints but for addresses are linked by the same transport
        final Map<List<String>, List<NodeEndpoints>> kinds = new LinkedHashMap<>();
        nodes.forEach(n -> kinds.computeIfAbsent(n.endpoints().stream().map(e -> e.scheme() + " " + e.reach()).toList(), k -> new ArrayList<>())
            .add(n));
        final List<List<NodeEndpoints>> groups = List.copyOf(kinds.values());
        final Map<String, Set<String>> among = new LinkedHashMap<>();
        for (int i = 0; i < groups.size(); i++) {
            for (int k = groups.get(i).size() > 1 ? i : i + 1; k < groups.size(); k++) {
                final Set<String> names = among.computeIfAbsent(key(groups.get(i).getFirst().common(groups.get(k).getFirst())),
                    key -> new LinkedHashSet<>());
                groups.get(i).forEach(n -> names.add(n.name()));
                groups.get(k).forEach(n -> names.add(n.name()));
            }
        }
        if (among.size() == 1) {
            return "links between nodes: " + scheme(among.keySet().iterator().next());
        }
        final List<String> texts = new ArrayList<>();
        final Set<String> wide = new LinkedHashSet<>();
        among.forEach((key, names) -> {
            if (key.endsWith(" ")) {
                wide.add(scheme(key));
            } else {
                texts.add(scheme(key) + " among " + names(names));
            }
        });
        wide.forEach(scheme -> texts.add(scheme + " between others"));
        return "links between nodes: " + String.join("; ", texts);
    }

    /** Returns the transport that links two nodes, with its reach. */
    private static String key(final List<Endpoint> common) {
        return common.isEmpty() ? "none " : common.getFirst().scheme() + " " + common.getFirst().reach();
    }

    private static String scheme(final String key) {
        return key.substring(0, key.indexOf(' '));
    }

    private static String names(final Set<String> nodes) {
        final List<String> first = nodes.stream().limit(MAX_NAMES).toList();
        return String.join(", ", first) + (nodes.size() > first.size() ? " and " + (nodes.size() - first.size()) + " more" : "");
    }
}
