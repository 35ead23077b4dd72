package tutti.runtime.dpm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.JobConnections;
import tutti.runtime.context.RankLosses;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.RankServices;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.liveness.PeerLifeline;
import tutti.runtime.locality.RankPlace;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.select.JobAgreement;
import tutti.runtime.select.JobModules;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.wire.JobNetwork;
import tutti.runtime.wire.PeerNode;

/**
 * The connections of a job to other jobs, on one of its nodes: numbers of their ranks, links to their nodes, and ports.
 *
 * <p>Numbers mean something on this node only: nodes tell each other ranks as {@link GroupDescription}s.
 *
 * <p>Between two jobs there is a link for each pair of nodes with ranks of a common communicator, opened by the job with the lower identity. It stays
 * open until one of the jobs leaves the node. Two jobs on one node have a link, too, over loopback.
 *
 * <p><b>Threads.</b> Safe for any thread. The lock of this object guards the jobs and the listeners, and is held for one access; listeners are called
 * without it. Nothing here waits.
 */
public final class ConnectedJobs implements JobConnections {
    /** How long a node waits for the link that another one opens whose process is there: the other job may have ended, and its process not. */
    private static final Duration LINK_LIMIT = Duration.ofMinutes(2);

    private final JobSpec spec;
    private final String identity;
    private final String secret;
    private final JobNetwork network;
    private final JobPorts ports;
    /** By the number of the first rank. */
    private final TreeMap<Integer, ConnectedJob> jobs = new TreeMap<>();
    private MessageStatistics sentToGone = MessageStatistics.NONE;
    private final RankLosses losses;
    private final Map<String, JobModules> modulesOfJobs = new TreeMap<>();
    private volatile @Nullable JobServices services;
    private volatile @Nullable JobModules modules;

    /**
     * Creates the connections of a job that is connected to no other.
     *
     * @param losses is told of the ranks of other jobs that leave or are lost
     */
    public ConnectedJobs(final JobSpec spec, final JobNetwork network, final RankLosses losses) {
        this.losses = losses;
        this.spec = spec;
        this.network = network;
        this.identity = digest("identity", spec.key());
        this.secret = digest("link", spec.key());
        this.ports = new JobPorts(identity);
    }

    private static String digest(final String use, final byte[] key) {
        try {
            final MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(use.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(sha.digest(key), 0, 16);
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Sets the daemon's services, before the first rank starts. */
    public void serve(final JobServices provided) {
        services = provided;
    }

    /** Sets the job's own modules, before the first rank starts. */
    public void setModules(final JobModules agreed) {
        modules = agreed;
    }

    /** Returns the job's identity, which tells nothing about its key. */
    public String identity() {
        return identity;
    }

    /** Returns the number that tells the job apart in context ids. */
    public int number() {
        return JobDescription.numberOf(identity);
    }

    private JobServices provided() {
        final JobServices provided = services;
        if (provided == null) {
            // Remedy: `tutti run --connect`.
            throw new MpiFailure(ErrorClass.OTHER, "this job cannot be connected to other jobs: it is not run by a daemon");
        }
        return provided;
    }

    /** Returns what the daemon does for the ranks. */
    public RankServices services() {
        return provided().ranks();
    }

    /** Returns the number of cores of all nodes that were in the cluster when the job began; 0 for a job that is not run by a daemon. */
    public int places() {
        final JobServices provided = services;
        return provided == null ? 0 : provided.places();
    }

    private JobModules ownModules() {
        return Objects.requireNonNull(modules);
    }

    private JobDescription own() {
        return new JobDescription(identity, secret, provided().nodes(), provided().localities(), spec.nodeOfRank(),
            spec.programs().stream().map(p -> new JobDescription.RankCount(p.requested(), p.ranks())).toList(),
            ownModules().inputs(spec.id(), spec.nodes().size()));
    }

    /** Describes a group to ranks of other jobs. */
    synchronized GroupDescription describe(final Group group, final long context) {
        final List<JobDescription> described = new ArrayList<>();
        final List<GroupDescription.Member> members = new ArrayList<>();
        final Map<String, Integer> indices = new LinkedHashMap<>();
        for (int r = 0; r < group.size(); r++) {
            final int number = group.worldRank(r);
            final ConnectedJob other = number < spec.size() ? null : job(number);
            final String id = other == null ? identity : other.job.identity();
            Integer index = indices.get(id);
            if (index == null) {
                index = described.size();
                indices.put(id, index);
                described.add(other == null ? own() : other.job);
            }
            members.add(new GroupDescription.Member(index, other == null ? number : number - other.base));
        }
        return new GroupDescription(described, members, context);
    }

    private ConnectedJob job(final int number) {
        final Map.Entry<Integer, ConnectedJob> at = jobs.floorEntry(number);
        if (at == null || !at.getValue().contains(number)) {
            throw new IllegalArgumentException("no rank of a connected job: number=" + number);
        }
        return at.getValue();
    }

    /**
     * Returns a group of ranks, some of which may be of other jobs, by their numbers on this node. The numbers are theirs until {@link #release}, and
     * while the group is watched. Must be followed by {@link #link}.
     *
     * @throws MpiFailure when a job cannot be connected to this one
     */
    synchronized Group group(final GroupDescription description) {
        final List<JobDescription> others = others(description);
        others.forEach(this::check);
        others.forEach(job -> connected(job).hold());
        final int[] numbers = new int[description.size()];
        for (int r = 0; r < numbers.length; r++) {
            final JobDescription job = description.jobs().get(description.members().get(r).job());
            final int rank = description.members().get(r).rank();
            if (job.identity().equals(identity)) {
                numbers[r] = rank;
            } else {
                final ConnectedJob connected = connected(job);
                numbers[r] = connected.base + rank;
                final int node = job.nodeOfRank().get(rank);
                if (connected.peer(node) == null) {
                    connected.add(node, PeerNode.ofOtherJob(node, job.nodes().get(node).name() + " of job " + job.name(), connected.base,
                        (n, reason) -> lost(connected, n, reason)));
                }
            }
        }
        return Group.of(numbers);
    }

    /** Ends what {@link #group} began, after the group is watched or is not used. */
    synchronized void release(final GroupDescription description) {
        others(description).forEach(job -> connected(job).release());
    }

    private List<JobDescription> others(final GroupDescription description) {
        return description.jobs().stream().filter(job -> !job.identity().equals(identity)).toList();
    }

    /** Refuses a job that this one does not agree with. */
    private void check(final JobDescription other) {
        final boolean isSame = other.number() == number()
            || jobs.values().stream().anyMatch(j -> j.job.number() == other.number() && !j.job.identity().equals(other.identity()));
        if (isSame) {
            throw new MpiFailure(ErrorClass.OTHER, "two jobs drew the same number by chance: start one of them again: jobs=" + spec.id() + ", "
                + other.name());
        }
        JobAgreement.check(ownModules().inputs(spec.id(), spec.nodes().size()), other.selection());
    }

    private @Nullable ConnectedJob known(final String of) {
        return jobs.values().stream().filter(j -> j.job.identity().equals(of)).findAny().orElse(null);
    }

    /** Returns a connected job, which is added if it is not there. */
    private ConnectedJob connected(final JobDescription job) {
        final ConnectedJob known = known(job.identity());
        if (known != null) {
            return known;
        }
        forgetGone();
        int base = spec.size();
        for (final ConnectedJob j : jobs.values()) {
            if (j.base - base >= job.size()) {
                break;
            }
            base = j.end();
        }
        if (Integer.MAX_VALUE - base < job.size()) {
            throw new MpiFailure(ErrorClass.OTHER, "too many ranks of connected jobs: disconnect from the ones that are not needed");
        }
        final ConnectedJob added = new ConnectedJob(job, base);
        jobs.put(base, added);
        return added;
    }

    /** Forgets the jobs that have ended and of which no communicator has ranks. */
    private void forgetGone() {
        final List<ConnectedJob> gone = jobs.values().stream().filter(j -> j.isGone() && !losses.isWatched(g -> contains(g, j))).toList();
        gone.forEach(j -> losses.forget(j.base, j.end()));
        gone.forEach(j -> sentToGone = sentToGone.plus(j.sent()));
        jobs.values().removeAll(gone);
        modulesOfJobs.keySet().removeIf(of -> gone.stream().anyMatch(j -> of.contains(j.job.identity())));
    }

    private static boolean contains(final Group group, final ConnectedJob job) {
        for (int r = 0; r < group.size(); r++) {
            if (job.contains(group.worldRank(r))) {
                return true;
            }
        }
        return false;
    }

    /** Opens the links to the nodes of a group, of which this node opens about a half. Does not wait; the other jobs know the group already. */
    void link(final Group group) {
        final List<Runnable> opened = new ArrayList<>();
        synchronized (this) {
            for (int r = 0; r < group.size(); r++) {
                final int number = group.worldRank(r);
                if (number >= spec.size()) {
                    final ConnectedJob to = job(number);
                    final int node = to.nodeOf(number);
                    final CompletableFuture<Void> link = to.startLink(node);
                    if (link != null && identity.compareTo(to.job.identity()) < 0) {
                        opened.add(() -> connect(to, node));
                    } else if (link != null) {
                        opened.add(() -> expect(link, peer(to, node), to.job.tcp(node)));
                    }
                }
            }
        }
        opened.forEach(o -> Thread.ofVirtual().name("tutti-" + spec.id() + "-connect").inheritInheritableThreadLocals(false).start(o));
    }

    /** Gives up a node that does not open its link and whose process has ended. Returns when the link is there or {@link #expectNoLinks}. */
    private static void expect(final CompletableFuture<Void> link, final PeerNode peer, final Endpoint address) {
        try (PeerLifeline lifeline = new PeerLifeline(address.address())) {
            for (long waited = 0; waited < LINK_LIMIT.toSeconds(); waited += LiveWait.PERIOD.toSeconds()) {
                link.copy().completeOnTimeout(null, LiveWait.PERIOD.toSeconds(), TimeUnit.SECONDS).join();
                if (link.isDone() || lifeline.look(PeerLifeline.HOST_LIMIT) != PeerLifeline.Life.PROCESS) {
                    break;
                }
            }
        }
        final TimeoutException late = new TimeoutException("it did not open its link");
        if (link.completeExceptionally(late)) {
            peer.disconnected(String.valueOf(late.getMessage()), false);
        }
    }

    private void connect(final ConnectedJob to, final int node) {
        final PeerNode peer = peer(to, node);
        try {
            network.open(peer, provided().transports(), provided().nodes().get(spec.self()).common(to.job.nodes().get(node)),
                new Hello(JobHost.PURPOSE_PEER, hello(to.job)));
        } catch (final IOException | RuntimeException e) {
            peer.disconnected("it cannot be linked: " + e.getMessage(), false);
        }
    }

    private synchronized PeerNode peer(final ConnectedJob to, final int node) {
        return Objects.requireNonNull(to.peer(node));
    }

    private byte[] hello(final JobDescription to) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(to.identity());
            out.writeUTF(to.secret());
            out.writeUTF(identity);
            out.writeInt(spec.self());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Accepts the link of a node of another job, or of a root that connects to a port. */
    public LinkHandler accept(final Link link, final Hello hello) throws RefusedException {
        return hello.purpose().equals(JobHost.PURPOSE_PORT) ? ports.accept(link, hello) : acceptPeer(link, hello);
    }

    private LinkHandler acceptPeer(final Link link, final Hello hello) throws RefusedException {
        final String shown;
        final String from;
        final int node;
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(hello.payload()))) {
            in.readUTF();
            shown = in.readUTF();
            from = in.readUTF();
            node = in.readInt();
        } catch (final IOException e) {
            // Cause: the peer runs another release. Remedy: the same release everywhere.
            throw new RefusedException("bad hello of a job");
        }
        if (!MessageDigest.isEqual(shown.getBytes(StandardCharsets.US_ASCII),
            secret.getBytes(StandardCharsets.US_ASCII))) {
            // Cause: another job, or no job, connects to the ranks of one, of a connected job. Remedy: look who it is, if it comes again.
            throw new RefusedException("wrong secret for job " + spec.id());
        }
        final PeerNode peer;
        synchronized (this) {
            final ConnectedJob job = known(from);
            peer = job == null ? null : job.peer(node);
            if (job != null && peer != null && !job.link(node).complete(null)) {
                // Cause: the other job has disconnected or ended meanwhile. Remedy: connect again.
                throw new RefusedException("the link is not expected any more: job=" + spec.id() + ", from=" + from + ", node=" + node);
            }
        }
        if (peer == null) {
            // Cause: nodes of a job are connected already. Remedy: look who it is, if it comes again.
            throw new RefusedException("unexpected link: job=" + spec.id() + ", from=" + from + ", node=" + node);
        }
        return network.accept(peer, link);
    }

    private void lost(final ConnectedJob job, final int node, final String reason) {
        final BitSet numbers = new BitSet();
        synchronized (this) {
            job.lose(node);
            for (int number = job.base; number < job.end(); number++) {
                numbers.set(number, job.nodeOf(number) == node);
            }
        }
        // Cause: a node of the connected job was lost. Remedy: start it again, then the job.
        losses.add(numbers, MpiFailure.ofLoss("node " + job.job.nodes().get(node).name() + " of job " + job.job.name() + " is gone: " + reason));
    }

    @Override
    public synchronized JobModules modulesOf(final Group group) {
        final SortedMap<Integer, String> own = new TreeMap<>();
        final Map<ConnectedJob, SortedMap<Integer, String>> others = new LinkedHashMap<>();
        for (int r = 0; r < group.size(); r++) {
            final int number = group.worldRank(r);
            if (number < spec.size()) {
                final int node = spec.nodeOfRank().get(number);
                own.put(node, spec.nodes().get(node));
            } else {
                final ConnectedJob of = job(number);
                final int node = of.nodeOf(number);
                others.computeIfAbsent(of, o -> new TreeMap<>()).put(node, of.job.nodes().get(node).name());
            }
        }
        final String key = own.keySet() + others.entrySet().stream().map(o -> " " + o.getKey().job.identity() + o.getValue().keySet()).sorted()
            .collect(Collectors.joining());
        final JobModules common = modulesOfJobs.get(key);
        if (common != null) {
            return common;
        }
        final List<JobAgreement.Member> members = new ArrayList<>(List.of(new JobAgreement.Member(ownModules().inputs(spec.id(), spec.nodes().size()),
            own)));
        others.forEach((of, nodes) -> members.add(new JobAgreement.Member(of.job.selection(), nodes)));
        final JobModules agreed = ownModules().with(members);
        modulesOfJobs.put(key, agreed);
        return agreed;
    }

    /** Returns the executor of messages to a rank of another job. */
    public synchronized SerialExecutor target(final int number) {
        final ConnectedJob to = job(number);
        return Objects.requireNonNull(to.peer(to.nodeOf(number)));
    }

    /**
     * Returns an index of the node of a rank of another job, above those of this job's nodes. A node with ranks of two jobs has two of them: their
     * ranks share no memory.
     */
    public synchronized int nodeOf(final int number) {
        final ConnectedJob of = job(number);
        return spec.nodes().size() + of.base + of.job.nodeOfRank().indexOf(of.nodeOf(number));
    }

    /** Returns the name of the node of a rank of another job. */
    public synchronized String nodeName(final int number) {
        final ConnectedJob of = job(number);
        return of.job.nodes().get(of.nodeOf(number)).name();
    }

    /** Returns the place of a rank of another job. */
    public synchronized RankPlace placeOf(final int number) {
        final ConnectedJob of = job(number);
        return of.places.get(number - of.base);
    }

    /** Returns the numbers of messages that were sent to the nodes of connected jobs. */
    public synchronized MessageStatistics sent() {
        MessageStatistics sum = sentToGone;
        for (final ConnectedJob job : jobs.values()) {
            sum = sum.plus(job.sent());
        }
        return sum;
    }

    /** Closes the ports, and the links after all messages are sent. */
    public void leave() {
        ports.closeAll();
        final List<PeerNode> all;
        synchronized (this) {
            all = jobs.values().stream().flatMap(ConnectedJob::peers).toList();
        }
        all.forEach(PeerNode::leave);
    }

    /**
     * Ends the threads that wait for links which other jobs were to open. Called when the job has ended and no link reaches it any more: the other
     * jobs may run on in this process for long.
     */
    public void expectNoLinks() {
        final List<CompletableFuture<Void>> all;
        synchronized (this) {
            all = jobs.values().stream().flatMap(ConnectedJob::links).toList();
        }
        all.forEach(link -> link.complete(null));
    }

    /** Opens a port, and returns its name. */
    public String openPort() {
        return ports.open(provided().nodes().get(spec.self()).of(Endpoint.TCP).orElseThrow());
    }

    /**
     * Closes a port.
     *
     * @throws MpiFailure when this rank's node has no such port
     */
    public void closePort(final String name) {
        ports.close(name);
    }

    /**
     * Returns the next connection to a port.
     *
     * @throws MpiFailure when this rank's node has no such port
     */
    CompletableFuture<Meeting> accept(final String name) {
        return ports.accept(name);
    }

    /**
     * Connects to a port of any job; fails with a message for the user.
     *
     * @throws MpiFailure when it is not the name of a port
     */
    CompletableFuture<Meeting> connect(final String name, final Duration limit) {
        return JobPorts.connect(name, provided().tcp(), limit, spec.id());
    }
}
