package tutti.daemon.modules;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import tutti.coll.CollModule;
import tutti.coll.tck.ModuleVerifier;
import tutti.coll.tck.VerificationReport;
import tutti.coll.tck.limit.CpuLimit;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;
import tutti.runtime.module.PlanProver;

/**
 * Verification of a module's plans before it is installed, for small numbers of ranks. In groups that the module creates, module basic serves the
 * operations that the module does not.
 */
final class InstallVerification {
    private InstallVerification() {}

    /** Work with a module and, in groups that it creates, with module basic; null where there is none. */
    @FunctionalInterface
    private interface Work<T> {
        T on(CollModule module, @Nullable CollModule basic) throws Exception;
    }

    /**
     * Verifies the module of a bundle.
     *
     * @throws IOException when a plan is wrong, or the verification takes too long
     */
    static void verify(final ModuleId id, final Bundle bundle, final NodeModules registry) throws IOException, InterruptedException {
        final VerificationReport report = TimeLimit.call("verification of module " + id,
            () -> with(bundle, registry, (module, basic) -> verifier(module, basic, Map.of()).run(ModuleVerifier.Extent.brief())));
        if (!report.isSound()) {
            throw new IOException("verification of module " + id + " failed: " + report.problem().orElseThrow()
                + "; install it anyway with: --no-verify");
        }
    }

    /**
     * Returns the algorithms of a module by operation, as {@link ModuleVerifier#algorithms} does.
     *
     * @param parameters of the job, dotted name to value
     * @throws IOException when the module fails, or takes too long
     */
    static SortedMap<String, List<String>> algorithms(final ModuleId id, final Bundle bundle, final NodeModules registry,
        final Map<String, String> parameters) throws IOException, InterruptedException {
        return TimeLimit.call("query of module " + id,
            () -> with(bundle, registry, (module, basic) -> verifier(module, basic, parameters).algorithms()));
    }

    /** Returns a verifier that reaches its limit before its caller does, and then says where. */
    private static ModuleVerifier verifier(final CollModule module, final @Nullable CollModule basic, final Map<String, String> parameters) {
        return new ModuleVerifier(module, basic, parameters, PlanProver.MAX_TASKS, CpuLimit.ACTION.minusSeconds(2));
    }

    private static <T> T with(final Bundle bundle, final NodeModules registry, final Work<T> work) throws Exception {
        final Bundle basic = registry.catalogue().modules().stream().filter(m -> m.name().equals(ModuleStore.BASIC)).findFirst()
            .map(registry::bundleOf).orElse(null);
        return registry.with(bundle,
            module -> basic == null ? work.on(module, null) : registry.with(basic, other -> work.on(module, other)));
    }
}
