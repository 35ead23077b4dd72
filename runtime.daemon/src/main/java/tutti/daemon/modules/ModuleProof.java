package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
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
            store.prepareHere(new ModuleChange(ModuleChange.Kind.INSTALL, null, null, ProgramSender.describe(file), List.of(), true, true), file,
                steps);
            final List<String> changed = before.changedSettings();
            return changed.isEmpty() ? null : "the module changes its JVM: " + String.join("; ", changed)
                + "; use configuration in place of such changes, or install it anyway with: --no-verify";
        } catch (final IOException | RuntimeException e) {
            return Protocol.oneLine(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
