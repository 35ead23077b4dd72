package tutti.runtime.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.ThreadLevel;
import tutti.runtime.collective.Collectives;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.lifecycle.CoreOccupancy;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.process.owner.JobEndedError;
import tutti.runtime.registry.Lease;
import tutti.runtime.request.Request;
import tutti.runtime.select.JobModules;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * A job without a program, which this node runs for itself while it has nothing else to do: so the JVM has compiled the paths of messages and
 * collectives, and the planning of the modules, before the first job needs them.
 *
 * <p>Its ranks are on two nodes that are both this one: two share memory, and two are linked by the transport.
 *
 * <p><b>Threads.</b> Runs once, on its own daemon threads. {@link #stop} may be called by any thread at any time and does not wait.
 */
final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    private static final int RANKS = 4;
    private static final List<Integer> NODE_OF_RANK = List.of(0, 0, 1, 1);
    private static final List<String> NODES = List.of("warm-up 0", "warm-up 1");
    /** Number of communicators, each of which plans its calls anew: enough for the optimizing compiler. */
    private static final int COMMUNICATORS = 25;
    /** Number of calls of each kind on a communicator, but for long messages. */
    private static final int CALLS = 40;
    /** Numbers of elements: one, a page, and enough for a message that is announced before it is sent. */
    private static final int[] COUNTS = {1, 128, 8_192};

    private final Transport transport;
    private final List<JobRanks> nodes = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    /** Number of communicators on which a rank has made its calls. */
    private final AtomicInteger served = new AtomicInteger();
    private volatile boolean stopped;

    WarmUp(final Transport transport) {
        this.transport = transport;
    }

    /** Starts the ranks. The lease is closed when they have ended. */
    void start(final AgreedModules agreement, final Lease lease) {
        Thread.ofPlatform().daemon().name("tutti-warm-up").start(() -> {
            try (lease) {
                run(new JobModules("warm-up", RANKS, agreement, lease.keep(agreement.modules())));
            } catch (final IOException | CompletionException e) {
                LOG.debug("warm-up ended early", e);
            }
        });
    }

    /** Ends the ranks, because a job needs the cores. */
    void stop() {
        stopped = true;
        synchronized (this) {
            nodes.forEach(n -> n.local().forEach(r -> r.end("the warm-up is over")));
            threads.forEach(LockSupport::unpark);
        }
    }

    /** Returns the number of communicators on which a rank has made its calls. */
    int served() {
        return served.get();
    }

    private void run(final JobModules modules) throws IOException {
        final byte[] key = new byte[16];
        new SecureRandom().nextBytes(key);
        final List<Listener> listeners = new ArrayList<>();
        try {
            final List<NodeAddress> addresses = new ArrayList<>();
            for (int n = 0; n < NODES.size(); n++) {
                final JobRanks node = new JobRanks(new JobSpec("warm-up", key, NODES, NODE_OF_RANK, n, "none", List.of(), List.of()),
                    (lost, reason) -> stop(), (rank, status) -> stop());
                node.setModules(modules);
                listeners.add(transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), node::accept));
                final InetSocketAddress at = listeners.get(n).address();
                addresses.add(new NodeAddress(NODES.get(n), at.getHostString(), at.getPort()));
                synchronized (this) {
                    nodes.add(node);
                }
            }
            CompletableFuture.allOf(nodes.stream().map(n -> n.connect(transport, addresses).toCompletableFuture()).toArray(CompletableFuture[]::new))
                .join();
            runRanks();
            LOG.debug("warm-up ended: communicators={}", served);
        } finally {
            nodes.forEach(JobRanks::leave);
            listeners.forEach(Listener::close);
        }
    }

    private void runRanks() {
        synchronized (this) {
            nodes.forEach(n -> n.local().forEach(r -> threads.add(Thread.ofPlatform().daemon().name("tutti-warm-up-" + r.worldRank())
                .priority(Thread.MIN_PRIORITY).unstarted(() -> run(r)))));
            threads.forEach(Thread::start);
        }
        if (stopped) {
            stop();
        }
        for (final Thread t : threads) {
            try {
                t.join();
            } catch (final InterruptedException e) {
                stop();
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run(final Rank rank) {
        CoreOccupancy.enter();
        try {
            rank.init(ThreadLevel.MULTIPLE);
            final long[][] buffers = new long[3][COUNTS[COUNTS.length - 1] * RANKS];
            for (int i = 0; i < COMMUNICATORS; i++) {
                final Communicator comm = rank.world().dup();
                for (final int count : COUNTS) {
                    call(comm, count, buffers);
                }
                comm.free();
                served.incrementAndGet();
            }
            rank.finish();
        } catch (final JobEndedError e) {
            // a job begins
        } catch (final Throwable e) {
            LOG.debug("warm-up failed: rank={}", rank.worldRank(), e);
            stop();
        } finally {
            rank.end("the warm-up is over");
            rank.release();
            CoreOccupancy.leave();
        }
    }

    private static void call(final Communicator comm, final int count, final long[]... buffers) {
        final long[] one = buffers[0];
        final long[] each = buffers[1];
        final long[] all = buffers[2];
        final Collectives<Request> blocking = comm.engine().blocking();
        final PointToPoint messages = comm.messages();
        final int calls = count > 1_000 ? 1 : CALLS;
        for (int i = 0; i < calls; i++) {
            blocking.barrier();
            blocking.bcast(one, count, Datatype.LONG, 0);
            blocking.reduce(one, all, count, Datatype.LONG, Op.SUM, 0);
            blocking.allreduce(one, all, count, Datatype.LONG, Op.SUM);
            blocking.allgather(one, count, Datatype.LONG, all, count, Datatype.LONG);
            blocking.alltoall(each, count, Datatype.LONG, all, count, Datatype.LONG);
            blocking.reduceScatterBlock(each, all, count, Datatype.LONG, Op.SUM);
            blocking.gather(one, count, Datatype.LONG, all, count, Datatype.LONG, 0);
            blocking.scatter(each, count, Datatype.LONG, one, count, Datatype.LONG, 0);
            blocking.scan(one, all, count, Datatype.LONG, Op.SUM);
            comm.engine().nonblocking().allreduce(one, all, count, Datatype.LONG, Op.SUM).await();
            for (int distance = 1; distance < RANKS; distance++) {
                final int to = comm.rank() ^ distance;
                if (comm.rank() < to) {
                    messages.send(SendMode.STANDARD, one, count, Datatype.LONG, to, i);
                    messages.recv(all, count, Datatype.LONG, to, i);
                } else {
                    messages.recv(all, count, Datatype.LONG, to, i);
                    messages.send(SendMode.STANDARD, one, count, Datatype.LONG, to, i);
                }
            }
        }
    }
}
