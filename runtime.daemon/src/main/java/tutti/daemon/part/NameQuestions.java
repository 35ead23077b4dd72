package tutti.daemon.part;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Questions of a node to another one about the names that its ranks have published. */
interface NameQuestions {

    /** Returns the port that a rank of the node published under a name; null when none did. */
    CompletionStage<@Nullable String> port(String name);
}
