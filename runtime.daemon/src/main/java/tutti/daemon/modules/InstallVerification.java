package tutti.daemon.modules;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
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
    private static final int MAX_TASKS = 10_000;

    private InstallVerification() {}

    /**
     * Verifies the module of a bundle.
     *
     * @throws IOException when a plan is wrong, or the verification takes too long
     */
    static void verify(final ModuleId id, final Bundle bundle, final NodeModules registry) throws IOException, InterruptedException {
        final Bundle basic = registry.catalogue().modules().stream().filter(m -> m.name().equals(ModuleStore.BASIC)).findFirst()
            .map(registry::bundleOf).orElse(null);
        final VerificationReport report = TimeLimit.call("verification of module " + id, LIMIT.plus(GRACE),
            () -> registry.with(bundle, module -> basic == null ? run(module, null) : registry.with(basic, other -> run(module, other))));
        if (!report.isSound()) {
            throw new IOException("verification of module " + id + " failed: " + report.problem().orElseThrow()
                + "; install it anyway with: --no-verify");
        }
    }

    private static VerificationReport run(final CollModule module, final CollModule basic) {
        return new ModuleVerifier(module, basic, Map.of(), MAX_TASKS, LIMIT).run(ModuleVerifier.Extent.brief());
    }
}
