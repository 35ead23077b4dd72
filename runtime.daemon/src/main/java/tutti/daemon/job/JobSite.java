package tutti.daemon.job;

import java.nio.file.Path;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.NodeParts;

/**
 * Services of a node for the coordinators of its jobs.
 *
 * @param cluster      the cluster
 * @param transports   transports of the node
 * @param parts        the parts of jobs on the node
 * @param resolver     resolves agreements on modules
 * @param checkpoints  the checkpoints of the cluster
 * @param history      the jobs that the node has coordinated
 * @param measurements traces and reports of these
 * @param tuning       what jobs of the cluster have found out while they tuned live calls
 * @param folder       folder of the node
 */
public record JobSite(Cluster cluster, JobTransports transports, NodeParts parts, JobAgreementResolver resolver, ClusterCheckpoints checkpoints,
    JobHistory history, MeasurementStore measurements, TuningStore tuning, Path folder) {
}
