package tutti.daemon.part;

import java.util.List;
import java.util.concurrent.CompletionStage;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.QuarantinedModule;

/** Orders of a node to a job JVM, on the link that the JVM opens when it starts. */
interface JobJvmOrders {

    /**
     * Tells the JVM to open a link for a part of a job.
     *
     * @param secret shows the node who opens the link
     */
    void openPart(String secret);

    /** Tells the JVM which modules the node offers now. */
    void offered(OfferedModules modules);

    /**
     * Tells the JVM, which has had no job yet, to prepare for its first one while it is idle.
     *
     * @param agreement agreement of a job on the node alone
     */
    void warmUp(OfferedModules modules, AgreedModules agreement);

    /** Tells the JVM which modules in quarantine have changed, in either direction. */
    void quarantined(List<QuarantinedModule> changed);

    /** Returns what of the JVM, whose job has ended, is not as before the job, in words; empty when it is clean. */
    CompletionStage<List<String>> compare();

    /** Tells the JVM, which has no part of a job any more, to end by itself, so that its shutdown hooks run. */
    void end();
}
