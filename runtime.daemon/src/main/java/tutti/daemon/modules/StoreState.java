package tutti.daemon.modules;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tutti.daemon.protocol.MessageCodec;
import tutti.runtime.select.ModuleId;

/**
 * What a node's store remembers across restarts. Immutable.
 *
 * @param modules what was installed, or is kept for a rollback
 * @param removed modules that come with the distribution and were removed
 */
record StoreState(List<StoredModule> modules, List<ModuleId> removed) {
    private static final String FILE = "modules.json";
    private static final String NEXT = "modules.json.next";

    StoreState {
        modules = List.copyOf(modules);
        removed = List.copyOf(removed);
    }

    /** Whether a file is where a state is kept. */
    static boolean isOne(final Path file) {
        return file.endsWith(FILE);
    }

    /** What the folder holds; nothing at first. */
    static StoreState read(final Path folder) throws IOException {
        final Path file = folder.resolve(FILE);
        return Files.exists(file) ? MessageCodec.read(Files.readAllBytes(file), StoreState.class) : new StoreState(List.of(), List.of());
    }

    /** Writes it beside the one that holds, so that {@link #adopt} needs no room any more. */
    void write(final Path folder) throws IOException {
        final Path next = folder.resolve(NEXT);
        Files.write(next, MessageCodec.pretty(this).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /** Makes what was written last the one that holds. */
    static void adopt(final Path folder) throws IOException {
        Files.move(folder.resolve(NEXT), folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The version that a rollback of that module brings back. */
    Optional<StoredModule> previous(final String name) {
        return modules.stream().filter(m -> m.status() == StoredModule.Status.PREVIOUS && m.id().name().equals(name)).findFirst();
    }

    /** With a module that is active. */
    StoreState active(final ModuleId id, final Path file) {
        final List<StoredModule> all = without(id);
        all.add(new StoredModule(id, file.toString(), StoredModule.Status.ACTIVE));
        final List<ModuleId> gone = new ArrayList<>(removed);
        gone.remove(id);
        return new StoreState(all, gone);
    }

    /** With a module that is kept for a rollback, in the place of any other of that name. */
    StoreState previous(final ModuleId id, final Path file, final boolean distributed) {
        final List<StoredModule> all = without(id);
        all.removeIf(m -> m.status() == StoredModule.Status.PREVIOUS && m.id().name().equals(id.name()));
        all.add(new StoredModule(id, file.toString(), StoredModule.Status.PREVIOUS));
        final List<ModuleId> gone = new ArrayList<>(removed);
        if (distributed && !gone.contains(id)) {
            gone.add(id);
        }
        return new StoreState(all, gone);
    }

    private List<StoredModule> without(final ModuleId id) {
        final List<StoredModule> all = new ArrayList<>(modules);
        all.removeIf(m -> m.id().equals(id));
        return all;
    }

    /** Whether a file is still needed. */
    boolean needs(final Path file) {
        return modules.stream().anyMatch(m -> m.file().equals(file.toString()));
    }
}
