package tutti.daemon.part;

import java.util.concurrent.CompletionStage;

/** Job JVM that takes a part of a job from its node, on a link of its own. The part ends with the link. */
interface PartJvm {

    /** Prepares the ranks of a part, and a listener for the links from the job's other nodes. A link has one part. */
    CompletionStage<PreparedPart> prepare(JvmPreparation order);

    /** Offers the part, whose ranks run, the modules that the node offers now: they are installed then, and no others are offered. */
    CompletionStage<Void> offer(OfferedModules modules);
}
