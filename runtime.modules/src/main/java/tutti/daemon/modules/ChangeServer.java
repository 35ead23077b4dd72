package tutti.daemon.modules;

import tutti.daemon.channel.ControlChannel;

/** Server of a change of modules on this node, on the link of a remote coordinator. The loss of the link ends the coordinator's lead. */
public final class ChangeServer implements ControlChannel.CloseListener {
    private final ControlChannel channel;
    private final LocalChange change;

    /** Creates the server of a channel. */
    public ChangeServer(final ControlChannel channel, final ModuleStore store) {
        this.channel = channel;
        this.change = new LocalChange(store);
        channel.conversation().serve(ChangeTarget.class, change);
    }

    /** Returns whether a step is in progress, or the change is not decided here: its coordinator may wait for other nodes. */
    public boolean isBusy() {
        return channel.conversation().isBusy() || change.isLed();
    }

    /** Returns whether the coordinator has undone the change, or is lost. */
    boolean isCancelled() {
        return change.isCancelled();
    }

    @Override
    public void closed(final String reason) {
        change.close();
    }
}
