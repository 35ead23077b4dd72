package tutti.daemon.part;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Version;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;
import tutti.runtime.policy.RuleTable;

/** Tests which modules of a node stay installed for a part in a job JVM that changes its modules. */
class JvmChangesTest {
    private static final ModuleId OLD = new ModuleId("tree", new Version(1, 0, 0), "t");
    private static final ModuleId NEW = new ModuleId("tree", new Version(1, 1, 0), "u");
    private static final AgreedModules AGREED = new AgreedModules(List.of(NEW), List.of(), Map.of(), Set.of(), RuleTable.NONE);

    private final List<String> log = new ArrayList<>();
    private final ScriptedPart part = new ScriptedPart();
    private final JvmChanges changes = new JvmChanges(new ScriptedModules());

    /** Modules whose pins log what is released, with the number of the pin. */
    private final class ScriptedModules implements JvmChanges.Node {
        private int pins;

        @Override
        public NodeModules.Pinned pin() {
            final int pin = pins++;
            return new NodeModules.Pinned() {
                @Override
                public void keep(final List<ModuleId> modules) {
                    log.add(pin + " keeps " + modules);
                }

                @Override
                public void close() {
                    log.add(pin + " is closed");
                }
            };
        }

        @Override
        public OfferedModules offered() {
            return new OfferedModules(new Catalogue(1, List.of(NEW)), List.of("file:x"), List.of());
        }
    }

    /** JVM that installs all that it is offered. */
    private final class ScriptedJvm implements PartJvm {
        @Override
        public CompletionStage<PreparedPart> prepare(final JvmPreparation order) {
            throw new AssertionError("it is prepared");
        }

        @Override
        public CompletionStage<Void> offer(final OfferedModules modules) {
            assertTrue(part.steps().isEmpty(), "it is offered before the part leases it");
            log.add("offered " + modules.catalogue().modules());
            return CompletableFuture.completedStage(null);
        }
    }

    private void begin() throws IOException {
        changes.begin();
        changes.keep(0, List.of(OLD));
        part.offer(new Catalogue(1, List.of(NEW)));
        log.clear();
    }

    private void lease(final int change) throws IOException {
        assertEquals(List.of(NEW), changes.lease(change, new ScriptedJvm(), part).toCompletableFuture().join().modules());
        part.steps().clear();
    }

    @Test
    void shouldOfferThenLeaseAndReleaseWhatTheJobDoesNotUse() throws Exception {
        begin();
        lease(1);
        changes.agree(1, AGREED, 0, part);
        assertEquals(List.of("offered [tree 1.1.0]", "1 keeps [tree 1.1.0]"), log);
    }

    @Test
    void shouldReleaseWhatThePartHasReleasedButNothingOfAChangeThatIsNotComplete() throws Exception {
        begin();
        lease(1);
        changes.agree(1, AGREED, 0, part);
        log.clear();
        changes.released(List.of(OLD));
        assertEquals(List.of("0 keeps [tree 1.0.0]"), log);
        changes.change(1, part);
        log.clear();
        changes.released(List.of(NEW));
        assertEquals(List.of("0 keeps [tree 1.1.0]", "1 keeps [tree 1.1.0]"), log);
    }

    @Test
    void shouldReleaseAllThatWasPinnedForAChangeThatIsAbandoned() throws Exception {
        begin();
        lease(1);
        changes.abandon(1, part);
        assertEquals("abandon 1", part.steps().poll());
        assertEquals(List.of("offered [tree 1.1.0]", "1 is closed"), log);
    }

    @Test
    void shouldReleaseAllAtTheEndAndPinNothingAfterIt() throws Exception {
        begin();
        lease(1);
        log.clear();
        changes.close();
        changes.close();
        assertEquals(List.of("0 is closed", "1 is closed"), log);
        log.clear();
        assertEquals("the part has ended", assertThrows(IOException.class, changes::begin).getMessage());
        assertEquals(List.of("2 is closed"), log);
    }
}
