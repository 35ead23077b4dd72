package tutti.daemon.modules;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.BiFunction;
import org.osgi.framework.Bundle;
import tutti.coll.CollModule;
import tutti.coll.tck.ModuleVerifier;
import tutti.coll.tck.VerificationReport;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/**
 * Verification of a module's plans before it is installed, for small numbers of ranks. In groups that the module creates, module basic serves the
 * operations that the module does not.
 */
final class InstallVerification {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration QUERY_LIMIT = Duration.ofSeconds(3);
    private static final int MAX_TASKS = 10_000;

    private InstallVerification() {}

    /**
     * Verifies the module of a bundle.
     *
     * @throws IOException when a plan is wrong, or the verification takes too long
     */
    static void verify(final ModuleId id, final Bundle bundle, final NodeModules registry) throws IOException, InterruptedException {
        final VerificationReport report = TimeLimit.call("verification of module " + id, LIMIT.plus(GRACE),
            () -> with(bundle, registry, (module, basic) -> new ModuleVerifier(module, basic, Map.of(), MAX_TASKS, LIMIT)
                .run(ModuleVerifier.Extent.brief())));
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
        return TimeLimit.call("query of module " + id, QUERY_LIMIT.plus(GRACE),
            () -> with(bundle, registry, (module, basic) -> new ModuleVerifier(module, basic, parameters, MAX_TASKS, QUERY_LIMIT).algorithms()));
    }

    private static <T> T with(final Bundle bundle, final NodeModules registry, final BiFunction<CollModule, CollModule, T> work) throws Exception {
        final Bundle basic = registry.catalogue().modules().stream().filter(m -> m.name().equals(ModuleStore.BASIC)).findFirst()
            .map(registry::bundleOf).orElse(null);
        return registry.with(bundle,
            module -> basic == null ? work.apply(module, null) : registry.with(basic, other -> work.apply(module, other)));
    }
}
