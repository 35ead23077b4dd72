package tutti.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Version;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.monitor.JobMeasurements.State;
import tutti.daemon.monitor.LiveCounts;
import tutti.daemon.monitor.LostNode;
import tutti.daemon.monitor.NodeCounts;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeLoad;
import tutti.daemon.node.NodeReport;
import tutti.daemon.node.ProofCounts;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Reply;
import tutti.daemon.protocol.TraceCodec;
import tutti.daemon.protocol.TracePieces;
import tutti.daemon.security.Role;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;

/** A cluster of one node with a module and a job whose ranks wait for each other, and a lost node. A token is the name of its role. */
final class TestCluster implements ClusterView {
    /** The changes that were made, with the content of the file. */
    final List<String> changes = new ArrayList<>();
    /** The jobs that were run for their output. */
    final List<String> jobs = new ArrayList<>();
    /** Number of events of the trace. */
    int events = 2;

    @Override
    public String name() {
        return "a";
    }

    @Override
    public NodeReport report() {
        return new NodeReport(new NodeInfo("a", "1", "127.0.0.1", 7001, 1, "25", 2, 3), 2,
            new Catalogue(1, List.of(new ModuleId("tutti.coll.x", Version.parseVersion("1.0.0"), "ab"))), List.of("tcp"), Map.of("tcp", "host"),
            List.of(new JobInfo("a-1-00", "running", 2, List.of("a"), List.of("tutti.coll.x 1.0.0"), 0, "", "<b>", 4, "u", "a")),
            new NodeLoad("0.1.0", 5, 6, new CacheStatistics(1, 2, 3, 0, 0), new ProofCounts(0, 0, 0, Map.of()), new MessageStatistics(7, 8, 9, 10)),
            List.of("careful"));
    }

    @Override
    public List<NodeReport> reports() {
        return List.of(report());
    }

    @Override
    public List<JobRecord> history() {
        return List.of(new JobRecord("a-0-00", "Old", 2, List.of("a"), "u", "a", 1, new JobRecord.End(2, 8, "deadlock")),
            new JobRecord("a-1-00", "<b>", 2, List.of("a"), "u", "a", 4, null));
    }

    @Override
    public List<JobRecord> histories() {
        return history();
    }

    @Override
    public NodeCounts counts() {
        return new NodeCounts(1, 0, 0, 1, 1, Map.of(), 0, 0, 0, LiveCounts.NONE);
    }

    @Override
    public ClusterHealth examine() {
        return new ClusterHealth(List.of(), List.of(), Map.of());
    }

    @Override
    public List<LostNode> lost() {
        return List.of(new LostNode("b", "127.0.0.1:7002", 9, "killed"));
    }

    @Override
    public @Nullable JobActivity ranks(final String job) {
        return !job.equals("a-1-00") ? null
            : new JobActivity(2, "text", List.of(new JobActivity.RankActivity(0, "a", "waiting", "recv", "P.java:3", 5,
                List.of(new JobActivity.RankWait("a message of rank 1", List.of(1))), List.of("4 bytes of rank 1"), List.of(),
                List.of("/data: mode=RDWR"))), List.of(0, 1),
                List.of(0, 1, 0));
    }

    @Override
    public @Nullable JobMeasurements measurements(final String job) {
        return switch (job) {
            case "a-1-00" -> new JobMeasurements(job, "<b>", "a", 100, 1, List.of(kept(JobMeasurements.TRACE, JobMeasurements.TRACE_TYPE, State.KEPT),
                kept("intercept.profile", "application/json", State.KEPT), kept("intercept.x", "text/plain", State.KEPT)));
            case "a-2-00" -> new JobMeasurements(job, "P", "a", 100, 0, List.of());
            case "a-3-00" ->
                new JobMeasurements(job, "P", "a", 100, 1, List.of(kept(JobMeasurements.TRACE, JobMeasurements.TRACE_TYPE, State.TOO_LONG),
                    kept("intercept.profile", "application/json", State.DROPPED), kept("intercept.x", "text/plain", State.ARRIVING)));
            case "a-4-00", "a-5-00" -> new JobMeasurements(job, "P", job.equals("a-4-00") ? "gone" : "odd", 100, 1,
                List.of(kept(JobMeasurements.TRACE, JobMeasurements.TRACE_TYPE, State.KEPT)));
            default -> null;
        };
    }

    private static JobMeasurements.Measurement kept(final String name, final String type, final State state) {
        return new JobMeasurements.Measurement(name, type, 7, state);
    }

    @Override
    public boolean read(final JobMeasurements of, final String name, final ChunkReceiver to) throws IOException {
        if (of.node().equals("gone")) {
            return false;
        }
        if (of.node().equals("odd")) {
            to.receive(new byte[3]);
            return true;
        }
        switch (name) {
            case JobMeasurements.TRACE -> {
                final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                TraceCodec.write(new RankTrace(0, "a", List.of(new TracedCall("bcast", "basic 1.0.0", "linear", "WORLD", 8)),
                    IntStream.range(0, events).mapToObj(i -> new TraceEvent(0, null, -1, -1, 8, 1, 0, null, 1_000L * i, 1_000L * i + 900, true))
                        .toList(),
                    0), bytes);
                to.receive(TracePieces.kept(0, bytes.toByteArray()));
            }
            case "intercept.profile" -> to.receive("""
                {"job":"a-1-00","nanos":9,"mpiNanos":4,"ranks":[{"rank":0,"node":"a","nanos":9,"mpiNanos":4}],
                "sites":[{"operation":"bcast","line":"P.main:3","calls":1,"nanos":4,"mostNanos":4,"longest":4,"bytes":8}],
                "moreSites":0,"lengths":[{"upTo":8,"calls":1}]}""".getBytes(StandardCharsets.UTF_8));
            default -> {
                to.receive("two ".getBytes(StandardCharsets.UTF_8));
                to.receive("chunks".getBytes(StandardCharsets.UTF_8));
            }
        }
        return true;
    }

    @Override
    public byte[] output(final String mainClass, final List<String> args, final int ranks, final String user) throws IOException {
        jobs.add(mainClass + " " + args + " " + ranks + " " + user);
        if (ranks > 100) {
            throw new IOException("too many ranks: ranks=" + ranks + ", limit=tutti.node.ranks");
        }
        return (mainClass.endsWith("Plan")
            ? """
                [{"operation":"bcast","module":"basic 1.0.0","algorithm":"linear","reason":"priority 10","size":1,"bytes":8,"block":-1,
                "data":"","root":0,"rank":0,"node":"a","scratchBytes":0,"parts":[],"total":1,"tasks":[{"id":0,"kind":"FENCE","from":null,
                "into":null,"bytes":0,"peer":-1,"number":0,"context":0,"part":0,"module":null,"after":[]}]}]"""
            : "bcast: basic, since the others <refuse>\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Reply change(final ModuleChange change, final boolean force, final @Nullable Path file) {
        try {
            changes.add(change.kind() + " " + (change.file() == null ? change.name() : change.file().name()) + " " + change.version() + " "
                + change.nodes() + " verify=" + change.verify() + " force=" + force + (file == null ? "" : " " + Files.readString(file)));
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
        return "no.such".equals(change.name()) ? new Reply(1, "no such module: name=no.such") : new Reply(0, "done on a");
    }

    @Override
    public @Nullable Role pageRole(final String token) {
        return switch (token) {
            case "observe" -> Role.OBSERVE;
            case "run" -> Role.RUN;
            case "change" -> Role.CHANGE;
            default -> null;
        };
    }
}
