package tutti.daemon.part;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.ListeningNode;

/**
 * Names of ports. A name is kept on the node of the rank that published it, and other nodes are asked for it, so the loss of a node loses the names
 * of its own ranks only. Safe for any thread.
 */
@Component(service = PublishedNames.class)
public final class PublishedNames implements NameQuestions {
    private final String self;
    private final OtherNodes others;
    private final Map<String, Name> names = new ConcurrentHashMap<>();

    /** A name that a part of a job published. */
    private record Name(String port, Object owner) {}

    /** The other nodes of the cluster. */
    interface OtherNodes {
        /** Returns the ports that they have under a name, by node. May block. */
        Map<String, String> ports(String name);
    }

    /** Creates the names of a node, about which the others ask it. */
    @Activate
    public PublishedNames(@Reference(name = "node") final ListeningNode node, @Reference(name = "cluster") final Cluster cluster) {
        this(node.name(), name -> cluster.questions().askAll(NameQuestions.class, n -> n.port(name)));
        cluster.questions().serve(NameQuestions.class, this);
    }

    /** Creates the names of a node. */
    PublishedNames(final String self, final OtherNodes others) {
        this.self = self;
        this.others = others;
    }

    @Override
    public CompletionStage<@Nullable String> port(final String name) {
        return CompletableFuture.completedStage(here(name));
    }

    /** Returns the port that a rank of this node published under a name; null when none did. */
    private @Nullable String here(final String name) {
        final Name found = names.get(name);
        return found == null ? null : found.port();
    }

    /** Returns the port that is published under a name in the cluster; empty when there is none. Blocks. */
    String lookup(final String name) {
        final String own = here(name);
        return own != null ? own : new TreeMap<>(others.ports(name)).values().stream().findFirst().orElse("");
    }

    /**
     * Publishes a name. Blocks.
     *
     * @param owner who can unpublish it
     * @throws IOException when it is published already
     */
    void publish(final String name, final String port, final Object owner) throws IOException {
        final Map<String, String> before = others.ports(name);
        if (!before.isEmpty() || names.putIfAbsent(name, new Name(port, owner)) != null) {
            throw taken(before.isEmpty() ? self : before.keySet().iterator().next());
        }
        // of two nodes that publish it at the same time, the one with the smaller name keeps it
        for (final String node : others.ports(name).keySet()) {
            if (node.compareTo(self) < 0) {
                names.remove(name);
                throw taken(node);
            }
        }
    }

    private static IOException taken(final String node) {
        // Cause: a name is published once. Remedy: another name, or unpublish it there.
        return new IOException("it is published already, by a rank on node " + node);
    }

    /** Removes a name; returns whether the owner had published it. */
    boolean unpublish(final String name, final Object owner) {
        final Name found = names.get(name);
        return found != null && found.owner() == owner && names.remove(name, found);
    }

    /** Removes all names of an owner. */
    void release(final Object owner) {
        names.values().removeIf(n -> n.owner() == owner);
    }
}
