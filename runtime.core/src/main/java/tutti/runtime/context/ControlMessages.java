package tutti.runtime.context;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.Receive;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * Receives the control messages of a rank, which come without a receive: those of agreements and revocations, for the communicator of their context.
 *
 * <p><b>Threads.</b> All state belongs to the owner of the rank's mailbox; {@link #add} and {@link #remove} are for any thread.
 */
final class ControlMessages implements Mailbox.Control, CompletionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ControlMessages.class);

    private final Mailbox mailbox;
    private final Map<Long, CommContext> comms = new HashMap<>();
    /** Context ids that were used for agreements, until they are used again: messages may still arrive. */
    private final Set<Long> freed = new HashSet<>();
    /** Messages in the order of their arrival, of which the data of some is on its way. */
    private final Deque<Arrived> arrived = new ArrayDeque<>();

    /** A message, and the receive of its data. */
    private static final class Arrived {
        private final Receive receive = new Receive();
        private final long context;
        private final int source;
        private final byte[] data;
        private boolean isComplete;

        Arrived(final IncomingMessage message) {
            context = message.context() - ContextIds.AGREEMENTS;
            source = message.source();
            data = new byte[Math.toIntExact(message.bytes())];
        }
    }

    ControlMessages(final Mailbox mailbox) {
        this.mailbox = mailbox;
    }

    /** Passes messages on to a communicator from now on. */
    void add(final CommContext comm) {
        mailbox.submit(new Step() {
            @Override
            void step() {
                comms.put(comm.id(), comm);
                freed.remove(comm.id());
                IncomingMessage early;
                while ((early = mailbox.remove(m -> m.isControl() && m.context() - ContextIds.AGREEMENTS == comm.id())) != null) {
                    accept(early);
                }
            }
        });
    }

    /** Drops the messages of a communicator from now on. */
    void remove(final CommContext comm) {
        mailbox.submit(new Step() {
            @Override
            void step() {
                comms.remove(comm.id(), comm);
                if (comm.faults().isUsed()) {
                    freed.add(comm.id());
                }
            }
        });
    }

    /** Runs an action by the owner of the mailbox. */
    void submit(final Runnable action) {
        mailbox.submit(new Step() {
            @Override
            void step() {
                action.run();
            }
        });
    }

    @Override
    public boolean accept(final IncomingMessage message) {
        final long context = message.context() - ContextIds.AGREEMENTS;
        if (!comms.containsKey(context) && !freed.contains(context)) {
            // the communicator is being made here
            return false;
        }
        final Arrived next = new Arrived(message);
        arrived.add(next);
        next.receive.into(MemorySegment.ofArray(next.data), 0, next.data.length);
        next.receive.arm(op -> {
            next.isComplete = true;
            completed(op);
        }, mailbox, 0);
        mailbox.take(message, next.receive);
        return true;
    }

    @Override
    public void completed(final MessageOperation op) {
        while (!arrived.isEmpty() && arrived.element().isComplete) {
            final Arrived next = arrived.remove();
            final CommContext comm = comms.get(next.context);
            if (comm != null && next.receive.failure() == null) {
                try {
                    comm.faults().received(next.source, next.data);
                } catch (final IllegalArgumentException e) {
                    // Cause: a node sends what is no message of an agreement. Remedy: the same release on all nodes.
                    LOG.error("message of an agreement is invalid: comm={}, from={}, reason={}", comm, next.source, e.getMessage());
                }
            }
        }
    }

    /** A work item that is rare enough to be allocated. */
    private abstract static class Step extends WorkItem {
        abstract void step();

        @Override
        protected void run(final SerialExecutor at) {
            step();
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            throw why;
        }
    }
}
