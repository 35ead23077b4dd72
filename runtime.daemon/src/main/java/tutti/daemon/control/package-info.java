/** The daemon's part in the container: the cluster that it is a member of, the jobs that it coordinates, the parts of jobs that it runs. */
package tutti.daemon.control;
