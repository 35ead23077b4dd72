package tutti.runtime.module;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import tutti.coll.CollModule;

/**
 * The modules that are active on this node: all {@link CollModule} services, except those of hidden bundles. A bundle is hidden while its modules
 * may not be used yet, or may no longer be used. Published as a service of the node. Safe for any thread.
 */
public interface NodeModules extends NodeCatalogue {

    /** A function of a module, for {@link #with}. */
    @FunctionalInterface
    interface ModuleFunction<T> {
        /** Applies the function to the module. */
        T apply(CollModule module) throws Exception;
    }

    /** Modules that stay installed until they are released. */
    interface Pinned extends AutoCloseable {
        /** Releases all modules but the given ones. */
        void keep(List<ModuleId> modules);

        /** Releases all modules. Idempotent. */
        @Override
        void close();
    }

    /** Pins the modules that are offered now, for a job in another JVM. */
    Pinned pin();

    /** Returns the modules of one bundle, hidden or not. */
    List<ModuleId> of(Bundle bundle);

    /** Returns the bundle of a module that is offered; null when the module is not offered. */
    @Nullable
    Bundle bundleOf(ModuleId id);

    /** Returns the bundle of a module, offered or hidden, as one that a job still uses is; null when the module is not installed. */
    @Nullable
    Bundle installed(ModuleId id);

    /**
     * Creates and releases the service objects of a bundle once, to verify that its modules can be created. Runs the module's code.
     *
     * @throws IOException when a module cannot be created
     */
    void probe(Bundle bundle) throws IOException;

    /**
     * Creates the module of a bundle, hidden or not, applies a function to it, and releases it. Runs the module's code.
     *
     * @throws IOException when the module cannot be created
     */
    <T> T with(Bundle bundle, ModuleFunction<T> function) throws Exception;

    /** Returns whether the bundle's modules are offered. */
    boolean isOffered(Bundle bundle);

    /** Hides the modules of a bundle: they are not offered from now on. May be called before the bundle is started. */
    void hide(Bundle bundle);

    /** Offers the modules of a bundle that was hidden. */
    void show(Bundle bundle);

    /** Hides the modules of a bundle. The returned stage completes when no job has them pinned any more. */
    CompletionStage<Void> retire(Bundle bundle);

    /** Sets the modules that this node knows to be in quarantine, and those of which it was lifted. */
    void setQuarantine(List<QuarantinedModule> quarantine);

    /** Removes the record of a bundle that was uninstalled. */
    void forget(Bundle bundle);
}
