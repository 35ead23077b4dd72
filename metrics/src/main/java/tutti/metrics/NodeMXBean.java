package tutti.metrics;

import java.util.List;
import java.util.Map;

/** Attributes of a node in JMX, {@code tutti:type=Node,name=NAME}. */
public interface NodeMXBean {
    /** Returns the address at which other nodes reach it. */
    String getAddress();

    /** Returns the address of the page for Prometheus; empty if there is none. */
    String getMetricsAddress();

    /** Returns the number of nodes of its cluster. */
    int getNodes();

    /** Returns how many nodes were lost since it started. */
    long getNodesLost();

    /** Returns the number of jobs that it coordinates. */
    int getJobsRunning();

    /** Returns how many jobs it has launched. */
    long getJobsStarted();

    /** Returns how many of them have ended, by exit status. */
    Map<String, Long> getJobsEnded();

    /** Returns the number of ranks that run on it. */
    int getRanksRunning();

    /** Returns names and versions of its modules. */
    List<String> getModules();

    /** Returns how many calls found their schedule in a cache. */
    long getScheduleHits();

    /** Returns how many schedules were planned. */
    long getSchedulesPlanned();

    /** Returns how many messages arrived at its ranks. */
    long getMessagesReceived();

    /** Returns how many bytes these messages had. */
    long getMessageBytesReceived();

    /** Returns how many messages its ranks sent to other nodes. */
    long getMessagesSent();

    /** Returns how many bytes its ranks sent to other nodes. */
    long getMessageBytesSent();

    /** Returns how many checkpoints of its jobs are complete. */
    long getCheckpoints();

    /** Returns what its users should know. */
    List<String> getWarnings();
}
