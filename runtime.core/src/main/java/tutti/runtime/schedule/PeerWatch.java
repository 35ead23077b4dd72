package tutti.runtime.schedule;

import java.util.Arrays;
import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.Receive;
import tutti.runtime.model.MpiFailure;

/**
 * Hears of the failure of the ranks that take part in the offloaded collectives of an execution: these have no messages of their own that would be
 * invalid. From the first collective on a channel until the last one is complete, a receive is posted for each peer. Its tag is that of no message of
 * the plan, so it completes only when the peer has failed in the call, is in another call, or is lost.
 *
 * <p><b>Threads.</b> Belongs to the owner of the mailbox.
 */
final class PeerWatch implements CompletionHandler {
    /** Lower half of the tag: above all numbers of messages. */
    private static final long TAG = 0xffff_fffeL;
    private static final Receive[] NONE = {};

    private final ScheduleExecution execution;
    private final Schedule schedule;
    private final CollectiveChannel[] channels;
    /** Per channel: the posted receives, one per peer; empty while there are none. */
    private final Receive[][] receives;
    /** Number of offloaded collectives that are not complete. */
    private int left;

    PeerWatch(final ScheduleExecution execution, final Schedule schedule, final CollectiveChannel[] channels) {
        this.execution = execution;
        this.schedule = schedule;
        this.channels = channels;
        this.receives = new Receive[channels.length][];
        Arrays.fill(receives, NONE);
        this.left = schedule.offloaded;
    }

    /** Begins to watch the peers of a channel, unless that is done. May fail the execution. */
    void begin(final int channel, final long messageNumber) {
        final CollectiveChannel on = channels[channel];
        if (receives[channel].length > 0 || on.peers() == 1) {
            return;
        }
        final Receive[] posted = new Receive[on.peers() - 1];
        for (int i = 0; i < posted.length; i++) {
            posted[i] = new Receive();
            posted[i].ofCall(schedule.call);
            posted[i].arm(this, channels[0].home(), channel);
            posted[i].want(on.context(), i < on.rank() ? i : i + 1, messageNumber << Integer.SIZE | TAG);
            posted[i].into(ScheduleExecution.EMPTY, 0, 0);
        }
        receives[channel] = posted;
        for (int i = 0; i < posted.length && !execution.hasFailed(); i++) {
            channels[0].home().post(posted[i]);
        }
    }

    /** Accepts that a collective is complete. */
    void oneIsComplete() {
        left--;
        if (left == 0) {
            end();
        }
    }

    /** Ends the watch, at the latest when the execution ends; it may begin again. */
    void end() {
        for (int channel = 0; channel < receives.length; channel++) {
            final Receive[] posted = receives[channel];
            receives[channel] = NONE;
            for (final Receive r : posted) {
                channels[0].home().cancel(r);
            }
        }
        left = schedule.offloaded;
    }

    @Override
    public void completed(final MessageOperation op) {
        final Receive r = (Receive) op;
        if (r.isCancelled() || execution.hasFailed()) {
            return;
        }
        final int peer = channels[r.token()].worldRank(r.source());
        final MpiFailure lost = r.failure();
        if (r.otherCall() != 0) {
            execution.failMismatch(peer, schedule.call, r.otherCall());
        } else {
            final MpiFailure why = lost == null ? execution.remoteFailure(peer) : lost;
            execution.invalidate(why);
            execution.fail(why);
        }
    }
}
