package tutti.daemon.part;

import java.util.List;
import java.util.Objects;
import tutti.daemon.node.ProofCounts;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.module.QuarantinedModule;

/** Reports of a job JVM to its node. */
interface JobJvmReports {

    /** Statistics of a job JVM since its start. */
    record Usage(CacheStatistics schedules, ProofCounts proofs, MessageStatistics messages) {
        /** Checks that all is present. */
        public Usage {
            Objects.requireNonNull(schedules, "schedules");
            Objects.requireNonNull(proofs, "proofs");
            Objects.requireNonNull(messages, "messages");
        }
    }

    /** Tells the statistics, at the end of a job. */
    void used(Usage usage);

    /** Sends a line for the log of the node, from a JVM whose standard output and error are those of a rank. */
    void printed(String line);

    /** Tells the node which modules in quarantine have changed, in either direction. */
    void quarantined(List<QuarantinedModule> changed);
}
