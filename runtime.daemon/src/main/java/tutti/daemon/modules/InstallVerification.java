package tutti.daemon.modules;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.osgi.framework.Bundle;
import tutti.coll.CollModule;
import tutti.coll.tck.ModuleVerifier;
import tutti.coll.tck.VerificationReport;
import tutti.runtime.select.ModuleId;
import tutti.runtime.select.ModuleRegistry;

/** Proves the plans of a module that comes in, for few ranks. Where it makes groups, module basic serves there what it does not. */
final class InstallVerification {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final int MOST_TASKS = 10_000;

    private InstallVerification() { }

    /**
     * Verifies the module of a bundle.
     *
     * @throws IOException when something is wrong with it, or it takes too long
     */
    static void of(final ModuleId id, final Bundle bundle, final ModuleRegistry registry) throws IOException, InterruptedException {
        final Bundle basic = registry.catalogue().modules().stream().filter(m -> m.name().equals(ModuleStore.BASIC)).findFirst()
            .map(registry::bundleOf).orElse(null);
        final VerificationReport report = TimeLimit.call("verification of module " + id, LIMIT.plus(GRACE),
            () -> registry.with(bundle, module -> basic == null ? run(module, null) : registry.with(basic, other -> run(module, other))));
        if (!report.isSound()) {
            throw new IOException("module " + id + " does not plan as it should: " + report.complaint().orElseThrow()
                + "; to bring it all the same: --no-verify");
        }
    }

    private static VerificationReport run(final CollModule module, final CollModule basic) {
        return new ModuleVerifier(module, basic, Map.of(), MOST_TASKS, LIMIT).run(ModuleVerifier.Extent.brief());
    }
}
