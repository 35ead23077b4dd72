package tutti.runtime.affinity;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class CoreMigrationTest {
    private static final int MOVES = 100;

    @Test
    void shouldMoveToAnotherCoreAndKeepTheCoreThatWasLeft() throws Throwable {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "needs two cores");
        final CoreMigration migration = CoreMigration.find().orElseThrow();
        final Set<Integer> cores = new HashSet<>();
        // the system may move the thread back before it is asked, so one move proves nothing; without any, the thread would stay
        for (int i = 0; i < MOVES; i++) {
            assertTrue(migration.move());
            cores.add(migration.currentCore());
        }
        // a core that was left for good would be missed at the second move
        assertTrue(cores.size() > 1, "cores: " + cores);
    }
}
