package tutti.runtime.wire;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Receive;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * A message of another node announced by an RTS; its data is still on that node.
 *
 * <p><b>Threads.</b> It is used again for another message when all data is there, and the CTS was sent. Then the mailbox and the node that it came
 * from are done with it.
 */
final class RendezvousMessage extends IncomingMessage implements FreeList.Item<RendezvousMessage> {
    private final PeerNode from;
    private final RendezvousReceive data = new RendezvousReceive(this);
    private final BulkRead read;
    private final ClearToSend cts = new ClearToSend(this);
    private final ClearToSend write = new ClearToSend(this);
    private long id;
    private @Nullable RendezvousMessage nextFree;

    RendezvousMessage(final PeerNode from) {
        this.from = from;
        this.read = new BulkRead(from, this, data);
    }

    /**
     * Sets what the frame says that announces the message: its number on its node, and the key of its memory, which is {@code keyBytes} long and may
     * be missing.
     */
    void announced(final long number, final MemorySegment frame, final long at, final int keyBytes) {
        id = number;
        read.keyAt(frame, at, keyBytes);
    }

    /** Returns an item for the receiver's mailbox that removes a message, which its node cancels, unless a receive or a matched probe has it. */
    static WorkItem cancellation(final PeerNode from, final long id) {
        return new WorkItem() {
            @Override
            protected void run(final SerialExecutor at) {
                final IncomingMessage removed = ((Mailbox) at).remove(m -> m instanceof RendezvousMessage r && r.from == from && r.id == id);
                if (removed != null) {
                    ((RendezvousMessage) removed).answer(0, Frame.REMOVED);
                }
            }

            @Override
            protected void onFailure(final MpiFailure why) {
                // nothing was removed: the message is received
            }
        };
    }

    TransferChoice choice() {
        return from.choice;
    }

    /** Answers the announcement. */
    void answer(final int slot, final long wanted) {
        cts.set(slot, id, wanted);
        from.submit(cts);
    }

    /** Asks for the data in frames. */
    void requestData(final long wanted) {
        answer(from.incoming.put(data), wanted);
    }

    /** Asks the sending node to write a part of the data; called by the owner of the node. */
    void requestWrite(final int slot, final long position, final long length, final byte[] key) {
        write.set(slot, id, length);
        write.setPart(position, key);
        from.enqueue(write);
    }

    @Override
    public @Nullable RendezvousMessage nextFree() {
        return nextFree;
    }

    @Override
    public void setNextFree(final @Nullable RendezvousMessage next) {
        nextFree = next;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        ((Mailbox) at).arrived(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        final long wanted = receive.matched(this);
        if (wanted == 0) {
            answer(0, 0);
            receive.complete(at, receive.truncationError());
        } else {
            data.expect(receive, wanted);
            if (read.hasKey() && !receive.hasLayout()) {
                read.begin(wanted);
            } else {
                requestData(wanted);
            }
        }
    }

    @Override
    protected void reject(final Mailbox at, final MpiFailure why) {
        answer(0, why.isOfLoss() ? Frame.LOST : Frame.REVOKED);
    }

    @Override
    protected IncomingMessage asUnexpected(final Mailbox at) {
        return this;
    }
}
