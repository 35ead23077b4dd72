package tutti.daemon.modules;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.module.ModuleId;

/**
 * Persistent state of a node's store. Immutable.
 *
 * @param modules  modules that are installed, or kept for a rollback
 * @param removed  modules of the distribution that were removed
 * @param change   change that is not decided; null when there is none
 * @param finished ids of the last changes that were carried out, the latest one last
 */
record StoreState(List<StoredModule> modules, List<ModuleId> removed, @Nullable UnfinishedChange change, List<String> finished) {
    /** Most ids of finished changes. A node that was away for longer finds its change unknown, and undoes it. */
    private static final int MAX_FINISHED = 64;

    StoreState {
        modules = List.copyOf(modules);
        removed = List.copyOf(removed);
        finished = finished == null ? List.of() : List.copyOf(finished);
    }

    private StoreState(final List<StoredModule> modules, final List<ModuleId> removed) {
        this(modules, removed, null, List.of());
    }

    /** Returns the state of a store without modules. */
    static StoreState empty() {
        return new StoreState(List.of(), List.of());
    }

    /** Returns the modules of this state alone. */
    StoreState content() {
        return new StoreState(modules, removed);
    }

    /** Returns this state with a change in a phase: with its new module once it is committed. */
    StoreState in(final UnfinishedChange next) {
        final StoreState content = next.phase() == ChangePhase.COMMITTED ? next.committed() : next.before();
        return new StoreState(content.modules, content.removed, next, finished);
    }

    /** Returns the state after a change was carried out. */
    StoreState finished(final UnfinishedChange done) {
        final List<String> ids = Stream.concat(finished.stream(), Stream.of(done.id())).toList();
        return new StoreState(done.after().modules, done.after().removed, null, ids.subList(Math.max(0, ids.size() - MAX_FINISHED), ids.size()));
    }

    /** Returns the state after a change was undone. */
    StoreState undone(final UnfinishedChange failed) {
        return new StoreState(failed.before().modules, failed.before().removed, null, finished);
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
        return new StoreState(all, missing, change, finished);
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
        return new StoreState(all, missing, change, finished);
    }

    /** Returns this state without a module. */
    StoreState dropped(final ModuleId id) {
        return new StoreState(without(id), removed, change, finished);
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

    /** Returns whether a file is still needed, by the modules or by an outcome of the change that is not decided. */
    boolean needs(final Path file) {
        return files().anyMatch(f -> f.equals(file.toString()));
    }

    /** Returns the files of all modules, and of those of all outcomes of a change. */
    Stream<String> files() {
        final Stream<String> here = modules.stream().map(StoredModule::file);
        return change == null ? here
            : Stream.of(here, change.before().files(), change.committed().files(), change.after().files()).flatMap(s -> s);
    }
}
