package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;

/** Target on the coordinator's own node. */
final class LocalTarget implements ChangeTarget {
    private final String node;
    private final ModuleStore store;
    private final LocalChange localChange;

    LocalTarget(final String node, final ModuleStore store) {
        this.node = node;
        this.store = store;
        this.localChange = new LocalChange(store);
    }

    @Override
    public String node() {
        return node;
    }

    @Override
    public CompletableFuture<Message.ChangeState> prepare(final String id, final List<String> nodes, final ModuleChange change,
        final Path file) {
        return async(() -> {
            if (file == null) {
                return localChange.prepare(id, nodes, change, null);
            }
            // the original file is still being sent to the other nodes
            final Path copy = store.incoming();
            try {
                return localChange.prepare(id, nodes, change, copy(change.file(), file, copy));
            } finally {
                Files.deleteIfExists(copy);
            }
        });
    }

    private static Path copy(final ProgramFile described, final Path file, final Path copy) throws IOException {
        try {
            return Files.copy(file, copy);
        } catch (final IOException e) {
            throw ModuleStore.notStored(described, copy, e);
        }
    }

    @Override
    public CompletableFuture<Message.ChangeState> settle(final Message.ChangeStep step) {
        if (step == Message.ChangeStep.UNDO) {
            localChange.cancel();
        }
        return async(() -> localChange.settle(step));
    }

    private interface Step {
        Message.ChangeState run() throws IOException;
    }

    private static CompletableFuture<Message.ChangeState> async(final Step step) {
        final CompletableFuture<Message.ChangeState> result = new CompletableFuture<>();
        Thread.ofVirtual().name("tutti-change").start(() -> {
            try {
                result.complete(step.run());
            } catch (final IOException | RuntimeException e) {
                result.complete(Message.ChangeState.failed(Protocol.oneLine(e)));
            }
        });
        return result;
    }

    @Override
    public void close() {
        localChange.close();
    }
}
