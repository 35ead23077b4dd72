package tutti.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.node.JobRecord;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.Role;

/** The JSON and the events of the page. Thread-safe. */
final class PageResources implements AutoCloseable {
    /** Most jobs of the history that are served. */
    static final int MOST_JOBS = 200;

    private static final Logger LOG = LoggerFactory.getLogger(PageResources.class);
    private static final String GET = "GET";
    private static final String POST = "POST";
    private static final byte[] EVENT = "event: snapshot\ndata: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] EVENT_END = "\n\n".getBytes(StandardCharsets.US_ASCII);

    private final ClusterView cluster;
    private final ClusterSnapshots snapshots;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final List<PageRoute> routes;

    /**
     * Session of a browser on the page.
     *
     * @param node name of the node that serves the page
     * @param role role of the token, as users write it
     */
    record Session(String node, String role) {}

    /**
     * An operation.
     *
     * @param name      name as users write it
     * @param isRooted  whether its calls have a root
     * @param isPlanned whether a plan of it can be drawn
     */
    record OperationRow(String name, boolean isRooted, boolean isPlanned) {
        static OperationRow of(final Operation<?> operation) {
            return new OperationRow(operation.id(), Call.Rooted.class.isAssignableFrom(operation.callType()), isPlanned(operation.id()));
        }

        /** Plans of neighbourhood collectives depend on the topology of a communicator. */
        static boolean isPlanned(final String operation) {
            return !operation.startsWith("neighbor_");
        }
    }

    PageResources(final ClusterView cluster) {
        this.cluster = cluster;
        this.snapshots = new ClusterSnapshots(cluster);
        final ModuleChanges changes = new ModuleChanges(cluster);
        final PlanPictures plans = new PlanPictures(cluster);
        final MeasuredJobs measured = new MeasuredJobs(cluster);
        this.routes = List.of(
            new PageRoute(GET, "/api/openapi.json", Role.OBSERVE, (e, role, name) -> e.send(HttpStatus.OK, PageExchange.JSON, description())),
            new PageRoute(GET, "/api/session", Role.OBSERVE, (e, role, name) -> e.json(new Session(cluster.name(), role.toString()))),
            new PageRoute(GET, "/api/nodes", Role.OBSERVE, (e, role, name) -> e.json(snapshots.get().nodes())),
            new PageRoute(GET, "/api/lost", Role.OBSERVE, (e, role, name) -> e.json(snapshots.get().lost())),
            new PageRoute(GET, "/api/modules", Role.OBSERVE, (e, role, name) -> e.json(snapshots.get().modules())),
            new PageRoute(GET, "/api/jobs", Role.OBSERVE, (e, role, name) -> e.json(snapshots.get().jobs())),
            new PageRoute(GET, "/api/history", Role.OBSERVE, (e, role, name) -> e.json(history())),
            new PageRoute(GET, "/api/jobs/{id}/ranks", Role.OBSERVE, (e, role, name) -> e.json(ranks(name))),
            new PageRoute(GET, "/api/jobs/{id}/measurements", Role.OBSERVE, (e, role, name) -> e.json(measured.find(name))),
            new PageRoute(GET, "/api/jobs/{id}/trace.svg", Role.OBSERVE, (e, role, name) -> measured.picture(e, name)),
            new PageRoute(GET, "/api/jobs/{id}/trace.json", Role.OBSERVE, (e, role, name) -> measured.trace(e, name)),
            new PageRoute(GET, "/api/jobs/{id}/profile", Role.OBSERVE, (e, role, name) -> measured.profile(e, name)),
            new PageRoute(GET, "/api/jobs/{id}/report", Role.OBSERVE, (e, role, name) -> measured.report(e, name)),
            new PageRoute(GET, "/api/operations", Role.OBSERVE,
                (e, role, name) -> e.json(Operation.values().stream().map(OperationRow::of).toList())),
            new PageRoute(GET, "/events", Role.OBSERVE, (e, role, name) -> events(e)),
            new PageRoute(POST, "/api/plans", Role.RUN, (e, role, name) -> e.json(plans.draw(e.read(PlanPictures.Wanted.class)))),
            new PageRoute(POST, "/api/modules/install", Role.CHANGE, (e, role, name) -> e.json(changes.install(e))),
            new PageRoute(POST, "/api/modules/update", Role.CHANGE, (e, role, name) -> e.json(changes.update(e))),
            new PageRoute(POST, "/api/modules/rollback", Role.CHANGE, (e, role, name) -> e.json(changes.rollBack(e.read(ModuleChanges.Named.class)))),
            new PageRoute(POST, "/api/modules/uninstall", Role.CHANGE,
                (e, role, name) -> e.json(changes.uninstall(e.read(ModuleChanges.Named.class)))));
    }

    List<PageRoute> routes() {
        return routes;
    }

    private static byte[] description() throws IOException {
        try (InputStream in = Objects.requireNonNull(PageResources.class.getResourceAsStream("openapi.json"), "openapi.json")) {
            return in.readAllBytes();
        }
    }

    /** Returns the jobs that nodes remember, the newest first. Blocks. */
    private List<JobRecord> history() throws PageRefusal {
        try {
            return cluster.histories().stream().sorted(Comparator.comparingLong(JobRecord::since).reversed()).limit(MOST_JOBS).toList();
        } catch (final IOException e) {
            throw new PageRefusal(HttpStatus.UNAVAILABLE, "the history of another node cannot be read: " + Protocol.oneLine(e));
        }
    }

    private JobActivity ranks(final String job) throws PageRefusal {
        final JobActivity ranks = cluster.ranks(job);
        if (ranks == null) {
            throw new PageRefusal(HttpStatus.NOT_FOUND, "no such job: id=" + job + "; /api/jobs lists them");
        }
        return ranks;
    }

    /** Sends a snapshot each second until the client closes the connection or the server is closed. */
    private void events(final PageExchange exchange) throws IOException, InterruptedException {
        byte[] json = MessageCodec.write(snapshots.get());
        try (OutputStream out = exchange.stream("text/event-stream")) {
            do {
                out.write(EVENT);
                out.write(json);
                out.write(EVENT_END);
                out.flush();
                if (closing.await(1, TimeUnit.SECONDS)) {
                    return;
                }
                json = MessageCodec.write(snapshots.get());
            } while (true);
        } catch (final IllegalStateException e) {
            LOG.debug("events end: the node is stopping", e);
        }
    }

    /** Ends listeners to events. */
    @Override
    public void close() {
        closing.countDown();
    }
}
