package tutti.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.util.EnumSet;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import tutti.daemon.monitor.NodeCounts;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.module.QuarantinedModule;

/**
 * Meters of a node and of its JVM. They read what the node counts anyway when somebody asks for the metrics: no call of a program pays for them.
 */
final class NodeMeters implements AutoCloseable {
    private final JvmGcMetrics garbage = new JvmGcMetrics();
    private final NodeSample sample;
    private final MeterRegistry registry;

    /** Adds the meters of a node to a registry. */
    NodeMeters(final NodeSample sample, final MeterRegistry registry) {
        this.sample = sample;
        this.registry = registry;
        jobs();
        cluster();
        caches();
        messages();
        new JvmMemoryMetrics().bindTo(registry);
        garbage.bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    private void jobs() {
        gauge("tutti.jobs.running", "jobs that this node coordinates", s -> s.report().jobs().size());
        gauge("tutti.ranks.running", "ranks that run on this node", s -> s.report().ranks());
        counter("tutti.jobs.started", "jobs that this node has launched", s -> s.counts().started());
        for (final String status : NodeCounts.STATUSES) {
            FunctionCounter.builder("tutti.jobs.ended", sample, s -> s.counts().ended().getOrDefault(status, 0L)).tag("status", status)
                .description("jobs of this node that have ended, by exit status").register(registry);
        }
        counter("tutti.checkpoints.complete", "checkpoints of this node's jobs that are complete", s -> s.counts().checkpoints());
        counter("tutti.checkpoints.failed", "checkpoints of this node's jobs that failed", s -> s.counts().checkpointsFailed());
        bytes("tutti.checkpoints.written", "bytes of the complete checkpoints", s -> s.counts().checkpointBytes());
        counter("tutti.jobs.changes", "changes of the modules of this node's jobs while they ran", s -> s.counts().live().changes());
        for (final CanaryReport.Verdict verdict : EnumSet.complementOf(EnumSet.of(CanaryReport.Verdict.RUNNING))) {
            final String name = verdict.name().toLowerCase(Locale.ROOT);
            FunctionCounter.builder("tutti.trials.ended", sample, s -> s.counts().live().trials().getOrDefault(name, 0L)).tag("verdict", name)
                .description("communicators of this node's jobs on which the trial of a module has ended, by verdict").register(registry);
        }
        counter("tutti.trials.compared", "calls that trials of modules have compared", s -> s.counts().live().compared());
        counter("tutti.trials.differences", "comparisons in which the results differed", s -> s.counts().live().differences());
    }

    private void cluster() {
        gauge("tutti.nodes", "nodes of the cluster that this node sees, itself included", s -> s.counts().members());
        counter("tutti.nodes.joined", "nodes that have come", s -> s.counts().joined());
        counter("tutti.nodes.left", "nodes that have left in order", s -> s.counts().left());
        counter("tutti.nodes.lost", "nodes that were lost", s -> s.counts().lost());
        gauge("tutti.modules", "modules that this node offers", s -> s.report().catalogue().modules().size());
        gauge("tutti.modules.quarantined", "modules that new jobs do not use",
            s -> s.report().catalogue().quarantine().stream().filter(QuarantinedModule::isActive).count());
        gauge("tutti.warnings", "warnings of this node", s -> s.report().warnings().size());
    }

    private void caches() {
        counter("tutti.schedules.hits", "calls whose schedule was cached", s -> s.report().load().schedules().hits());
        counter("tutti.schedules.plans", "schedules that were planned", s -> s.report().load().schedules().plans());
        counter("tutti.schedules.evictions", "schedules that were evicted", s -> s.report().load().schedules().evictions());
        gauge("tutti.schedules.cached", "schedules in the caches", s -> s.report().load().schedules().entries());
        Gauge.builder("tutti.schedules.scratch", sample, s -> s.report().load().schedules().scratchBytes()).baseUnit("bytes")
            .description("scratch memory of the cached schedules").register(registry);
        counter("tutti.proofs", "calls that were proved when they were first planned", s -> s.report().load().proofs().proved());
        counter("tutti.proofs.wrong", "calls with a wrong plan", s -> s.report().load().proofs().wrong());
    }

    private void messages() {
        counter("tutti.messages.received", "messages that arrived at ranks of this node", s -> s.messages().received());
        bytes("tutti.messages.received.bytes", "bytes of the messages that arrived at ranks of this node", s -> s.messages().receivedBytes());
        counter("tutti.messages.sent", "messages of ranks to other nodes", s -> s.messages().sent());
        bytes("tutti.messages.sent.bytes", "bytes that ranks sent to other nodes", s -> s.messages().sentBytes());
    }

    private void bytes(final String name, final String description, final ToDoubleFunction<NodeSample> value) {
        FunctionCounter.builder(name, sample, value).baseUnit("bytes").description(description).register(registry);
    }

    private void gauge(final String name, final String description, final ToDoubleFunction<NodeSample> value) {
        Gauge.builder(name, sample, value).description(description).register(registry);
    }

    private void counter(final String name, final String description, final ToDoubleFunction<NodeSample> value) {
        FunctionCounter.builder(name, sample, value).description(description).register(registry);
    }

    @Override
    public void close() {
        garbage.close();
    }
}
