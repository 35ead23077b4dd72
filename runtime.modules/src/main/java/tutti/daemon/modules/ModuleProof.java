package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.channel.ProgramSender;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.module.NodeModules;
import tutti.runtime.process.snapshot.JvmSnapshot;

/**
 * Proof of a module in the process of {@link ProofMain}: a store prepares its installation, as on a node. Not used on nodes.
 *
 * <p>A function of the folder with the module and a receiver of the steps; returns why the module is refused, or null when it may be installed.
 */
@Component(service = BiFunction.class, property = ProofMain.SERVICE + "=true")
public final class ModuleProof implements BiFunction<Path, Consumer<String>, String> {
    /** Name of the module's file in the folder. */
    static final String MODULE = "module.jar";
    /** Most changes of the JVM that a refusal names. */
    private static final int MAX = 5;

    private final BundleContext context;
    private final NodeModules registry;

    /** Creates a proof that has not begun. */
    @Activate
    public ModuleProof(final BundleContext context, @Reference(name = "registry") final NodeModules registry) {
        this.context = context;
        this.registry = registry;
    }

    @Override
    public String apply(final Path folder, final Consumer<String> steps) {
        final Path file = folder.resolve(MODULE);
        try {
            final ModuleStore store = new ModuleStore(context, registry, Files.createDirectories(folder.resolve("store")), null,
                StateFile.Steps.ON_DISK);
            final JvmSnapshot before = JvmSnapshot.take();
            final String failure = prove(store, file, steps);
            final List<String> changed = before.changedSettings();
            // which may be why the proof has failed
            return changed.isEmpty() ? failure : "the module changes its JVM: " + String.join("; ", changed.subList(0, Math.min(changed.size(), MAX)))
                + (changed.size() > MAX ? "; ..." : "") + "; use configuration in place of such changes, or install it anyway with: --no-verify";
        } catch (final IOException | RuntimeException e) {
            return Protocol.oneLine(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** Returns why the module cannot be installed; null when it can. */
    private static @Nullable String prove(final ModuleStore store, final Path file, final Consumer<String> steps) throws InterruptedException {
        try {
            store.prepareHere(new ModuleChange(ModuleChange.Kind.INSTALL, null, null, ProgramSender.describe(file), List.of(), true, true), file,
                steps);
            return null;
        } catch (final IOException | RuntimeException e) {
            return Protocol.oneLine(e);
        }
    }
}
