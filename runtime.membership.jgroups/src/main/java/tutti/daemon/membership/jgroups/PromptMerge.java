package tutti.daemon.membership.jgroups;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.ViewId;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.MERGE3;

/**
 * Merge protocol that acts as soon as a member hears of another part of the cluster. {@link MERGE3} compares views at intervals, and needs both
 * coordinators to hear of each other in the same one. Here a member answers the information of a node outside its view, and passes it to its
 * coordinator, which then compares the views.
 */
final class PromptMerge extends MERGE3 {
    /** Above those that JGroups uses itself. */
    private static final short ID = 1_501;
    /** A view that is being installed reaches all members in that time. */
    private static final long SETTLE_MILLIS = 200;
    /** Time during which a node is answered once: two members would answer each other for ever. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    static {
        ClassConfigurator.addProtocol(ID, PromptMerge.class);
    }

    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private final Map<Address, Long> answered = new ConcurrentHashMap<>();

    PromptMerge() {
        setId(ID);
    }

    /** Does nothing: views are compared when a member hears of another one. */
    @Override
    protected synchronized void startViewConsistencyChecker() {
        // no task at intervals
    }

    @Override
    protected void addInfo(final Address sender, final ViewId id, final String name, final PhysicalAddress address) {
        super.addInfo(sender, id, name, address);
        final View now = view;
        if (now == null || sender.equals(local_addr) || id.equals(now.getViewId())) {
            return;
        }
        final boolean isMember = now.containsMember(sender);
        if (is_coord) {
            compareSoon();
        } else if (!isMember) {
            final Message info = new EmptyMessage(now.getCoord()).setSrc(sender);
            down_prot.down(info.putHeader(getId(), MergeHeader.createInfo(id, name, address)));
        }
        if (!isMember) {
            answer(sender);
        }
    }

    private void compareSoon() {
        if (isScheduled.compareAndSet(false, true)) {
            final Runnable comparison = () -> {
                try {
                    checkInconsistencies();
                } catch (final RuntimeException e) {
                    // Cause: an internal error of the membership, whose stack follows; nodes that were cut off may join late. Remedy: report it.
                    log.warn("views cannot be compared", e);
                } finally {
                    isScheduled.set(false);
                }
            };
            final var _ = timer.schedule(comparison, SETTLE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void answer(final Address sender) {
        final long now = System.nanoTime();
        answered.values().removeIf(t -> now - t > ANSWER_NANOS);
        if (answered.putIfAbsent(sender, now) == null) {
            final Message info = new EmptyMessage(sender).setFlag(Message.TransientFlag.DONT_BLOCK);
            down_prot.down(info.putHeader(getId(), createInfo()));
        }
    }
}
