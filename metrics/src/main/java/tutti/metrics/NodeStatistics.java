package tutti.metrics;

import java.util.List;
import java.util.Map;
import tutti.runtime.module.ModuleId;

/** Attributes of a node in JMX, from its samples. */
final class NodeStatistics implements NodeMXBean {
    private final NodeSample sample;
    private final String metrics;

    /**
     * Creates the attributes of a node.
     *
     * @param metrics address of the page for Prometheus; empty if there is none
     */
    NodeStatistics(final NodeSample sample, final String metrics) {
        this.sample = sample;
        this.metrics = metrics;
    }

    @Override
    public String getAddress() {
        return sample.report().node().address().toString();
    }

    @Override
    public String getMetricsAddress() {
        return metrics;
    }

    @Override
    public int getNodes() {
        return sample.counts().members();
    }

    @Override
    public long getNodesLost() {
        return sample.counts().lost();
    }

    @Override
    public int getJobsRunning() {
        return sample.report().jobs().size();
    }

    @Override
    public long getJobsStarted() {
        return sample.counts().started();
    }

    @Override
    public Map<String, Long> getJobsEnded() {
        return sample.counts().ended();
    }

    @Override
    public int getRanksRunning() {
        return sample.report().ranks();
    }

    @Override
    public List<String> getModules() {
        return sample.report().catalogue().modules().stream().map(ModuleId::toString).toList();
    }

    @Override
    public long getScheduleHits() {
        return sample.report().load().schedules().hits();
    }

    @Override
    public long getSchedulesPlanned() {
        return sample.report().load().schedules().plans();
    }

    @Override
    public long getMessagesReceived() {
        return sample.messages().received();
    }

    @Override
    public long getMessageBytesReceived() {
        return sample.messages().receivedBytes();
    }

    @Override
    public long getMessagesSent() {
        return sample.messages().sent();
    }

    @Override
    public long getMessageBytesSent() {
        return sample.messages().sentBytes();
    }

    @Override
    public long getCheckpoints() {
        return sample.counts().checkpoints();
    }

    @Override
    public List<String> getWarnings() {
        return sample.report().warnings();
    }
}
