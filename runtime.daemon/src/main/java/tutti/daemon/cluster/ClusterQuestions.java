package tutti.daemon.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.Conversation;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.liveness.LiveWait;

/**
 * Questions between the nodes of a cluster: those of this node to the others, and the interfaces that this node serves to them. Safe for any thread.
 *
 * <p>A node that is asked answers, or it is lost: a question waits as long as there is a link to the node and the membership does not exclude it, and
 * logs which node it waits for. Questions for what a user looks at have a limit: a node that is stopped must not hide the others. What is given up
 * then is withdrawn from the {@link Conversation}: such a node does not find thousands of questions when it continues.
 */
public final class ClusterQuestions {
    /** How long a node may take to answer a question for what a user looks at. */
    public static final Duration LOOK_LIMIT = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(ClusterQuestions.class);

    private final Cluster cluster;
    private final NodeLinks links;
    /** Objects that answer the questions of other nodes, by interface. */
    private final Map<Class<?>, Object> services = new ConcurrentHashMap<>();
    /** Questions that wait for their answers. */
    private final Set<Asked> open = ConcurrentHashMap.newKeySet();

    /** A question that waits for its answer from a node. */
    private record Asked(NodeInfo node, CompletableFuture<?> answer) {}

    /**
     * Question to a node.
     *
     * @param <T> interface that the node serves
     * @param <R> the answer
     */
    @FunctionalInterface
    public interface Question<T, R> {
        /** Asks the node. */
        CompletionStage<? extends @Nullable R> ask(T node);
    }

    /**
     * Creates the questions of a node, which serves nothing yet.
     *
     * @param links the links over which the other nodes are asked
     */
    ClusterQuestions(final Cluster cluster, final NodeLinks links) {
        this.cluster = cluster;
        this.links = links;
    }

    /** Serves an interface to other nodes. Called before there are links. */
    public <T> void serve(final Class<T> type, final T by) {
        services.put(type, by);
    }

    /** Serves all interfaces on a new link. */
    void serveOn(final Conversation conversation) {
        services.forEach((type, by) -> serve(conversation, type, by));
    }

    private static <T> void serve(final Conversation conversation, final Class<T> type, final Object by) {
        conversation.serve(type, type.cast(by));
    }

    /** Gives up the questions to a lost node. */
    void cancel(final NodeInfo lost) {
        open.stream().filter(a -> a.node().isSameProcess(lost)).forEach(a -> a.answer().cancel(false));
    }

    /** Asks all other nodes; returns their answers by name, without nodes that cannot answer, or answer null. Blocks. */
    public <T, R> Map<String, R> askAll(final Class<T> type, final Question<T, R> question) {
        return askEach(names(), type, question);
    }

    /** Asks all other nodes as the other form does; leaves out those that do not answer within the limit as well. Blocks. */
    public <T, R> Map<String, R> askAll(final Class<T> type, final Question<T, R> question, final Duration limit) {
        return askEach(names(), type, question, System.nanoTime() + limit.toNanos());
    }

    private List<String> names() {
        return cluster.nodes().stream().map(NodeInfo::name).toList();
    }

    /** Asks those of some nodes that are other members, as {@link #askAll} does. Blocks. */
    public <T, R> Map<String, R> askEach(final Collection<String> nodes, final Class<T> type, final Question<T, R> question) {
        return askEach(nodes, type, question, Long.MAX_VALUE);
    }

    /** Asks those of some nodes that are other members; leaves out those that do not answer within the limit as well. Blocks. */
    public <T, R> Map<String, R> askEach(final Collection<String> nodes, final Class<T> type, final Question<T, R> question, final Duration limit) {
        return askEach(nodes, type, question, System.nanoTime() + limit.toNanos());
    }

    private <T, R> Map<String, R> askEach(final Collection<String> nodes, final Class<T> type, final Question<T, R> question,
        final long until) {
        final Map<NodeInfo, CompletableFuture<@Nullable R>> asked = new LinkedHashMap<>();
        for (final NodeInfo node : cluster.nodes().stream().skip(1).filter(n -> nodes.contains(n.name())).toList()) {
            asked.put(node, ask(node, type, question));
        }
        final Map<String, R> all = new TreeMap<>();
        for (final Map.Entry<NodeInfo, CompletableFuture<@Nullable R>> a : asked.entrySet()) {
            final R given = await(a.getKey(), type, a.getValue(), until);
            if (given != null) {
                all.put(a.getKey().name(), given);
            }
        }
        return all;
    }

    /**
     * Asks one node, which may be this one, or one that is no member and has a link to this one. Blocks.
     *
     * @return the answer; null when there is no such node, or it cannot answer
     */
    public <T, R> @Nullable R ask(final String node, final Class<T> type, final Question<T, R> question) {
        return ask(node, type, question, Long.MAX_VALUE);
    }

    /** Asks one node as the other form does; returns null when it does not answer within the limit as well. Blocks. */
    public <T, R> @Nullable R ask(final String node, final Class<T> type, final Question<T, R> question, final Duration limit) {
        return ask(node, type, question, System.nanoTime() + limit.toNanos());
    }

    private <T, R> @Nullable R ask(final String node, final Class<T> type, final Question<T, R> question, final long until) {
        if (node.equals(cluster.self().name())) {
            return await(cluster.self(), type, future(question, type.cast(Objects.requireNonNull(services.get(type), "this node serves it"))), until);
        }
        final NodeInfo other = cluster.find(node);
        return other == null ? null : await(other, type, ask(other, type, question), until);
    }

    /** Tells a node something; returns whether there is a link to it. Blocks while one is opened. */
    public <T> boolean tell(final String node, final Class<T> type, final Consumer<T> notice) {
        final NodeInfo other = cluster.find(node);
        try {
            if (other != null) {
                notice.accept(links.link(other).peer(type));
                return true;
            }
        } catch (final IOException e) {
            LOG.debug("node {} cannot be told", node, e);
        }
        return false;
    }

    private <T, R> CompletableFuture<@Nullable R> ask(final NodeInfo node, final Class<T> type, final Question<T, R> question) {
        final CompletableFuture<@Nullable R> answer = new CompletableFuture<>();
        final Asked asked = new Asked(node, answer);
        open.add(asked);
        Thread.ofVirtual().name("tutti-ask").start(() -> {
            try {
                answer(question, links.link(node).peer(type), answer);
            } catch (final IOException | RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        final CompletionStage<@Nullable R> ended = answer;
        ended.whenComplete((given, e) -> open.remove(asked));
        return answer;
    }

    private static <T, R> CompletableFuture<@Nullable R> future(final Question<T, R> question, final T node) {
        final CompletableFuture<@Nullable R> answer = new CompletableFuture<>();
        // it may block
        Thread.ofVirtual().name("tutti-answer").start(() -> answer(question, node, answer));
        return answer;
    }

    private static <T, R> void answer(final Question<T, R> question, final T node, final CompletableFuture<@Nullable R> answer) {
        if (answer.isDone()) {
            // given up while a link was opened
            return;
        }
        try {
            final CompletionStage<? extends @Nullable R> asked = question.ask(node);
            asked.whenComplete((given, e) -> {
                if (e == null) {
                    answer.complete(given);
                } else {
                    answer.completeExceptionally(e);
                }
            });
            final var _ = answer.whenComplete((given, e) -> asked.toCompletableFuture().cancel(false));
        } catch (final RuntimeException e) {
            answer.completeExceptionally(e);
        }
    }

    /** Waits for the answer of a node, until a time of {@link System#nanoTime}; returns null when it cannot answer. */
    private static <R> @Nullable R await(final NodeInfo node, final Class<?> about, final CompletableFuture<@Nullable R> answer, final long until) {
        while (true) {
            final long left = until == Long.MAX_VALUE ? until : until - System.nanoTime();
            try {
                return answer.get(Math.min(left, LiveWait.PERIOD.toNanos()), TimeUnit.NANOSECONDS);
            } catch (final TimeoutException e) {
                if (left <= LiveWait.PERIOD.toNanos()) {
                    answer.cancel(false);
                    LOG.info("node {} has not answered, and is left out: {}", node.name(), about.getSimpleName());
                    return null;
                }
                LOG.info("node {} has not answered yet, and its link is open: waiting for {}", node.name(), about.getSimpleName());
            } catch (final ExecutionException | CancellationException e) {
                LOG.debug("node {} does not answer", node.name(), e);
                return null;
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
    }
}
