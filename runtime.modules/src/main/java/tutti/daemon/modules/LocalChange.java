package tutti.daemon.modules;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;

/**
 * Change of modules on this node, as its coordinator leads it, here or over a link, whose loss ends the lead. One thread carries out the steps in the
 * order in which they are called; the last one is {@link #close}, after which a change that is not decided is left to the {@link ChangeSettlement}.
 * Methods do not block.
 */
public final class LocalChange implements ChangeTarget, StoreChanges.Lead, ControlChannel.CloseListener {
    private final ModuleStore store;
    private final StoreChanges changes;
    private final ExecutorService steps = Executors.newSingleThreadExecutor(Thread.ofVirtual().name("tutti-change").factory());
    /** Whether the coordinator leads the change here. Set by the thread of the steps. */
    private volatile boolean isLed;
    private volatile boolean isCancelled;

    LocalChange(final ModuleStore store) {
        this.store = store;
        this.changes = store.changes();
    }

    /** Serves a change to a coordinator, on the link that it has opened. */
    public static LocalChange serve(final ControlChannel channel, final ModuleStore store) {
        final LocalChange change = new LocalChange(store);
        channel.conversation().serve(ChangeTarget.class, change);
        return change;
    }

    @Override
    public CompletionStage<Void> reserve(final String change, final boolean force) {
        return step(() -> {
            // otherwise it would wait for itself
            if (!isLed) {
                changes.reserve(change, force, this);
                isLed = true;
            }
            return null;
        });
    }

    @Override
    public CompletionStage<PreparedChange> prepare(final String change, final List<String> nodes, final ModuleChange what, final InputStream file) {
        return step(() -> {
            try (file) {
                return prepareNow(change, nodes, what, file);
            }
        });
    }

    private PreparedChange prepareNow(final String change, final List<String> nodes, final ModuleChange what, final InputStream file)
        throws IOException, InterruptedException {
        checkNotCancelled();
        if (!isLed) {
            // Cause: the node was restarted in the middle of a change. Remedy: repeat the command.
            throw new IOException("the node is not reserved for the change");
        }
        final Path incoming = store.incoming();
        try {
            final ProgramFile described = what.file();
            if (described != null) {
                receive(described, file, incoming);
                checkNotCancelled();
            }
            final PreparedChange prepared = changes.prepare(change, nodes, what, described == null ? null : incoming);
            if (isCancelled) {
                // the coordinator has not heard that it is prepared, so no node commits it
                changes.undo();
            }
            checkNotCancelled();
            return prepared;
        } finally {
            Files.deleteIfExists(incoming);
        }
    }

    private static void receive(final ProgramFile described, final InputStream file, final Path incoming) throws IOException {
        try {
            ProgramFiles.store(described, file, incoming);
        } catch (final IOException e) {
            throw ModuleStore.notStored(described, incoming, e);
        }
    }

    private void checkNotCancelled() throws IOException {
        if (isCancelled) {
            // Cause: the command or the node that leads the change is gone. Remedy: repeat the command.
            throw new IOException("the change was cancelled");
        }
    }

    @Override
    public CompletionStage<Void> commit() {
        return step(() -> {
            checkLed();
            changes.commit();
            return null;
        });
    }

    @Override
    public CompletionStage<Void> finish() {
        return step(() -> {
            checkLed();
            changes.finish();
            endLead();
            return null;
        });
    }

    private void checkLed() throws IOException {
        if (!isLed) {
            // Cause: the node was restarted in the middle of a change. Remedy: repeat the command.
            throw new IOException("the change is not prepared");
        }
    }

    @Override
    public CompletionStage<Void> undo() {
        isCancelled = true;
        return step(() -> {
            // otherwise there is nothing to undo
            if (isLed) {
                changes.undo();
                endLead();
            }
            return null;
        });
    }

    private <T extends @Nullable Object> CompletionStage<T> step(final Callable<T> code) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return code.call();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CompletionException(new CallFailedException(ExitStatus.FAILED, "interrupted", e));
            } catch (final Exception e) {
                throw new CompletionException(new CallFailedException(ExitStatus.FAILED, Protocol.oneLine(e), e));
            }
        }, steps);
    }

    @Override
    public boolean isCancelled() {
        return isCancelled;
    }

    /** Returns whether the coordinator leads the change here, and may wait for other nodes. */
    public boolean isLed() {
        return isLed;
    }

    /** Ends the lead of the coordinator after its steps: allows the next change to begin, or leaves this one to the settlement. */
    void close() {
        isCancelled = true;
        steps.execute(this::endLead);
        steps.shutdown();
    }

    @Override
    public void closed(final String reason) {
        close();
    }

    private void endLead() {
        if (isLed) {
            isLed = false;
            changes.endLead();
        }
    }
}
