package tutti.daemon.part;

import java.io.InputStream;
import java.util.concurrent.CompletionStage;

/** Node that takes a part of a job from a coordinator on another node, on a link of its own. The part ends with the link. */
public interface JobNode {

    /**
     * Prepares the ranks of a part, and a listener for the links from the job's other nodes. A link has one part.
     *
     * @param files the bytes of the job's files, one after the other
     */
    CompletionStage<PreparedPart> prepare(Preparation order, InputStream files);
}
