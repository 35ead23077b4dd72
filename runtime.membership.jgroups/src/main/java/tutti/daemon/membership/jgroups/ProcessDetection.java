package tutti.daemon.membership.jgroups;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_ALL3;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.liveness.PeerLifeline;

/**
 * Failure detection that suspects a silent member when its process is gone or its host does not answer. {@link FD_ALL3} suspects each member that
 * sends no heartbeats: also one that is stopped, waits for a long safepoint of its JVM, or does not get a processor.
 *
 * <p>The time of silence has two halves: in the first one no heartbeat arrives, in the second one the host of the member does not answer.
 */
final class ProcessDetection extends FD_ALL3 {
    /** Above those that JGroups uses itself. */
    private static final short ID = 1_502;
    private static final Logger LOG = LoggerFactory.getLogger(ProcessDetection.class);

    static {
        ClassConfigurator.addProtocol(ID, ProcessDetection.class);
    }

    private final Duration half;
    /** Those of silent members. */
    private final Map<Address, Look> looks = new ConcurrentHashMap<>();

    ProcessDetection(final long silenceMillis) {
        this.half = Duration.ofMillis(silenceMillis / 2);
        setId(ID);
        setTimeout(half.toMillis());
        setInterval(Math.max(100, silenceMillis / 6));
    }

    /** Looks at the process of a silent member, one at a time. */
    private final class Look {
        private final Address member;
        private final NodeInfo node;
        private final PeerLifeline lifeline;
        private boolean isRunning;
        private boolean isSaid;

        Look(final Address member) {
            this.member = member;
            this.node = NodeAddress.node(member);
            final InetSocketAddress address = node.address().socketAddress();
            this.lifeline = new PeerLifeline(address);
        }

        synchronized void start() {
            if (!isRunning) {
                isRunning = true;
                Thread.ofPlatform().daemon().name("tutti-look").start(this::run);
            }
        }

        private void run() {
            final PeerLifeline.Life life = lifeline.look(half);
            if (looks.get(member) != this) {
                lifeline.close();
            } else if (life != PeerLifeline.Life.PROCESS) {
                ProcessDetection.super.suspect(List.of(member));
            } else if (!isSaid) {
                isSaid = true;
                // Cause: the process at the other end of a link does not run, and its host answers, of a node of the cluster. Remedy: look what it
                // does; [a node that hangs](cluster.md#when-a-node-fails).
                LOG.warn("node {} is silent, since it is busy or stopped, and is waited for: address={}", node.name(), node.address());
            }
            synchronized (this) {
                isRunning = false;
            }
        }
    }

    /** Looks at members that are silent; called at intervals as long as they are. */
    @Override
    protected void suspect(final List<Address> silent) {
        silent.forEach(m -> looks.computeIfAbsent(m, Look::new).start());
    }

    @Override
    protected void update(final Address sender, final boolean log, final boolean isSkipped) {
        super.update(sender, log, isSkipped);
        forget(sender);
    }

    @Override
    protected void handleViewChange(final View view) {
        super.handleViewChange(view);
        looks.keySet().stream().filter(m -> !view.containsMember(m)).forEach(this::forget);
    }

    @Override
    public synchronized void stop() {
        super.stop();
        looks.keySet().forEach(this::forget);
    }

    private void forget(final Address member) {
        final Look look = looks.isEmpty() ? null : looks.remove(member);
        if (look != null) {
            // a look that runs holds the lock, and closes it then
            Thread.ofPlatform().daemon().name("tutti-look").start(look.lifeline::close);
        }
    }
}
