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
import java.util.concurrent.TimeUnit;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ProgramStore;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;

/**
 * Change of modules on this node, as its coordinator leads it. One thread carries out the steps in the order in which they are called; the last one
 * is {@link #close}, after which a change that is not decided is left to the {@link ChangeSettlement}. Methods do not block.
 */
final class LocalChange implements ChangeTarget {
    /** How long a coordinator may take, after this node has prepared the change, until all nodes have. */
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(90);

    private final ModuleStore store;
    private final StoreChanges changes;
    private final ExecutorService steps = Executors.newSingleThreadExecutor(Thread.ofVirtual().name("tutti-change").factory());
    /** Whether the coordinator leads the change here. Belongs to the thread of the steps. */
    private boolean isLed;
    private volatile boolean isCancelled;
    /** When the preparation ended, by {@link System#nanoTime}; 0 before. */
    private volatile long preparedAt;

    LocalChange(final ModuleStore store) {
        this.store = store;
        this.changes = store.changes();
    }

    @Override
    public CompletionStage<PreparedChange> prepare(final String change, final List<String> nodes, final ModuleChange what, final InputStream file) {
        return step(() -> {
            try (file) {
                return prepareNow(change, nodes, what, file);
            } finally {
                preparedAt = System.nanoTime();
            }
        });
    }

    private PreparedChange prepareNow(final String change, final List<String> nodes, final ModuleChange what, final InputStream file)
        throws IOException, InterruptedException {
        checkNotCancelled();
        final Path incoming = store.incoming();
        try {
            final ProgramFile described = what.file();
            if (described != null) {
                receive(described, file, incoming);
                checkNotCancelled();
            }
            final StagedChange staged = changes.prepare(change, nodes, what, described == null ? null : incoming);
            isLed = true;
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
            ProgramStore.store(described, file, incoming);
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

    /** Returns whether the node has prepared the change, and its coordinator may wait for other nodes. */
    boolean mayWaitForOthers() {
        final long since = preparedAt;
        return since != 0 && System.nanoTime() - since < SETTLE_NANOS;
    }

    /** Ends the lead of the coordinator after its steps: allows the next change to begin, or leaves this one to the settlement. */
    void close() {
        isCancelled = true;
        steps.execute(() -> {
            if (isLed) {
                isLed = false;
                changes.endLead();
            }
        });
        steps.shutdown();
    }
}
