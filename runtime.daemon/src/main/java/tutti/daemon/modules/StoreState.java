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
import tutti.daemon.protocol.Protocol;
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
    private static final String DAMAGED = "modules.json.damaged";

    StoreState {
        modules = List.copyOf(modules);
        removed = List.copyOf(removed);
    }

    /** Returns whether a file is a state file, or a damaged one that was set aside. */
    static boolean isStateFile(final Path file) {
        return file.endsWith(FILE) || file.endsWith(DAMAGED);
    }

    /** Returns the state of a store without modules. */
    static StoreState empty() {
        return new StoreState(List.of(), List.of());
    }

    /**
     * Reads the state in a folder; empty when there is none.
     *
     * @throws DamagedException when the file does not hold a state
     */
    static StoreState read(final Path folder) throws IOException {
        final Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            return empty();
        }
        final byte[] bytes = Files.readAllBytes(file);
        try {
            return MessageCodec.read(bytes, StoreState.class);
        } catch (final IOException | RuntimeException e) {
            throw new DamagedException(file, e);
        }
    }

    /** Moves the state file of a folder aside, in place of an earlier one, and returns where it is now. */
    static Path setAside(final Path folder) throws IOException {
        return Files.move(folder.resolve(FILE), folder.resolve(DAMAGED), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Thrown when a state file cannot be understood. */
    static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1;

        DamagedException(final Path file, final Exception cause) {
            super("module store is damaged: file=" + file + ", reason=" + Protocol.oneLine(cause), cause);
        }
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
