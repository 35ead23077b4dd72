package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramStore;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;

/** Server of a change of modules on this node, on the link of a remote coordinator. A change not committed when the link is lost is undone. */
public final class ChangeServer implements ChannelReceiver {
    private final ControlChannel channel;
    private final LocalChange localChange;
    private final Path folder;
    private final ProgramStore files;

    /** Creates the server of a channel. */
    public ChangeServer(final ControlChannel channel, final ModuleStore store) {
        this.channel = channel;
        this.localChange = new LocalChange(store);
        this.folder = store.incoming();
        this.files = new ProgramStore(folder);
    }

    @Override
    public void message(final Message message) {
        switch (message) {
            case Message.PrepareChange p -> Thread.ofVirtual().name("tutti-change").start(() -> channel.post(prepare(p.change())));
            case Message.SettleChange s -> Thread.ofVirtual().name("tutti-change").start(() -> channel.post(localChange.settle(s.commit())));
            default -> throw new IllegalStateException("unexpected message from a coordinator of a change: " + message.getClass().getSimpleName());
        }
    }

    private Message.ChangeState prepare(final ModuleChange change) {
        try {
            return localChange.prepare(change, change.file() == null ? null
                : files.store(List.of(change.file()), channel::postProgramCredit).getFirst());
        } catch (final IOException e) {
            return new Message.ChangeState(false, null, Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Message.ChangeState(false, null, "interrupted");
        } finally {
            if (Files.exists(folder)) {
                TempFolders.delete(folder);
            }
        }
    }

    @Override
    public void program(final int file, final byte[] bytes) {
        files.offer(file, bytes);
    }

    @Override
    public void closed(final String reason) {
        files.close();
        Thread.ofVirtual().name("tutti-change").start(localChange::close);
    }
}
