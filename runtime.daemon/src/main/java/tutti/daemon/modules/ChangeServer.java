package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramStore;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;

/**
 * Server of a change of modules on this node, on the link of a remote coordinator. One thread carries out the steps in the order in which they
 * arrive; the loss of the link is the last one.
 */
public final class ChangeServer implements ChannelReceiver {
    /** How long a coordinator may take, after this node has prepared the change, until all nodes have. */
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(90);
    /** Most steps at once; a coordinator waits for one before the next. */
    private static final int MAX_STEPS = 4;

    private final ControlChannel channel;
    private final LocalChange localChange;
    private final Path folder;
    private final ProgramStore files;
    private final ExecutorService steps = Executors.newSingleThreadExecutor(Thread.ofVirtual().name("tutti-change").factory());
    private final AtomicInteger pending = new AtomicInteger();
    /** When the change was prepared, by {@link System#nanoTime}; 0 before. */
    private volatile long prepared;

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
            case Message.PrepareChange p -> step(() -> {
                final Message.ChangeState state = prepare(p);
                prepared = System.nanoTime();
                return state;
            });
            case Message.SettleChange s -> {
                if (s.step() == Message.ChangeStep.UNDO) {
                    localChange.cancel();
                }
                step(() -> localChange.settle(s.step()));
            }
            default -> throw new IllegalStateException("unexpected message from a coordinator of a change: " + message.getClass().getSimpleName());
        }
    }

    private void step(final Supplier<Message.ChangeState> code) {
        if (pending.incrementAndGet() > MAX_STEPS) {
            throw new IllegalStateException("too many steps of a change at once: max=" + MAX_STEPS);
        }
        steps.execute(() -> {
            try {
                channel.post(code.get());
            } finally {
                pending.decrementAndGet();
            }
        });
    }

    /** Returns whether a step is in progress, or the coordinator may wait for other nodes. */
    public boolean isBusy() {
        final long since = prepared;
        return pending.get() > 0 || since != 0 && System.nanoTime() - since < SETTLE_NANOS;
    }

    private Message.ChangeState prepare(final Message.PrepareChange request) {
        final ProgramFile file = request.change().file();
        try {
            return localChange.prepare(request.id(), request.nodes(), request.change(), file == null ? null : receive(file));
        } catch (final IOException e) {
            return Message.ChangeState.failed(Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return Message.ChangeState.failed("interrupted");
        } finally {
            if (Files.exists(folder)) {
                TempFolders.delete(folder);
            }
        }
    }

    private Path receive(final ProgramFile file) throws IOException, InterruptedException {
        try {
            return files.store(List.of(file), channel::postProgramCredit).getFirst();
        } catch (final IOException e) {
            throw ModuleStore.notStored(file, folder, e);
        }
    }

    @Override
    public void program(final int file, final byte[] bytes) {
        files.offer(file, bytes);
    }

    @Override
    public void closed(final String reason) {
        files.close();
        localChange.cancel();
        steps.execute(localChange::close);
        steps.shutdown();
    }
}
