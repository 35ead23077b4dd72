package tutti.daemon.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Version;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.process.LogLines;

/** Tests the list of modules in quarantine of a node. */
class QuarantineTest {
    private static final ModuleId SLY = new ModuleId("sly", new Version(1, 0, 0), "ab");
    private static final NodeModules NOWHERE =
        (NodeModules) Proxy.newProxyInstance(NodeModules.class.getClassLoader(), new Class<?>[] {NodeModules.class}, (proxy, method, args) -> null);

    @RegisterExtension
    private final LogLines log = new LogLines(Quarantine.class);

    @TempDir
    private Path dir;

    private Quarantine node(final String name) throws Exception {
        return new Quarantine(Files.createDirectories(dir.resolve(name)), NOWHERE);
    }

    @Test
    void shouldKeepItsRecordsOverARestart() throws Exception {
        node("a").add(SLY, "bcast is wrong");
        assertEquals("bcast is wrong", node("a").reason(SLY));
    }

    @Test
    void shouldBeginAnewWithADamagedFile() throws Exception {
        node("a").add(SLY, "bcast is wrong");
        Files.writeString(dir.resolve("a/quarantine.json"), "[{\"module\":");
        final Quarantine again = node("a");
        assertNull(again.reason(SLY));
        log.assertLine("list of modules in quarantine is damaged and begins anew; other nodes send theirs: file=" + dir.resolve("a/quarantine.json"));
        again.add(SLY, "still");
        assertEquals("still", node("a").reason(SLY));
    }

    @Test
    void shouldHoldTheLaterRecordWhicheverNodeSendsItFirst() throws Exception {
        final Quarantine a = node("a");
        final Quarantine b = node("b");
        a.add(SLY, "bcast is wrong");
        b.merge(a.records());
        b.lift(SLY);
        a.merge(b.records());
        b.merge(List.of(new QuarantinedModule(SLY, "bcast is wrong", 1)));
        assertNull(a.reason(SLY));
        assertNull(b.reason(SLY));
        a.add(SLY, "again");
        b.merge(a.records());
        assertEquals("again", b.reason(SLY));
    }

    @Test
    void shouldTellItsListenerOfChangesOnly() throws Exception {
        final Quarantine a = node("a");
        final List<QuarantinedModule> told = new ArrayList<>();
        a.listen(told::addAll);
        a.add(SLY, "bcast is wrong");
        a.add(SLY, "once more");
        a.merge(a.records());
        assertEquals(List.of("bcast is wrong"), told.stream().map(QuarantinedModule::reason).toList());
    }

    @Test
    void shouldLeaveTheFallbackModuleInUse() throws Exception {
        final ModuleId basic = new ModuleId("basic", new Version(1, 0, 0), "cd");
        final Quarantine a = node("a");
        a.add(basic, "bcast is wrong");
        assertNull(a.reason(basic));
        log.assertLine("a plan of the fallback module basic 1.0.0");
    }

    @Test
    void shouldSayThatItsFileCannotBeWritten() throws Exception {
        final Quarantine a = node("a");
        Files.createDirectories(dir.resolve("a/quarantine.json/full"));
        a.add(SLY, "bcast is wrong");
        assertEquals("bcast is wrong", a.reason(SLY));
        log.assertLine("list of modules in quarantine cannot be written: file=" + dir.resolve("a/quarantine.json") + ", reason=");
        log.assertLine("module sly 1.0.0 is in quarantine: bcast is wrong; new jobs do not use it until it is installed in another version, or again "
            + "with --force");
    }
}
