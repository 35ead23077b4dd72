package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.protocol.Channel;
import tutti.daemon.protocol.CreditReturn;
import tutti.daemon.protocol.ExitStatus;
import tutti.daemon.protocol.Folders;
import tutti.daemon.protocol.JobInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.NodeInfo;
import tutti.daemon.protocol.ProgramSender;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.Receiver;
import tutti.daemon.protocol.Wire;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Transport;

/**
 * Leads one job from a client's word to its end: places it, brings the program to its nodes, has them prepare, connect and start, and ends
 * it everywhere when it is over or something fails. One thread does all that; everything else only adds to its queue of events.
 */
final class Coordinator {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);
    private static final Duration PREPARE = Duration.ofSeconds(60);
    private static final Duration END = Duration.ofSeconds(6);
    private static final SecureRandom RANDOM = new SecureRandom();

    /** What the thread hears of. */
    private sealed interface Event {
        /** From the part on a node. */
        record Reported(int node, Message message) implements Event { }

        /** The link to the part on a node is gone. */
        record PartGone(int node, String reason) implements Event { }

        /** Standard input for rank 0 came. */
        record Input(byte[] bytes) implements Event { }

        /** The job is to end. */
        record Ordered(int status, String text) implements Event { }
    }

    /** Ends the job. */
    private static final class Over extends Exception {
        private static final long serialVersionUID = 1L;
        private final int status;

        Over(final int status, final String text) {
            super(text, null, false, false);
            this.status = status;
        }
    }

    private final String id;
    private final Message.Run run;
    private final NodeInfo self;
    private final Cluster cluster;
    private final Transport transport;
    private final JobHost host;
    private final Path folder;
    private final Channel client;
    private final ProgramStore store;
    private final OutputRelay output;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final AtomicBoolean inputWanted = new AtomicBoolean();
    private final long since = System.currentTimeMillis();
    private final long deadline;
    private final List<Part> parts = new ArrayList<>();
    private final Set<Integer> running = new TreeSet<>();
    private int nodeOfRankZero;
    private volatile String state = "starting";
    private volatile List<NodeAddress> nodes = List.of();
    private volatile int ranks;

    Coordinator(final String id, final Message.Run run, final NodeInfo self, final Cluster cluster, final Transport transport,
                final JobHost host, final Path folder, final Channel client) {
        this.id = id;
        this.run = run;
        this.self = self;
        this.cluster = cluster;
        this.transport = transport;
        this.host = host;
        this.folder = folder;
        this.client = client;
        this.store = new ProgramStore(folder.resolve("program"));
        this.output = new OutputRelay(id, client);
        this.ranks = run.ranks();
        this.deadline = run.timeoutMillis() == 0 ? Long.MAX_VALUE : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(run.timeoutMillis());
    }

    /** The part of the job on one node, as this side sees it. */
    private abstract static class Part {
        final int node;
        boolean over;

        Part(final int node) {
            this.node = node;
        }

        abstract void order(Message.Verb verb, String reason);

        abstract void bring(byte[] bytes);

        void release() {
            // the local part has no link
        }
    }

    /** The part on this node. */
    private final class Here extends Part implements PartReports {
        private final JobPart part;

        Here(final int node, final Message.Prepare prepare, final List<Path> files) {
            super(node);
            part = new JobPart(this, folder.resolve("part"));
            Thread.ofVirtual().name("tutti-" + id + "-prepare").start(() -> part.prepare(new JobSpec(id, prepare.key(), prepare.nodes(),
                prepare.nodeOfRank(), node, prepare.mainClass(), prepare.args(), files, prepare.parameters()), host, transport));
        }

        @Override
        void order(final Message.Verb verb, final String reason) {
            part.order(new Message.Order(verb, reason));
        }

        @Override
        void bring(final byte[] bytes) {
            part.input(bytes);
        }

        @Override
        public void inputWanted() {
            askForInput();
        }

        @Override
        public void report(final Message message) {
            events.add(new Event.Reported(node, message));
        }

        @Override
        public void printed(final int rank, final boolean error, final byte[] bytes) throws InterruptedException {
            output.now(rank, error, bytes);
        }
    }

    /** The part on another node, at the end of a link. */
    private final class There extends Part implements Receiver {
        private final Channel channel = Channel.open(c -> this);
        private final ProgramSender sender = new ProgramSender(channel);
        private final CreditReturn credit = new CreditReturn(Protocol.NODE_OUTPUT_WINDOW, channel::postOutputCredit);

        There(final int node, final Message.Prepare prepare, final List<Path> files) throws IOException {
            super(node);
            final NodeAddress address = nodes.get(node);
            channel.attach(transport.connect(new java.net.InetSocketAddress(address.host(), address.port()), new Hello(Protocol.NODE,
                Wire.write(new NodeHello(Protocol.VERSION, self, id))), channel, Duration.ofSeconds(5)));
            channel.post(prepare);
            Thread.ofVirtual().name("tutti-" + id + "-send").start(() -> send(files));
        }

        private void send(final List<Path> files) {
            try {
                sender.send(files);
            } catch (final IOException e) {
                events.add(new Event.Ordered(ExitStatus.FAILED, "program cannot be read: " + e.getMessage()));
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        void order(final Message.Verb verb, final String reason) {
            channel.post(new Message.Order(verb, reason));
        }

        @Override
        void bring(final byte[] bytes) {
            channel.postInput(bytes);
        }

        @Override
        public void inputCredit(final int bytes) {
            askForInput();
        }

        @Override
        void release() {
            sender.close();
            channel.close();
        }

        @Override
        public void message(final Message message) {
            events.add(new Event.Reported(node, message));
        }

        @Override
        public void output(final int rank, final boolean error, final byte[] bytes) {
            output.later(rank, error, bytes, credit);
        }

        @Override
        public void programCredit(final int bytes) {
            sender.credit(bytes);
        }

        @Override
        public void closed(final String reason) {
            sender.close();
            events.add(new Event.PartGone(node, reason));
        }
    }

    /** A piece of the program came from the client. */
    void program(final int file, final byte[] bytes) {
        store.offer(file, bytes);
    }

    private void askForInput() {
        inputWanted.set(true);
        client.postInputCredit();
    }

    /** The client brought the standard input that rank 0 asked for. */
    void input(final byte[] bytes) {
        if (!inputWanted.compareAndSet(true, false)) {
            throw new IllegalStateException("input that no rank asked for: bytes=" + bytes.length);
        }
        events.add(new Event.Input(bytes));
    }

    /** The client printed that much output. */
    void granted(final int bytes) {
        output.granted(bytes);
    }

    /** Ends the job with a status and a word for the user. */
    void end(final int status, final String text) {
        events.add(new Event.Ordered(status, text));
        store.close();
    }

    /** The client is gone: nobody wants the job any more. */
    void abandoned() {
        output.close();
        end(ExitStatus.FAILED, "the client is gone");
    }

    /** A node left the cluster. */
    void nodeLost(final String name, final String reason) {
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).name().equals(name)) {
                events.add(new Event.PartGone(i, reason));
            }
        }
    }

    JobInfo info() {
        return new JobInfo(id, state, ranks, nodes.stream().map(NodeAddress::name).toList(), run.program(), since, run.launchedBy(), self.name());
    }

    /** Leads the job; on a thread of its own. */
    void lead() {
        int status = ExitStatus.OK;
        String text = "";
        try {
            client.post(new Message.Accepted(id));
            prepare();
            step(Message.Verb.CONNECT, Message.Phase.CONNECTED);
            state = "running";
            for (final Part p : parts) {
                p.order(Message.Verb.START, "");
            }
            while (!running.isEmpty()) {
                next(Long.MAX_VALUE, "");
            }
        } catch (final Over over) {
            status = over.status;
            text = over.getMessage();
        } catch (final IOException | RuntimeException e) {
            status = ExitStatus.FAILED;
            text = "job could not be started: " + Protocol.oneLine(e);
            LOG.debug("job {} failed", id, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            state = "ending";
            finish(status, text);
        }
    }

    private void prepare() throws IOException, InterruptedException, Over {
        final List<Path> files = receive();
        final Placement placement = Placement.of(run.ranks(), run.cyclic(), cluster.nodes());
        nodes = placement.nodes();
        nodeOfRankZero = placement.nodeOfRank().getFirst();
        ranks = placement.nodeOfRank().size();
        for (int r = 0; r < ranks; r++) {
            running.add(r);
        }
        final byte[] key = new byte[32];
        RANDOM.nextBytes(key);
        for (int node = 0; node < nodes.size(); node++) {
            final Message.Prepare prepare = new Message.Prepare(id, key, nodes, placement.nodeOfRank(), node, run.mainClass(), run.args(),
                run.files(), run.parameters());
            try {
                parts.add(nodes.get(node).name().equals(self.name()) ? new Here(node, prepare, files) : new There(node, prepare, files));
            } catch (final IOException e) {
                throw new Over(ExitStatus.NO_CLUSTER, "node " + nodes.get(node) + " cannot be reached: " + Protocol.oneLine(e));
            }
        }
        await(Message.Phase.PREPARED);
    }

    /** Takes the program from the client. */
    private List<Path> receive() throws InterruptedException, Over {
        try {
            return store.store(run.files(), client::postProgramCredit, deadline);
        } catch (final IOException e) {
            if (!events.isEmpty() || System.nanoTime() >= deadline) {
                // it did not arrive because the job was ended meanwhile
                next(Long.MAX_VALUE, "");
            }
            throw new Over(ExitStatus.FAILED, Protocol.oneLine(e));
        }
    }

    private void step(final Message.Verb verb, final Message.Phase reached) throws InterruptedException, Over {
        for (final Part p : parts) {
            p.order(verb, "");
        }
        await(reached);
    }

    private void await(final Message.Phase phase) throws InterruptedException, Over {
        final long limit = System.nanoTime() + PREPARE.toNanos();
        final Set<Integer> missing = new TreeSet<>();
        parts.forEach(p -> missing.add(p.node));
        while (!missing.isEmpty()) {
            final Event e = next(limit, "nodes did not get ready: phase=" + phase + ", limit=" + PREPARE.toSeconds() + " s");
            if (e instanceof Event.Reported(int node, Message.Progress p) && p.phase() == phase) {
                missing.remove(node);
            }
        }
    }

    /** Takes one event; what ends the job is thrown. */
    private Event next(final long limit, final String late) throws InterruptedException, Over {
        final long until = Math.min(limit, deadline);
        final Event event = until == Long.MAX_VALUE ? events.take() : events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        switch (event) {
            case null -> throw until == deadline ? late() : new Over(ExitStatus.NO_CLUSTER, late);
            case Event.Input i -> parts.stream().filter(p -> p.node == nodeOfRankZero).forEach(p -> p.bring(i.bytes()));
            case Event.Ordered o -> throw new Over(o.status(), o.text());
            case Event.PartGone g -> {
                gone(g.node());
                throw new Over(ExitStatus.NO_CLUSTER, "node " + name(g.node()) + " was lost: " + g.reason());
            }
            case Event.Reported(int node, Message.NodeLost l) -> throw new Over(ExitStatus.NO_CLUSTER, "node " + name(l.node())
                + " was lost: " + l.reason() + " (seen from node " + name(node) + ")");
            case Event.Reported(int node, Message.RankEnded r) -> ended(node, r);
            case Event.Reported(int node, Message.Progress p) -> {
                if (p.phase() == Message.Phase.FAILED) {
                    parts.get(node).over = true;
                    throw new Over(p.status(), "node " + name(node) + ": " + p.text());
                }
                parts.get(node).over |= p.phase() == Message.Phase.ENDED;
            }
            case Event.Reported r -> throw new Over(ExitStatus.NO_CLUSTER, "node " + name(r.node()) + " broke the protocol");
        }
        return event;
    }

    private Over late() {
        return new Over(ExitStatus.TIMEOUT, "job " + id + " was ended by its timeout: limit=" + run.timeoutMillis() / 1000.0 + " s"
            + (running.isEmpty() ? "" : ", ranks still running: " + names(running)));
    }

    private void ended(final int node, final Message.RankEnded r) throws Over {
        running.remove(r.rank());
        final String who = "rank " + r.rank() + " on node " + name(node);
        switch (r.kind()) {
            case FAILED, CANCELLED -> throw new Over(Math.max(1, r.status()), who + " failed: " + r.text());
            case ABORTED -> throw new Over(r.status(), who + " called abort: status=" + r.status());
            case EXITED -> {
                if (r.status() != 0) {
                    throw new Over(r.status(), who + " called System.exit: status=" + r.status());
                }
            }
            default -> {
                // returned
            }
        }
    }

    private String name(final int node) {
        return node >= 0 && node < nodes.size() ? nodes.get(node).name() : "?";
    }

    private static String names(final Set<Integer> ranks) {
        final String first = ranks.stream().limit(8).map(String::valueOf).collect(Collectors.joining(", "));
        return ranks.size() > 8 ? first + " and " + (ranks.size() - 8) + " more" : first;
    }

    private void finish(final int status, final String text) {
        final boolean cancel = !running.isEmpty();
        for (final Part p : parts) {
            if (!p.over && cancel) {
                p.order(Message.Verb.CANCEL, text.isEmpty() ? "the job has ended" : text.lines().findFirst().orElse(""));
            }
        }
        try {
            awaitEnd();
            output.finish(OutputRelay.patience());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        parts.forEach(Part::release);
        Folders.delete(folder);
        client.post(new Message.Done(status, text));
        client.close();
    }

    private void awaitEnd() throws InterruptedException {
        final long limit = System.nanoTime() + END.toNanos();
        while (parts.stream().anyMatch(p -> !p.over)) {
            switch (events.poll(limit - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                case null -> {
                    LOG.warn("job {}: parts did not end within {}", id, END);
                    return;
                }
                case Event.Reported(int node, Message.Progress p) -> parts.get(node).over |= p.phase() == Message.Phase.ENDED
                    || p.phase() == Message.Phase.FAILED;
                case Event.PartGone g -> gone(g.node());
                case Event e -> LOG.debug("job {} is ending: {}", id, e);
            }
        }
    }

    /** Nothing more comes from the part on that node. */
    private void gone(final int node) {
        if (node < parts.size()) {
            parts.get(node).over = true;
        }
    }
}
