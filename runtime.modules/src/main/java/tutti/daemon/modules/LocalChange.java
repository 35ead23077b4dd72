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
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;

/**
 * Change of modules on this node, as its coordinator leads it. One thread carries out the steps in the order in which they are called; the last one
 * is {@link #close}, after which a change that is not decided is left to the {@link ChangeSettlement}. Methods do not block.
 */
final class LocalChange implements ChangeTarget {
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

    @Override
    public CompletionStage<Void> reserve(final String change, final boolean force) {
        return settle(() -> {
            // otherwise it would wait for itself
            if (!isLed) {
                changes.reserve(change, force, () -> !isCancelled);
                isLed = true;
            }
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
            throw new IOException("the node is not reserved for the change");
        }
        final Path incoming = store.incoming();
        try {
            final ProgramFile described = what.file();
            if (described != null) {
                receive(described, file, incoming);
                checkNotCancelled();
            }
            final StagedChange staged = changes.prepare(change, nodes, what, described == null ? null : incoming);
            if (isCancelled) {
                // the coordinator has not heard that it is prepared, so no node commits it
                changes.undo();
            }
            checkNotCancelled();
            return new PreparedChange(staged.id(), staged.replaced(), staged.unproved() == null ? "" : staged.unproved());
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
            throw new IOException("the change was cancelled");
        }
    }

    @Override
    public CompletionStage<Void> commit() {
        return settle(() -> {
            checkLed();
            changes.commit();
        });
    }

    @Override
    public CompletionStage<Void> finish() {
        return settle(() -> {
            checkLed();
            changes.finish();
            endLead();
        });
    }

    private void checkLed() throws IOException {
        if (!isLed) {
            throw new IOException("the change is not prepared");
        }
    }

    @Override
    public CompletionStage<Void> undo() {
        isCancelled = true;
        return settle(() -> {
            // otherwise there is nothing to undo
            if (isLed) {
                changes.undo();
                endLead();
            }
        });
    }

    /** Step without a result. */
    @FunctionalInterface
    private interface Settlement {
        void run() throws IOException, InterruptedException;
    }

    private CompletionStage<Void> settle(final Settlement step) {
        return CompletableFuture.allOf(step(() -> {
            step.run();
            return true;
        }));
    }

    private <T> CompletableFuture<T> step(final Callable<T> code) {
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

    boolean isCancelled() {
        return isCancelled;
    }

    /** Returns whether the coordinator leads the change here, and may wait for other nodes. */
    boolean isLed() {
        return isLed;
    }

    /** Ends the lead of the coordinator after its steps: allows the next change to begin, or leaves this one to the settlement. */
    void close() {
        isCancelled = true;
        steps.execute(this::endLead);
        steps.shutdown();
    }

    private void endLead() {
        if (isLed) {
            isLed = false;
            changes.endLead();
        }
    }
}
