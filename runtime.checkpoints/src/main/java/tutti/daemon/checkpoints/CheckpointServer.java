package tutti.daemon.checkpoints;

import tutti.daemon.channel.ControlChannel;

/** Server of another node that keeps copies of checkpoints here, or fetches the files of a rank. {@link CheckpointClient} is the other end. */
public final class CheckpointServer implements ControlChannel.CloseListener {
    private final ServedCopies copies;

    /** Creates the server of a channel. */
    public CheckpointServer(final ControlChannel channel, final NodeCheckpoints checkpoints) {
        this.copies = new ServedCopies(checkpoints);
        channel.conversation().serve(CopyKeeper.class, copies);
    }

    /** Returns whether a job of the peer uses its series, so that the link may be silent. */
    public boolean isBusy() {
        return copies.isUsed();
    }

    @Override
    public void closed(final String reason) {
        copies.close();
    }
}
