package tutti.daemon.control;

import java.util.concurrent.CompletionStage;
import tutti.daemon.health.NodeHealth;
import tutti.daemon.node.NodeReport;

/** Questions and orders of a node to another one about that node itself. */
interface NodeQuestions {

    /** Returns its report. */
    CompletionStage<NodeReport> report();

    /** Returns what it finds when it examines itself. */
    CompletionStage<NodeHealth> examine();

    /** Tells it to stop. */
    void stop();
}
