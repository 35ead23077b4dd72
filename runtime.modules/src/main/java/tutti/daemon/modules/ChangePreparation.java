package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Operation;
import tutti.daemon.command.SimilarNames;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/**
 * Preparation of a change on this node: everything of it that can fail. Proves, installs, resolves and starts a new bundle, hidden from jobs, creates
 * its module once, and verifies its plans if requested. One change at a time.
 */
final class ChangePreparation {
    private static final Logger LOG = LoggerFactory.getLogger(ChangePreparation.class);
    private static final ModuleStore.Steps NO_STEPS = step -> {
        // nobody waits for them
    };

    private final NodeModules registry;
    private final StoreBundles bundles;
    private final Quarantine quarantine;
    private final StateFile state;
    private final Path folder;
    private final int maxModules;

    /**
     * Creates the preparation of changes of a store.
     *
     * @param folder     folder of the store
     * @param maxModules most modules that are installed
     */
    ChangePreparation(final NodeModules registry, final StoreBundles bundles, final Quarantine quarantine,
        final StateFile state, final Path folder, final int maxModules) {
        this.registry = registry;
        this.bundles = bundles;
        this.quarantine = quarantine;
        this.state = state;
        this.folder = folder;
        this.maxModules = maxModules;
    }

    /**
     * Prepares a change.
     *
     * @param incoming the bundle's file, which is moved; null when the change has no file
     * @throws IOException when the change cannot be prepared; then nothing has changed
     */
    StagedChange prepare(final ModuleChange what, final @Nullable Path incoming) throws IOException, InterruptedException {
        return switch (what.kind()) {
            case INSTALL, UPDATE, TRY -> proveAndInstall(what, Objects.requireNonNull(incoming, "incoming"));
            case ROLLBACK -> restorePrevious(Objects.requireNonNull(what.name(), "name"));
            case UNINSTALL, DROP -> checkRemoval(what, Objects.requireNonNull(what.name(), "name"));
        };
    }

    /** Prepares an installation, verifies the module in this JVM, and names the steps before they begin. */
    StagedChange prepareHere(final ModuleChange what, final Path incoming, final ModuleStore.Steps steps) throws IOException, InterruptedException {
        return install(what, incoming, "", steps);
    }

    private static ProgramFile file(final ModuleChange what) {
        return Objects.requireNonNull(what.file(), "file");
    }

    /** Installs a module after it was proved in a process of its own, or verifies it here where no such process can be started. */
    private StagedChange proveAndInstall(final ModuleChange change, final Path incoming)
        throws IOException, InterruptedException {
        final ProgramFile described = file(change);
        if (!change.verify() || registry.catalogue().modules().stream().anyMatch(m -> m.digest().equals(described.sha256()))) {
            return install(change, incoming, "", NO_STEPS);
        }
        bundles.checkBundle(incoming);
        final String unavailable = bundles.prove(incoming);
        if (unavailable != null) {
            // Cause: the process of the proof cannot be started, for the reason that follows; a module that calls exit would end the node. Remedy:
            // start the node with a JDK, in a folder that it can write.
            LOG.warn("module {} is proved in the node itself: {}", described.name(), unavailable);
        }
        return unavailable == null ? install(change.verified(), incoming, "", NO_STEPS) : install(change, incoming, unavailable, NO_STEPS);
    }

    private StagedChange install(final ModuleChange change, final Path incoming, final String note,
        final ModuleStore.Steps steps) throws IOException, InterruptedException {
        final String digest = file(change).sha256();
        final ModuleId present = registry.catalogue().modules().stream().filter(m -> m.digest().equals(digest)).findFirst().orElse(null);
        if (present != null) {
            Files.deleteIfExists(incoming);
            return new StagedChange(new PreparedChange(present, replacedBy(change, present), ""), null, null, quarantine(change, present, true));
        }
        final int modules = registry.catalogue().modules().size();
        if (change.kind() != ModuleChange.Kind.UPDATE && modules >= maxModules) {
            throw new IOException(
                "too many modules: modules=" + modules + ", limit=" + NodeProperties.MODULES + "; uninstall some, or raise the limit in "
                    + "the node's configuration");
        }
        final Path file = folder.resolve(digest.substring(0, 16) + ".jar");
        Files.move(incoming, file, StandardCopyOption.REPLACE_EXISTING);
        try {
            steps.begins("activation");
            final StoreBundles.Started started = bundles.start(file);
            try {
                if (change.kind() != ModuleChange.Kind.INSTALL && versions(started.id().name()).isEmpty()) {
                    throw new IOException("no version of module " + started.id().name() + " is installed: use install");
                }
                checkReplaced(started, change.force());
                if (change.verify()) {
                    steps.begins("query and plans");
                    InstallVerification.verify(started.id(), started.bundle(), registry);
                }
                return new StagedChange(new PreparedChange(started.id(), replacedBy(change, started.id()), note), started, file,
                    quarantine(change, started.id(), false));
            } catch (final IOException e) {
                undo(started);
                throw e;
            }
        } catch (final IOException e) {
            bundles.deleteUnneeded(file);
            throw e;
        }
    }

    /**
     * Returns what a change of all nodes does to the quarantine of the module that it installs.
     *
     * @param isPresent whether the module is installed already
     * @throws IOException when the module is in quarantine and the change is not forced, or when a module in use is to be tried
     */
    private StagedChange.QuarantineStep quarantine(final ModuleChange change, final ModuleId module, final boolean isPresent) throws IOException {
        final String reason = quarantine.reason(module);
        if (change.kind() == ModuleChange.Kind.TRY) {
            if (reason == null && isPresent) {
                // Cause: the module is installed, and not in quarantine. Remedy: `tutti update FILE --live` has running jobs take it.
                throw new IOException("module " + module + " is in use already: there is nothing to try");
            }
            if (reason == null || reason.equals(Quarantine.ON_TRIAL) || change.force()) {
                return StagedChange.QuarantineStep.TRY;
            }
        } else if (reason == null || !change.nodes().isEmpty()) {
            return StagedChange.QuarantineStep.NONE;
        }
        if (!change.force()) {
            throw new IOException(
                "module " + module + " is quarantined: " + reason + "; install a changed version, or use this one again with: --force");
        }
        return StagedChange.QuarantineStep.LIFT;
    }

    private StagedChange restorePrevious(final String name) throws IOException, InterruptedException {
        final StoredModule previous = state.get().previous(name)
            .orElseThrow(() -> new IOException("no earlier version of module " + name + " is kept"));
        final Path file = Path.of(previous.file());
        return new StagedChange(new PreparedChange(previous.id(), others(previous.id()), ""), bundles.start(file), file,
            StagedChange.QuarantineStep.NONE);
    }

    /**
     * Returns the modules that a change removes from this node at its end. An installation on some nodes alone leaves this to the coordinator, which
     * knows what the others have.
     */
    private List<ModuleId> replacedBy(final ModuleChange change, final ModuleId module) {
        if (change.kind() == ModuleChange.Kind.UPDATE) {
            return others(module);
        }
        return change.kind() == ModuleChange.Kind.TRY || !change.nodes().isEmpty() ? List.of()
            : versions(module.name()).stream().filter(m -> m.version().compareTo(module.version()) < 0).toList();
    }

    private List<ModuleId> others(final ModuleId module) {
        return versions(module.name()).stream().filter(m -> !m.equals(module)).toList();
    }

    /** Removes a bundle that was started for a change. */
    void undo(final StoreBundles.Started started) throws InterruptedException {
        if (started.fresh()) {
            bundles.remove(started.bundle());
        }
    }

    private StagedChange checkRemoval(final ModuleChange change, final String name) throws IOException {
        if (name.equals(ModuleStore.BASIC)) {
            throw new IOException("module " + ModuleStore.BASIC + " cannot be removed: it is the fallback module");
        }
        final List<ModuleId> replaced = versions(name).stream()
            .filter(m -> change.version() == null || m.version().toString().equals(change.version())).toList();
        if (replaced.isEmpty()) {
            throw new IOException("no such module: " + name + (change.version() != null ? " " + change.version()
                : SimilarNames.nearest(name, registry.catalogue().modules().stream().map(ModuleId::name).toList())));
        }
        return new StagedChange(new PreparedChange(null, replaced, ""), null, null, StagedChange.QuarantineStep.NONE);
    }

    /** Refuses a module that does not offer what it replaces, and a fallback module that does not offer everything. */
    private void checkReplaced(final StoreBundles.Started started, final boolean force) throws IOException {
        final ModuleId id = started.id();
        final Set<String> offered = StoreBundles.operations(started.bundle());
        if (id.name().equals(ModuleStore.BASIC)) {
            final List<String> missing = Operation.values().stream().map(Operation::id).filter(o -> !offered.contains(o)).sorted().toList();
            if (!missing.isEmpty()) {
                // Cause: a module is named `basic`.
                throw new IOException("module " + id + " cannot be the fallback module, which offers every operation: missing="
                    + String.join(",", missing) + "; give the module another name");
            }
        }
        final Set<String> absent = new TreeSet<>();
        for (final ModuleId present : versions(id.name())) {
            final Bundle bundle = registry.bundleOf(present);
            if (bundle != null) {
                absent.addAll(StoreBundles.operations(bundle));
            }
        }
        absent.removeAll(offered);
        if (!absent.isEmpty() && !force) {
            // Cause: jobs would lose operations.
            throw new IOException("module " + id + " does not offer all that the version it replaces offers: missing=" + String.join(",", absent)
                + "; check the operations that it names; give the module another name, or replace it with: --force");
        }
    }

    private List<ModuleId> versions(final String name) {
        return registry.catalogue().modules().stream().filter(m -> m.name().equals(name)).toList();
    }
}
