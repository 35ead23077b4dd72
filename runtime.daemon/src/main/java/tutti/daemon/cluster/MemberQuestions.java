package tutti.daemon.cluster;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.health.LinkQuality;

/** Questions of a node to another one about the cluster and the network, as that one sees them. */
public interface MemberQuestions {

    /** Returns whether the node with a name is in the view. */
    CompletionStage<Boolean> sees(String node);

    /** Returns why the node with a name is not heard, in one line; empty when it is. */
    CompletionStage<String> silence(String node);

    /** Opens a link to the node with a name, and returns what a probe of the network shows, in one line. */
    CompletionStage<String> probe(String node);

    /** Returns whether the view has exactly these nodes, whose names are sorted. */
    CompletionStage<Boolean> hasView(List<String> names);

    /** Returns why this part of the cluster is no majority of the last agreed view; null when it is. */
    CompletionStage<@Nullable String> minority();

    /** Measures the link to the next one of these nodes; null when there is none, or it cannot be measured. */
    CompletionStage<@Nullable LinkQuality> linkToSuccessor(List<String> nodes);
}
