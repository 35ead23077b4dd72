package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.Version;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;
import tutti.runtime.process.LogLines;

/** Tests what a node says of a module whose declaration of parameters is damaged. */
class ModuleParametersTest {
    @RegisterExtension
    private final LogLines log = new LogLines(ModuleParameters.class);

    @Test
    void shouldSayThatADeclarationIsDamaged(@TempDir final Path dir) throws Exception {
        final URL file = Files.writeString(dir.resolve("ring.xml"), "<metatype:MetaData xmlns:metatype=\"http://www").toUri().toURL();
        final Bundle bundle = (Bundle) Proxy.newProxyInstance(Bundle.class.getClassLoader(), new Class<?>[] {Bundle.class},
            (proxy, method, args) -> method.getName().equals("findEntries") ? Collections.enumeration(List.of(file)) : "ring [7]");
        final NodeModules modules =
            (NodeModules) Proxy.newProxyInstance(NodeModules.class.getClassLoader(), new Class<?>[] {NodeModules.class},
                (proxy, method, args) -> bundle);
        assertEquals(List.of(), new ModuleParameters(modules, null).of(new ModuleId("ring", new Version(1, 0, 0), "ab")));
        assertEquals(List.of("declaration of parameters cannot be read: bundle=ring [7], file=" + file), log.lines());
    }
}
