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
import tutti.runtime.module.ModuleId;

/**
 * Persistent state of a node's store. Immutable.
 *
 * @param modules modules that are installed, or kept for a rollback
 * @param removed modules of the distribution that were removed
 */
record StoreState(List<StoredModule> modules, List<ModuleId> removed) {
    private static final String FILE = "modules.json";
    private static final String NEXT = "modules.json.next";

    StoreState {
        modules = List.copyOf(modules);
        removed = List.copyOf(removed);
    }

    /** Returns whether a file is a state file. */
    static boolean isStateFile(final Path file) {
        return file.endsWith(FILE);
    }

    /** Reads the state in a folder; empty when there is none. */
    static StoreState read(final Path folder) throws IOException {
        final Path file = folder.resolve(FILE);
        return Files.exists(file) ? MessageCodec.read(Files.readAllBytes(file), StoreState.class) : new StoreState(List.of(), List.of());
    }

    /** Writes the state to a second file next to the current one, so that {@link #makeCurrent} needs no further space. */
    void write(final Path folder) throws IOException {
        final Path next = folder.resolve(NEXT);
        Files.write(next, MessageCodec.pretty(this).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /** Makes the state that was written last the current one, atomically. */
    static void makeCurrent(final Path folder) throws IOException {
        Files.move(folder.resolve(NEXT), folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Returns the version that a rollback of a module restores. */
    Optional<StoredModule> previous(final String name) {
        return modules.stream().filter(m -> m.status() == StoredModule.Status.PREVIOUS && m.id().name().equals(name)).findFirst();
    }

    /** Returns this state with an active module. */
    StoreState withActive(final ModuleId id, final Path file) {
        final List<StoredModule> all = without(id);
        all.add(new StoredModule(id, file.toString(), StoredModule.Status.ACTIVE));
        final List<ModuleId> missing = new ArrayList<>(removed);
        missing.remove(id);
        return new StoreState(all, missing);
    }

    /**
     * Returns this state with a module that is kept for a rollback, instead of any other module of that name.
     *
     * @param distributed whether the module is part of the distribution
     */
    StoreState previous(final ModuleId id, final Path file, final boolean distributed) {
        final List<StoredModule> all = without(id);
        all.removeIf(m -> m.status() == StoredModule.Status.PREVIOUS && m.id().name().equals(id.name()));
        all.add(new StoredModule(id, file.toString(), StoredModule.Status.PREVIOUS));
        final List<ModuleId> missing = new ArrayList<>(removed);
        if (distributed && !missing.contains(id)) {
            missing.add(id);
        }
        return new StoreState(all, missing);
    }

    private List<StoredModule> without(final ModuleId id) {
        final List<StoredModule> all = new ArrayList<>(modules);
        all.removeIf(m -> m.id().equals(id));
        return all;
    }

    /** Returns whether a file is that of a module that is installed. */
    boolean isActive(final Path file) {
        return modules.stream().anyMatch(m -> m.status() == StoredModule.Status.ACTIVE && m.file().equals(file.toString()));
    }

    /** Returns whether a file is still needed. */
    boolean needs(final Path file) {
        return modules.stream().anyMatch(m -> m.file().equals(file.toString()));
    }
}
