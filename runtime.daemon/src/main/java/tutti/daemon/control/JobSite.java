package tutti.daemon.control;

import java.nio.file.Path;

/**
 * What the coordinators of jobs on a node use of it.
 *
 * @param cluster      the cluster
 * @param transports   transports of the node
 * @param parts        the parts of jobs on the node
 * @param resolver     resolves agreements on modules
 * @param checkpoints  the checkpoints of the cluster
 * @param history      the jobs that the node has coordinated
 * @param measurements traces and reports of these
 * @param folder       folder of the node
 */
record JobSite(Cluster cluster, JobTransports transports, NodeParts parts, JobAgreementResolver resolver, ClusterCheckpoints checkpoints,
    JobHistory history, MeasurementStore measurements, Path folder) {
}
