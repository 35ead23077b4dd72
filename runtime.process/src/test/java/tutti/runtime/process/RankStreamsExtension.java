package tutti.runtime.process;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Routes the standard streams while the tests of a class run. */
final class RankStreamsExtension implements BeforeAllCallback, AfterAllCallback {
    @Override
    public void beforeAll(final ExtensionContext context) {
        RankStreams.install();
    }

    @Override
    public void afterAll(final ExtensionContext context) {
        RankStreams.uninstall();
    }
}
