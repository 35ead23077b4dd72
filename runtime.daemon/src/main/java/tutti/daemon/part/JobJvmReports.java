package tutti.daemon.part;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import tutti.daemon.node.ProofCounts;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.module.QuarantinedModule;

/** Reports of a job JVM to its node. */
interface JobJvmReports {

    /** Statistics of a job JVM since its start. */
    record Usage(CacheStatistics schedules, ProofCounts proofs, MessageStatistics messages) {
        /** Statistics of a JVM that has had no job. */
        static final Usage NONE = new Usage(CacheStatistics.NONE, new ProofCounts(0, 0, 0, Map.of()), MessageStatistics.NONE);

        /** Checks that all is present. */
        public Usage {
            Objects.requireNonNull(schedules, "schedules");
            Objects.requireNonNull(proofs, "proofs");
            Objects.requireNonNull(messages, "messages");
        }

        /** Returns the sums with those of another JVM. */
        Usage plus(final Usage other) {
            return new Usage(schedules.plus(other.schedules), proofs.plus(other.proofs), messages.plus(other.messages));
        }
    }

    /** Tells the statistics, at the end of a job. */
    void used(Usage usage);

    /** Sends a line for the log of the node, from a JVM whose standard output and error are those of a rank. */
    void printed(String line);

    /** Tells the node which modules in quarantine have changed, in either direction. */
    void quarantined(List<QuarantinedModule> changed);
}
